#include "audit/strides.h"

#include <cstdlib>
#include <map>

#include "kernel/patch.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kLeastExtent = 64;  ///< of an axis that says something
constexpr std::int64_t kLargest = 4096;
constexpr std::int64_t kShare = 8;

}  // namespace

void add_strides(const std::vector<std::int64_t>& tile_of, const Grid& launch, const Grid& box,
                 std::set<std::int64_t>& strides) {
  std::int64_t unit = 1;
  for (int axis = 0; axis < launch.axes(); unit *= launch.extent(axis++)) {
    const std::int64_t extent = launch.extent(axis);
    if (extent < kLeastExtent) continue;
    std::map<std::int64_t, std::int64_t> counts;
    std::int64_t pairs = 0;
    for (std::int64_t id = 0; id + unit < std::ssize(tile_of); ++id) {
      if (id / unit % extent == extent - 1) continue;
      const std::int64_t here = tile_of[static_cast<std::size_t>(id)];
      const std::int64_t next = tile_of[static_cast<std::size_t>(id + unit)];
      ++pairs;
      std::int64_t width = 1;
      for (int along = 0; along < box.axes(); width *= box.extent(along++)) {
        const std::int64_t apart =
            std::abs(next / width % box.extent(along) - here / width % box.extent(along));
        if (apart > kernel::kSmallNumber && apart <= kLargest) ++counts[apart];
      }
    }
    for (const auto& [apart, count] : counts)
      if (kShare * count > pairs) strides.insert(apart);
  }
}

}  // namespace heddle::audit
