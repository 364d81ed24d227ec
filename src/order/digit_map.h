// The map of a digit order without its program: digits counted up, where nothing is left over.
//
// Rules
//   1. The same map as the order's program gives, many times as fast.
//   2. Nothing where an extent does not divide, or where the axes are not those of the space.
#pragma once

#include <optional>

#include "order/digits.h"
#include "order/order.h"

namespace heddle::order {

/// The digits of an order that is one stage of them; nothing for any other.
std::optional<DigitOrder> digits_of(const Order& order);

std::optional<Map> digit_map(const DigitOrder& digits, const Space& space);

}  // namespace heddle::order
