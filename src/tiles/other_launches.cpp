#include "tiles/other_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/error.h"
#include "tiles/find.h"

namespace heddle::tiles {
namespace {

constexpr std::size_t kMostNumbers = 24;
constexpr std::int64_t kMostTiles = 1 << 14;
constexpr std::int64_t kManyTiles = 1 << 12;

/// The extents of the same coordinates; nothing where the space has others.
std::optional<std::vector<std::int64_t>> extents_in(const TileSpace& found,
                                                    const TileSpace& space) {
  if (!found.is_found() || found.coordinates.size() != space.coordinates.size())
    return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const TileCoordinate& one : space.coordinates) {
    const auto same = std::find_if(found.coordinates.begin(), found.coordinates.end(),
                                   [&](const TileCoordinate& other) {
                                     return other.name == one.name && other.line == one.line;
                                   });
    if (same == found.coordinates.end()) return std::nullopt;
    extents.push_back(same->extent);
  }
  return extents;
}

/// Whole numbers that the job itself gives.
std::vector<std::pair<std::string, std::int64_t>> numbers_of(
    const config::Job& job, const std::vector<config::NamedValue>& names) {
  std::vector<std::pair<std::string, std::int64_t>> result;
  for (const auto* list : {&job.sizes, &job.scalars, &job.constexprs})
    for (const config::NamedExpression& one : *list)
      for (const config::NamedValue& named : names) {
        const auto* number = std::get_if<std::int64_t>(&named.value.data);
        if (named.name == one.name && number != nullptr && *number > 1 &&
            result.size() < kMostNumbers)
          result.emplace_back(one.name, *number);
      }
  return result;
}

}  // namespace

std::vector<OtherLaunch> other_launches(const std::string& job_path,
                                        const std::vector<std::string>& overrides,
                                        const TileSpace& space) {
  std::vector<OtherLaunch> result;
  const config::Job job = config::read_job(job_path, overrides);
  const auto source = kernel::Source::open(job.kernel_path);
  std::vector<std::int64_t> own;
  for (const TileCoordinate& one : space.coordinates) own.push_back(one.extent);
  const auto add = [&](const std::string& name, std::int64_t value) {
    try {
      const auto all = config::with_overrides(overrides, {fmt::format("{}={}", name, value)});
      OtherLaunch other;
      other.launch = source->launch(config::read_job(job_path, all)).launch;
      if (other.launch.grid.count() > std::max(kMostTiles, 2 * space.count())) return false;
      const auto extents =
          extents_in(find_tile_space(source->read_index(other.launch), other.launch), space);
      if (!extents || *extents == own) return false;
      other.extents = *extents;
      result.push_back(std::move(other));
      return true;
    } catch (const Error&) {
      return false;  // the job or the kernel does not take it
    }
  };
  for (const auto& [name, value] : numbers_of(job, source->launch(job).names)) {
    if (result.size() >= kMostOtherLaunches) break;
    const std::int64_t half = (value + 1) / 2;
    const bool is_large = space.count() > kManyTiles;
    if (!add(name, is_large ? half : 2 * value)) add(name, is_large ? 2 * value : half);
  }
  return result;
}

}  // namespace heddle::tiles
