// Where a kernel is launched: functions that mention it and launch something, in its own file or in
// the files around it; and statements outside functions.
//
// Rules
//   1. Own file first; then files of the folder, then of the project: upwards to the folder that
//      holds a .git, pyproject.toml or setup.py, or the topmost package.
//   2. At most 8,000 files and 64 MiB are looked at; links are not followed, and a file that cannot be
//      read is left out.
//   3. Code beats tests, benchmarks and scripts, and earlier lines later ones.
#pragma once

#include <string>
#include <vector>

#include "kernel/triton/source.h"

namespace heddle::kernel::triton::host {

struct HostFunction {
  const Module* module = nullptr;
  const Node* function = nullptr;  ///< or the whole file, for what stands outside its functions
  const Node* owner = nullptr;     ///< the class it is a method of; null: of none
};

/// At most a few, the most likely first.
std::vector<HostFunction> find_launch_sites(TritonSource& source, const std::string& kernel);

}  // namespace heddle::kernel::triton::host
