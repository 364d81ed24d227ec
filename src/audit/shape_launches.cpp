#include "audit/shape_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/job.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// Grids of fewer tiles grow by three along each axis, others by two.
constexpr std::int64_t kManyTiles = 1024;
constexpr std::int64_t kManyBlocks = 70'001;  ///< of a launch that is not traced
constexpr std::size_t kMostStrides = 8;

}  // namespace

ShapeLaunches::ShapeLaunches(const PatchRequest& request, PatchJudge& judge)
    : request_(request), judge_(judge) {
  varying_ =
      config::find_varying(request_.job_path, request_.overrides,
                           [&](const std::vector<std::string>& more) { return grid_with(more); });
  tiled_ = config::tiled_of(varying_);
}

bool ShapeLaunches::is_size(const std::string& name) const {
  return std::ranges::find(varying_, name, &config::VaryingSize::name) != varying_.end();
}

std::optional<Grid> ShapeLaunches::grid_with(const std::vector<std::string>& more) const {
  PatchRequest other = request_;
  other.overrides = config::with_overrides(request_.overrides, more);
  try {
    return judge_.grid(other);
  } catch (const Error&) {
    return std::nullopt;
  }
}

ShapeLaunch ShapeLaunches::of_tiles(const std::vector<std::int64_t>& tiles, bool is_large) const {
  return {config::sizes_with(tiled_, tiles), tiles, is_large};
}

std::vector<std::string> ShapeLaunches::few_tiles(std::int64_t tiles) const {
  if (varying_.empty()) return {};
  return has_tiles() ? of_tiles(std::vector<std::int64_t>(tiled_.size(), tiles)).sizes
                     : config::ragged_sizes(varying_);
}

bool ShapeLaunches::is_defined(const std::vector<std::string>& sizes) const {
  PatchRequest other = request_;
  other.overrides = config::with_overrides(request_.overrides, sizes);
  return judge_.is_defined(other);
}

std::vector<std::string> ShapeLaunches::defined_sizes(const std::vector<std::int64_t>& tiles,
                                                      const std::vector<std::string>& more,
                                                      std::int64_t number) const {
  const auto sizes_of = [&](const std::vector<std::int64_t>& counts) {
    return config::with_overrides(of_tiles(counts).sizes, more);
  };
  std::vector<std::string> sizes = sizes_of(tiles);
  if (is_defined(sizes)) return sizes;
  const auto multiply = [&](std::int64_t& count, const config::VaryingSize& size, bool is_own) {
    if (size.per_tile == 1) count *= is_own ? size.value : std::max<std::int64_t>(number, 1);
  };
  for (const bool is_own : {true, false}) {
    std::vector<std::int64_t> all = tiles;
    for (std::size_t i = 0; i < tiled_.size(); ++i) {
      std::vector<std::int64_t> counts = tiles;
      multiply(counts[i], tiled_[i], is_own);
      multiply(all[i], tiled_[i], is_own);
      if (counts != tiles && is_defined(sizes_of(counts))) return sizes_of(counts);
    }
    if (all != tiles && is_defined(sizes_of(all))) return sizes_of(all);
  }
  return sizes;
}

/// So many tiles along each size, and a number with another value.
ShapeLaunch ShapeLaunches::of_number(std::int64_t tiles, const std::string& name,
                                     std::int64_t value) const {
  const std::vector<std::string> more = {fmt::format("{}={}", name, value)};
  ShapeLaunch launch;
  launch.varied = name;
  launch.sizes = has_tiles()
                     ? defined_sizes(std::vector<std::int64_t>(tiled_.size(), tiles), more, value)
                     : config::with_overrides(few_tiles(tiles), more);
  return launch;
}

std::vector<ShapeLaunch> ShapeLaunches::few() const {
  std::vector<ShapeLaunch> launches;
  if (has_tiles()) {
    for (const auto& counts : config::tile_counts(tiled_.size()))
      launches.push_back(of_tiles(counts));
    for (const std::int64_t rest : {0, 1}) launches.push_back(of_rest(rest));
  }
  if (varying_.empty()) return launches;
  for (const std::vector<std::string>& sizes : config::loose_sizes(
           varying_, [&](const std::vector<std::string>& more) { return grid_with(more); }))
    launches.push_back({sizes});
  const std::optional<Grid> grid = grid_with({});
  launches.push_back({config::ragged_sizes(varying_)});
  launches.push_back({config::grown_sizes(varying_, grid && grid->count() < kManyTiles ? 3 : 2)});
  // What few tiles in all combinations do not meet; a launch that fails shows fewer tiles before.
  if (has_tiles())
    for (const auto& counts : config::counts_along_one(tiled_.size(), 3))
      launches.push_back(of_tiles(counts));
  return launches;
}

/// Three tiles along each size: full ones, or one element in the last. A quotient that rounds
/// wrongly does so there: (N + 30) // 32.
ShapeLaunch ShapeLaunches::of_rest(std::int64_t rest) const {
  ShapeLaunch launch;
  for (const config::VaryingSize& size : tiled_) {
    const bool is_one = rest == 1 && !size.is_cut;
    launch.sizes.push_back(
        fmt::format("{}={}", size.name, size.per_tile * (is_one ? 2 : 3) + (is_one ? 1 : 0)));
    launch.tiles.push_back(3);
  }
  return launch;
}

