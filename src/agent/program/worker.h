// The process that runs C++ kernels: one task, told line by line (docs/agent.md, Workers).
//
//   heddle-agent worker DIR check 0 1 2
//   compiling 0
//   begin 0 main 1
//   equal 0 main 1
//   ...
//   done
//
// Rules
//   1. Lines go to what standard output was when it began. Standard output itself becomes standard
//   error,
//      so that what a kernel prints is not taken for a line.
//   2. Before anything that a candidate could be blamed for, a line names it.
//   3. A rejection is the last line: the device may be of no use after it.
#pragma once

#include <string>
#include <vector>

namespace heddle::agent {

/// The words after `worker`; returns the exit code.
int work(std::vector<std::string> words);

}  // namespace heddle::agent
