#include "order/cost.h"

#include <algorithm>

#include "order/evaluate.h"

namespace heddle::order {

namespace {

/// The launch order needs no code: what its program computes is what the hardware hands out.
bool is_identity(const Order& order) {
  return order.origin() == Order::Origin::family &&
         std::ranges::all_of(order.stages(),
                             [](const Stage& stage) { return stage.text() == "identity"; });
}

}  // namespace

int operations(const Order& order, const Space& space, const Bindings& bindings) {
  if (order.origin() == Order::Origin::table || is_identity(order)) return 0;
  const Program program = order.program(Shape::of(space), bindings);
  Evaluator evaluator(program, space, bindings.values(program.names, space));
  const std::int64_t blocks = space.block_count();
  const std::int64_t probes = std::min<std::int64_t>(kProbes, blocks);
  for (std::int64_t k = 0; k < probes; ++k)
    evaluator.index_of(LaunchId{(2 * k + 1) * blocks / (2 * probes)});
  return probes > 0 ? static_cast<int>(evaluator.operations() / probes) : 0;
}

}  // namespace heddle::order