std::vector<ShapeLaunch> ShapeLaunches::of_constants() const {
  std::vector<ShapeLaunch> launches;
  std::size_t count = 0;
  for (const std::int64_t constant : judge_.constants()) {
    if (++count > kMostConstants) break;
    for (std::size_t i = 0; i < varying_.size(); ++i) {
      const std::int64_t step = std::max<std::int64_t>(varying_[i].per_tile, 1);
      for (const std::int64_t size :
           {constant, constant * step, (constant + 1) * step, (constant + 2) * step})
        for (const std::int64_t others : {1, 3}) {
          const std::vector<std::string> one = {fmt::format("{}={}", varying_[i].name, size)};
          launches.push_back(
              {config::with_overrides(few_tiles(others), one), {}, constant > kTracedBlocks});
        }
    }
    for (const std::string& name :
         config::other_numbers(request_.job_path, request_.overrides, varying_))
      for (const std::int64_t value : {constant - 1, constant, constant + 1}) {
        launches.push_back(of_number(3, name, value));
        launches.back().has_others = true;
        // A case of many tiles may be joined to it.
        launches.push_back({{fmt::format("{}={}", name, value)}, {}, true, true});
        launches.push_back(of_number(31, name, value));
        launches.back().is_large = launches.back().has_others = true;
      }
  }
  return launches;
}

std::vector<ShapeLaunch> ShapeLaunches::of_strides() const {
  std::vector<ShapeLaunch> launches;
  std::size_t count = 0;
  for (const std::int64_t stride : judge_.strides()) {
    if (++count > kMostStrides) break;
    for (std::size_t i = 0; i < tiled_.size(); ++i)
      for (const std::int64_t others : {1, 3}) {
        std::vector<std::int64_t> tiles(tiled_.size(), others);
        tiles[i] = stride;
        launches.push_back(of_tiles(tiles));
      }
  }
  return launches;
}

std::vector<ShapeLaunch> ShapeLaunches::of_names() const {
  constexpr std::size_t kMostNames = 8;
  std::vector<ShapeLaunch> launches;
  std::size_t names = 0;
  for (const NamedNumber& one : judge_.named()) {
    if (is_size(one.name) || ++names > kMostNames) continue;
    std::set<std::int64_t> values = {1, 2, 3, one.value / 2, one.value + 1, 2 * one.value};
    if (one.is_truth) values = {1 - one.value};
    values.erase(one.value);
    for (const std::int64_t value : values) {
      if (value < 0 || (value == 0 && !one.is_truth)) continue;
      const std::string override =
          one.is_truth ? fmt::format("{}={}", one.name, value != 0 ? "True" : "False")
                       : fmt::format("{}={}", one.name, value);
      const bool is_of_grid = grid_with({override}) != grid_with({});
      // A number that the original's index code has too may have to fit the others.
      const bool is_guess = one.is_old && !is_of_grid;
      if (one.is_truth)
        launches.push_back({config::with_overrides(few_tiles(5), {override})});
      else
        launches.push_back(of_number(5, one.name, value));
      launches.back().is_large = !is_of_grid;
      launches.back().has_others = true;
      launches.back().is_guess = is_guess;
      if (is_of_grid || value > 2) continue;
      for (ShapeLaunch& many : of_many()) {
        many.sizes.push_back(override);
        many.has_others = true;
        many.is_guess = is_guess;
        launches.push_back(std::move(many));
      }
    }
  }
  return launches;
}

std::vector<ShapeLaunch> ShapeLaunches::of_relations() const {
  const config::Job job = config::read_job(request_.job_path, request_.overrides);
  const auto is_stride = [](const std::string& name, const std::string& text) {
    return name.find("stride") != std::string::npos || name.find("pitch") != std::string::npos ||
           text.find("stride(") != std::string::npos;
  };
  std::vector<ShapeLaunch> launches;
  for (const NamedNumber& one : judge_.touched()) {
    if (is_size(one.name)) continue;
    for (const auto* list : {&job.scalars, &job.constexprs, &job.sizes})
      for (const config::NamedExpression& entry : *list) {
        if (entry.name != one.name) continue;
        const std::string text(trim(entry.written.text));
        const bool is_strided = is_stride(one.name, text);
        const bool is_left_out = judge_.is_gone(one.name) && parse_integer(text);
        if (!is_strided && !is_left_out) continue;
        const std::int64_t other = is_strided ? 2 * one.value + 8 : 2 * one.value;
        launches.push_back(of_number(3, one.name, other));
        launches.back().is_large = true;
        launches.back().has_others = !is_strided;
      }
  }
  return launches;
}

std::vector<ShapeLaunch> ShapeLaunches::of_configs() const {
  constexpr std::int64_t kMostConfigs = 32;
  std::vector<ShapeLaunch> launches;
  const std::int64_t count = judge_.configs(request_);
  for (std::int64_t i = 0; count > 1 && i < std::min(count, kMostConfigs); ++i) {
    launches.push_back({few_tiles(5)});
    launches.back().config = i;
  }
  return launches;
}

std::vector<ShapeLaunch> ShapeLaunches::of_many() const {
  std::vector<ShapeLaunch> launches;
  for (std::size_t i = 0; i < tiled_.size(); ++i) {
    std::vector<std::int64_t> tiles(tiled_.size(), 1);
    tiles[i] = kManyBlocks;
    launches.push_back(of_tiles(tiles, true));
  }
  return launches;
}

}  // namespace heddle::audit
