// One command line: parses flags, runs a verb, turns errors into messages and exit codes. The program
// and libheddle run verbs through it, so that they cannot answer differently.
#pragma once

namespace heddle::tool {

/// The exit code. Results and messages go to standard output and error, or where Capture puts them.
int run_command(int argc, char** argv);

}  // namespace heddle::tool
