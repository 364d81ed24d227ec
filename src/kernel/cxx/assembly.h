// The assembly of a kernel that was compiled with coverage callbacks, made ready to be observed.
//
//   bl __sanitizer_cov_load8              ─▶  mov w1, #3            site 3, read of 8 B, line 12:33
//                                             bl heddle_load8       if the address is a tensor's
//   bl __sanitizer_cov_trace_pc_guard     ─▶  one more in counter 7
//   callq heddle_atomic4@PLT              ─▶  movl $5, %esi; callq heddle_change4@PLT
//
// Rules
//   1. The callbacks of Clang get the address only. Every call gets the number of its site as its
//      second argument: the register of it is free there, since the call may change it.
//      Copies of structs (__asan_memcpy) become calls of heddle_memcpy, with sites for their
//      pieces.
//      A table, heddle_places, has the address behind each call: a load that fails is found by it.
//   2. Sites are numbered in the order of the code, so that a branch back spans a range of sites: a
//      loop.
//   3. Places are those of the debugging information: of the kernel's own file, line and column;
//      of other files, the name of the file and its line.
//   4. A gap follows every shared variable, and a list names them all (runner/shared.h).
//   5. AArch64 and x86-64, as Clang writes them for ELF.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/native.h"

namespace heddle::kernel::cxx {

/// Where a runner's tensors lie: addresses with this number in front (runner/protocol.h).
inline constexpr int kWindowShift = 44;
inline constexpr int kWindowNumber = 1;

struct AssemblySite {
  MemoryKind kind = MemoryKind::read;
  int bytes = 0;
  int line = 0;  ///< 0: not in the kernel's own file
  int column = 0;
  std::string elsewhere;  ///< "common.h:12"
};

struct ObservedAssembly {
  std::string text;
  std::vector<AssemblySite> sites;
  std::vector<SiteLoop> loops;
  std::vector<CountedPlace> places;
  int counters = 0;
};

/// `main_file` is what the kernel's own file is called in the text.
ObservedAssembly observe(std::string_view assembly, const std::string& main_file);

/// "	.loc	0 12 33 is_stmt 0": which file, line and column.
struct AssemblyPlace {
  int file = -1;
  int line = 0;
  int column = 0;
};
bool read_place(std::string_view line, AssemblyPlace& place);

/// `	.file	0 "/tmp" "kernel.hip" md5 ...`: number and name, without the folder.
bool read_file_name(std::string_view line, int& number, std::string& name);

}  // namespace heddle::kernel::cxx
