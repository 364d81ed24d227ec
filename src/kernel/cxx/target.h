// What the compiler for a GPU makes of a kernel, read off its assembly.
//
//   s_load_dwordx2 s[22:23], ...      .loc 12 33    x[j] is loaded once for the whole wave
//   v_fmac_f64_e32 v[8:9], ...        .loc 12 9     one multiply-add, whenever that place runs
//   global_atomic_add_f64 v2, ...     .loc 15 3     nobody takes the old value (no glc)
//
// Rules
//   1. Registers, shared memory and scalar loads are those of -O3. Arithmetic is counted in code
//      whose loops are not unrolled, as in the code that runs here, so that places of the source
//      tell how often each instruction runs.
//   2. Instructions belong to the part of the traced code with the same line and column; if there
//      is none, with the same line, or the nearest one above.
//   3. NVIDIA's registers are given out by an assembler that is not part of Clang: they are taken
//      from gfx90a's code.
//
// Does not model: lanes that wait while others take a branch (work counts per lane).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kernel/native.h"
#include "kernel/program.h"

namespace heddle::kernel::cxx {

/// The options that both compilers get: where headers are, and macros.
void append_common(const NativeCode& native, std::vector<std::string>& arguments);
/// Whether Clang finds a header of the kernel's: "<a.h>".
bool has_header(const NativeCode& native, const std::string& header);
/// The macros that are defined at the end of the kernel's text, and those that the job says are none.
std::set<std::string> known_macros(const NativeCode& native);

/// The text with `#pragma unroll` and its like blank: places of the source then tell how often code
/// runs, here and in the chip's code alike.
std::string without_unrolling(std::string text);

/// `target` is "gfx90a", "gfx942", "sm_90", ...; facts that could not be found have a reason.
/// Nothing is kept: KernelProgram::facts does that.
std::shared_ptr<const TargetFacts> find_facts(const KernelProgram& program,
                                              const NativeCode& native, const std::string& target);

/// The atomics among the sites; those that the target's code does not show count as exchanges whose
/// result is used. Facts of a target that was compiled for it go into `facts`.
std::vector<NativeAtomic> find_atomics(const KernelProgram& program, const NativeCode& native,
                                       FactsByTarget& facts);

}  // namespace heddle::kernel::cxx
