// A tool call of heddle mcp: heddle itself, in a process of its own.
//
// Rules
//   1. It is this program, whatever lies in PATH. Time, memory and output are bounded; it ends with
//      all that it has started, also when the call is cancelled.
//   2. It reads the roots and what programs need (/usr, Python's folder), and writes to its own
//      temporary folder and the folder of the call, by Landlock. Where the system has none, calls
//      that name files are refused unless `unconfined`.
//   3. What is not written to a folder of the client's is thrown away; a patch is handed back.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "mcp/server.h"

namespace heddle::tool {

struct CallLimits {
  std::chrono::milliseconds time{300'000};
  std::size_t memory_bytes = std::size_t{16} << 30;  ///< of addresses
  bool unconfined = false;
};

/// Folders that programs need: of the system, and of the Python that is called python3. Puts the
/// latter first in PATH: what is called python3 may be a script that looks for it.
std::vector<std::string> program_folders();

mcp::Answer run_call(const mcp::Command& command, const mcp::Roots& roots, const mcp::Watch& watch,
                     const CallLimits& limits, const std::vector<std::string>& programs);

}  // namespace heddle::tool
