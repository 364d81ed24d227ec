#include "other_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "config/job.h"
#include "support/text.h"

namespace heddle {
namespace {

constexpr std::size_t kMostVarying = 3;
/// Tiles of an odd grid along each varying size, by how many there are: 3, 5, 7 and 11 divide them.
constexpr std::array<std::array<std::int64_t, kMostVarying>, kMostVarying> kTiles = {
    {{1155, 0, 0}, {33, 35, 0}, {15, 7, 11}}};

std::string override_of(const std::string& name, std::int64_t value) {
  return fmt::format("{}={}", name, value);
}

std::string name_of(std::string_view override) {
  return std::string(trim(override.substr(0, override.find('='))));
}

/// How much of a size makes one tile: so much gives one along its axis, and one more gives two.
std::int64_t per_tile_of(const GridWith& grid_with, const Grid& grid, const Grid& half,
                         const std::string& name, std::int64_t value) {
  for (int axis = 0; axis < grid.axes(); ++axis) {
    if (half.extent(axis) == grid.extent(axis)) continue;
    const std::int64_t share = (value + grid.extent(axis) - 1) / grid.extent(axis);
    const auto rounded =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(share)));
    for (const std::int64_t tile : {share, rounded}) {
      const auto one = grid_with({override_of(name, tile)});
      const auto two = grid_with({override_of(name, tile + 1)});
      if (one && two && 2 * one->extent(axis) == two->extent(axis)) return tile;
    }
  }
  return 0;
}

std::int64_t grown(const VaryingSize& one, std::int64_t factor) {
  if (one.per_tile == 0) return factor * one.value;
  const std::int64_t tiles = (one.value + one.per_tile - 1) / one.per_tile;
  return one.value + one.per_tile * (factor - 1) * tiles;
}

std::int64_t ragged(const VaryingSize& one, std::int64_t tiles) {
  if (one.per_tile == 0) return 2 * tiles + 1;
  return one.per_tile * tiles - (one.per_tile > 1 ? 1 : 0);
}

}  // namespace

std::vector<VaryingSize> find_varying(const std::string& job_path,
                                      const std::vector<std::string>& overrides,
                                      const GridWith& grid_with) {
  const std::optional<Grid> grid = grid_with({});
  if (!grid) return {};
  const config::Job job = config::read_job(job_path, overrides);
  std::vector<VaryingSize> varying;
  for (const auto* list : {&job.sizes, &job.scalars, &job.constexprs}) {
    for (const config::NamedExpression& entry : *list) {
      const auto value = parse_integer(trim(entry.written.text));
      if (!value || *value < 2 || varying.size() == kMostVarying) continue;
      const std::optional<Grid> half = grid_with({override_of(entry.name, *value / 2)});
      // A block's size makes more tiles where it is smaller.
      if (!half || half->count() >= grid->count()) continue;
      varying.push_back(
          {entry.name, *value, per_tile_of(grid_with, *grid, *half, entry.name, *value)});
    }
  }
  return varying;
}

std::vector<std::string> grown_sizes(const std::vector<VaryingSize>& varying, std::int64_t factor) {
  std::vector<std::string> sizes;
  for (const VaryingSize& one : varying) sizes.push_back(override_of(one.name, grown(one, factor)));
  return sizes;
}

std::vector<std::string> ragged_sizes(const std::vector<VaryingSize>& varying) {
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < varying.size(); ++i)
    sizes.push_back(
        override_of(varying[i].name, ragged(varying[i], kTiles[varying.size() - 1][i])));
  return sizes;
}

std::vector<std::string> with_overrides(const std::vector<std::string>& given,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> overrides = more;
  for (const std::string& text : given) {
    for (const std::string_view one : split_outside_brackets(text, ',')) {
      const bool is_replaced = std::any_of(more.begin(), more.end(), [&](const std::string& other) {
        return name_of(other) == name_of(one);
      });
      if (!is_replaced) overrides.emplace_back(one);
    }
  }
  return overrides;
}

}  // namespace heddle
