#include <fmt/format.h>

#include "order/compact.h"
#include "search/proposers/list.h"

namespace heddle::search {

std::unique_ptr<Proposer> walks(const SearchSpace& space) {
  std::vector<order::Order> orders;
  if (space.grid.axes() > 1) {
    const std::vector<std::string> inside = {"hilbert",
                                             "morton",
                                             "snake",
                                             "columns | snake",
                                             "group_snake(4)",
                                             "group_snake(16)",
                                             "group_columns_snake(4)",
                                             "group_columns_snake(16)",
                                             "reverse",
                                             "reverse | columns"};
    for (const std::string& walk : inside) {
      // A run of the walk for each die is a region of its own.
      if (space.dies > 1)
        orders.push_back(order::read_compact(fmt::format("xcd({}) | {}", space.dies, walk)));
      orders.push_back(order::read_compact(walk));
    }
  } else {
    orders.push_back(order::read_compact("reverse"));
  }
  return std::make_unique<ListProposer>("walks", std::move(orders));
}

}  // namespace heddle::search
