#include "tiles/single.h"

#include <algorithm>
#include <string>
#include <vector>

#include "support/error.h"
#include "tiles/find.h"

namespace heddle::tiles {
namespace {

/// The numbers that a persistent kernel may take for the number of its blocks.
std::vector<std::vector<std::string>> block_counts(const config::Launch& launch) {
  std::vector<std::string> all;
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      if (*number == launch.grid.count()) all.push_back(argument.name);
  std::vector<std::vector<std::string>> tries = {all};
  if (!all.empty()) tries.emplace_back();
  if (all.size() > 1)
    for (const std::string& name : all) tries.push_back({name});
  return tries;
}

/// As many blocks as tiles; else a multiple of the kernel's own: its index code may need that, as
/// pid % XCDS * (NUM_SMS // XCDS) does.
std::vector<std::int64_t> grids(const config::Launch& launch, std::int64_t tiles) {
  const std::int64_t blocks = launch.grid.count();
  const std::int64_t whole = (tiles + blocks - 1) / blocks * blocks;
  return whole == tiles ? std::vector{tiles} : std::vector{tiles, whole};
}

/// A tile a block, of the same coordinates; blocks beyond the tiles do nothing.
bool is_single(const TileSpace& found, const TileSpace& space) {
  const auto same = [](const TileCoordinate& a, const TileCoordinate& b) {
    return a.name == b.name && a.extent == b.extent;
  };
  return found.is_found() && found.walk == TileSpace::Walk::once &&
         std::is_permutation(found.coordinates.begin(), found.coordinates.end(),
                             space.coordinates.begin(), space.coordinates.end(), same);
}

}  // namespace

std::optional<SingleLaunch> single_launch(kernel::Source& source, const config::Launch& launch,
                                          const TileSpace& space) {
  for (const std::int64_t blocks : grids(launch, space.count()))
    for (const std::vector<std::string>& changed : block_counts(launch)) {
      SingleLaunch single{launch, {}};
      single.launch.grid = Grid({blocks});
      for (config::Argument& argument : single.launch.arguments)
        if (std::find(changed.begin(), changed.end(), argument.name) != changed.end())
          argument.value.data = blocks;
      try {
        single.space = find_tile_box(source.read_index(single.launch), single.launch);
      } catch (const Error&) {
        continue;  // the kernel does not take these numbers
      }
      if (is_single(single.space, space)) return single;
    }
  return std::nullopt;
}

bool is_persistent(const TileSpace& space) {
  if (!space.is_found() || space.walk == TileSpace::Walk::once) return false;
  std::vector<bool> done(static_cast<std::size_t>(space.count()));
  for (const std::int64_t tile : space.tiles) {
    if (done[static_cast<std::size_t>(tile)]) return false;
    done[static_cast<std::size_t>(tile)] = true;
  }
  return space.tiles.size() == done.size();
}

}  // namespace heddle::tiles
