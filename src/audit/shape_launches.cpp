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
        const std::string one = fmt::format("{}={}", name, value);
        launches.push_back({few_tiles(3), {}, false, true});
        launches.back().sizes.push_back(one);
        // A case of many tiles may be joined to it.
        for (const std::vector<std::string>& many : {std::vector<std::string>(), few_tiles(31)}) {
          launches.push_back({many, {}, true, true});
          launches.back().sizes.push_back(one);
        }
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
      const std::string text =
          one.is_truth ? (value != 0 ? "True" : "False") : fmt::format("{}", value);
      const std::string override = fmt::format("{}={}", one.name, text);
      const bool is_of_grid = grid_with({override}) != grid_with({});
      // A number that the original's index code has too may have to fit the others.
      const bool is_guess = one.is_old && !is_of_grid;
      launches.push_back({few_tiles(5), {}, !is_of_grid, true, is_guess});
      launches.back().sizes.push_back(override);
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
        launches.push_back({few_tiles(3), {}, true, !is_strided});
        launches.back().sizes.push_back(fmt::format("{}={}", one.name, other));
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
