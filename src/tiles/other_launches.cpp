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

struct Number {
  std::string name;
  std::int64_t value = 0;
  bool is_constexpr = false;
};

/// Whole numbers that the job gives, and those that its kernel is compiled with.
std::vector<Number> numbers_of(const config::Job& job, const kernel::NamedLaunch& named) {
  std::vector<Number> result;
  for (const auto* list : {&job.sizes, &job.scalars})
    for (const config::NamedExpression& one : *list)
      for (const config::NamedValue& value : named.names) {
        const auto* number = std::get_if<std::int64_t>(&value.value.data);
        if (value.name == one.name && number != nullptr && *number > 1)
          result.push_back({one.name, *number, false});
      }
  for (const config::Argument& argument : named.launch.arguments) {
    const auto* number = std::get_if<std::int64_t>(&argument.value.data);
    if (argument.is_constexpr && number != nullptr && *number > 0)
      result.push_back({argument.name, *number, true});
  }
  if (result.size() > kMostNumbers) result.resize(kMostNumbers);
  return result;
}

}  // namespace

std::vector<OtherLaunch> other_launches(const std::string& job_path,
                                        const std::vector<std::string>& overrides,
                                        const TileSpace& space) {
  std::vector<OtherLaunch> result;
  const config::Job job = config::read_job(job_path, overrides);
  const auto source = kernel::Source::open(job.kernel_path);
  const kernel::NamedLaunch named = source->launch(job);
  std::vector<std::int64_t> own;
  for (const TileCoordinate& one : space.coordinates) own.push_back(one.extent);
  const auto add = [&](const Number& number, std::int64_t value) {
    try {
      const auto all =
          config::with_overrides(overrides, {fmt::format("{}={}", number.name, value)});
      OtherLaunch other;
      other.launch = source->launch(config::read_job(job_path, all)).launch;
      if (other.launch.grid.count() > std::max(kMostTiles, 2 * space.count())) return false;
      const auto extents =
          extents_in(find_tile_box(source->read_index(other.launch), other.launch), space);
      if (!extents) return false;
      const bool is_knob =
          number.is_constexpr && other.launch.grid.extents() == named.launch.grid.extents();
      if (*extents == own && !is_knob) return false;
      other.extents = *extents;
      result.push_back(std::move(other));
      return true;
    } catch (const Error&) {
      return false;  // the job or the kernel does not take it
    }
  };
  for (const Number& number : numbers_of(job, named)) {
    if (result.size() >= kMostOtherLaunches) break;
    const std::int64_t half = (number.value + 1) / 2;
    const std::int64_t twice = 2 * number.value;
    const bool is_large = space.count() > kManyTiles;
    if (!add(number, is_large ? half : twice)) add(number, is_large ? twice : half);
  }
  return result;
}

}  // namespace heddle::tiles
