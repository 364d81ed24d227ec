// The proof that stands before every emission.
#pragma once

#include <optional>

#include "order/order.h"
#include "order/space_range.h"
#include "proof/proven_order.h"
#include "support/error.h"

namespace heddle::tool {

/// For all sizes of a shape, or on a range of grids.
struct Question {
  std::optional<order::Shape> all_sizes;
  std::optional<order::SpaceRange> range;
  int time_limit_s = 60;
};

/// Nothing where the order is not proved: the verdict is then on stderr, and its exit code in
/// `code`.
std::optional<proof::ProvenOrder> prove_or_explain(const order::Order& order,
                                                   const order::Bindings& bindings,
                                                   const Question& question, ExitCode& code);

/// Throws Error for an order that is a table.
void refuse_table(const order::Order& order);

}  // namespace heddle::tool
