#include "audit/known_orders.h"

#include <fmt/format.h>

#include "order/compact.h"
#include "order/order.h"

namespace heddle::audit {
namespace {

std::vector<std::string> candidates() {
  std::vector<std::string> texts = {"reverse", "columns"};
  for (const int dies : {8, 2, 3, 4, 6, 7, 16}) {
    texts.push_back(fmt::format("xcd({})", dies));
    texts.push_back(fmt::format("head_first({})", dies));
  }
  for (const int size : {2, 4, 8, 16, 32}) {
    texts.push_back(fmt::format("group({})", size));
    texts.push_back(fmt::format("group_columns({})", size));
    texts.push_back(fmt::format("xcd(8) | group({})", size));
    texts.push_back(fmt::format("xcd(8) | group_columns({})", size));
    texts.push_back(fmt::format("xcd_chunk(8, {})", size));
  }
  return texts;
}

}  // namespace

std::string known_order(const std::vector<std::int64_t>& tile_of, const Grid& grid) {
  order::Space space;
  space.launch = grid;
  for (const std::string& text : candidates()) {
    try {
      if (order::materialize(order::read_compact(text), space, {}) == tile_of) return text;
    } catch (const Error&) {
      // Not for grids of this shape.
    }
  }
  return {};
}

}  // namespace heddle::audit
