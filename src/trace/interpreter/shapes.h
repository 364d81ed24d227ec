// Whether the shapes and families of an instruction fit, and which axes a shape operation moves.
//
//   expand_dims int32[128] at 1 -> int32[128, 1]      axis_of {0, none}
//   reshape int32[128, 1] -> int32[128]               axis_of {0}
//   reshape int32[128] -> int32[2, 64]                axis_of empty: elements move
#pragma once

#include "trace/interpreter/context.h"

namespace heddle::trace::interpreter {

/// Throws Error where it does not hold.
void require(bool holds, const char* what);

/// The shape that both stand for: rule 2 of kernel/program.h. Throws Error if there is none.
std::vector<std::int64_t> broadcast_shape(const std::vector<std::int64_t>& a,
                                          const std::vector<std::int64_t>& b);

/// Checks operands against the result and fills step.axis_of.
void resolve_shapes(Step& step);

}  // namespace heddle::trace::interpreter
