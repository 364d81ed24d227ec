#include "order/space.h"

#include <algorithm>

namespace heddle::order {

std::int64_t Space::stride(int axis) const {
  std::int64_t stride = 1;
  if (tiles) {
    for (int later = axis + 1; later < tiles->axes(); ++later) stride *= tiles->extent(later);
  } else {
    for (int earlier = 0; earlier < axis; ++earlier) stride *= launch.extent(earlier);
  }
  return stride;
}

Grid Space::columns_first() const {
  std::vector<std::int64_t> extents = tile_grid().extents();
  if (tiles) std::reverse(extents.begin(), extents.end());
  return Grid(extents);
}

std::optional<TileId> Space::tile_at(const std::vector<std::int64_t>& index) const {
  std::int64_t tile = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const int which = static_cast<int>(axis);
    if (index[axis] < 0 || index[axis] >= tile_grid().extent(which)) return std::nullopt;
    tile += index[axis] * stride(which);
  }
  return TileId{tile};
}

std::vector<std::int64_t> Space::index_of(TileId tile) const {
  std::vector<std::int64_t> index;
  for (int axis = 0; axis < tile_axes(); ++axis) {
    index.push_back(tile.value / stride(axis) % tile_grid().extent(axis));
  }
  return index;
}

}  // namespace heddle::order
