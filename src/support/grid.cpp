#include "support/grid.h"

#include <fmt/format.h>

#include "support/error.h"

namespace heddle {

Grid::Grid(std::vector<std::int64_t> extents) {
  if (extents.empty() || extents.size() > 3) {
    throw Error(fmt::format("a grid has one to three extents, not {}", extents.size()),
                "write it as 4096, 256x256 or 64x64x8");
  }
  axes_ = static_cast<int>(extents.size());
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const std::int64_t extent = extents[axis];
    if (extent < 1) {
      throw Error(fmt::format("a grid extent is at least 1, not {}", extent),
                  "give positive extents, such as 256x256");
    }
    if (extent >= kBlockLimit || count * extent >= kBlockLimit) {
      throw Error("the grid has 2^31 blocks or more",
                  "a launch holds fewer than 2147483648 blocks");
    }
    count *= extent;
    extents_[axis] = extent;
  }
}

std::vector<std::int64_t> Grid::extents() const {
  return {extents_.begin(), extents_.begin() + axes_};
}

std::string Grid::text() const {
  return fmt::format("{}", fmt::join(extents(), "x"));
}

std::array<std::int64_t, 3> block_of(const Grid& grid, LaunchId id) {
  const std::int64_t x = grid.extent(0);
  const std::int64_t y = grid.extent(1);
  return {id.value % x, id.value / x % y, id.value / (x * y)};
}

}  // namespace heddle
