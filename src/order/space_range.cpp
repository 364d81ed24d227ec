#include "order/space_range.h"

#include <fmt/format.h>

#include "order/parse_triton.h"
#include "support/text.h"

namespace heddle::order {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes)
    count = size < kBlockLimit && count < kBlockLimit ? count * size : kBlockLimit;
  return count;
}

}  // namespace

std::vector<std::string_view> split_extents(std::string_view text) {
  const std::vector<std::string_view> parts = split_outside_brackets(text, ',');
  const bool is_expression = text.find('(') != std::string_view::npos;
  return parts.size() > 1 || is_expression ? parts : split_outside_brackets(text, 'x');
}

std::vector<SpaceRange::Extent> SpaceRange::parse_extents(std::string_view text,
                                                          std::string_view option,
                                                          bool expressions) {
  std::vector<Extent> extents;
  for (const std::string_view part : split_extents(text)) {
    Extent extent;
    const std::size_t dots = part.find("..");
    const auto low = parse_integer(part.substr(0, dots));
    const auto high = dots == std::string_view::npos ? low : parse_integer(part.substr(dots + 2));
    if (low && high) {
      extent.low = *low;
      extent.high = *high;
      if (*low < 1 || *high < *low || *high >= kBlockLimit) {
        throw Error(
            fmt::format("{} {}: extents run from 1 up to 2^31-1, low end first", option, text),
            "write 256x256 or 1..64x1..64");
      }
    } else if (expressions && !part.empty() && dots == std::string_view::npos) {
      try {
        extent.expression = parse_triton_expression(part);
      } catch (const Error& error) {
        throw error.in(std::string(option));
      }
    } else {
      throw Error(fmt::format("{} cannot read '{}'", option, text),
                  "write 4096, 256x256 or 1..64x1..64");
    }
    extents.push_back(std::move(extent));
  }
  if (extents.size() > 3)
    throw Error(fmt::format("{} {} has more than three extents", option, text),
                "use at most three");
  return extents;
}

SpaceRange::SpaceRange(std::string_view grid, std::string_view tiles, const Bindings& bindings)
    : bindings_(bindings) {
  const bool is_range = grid.find("..") != std::string_view::npos;
  if (!grid.empty()) grid_ = parse_extents(grid, is_range ? "--grids" : "--grid", false);
  if (!tiles.empty()) tiles_ = parse_extents(tiles, "--tiles", true);
  if (grid_.empty() && tiles_.empty()) throw Error("no grid is given", "add --grid 256x256");
  for (const Extent& extent : tiles_) {
    const bool varies = extent.expression == nullptr && extent.low != extent.high;
    if (varies && !grid_.empty()) {
      throw Error("--grid and a range in --tiles exclude each other",
                  "leave --grid out: the launch is then a line");
    }
    if (grid_.empty() && extent.expression != nullptr) {
      throw Error("--tiles with expressions needs --grid or --grids", "add the launch grid");
    }
  }
  const std::string noun = is_single() ? "grid" : "grids";
  if (!grid.empty()) text_ = fmt::format("{} {}", noun, grid);
  if (!tiles.empty()) text_ += fmt::format("{}tiles {}", text_.empty() ? "" : ", ", tiles);
  if (is_single()) first();  // complains about an impossible size now
}

SpaceRange::SpaceRange(std::string_view grid, int tile_axes, TileRule rule)
    : SpaceRange(grid, "", Bindings()) {
  rule_ = std::move(rule);
  rule_axes_ = tile_axes;
}

Shape SpaceRange::shape() const {
  if (rule_) return {1, rule_axes_, true};
  Shape shape;
  shape.launch_axes = grid_.empty() ? 1 : static_cast<int>(grid_.size());
  shape.own_tiles = !tiles_.empty();
  shape.tile_axes = shape.own_tiles ? static_cast<int>(tiles_.size()) : shape.launch_axes;
  return shape;
}

bool SpaceRange::is_single() const {
  for (const auto* extents : {&grid_, &tiles_}) {
    for (const Extent& extent : *extents) {
      if (extent.expression == nullptr && extent.low != extent.high) return false;
    }
  }
  return true;
}

std::optional<Space> SpaceRange::space_at(const std::vector<std::int64_t>& sizes) const {
  if (product_of(sizes) >= kBlockLimit) return std::nullopt;
  Space space;
  if (grid_.empty()) {
    space.launch = Grid({product_of(sizes)});
    space.tiles = Grid(sizes);
    return space;
  }
  space.launch = Grid(sizes);
  if (rule_) space.tiles = Grid(rule_(space.block_count()));
  if (tiles_.empty()) return space;
  std::vector<std::int64_t> extents;
  for (const Extent& extent : tiles_) {
    extents.push_back(extent.expression ? bindings_.evaluate(extent.expression, space)
                                        : extent.low);
  }
  try {
    space.tiles = Grid(extents);
  } catch (const Error& error) {
    throw Error(fmt::format("--tiles on grid {}: {}", space.launch.text(), error.message()),
                error.hint());
  }
  return space;
}

Space SpaceRange::first() const {
  std::vector<std::int64_t> sizes;
  for (const Extent& extent : grid_.empty() ? tiles_ : grid_) sizes.push_back(extent.low);
  if (product_of(sizes) >= kBlockLimit) Grid impossible(sizes);  // throws, saying why
  return *space_at(sizes);
}

std::vector<std::int64_t> SpaceRange::label(const Space& space) const {
  return grid_.empty() ? space.tile_grid().extents() : space.launch.extents();
}

void SpaceRange::for_each(const std::function<bool(const Space&)>& visit) const {
  const std::vector<Extent>& axes = grid_.empty() ? tiles_ : grid_;
  std::vector<std::int64_t> sizes;
  for (const Extent& extent : axes) sizes.push_back(extent.low);
  while (true) {
    std::size_t axis = sizes.size();
    if (const auto space = space_at(sizes)) {
      if (!visit(*space)) return;
    } else {
      // Too large, and so is all that follows until an axis that is not at its low end is set back.
      while (axis > 0 && sizes[axis - 1] == axes[axis - 1].low) --axis;
      if (axis <= 1) return;
      for (std::size_t later = --axis; later < sizes.size(); ++later)
        sizes[later] = axes[later].low;
    }
    while (axis > 0) {
      --axis;
      if (++sizes[axis] <= axes[axis].high) break;
      sizes[axis] = axes[axis].low;
      if (axis == 0) return;
    }
  }
}

}  // namespace heddle::order
