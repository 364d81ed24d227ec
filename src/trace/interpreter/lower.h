// A kernel program as the machine runs it: registers made, operands resolved, actions chosen.
//
// Rules
//   1. Nothing of the program is trusted: a register, block, place, site or axis that does not
//      exist, shapes that do not fit, blocks that own each other, are Errors with the place.
//   2. No step's result is one of its operands (a copy through a hidden register is put in).
#pragma once

#include <deque>
#include <vector>

#include "trace/interpreter/context.h"

namespace heddle::trace::interpreter {

/// Nesting of blocks beyond this is an Error.
inline constexpr int kDepthLimit = 1000;

struct Code {
  std::deque<BlockType> types;  ///< of registers and of accesses
  std::deque<Value> registers;  ///< program values, then hidden ones
  std::deque<CodeBlock> blocks;
};

/// Throws Error where indices into the program's tables do not exist or blocks are not a tree.
void check_program(const kernel::KernelProgram& program);

/// The program has passed check_program; context.program is it.
void lower(Context& context, Code& code);

}  // namespace heddle::trace::interpreter
