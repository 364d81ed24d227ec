// Closes the process before code from outside is loaded.
//
// Rules
//   1. First step, before the kernel's library is loaded: no network, no new process, no file that
//      is opened for writing, no signal handlers; memory, CPU time, files and their size limited.
//   2. Second step, after it: no file is opened at all; only the socket of the commands is read and
//      standard output written; no memory can be made executable.
//   3. A system call that is not allowed ends the trace and is named.
//   4. Where the kernel cannot filter system calls nothing is run.
//   5. The process looks several times a second whether heddle still runs, and ends with it.
#pragma once

#include <cstdint>

namespace heddle::runner {

void limit_resources(std::uint64_t memory_bytes, std::uint64_t cpu_seconds);
void catch_faults();
void end_with_parent(std::int64_t process);
/// The addresses behind the calls of each site, with a 0 behind the last (kernel/cxx/assembly.h).
void set_up_places(const std::uint64_t* places);
void close_sandbox_for_loading();
void close_sandbox();

}  // namespace heddle::runner
