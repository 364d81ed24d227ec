// Verdicts for every grid under 2^31 blocks, int32, no overflow.
//
// Three ways, tried in this order:
//   1. heddle's own families: by construction; each stage carries its argument and its inverse,
//      and permutations compose.
//   2. a counterexample: every small grid exhaustively, and probes on very large ones (where
//      int32 overflows).
//   3. Z3, with a time limit: the index stays inside, two launch ids never meet, nothing
//      overflows. A permutation of a finite set needs no more.
// Otherwise UNKNOWN, with the reason and the range that was checked.
#pragma once

#include "order/order.h"
#include "proof/check.h"
#include "results/verdict.h"

namespace heddle::proof {

AllSizesReport check_all_sizes(const order::Order& order, const order::Shape& shape,
                               const order::Bindings& bindings, const CheckOptions& options);

}  // namespace heddle::proof
