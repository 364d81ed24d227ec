#include "order/digits.h"
#include "search/arrangements.h"
#include "search/proposers/list.h"
#include "support/lists.h"

namespace heddle::search {
namespace {

/// Grids with at most so many arrangements are searched to the last one.
constexpr std::int64_t kAllOf = 8000;

}  // namespace

std::unique_ptr<Proposer> digit_orders(const SearchSpace& space) {
  std::vector<Arrangement> arrangements = placed_dies(space.grid, space.dies, space.extents, 0);
  const auto all = all_arrangements(space.grid, kAllOf);
  const auto more = all ? *all : placed_dies(space.grid, space.dies, space.extents, 1);
  append(arrangements, more);
  std::vector<order::Order> orders;
  for (const Arrangement& arrangement : arrangements)
    orders.push_back(
        order::Order::from_stages({order::digit_stage(digit_order(arrangement, space.dies))}));
  return std::make_unique<ListProposer>("digits", std::move(orders));
}

}  // namespace heddle::search
