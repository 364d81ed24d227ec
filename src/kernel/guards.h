// Branches that let a block return before it does anything.
//
//   pid = program_id 0                   pid = program_id 0
//   if pid >= tiles:                     if pid < tiles:
//       return                               all the rest
//   all the rest
//
// Rules
//   1. A guard is a branch on index code of the block (index_code.h) whose body does nothing but end
//      the program. Nothing but index code and values without effects stands before it: a block
//      that it lets return is idle.
//   2. A branch around all the rest is a guard of the opposite condition: `with_guards` writes it so.
//   3. IndexCode finds guards and takes them for index code.
#pragma once

#include "kernel/tile_program.h"

namespace heddle::kernel {

/// The same program, with rule 2.
KernelProgram with_guards(const KernelProgram& program);

}  // namespace heddle::kernel
