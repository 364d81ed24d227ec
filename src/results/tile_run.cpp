#include "results/tile_run.h"

#include <algorithm>

namespace heddle {

std::vector<TileRun::Axis> launch_axes(const std::vector<std::int64_t>& grid) {
  std::vector<TileRun::Axis> axes;
  for (const std::int64_t extent : grid)
    axes.push_back({"axis " + std::to_string(axes.size()), extent});
  std::ranges::reverse(axes);
  return axes;
}

std::vector<TileRun::Axis> row_axes(const std::vector<std::int64_t>& extents) {
  if (extents.size() == 2) return {{"row", extents[0]}, {"column", extents[1]}};
  std::vector<TileRun::Axis> axes;
  for (const std::int64_t extent : extents)
    axes.push_back({"axis " + std::to_string(axes.size()), extent});
  return axes;
}

}  // namespace heddle
