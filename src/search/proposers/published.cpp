#include <fmt/format.h>

#include <cmath>

#include "order/compact.h"
#include "search/proposers/list.h"

namespace heddle::search {
namespace {

/// Remaps of the launch id, for GPUs of several dies.
std::vector<std::string> lines(const SearchSpace& space) {
  if (space.dies < 2) return {};
  const int dies = space.dies;
  std::vector<std::string> texts = {fmt::format("xcd({})", dies),
                                    fmt::format("xcd_tail({})", dies)};
  if (dies > 2) texts.push_back(fmt::format("xcd_tail({})", (dies + 1) / 2));
  for (const int chunk : {2, 64}) texts.push_back(fmt::format("xcd_chunk({}, {})", dies, chunk));
  texts.push_back(fmt::format("xcd_panel({}, {})", dies, space.compute_units));
  texts.push_back(fmt::format("inverse(xcd({}))", dies));
  return texts;
}

/// Walks through rows and columns, as one-die schemes do it.
std::vector<std::string> walks_of_one_die() {
  return {"columns",          "group(8)",       "group(4)",
          "group_columns(8)", "group_snake(8)", "group_columns_snake(8)"};
}

/// Both together, and the attention schemes.
std::vector<std::string> walks_of_dies(const SearchSpace& space) {
  if (space.dies < 2) return {};
  const int dies = space.dies;
  const auto group = static_cast<std::int64_t>(
      std::ceil(std::sqrt(static_cast<double>(space.compute_units) / dies)));
  return {fmt::format("xcd({}) | columns", dies),
          fmt::format("block_first({})", dies),
          fmt::format("head_first({})", dies),
          fmt::format("xcd({}) | group(8)", dies),
          fmt::format("xcd({}) | group(4)", dies),
          fmt::format("xcd({}) | group_columns(8)", dies),
          fmt::format("xcd_chunk({}, 64) | group(8)", dies),
          fmt::format("xcd_chunk({}, 16) | group(4)", dies),
          fmt::format("xcd_chunk({}, {}) | group({})", dies, group * group, group),
          fmt::format("xcd_tail({}) | group({})", (dies + 1) / 2,
                      static_cast<std::int64_t>(
                          std::ceil(std::sqrt(static_cast<double>(space.compute_units)))))};
}

}  // namespace

std::unique_ptr<Proposer> published_orders(const SearchSpace& space) {
  std::vector<std::string> texts = lines(space);
  if (space.grid.axes() > 1) {
    for (std::string& text : walks_of_dies(space)) texts.push_back(std::move(text));
    for (std::string& text : walks_of_one_die()) texts.push_back(std::move(text));
  }
  std::vector<order::Order> orders;
  for (const std::string& text : texts) orders.push_back(order::read_compact(text));
  return std::make_unique<ListProposer>("published", std::move(orders), Origin::published);
}

}  // namespace heddle::search
