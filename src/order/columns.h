// Integer operations on whole columns, one value for each lane: the quick way of an evaluator.
//
// Rules
//   1. Nothing is checked: values wrap at 64 bits, and lanes that are switched off may hold anything.
//   2. An operation without a quick way is refused, and so is a divisor that is not one positive
//      int32 for all lanes, or a negative dividend.
#pragma once

#include <array>
#include <cstdint>

#include "order/operation.h"

namespace heddle::order {

inline constexpr int kLanes = 256;
using Column = std::array<std::int64_t, kLanes>;

/// A column, or one value for all lanes.
struct Operand {
  const std::int64_t* column;  ///< null: `scalar`
  std::int64_t scalar;
};

/// out[i] = a[i] operation b[i], where not both are scalars. False: refused, `out` holds nothing.
bool apply_to_columns(Operation operation, Operand a, Operand b, Column& out);

/// Results of int32 operands may need more bits.
bool may_overflow(Operation operation);

}  // namespace heddle::order
