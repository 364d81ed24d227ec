// Which parameters the pointer of every load, store and atomic can come from, and which atomics
// may run in any order.
#pragma once

#include "kernel/tile_program.h"

namespace heddle::kernel {

/// Fills Site::parameters and Site::commutes. A pointer made from a number (loaded from memory) can
/// come from anywhere: its list stays empty. An atomic commutes if it adds, takes the minimum or
/// maximum, or combines bits, and nothing reads its result. For whole programs only: after
/// remove_unneeded nothing reads results that no address needs.
void find_provenance(KernelProgram& program);

}  // namespace heddle::kernel
