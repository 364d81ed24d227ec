// The parser of Triton Python order texts.
//
// Reads: assignments (plain, tuple, augmented, annotated), arithmetic, comparisons (chained too),
// and/or/not, conditional expressions, if/elif/else, while, for .. in range(..), def, return,
// calls, `;`, comments, docstrings, decorators, imports and assertions (skipped).
//
// Rules
//   1. Indentation forms blocks only after a line that ends in ':'. Outside those, uneven
//      indentation (as pasted code has it) is accepted.
//   2. Inside a block a line that returns to no enclosing indentation is an error: two readings
//      of one text would be two different orders.
#pragma once

#include <string_view>

#include "order/syntax.h"

namespace heddle::order {

Module parse_triton(std::string_view text);

/// One expression with nothing around it (used for --let and for sizes).
ExpressionPtr parse_triton_expression(std::string_view text);

}  // namespace heddle::order
