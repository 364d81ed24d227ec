// What an order costs the blocks that compute it.
//
//   operations(hilbert, 64 x 64)   about 200      operations(xcd(8), 64 x 64)   about 10
//
// Rules
//   1. Counted as they are executed, rounds of loops and the side of a branch that is taken, for
//      kProbes launch ids that are spread over the launch; the mean.
//   2. A division counts as many operations as compilers make of it: kDivision, by a constant
//      kConstantDivision.
//   3. `identity` costs nothing, and a table nothing that is counted here.
#pragma once

#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"

namespace heddle::order {

inline constexpr int kDivision = 16;
inline constexpr int kConstantDivision = 4;
inline constexpr int kProbes = 16;

int operations(const Order& order, const Space& space, const Bindings& bindings);

}  // namespace heddle::order
