#include "results/tile_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {

std::int64_t TileSpace::count() const {
  std::int64_t result = 1;
  for (const TileCoordinate& one : coordinates) result *= one.extent;
  return result;
}

std::int64_t TileSpace::idle_blocks() const {
  std::int64_t result = 0;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) result += first[i] == first[i + 1] ? 1 : 0;
  return result;
}

std::string TileSpace::box_text() const {
  std::string extents;
  std::string names;
  for (const TileCoordinate& one : coordinates) {
    extents += fmt::format("{}{}", extents.empty() ? "" : " x ", one.extent);
    names += (names.empty() ? "" : " x ") + one.name;
  }
  return fmt::format("{} ({})", extents, names);
}

std::string TileSpace::order_text() const {
  if (is_launch_grid) return "each an axis of the launch";
  std::string text = order;
  if (order.empty()) text = "an order of its own";
  if (!near_order.empty()) text = near_order + " but for the last group";
  if (order == "identity") text = coordinates.size() == 1 ? "one after the other" : "row by row";
  if (order == "columns") text = "column by column";
  if (order.starts_with("group(")) text = "Triton's grouped order, " + order;
  if (!together.empty()) text += fmt::format(", {} as one axis", fmt::join(together, " and "));
  const std::string fastest = fmt::format("{}", fmt::join(inner, " and "));
  if (is_along_axis)
    return fmt::format("persistent, strided along axis 0 for each {}: {}", fastest, text);
  if (!blocks_order.empty()) text = blocks_order + " of the blocks, " + text;
  if (!inner.empty()) text += ", " + fastest + " fastest";
  if (walk == Walk::strided) text = "persistent, strided: " + text;
  if (walk == Walk::chunked) text = "persistent, chunked: " + text;
  if (has_returns())
    text = fmt::format("blocks come back to their tiles, {} turns on {}", tiles.size(), count());
  if (walk == Walk::several) text = "persistent: " + text;
  return text;
}

}  // namespace heddle
