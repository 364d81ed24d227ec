#include "tiles/find.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "support/error.h"
#include "support/grid.h"
#include "support/text.h"
#include "tiles/anchors.h"
#include "tiles/coordinates.h"
#include "tiles/knobs.h"
#include "tiles/shown.h"
#include "tiles/walk.h"

namespace heddle::tiles {
namespace {

TileSpace refused(std::string reason) {
  TileSpace space;
  space.refusal = std::move(reason);
  return space;
}

/// Whole numbers that the kernel is launched with.
std::vector<std::int64_t> hints_of(const config::Launch& launch) {
  std::vector<std::int64_t> hints;
  for (const config::Argument& argument : launch.arguments)
    if (const auto* number = std::get_if<std::int64_t>(&argument.value.data))
      if (argument.is_constexpr) hints.push_back(*number);
  return hints;
}

/// Whether coordinate `which` is the index of every block along an axis.
bool is_axis(const TileSpace& space, std::size_t which, const Grid& grid, int axis) {
  if (grid.extent(axis) != space.coordinates[which].extent) return false;
  std::int64_t stride = 1;
  for (std::size_t i = which + 1; i < space.coordinates.size(); ++i)
    stride *= space.coordinates[i].extent;
  for (std::int64_t b = 0; b < space.blocks(); ++b) {
    const std::int64_t tile = space.tiles[static_cast<std::size_t>(b)];
    const auto index = block_of(grid, LaunchId{b})[static_cast<std::size_t>(axis)];
    if (tile / stride % space.coordinates[which].extent != index) return false;
  }
  return true;
}

/// A tile a block, and every coordinate that has more than one value is an axis of the launch.
bool is_launch_grid(const TileSpace& space, const Grid& grid) {
  if (space.walk != TileSpace::Walk::once || space.idle_blocks() > 0) return false;
  for (std::size_t i = 0; i < space.coordinates.size(); ++i) {
    bool is_found = space.coordinates[i].extent == 1;
    for (int axis = 0; axis < grid.axes() && !is_found; ++axis)
      is_found = is_axis(space, i, grid, axis);
    if (!is_found) return false;
  }
  return true;
}

Lifted lifted(const kernel::KernelProgram& program, const config::Launch& launch, bool is_named) {
  Lifted result;
  result.probe = program.probe_index(launch);
  if (!result.probe) {
    result.space = refused(result.probe.reason);
    return result;
  }
  Showing best = find_showing(result.probe);
  const std::string refusal = best.coordinates.refusal;
  std::int64_t working_blocks = 0;
  std::int64_t working_turns = 0;
  if (!best.is_found() && best.coordinates.has_holes) {
    working_blocks = best.working;
    working_turns = static_cast<std::int64_t>(best.coordinates.rows.size());
    result.all_blocks = true;
    result.probe = program.probe_index(launch, true);
    best = find_showing(result.probe);
  }
  if (!best.is_found()) {
    result.space = refused(refusal);
    return result;
  }
  result.anchors = std::move(best.anchors);
  result.coordinates = std::move(best.coordinates);
  result.shown = std::move(best.shown);
  result.space = find_walk(result.probe, result.shown, result.coordinates,
                           is_named ? std::optional(hints_of(launch)) : std::nullopt);
  result.space.is_launch_grid = is_launch_grid(result.space, launch.grid);
  // A block may get to its store many times, in a loop of its own: blocks count, where each has a
  // tile.
  const bool is_once = result.space.walk == TileSpace::Walk::once;
  const std::int64_t working = is_once ? working_blocks : working_turns;
  if (working > 0)
    result.space.returning = std::max<std::int64_t>(0, result.space.count() - working);
  return result;
}

/// Throws nothing.
Lifted lifted_or_refused(const kernel::KernelProgram& program, const config::Launch& launch,
                         bool is_named) {
  Lifted result;
  try {
    if (is_looked_at(launch)) return lifted(program, launch, is_named);
    result.space =
        refused(fmt::format("the launch has {} blocks, more than {}",
                            with_separators(launch.grid.count()), with_separators(kMostBlocks)));
  } catch (const Error& error) {
    result.space = refused(error.message());
  }
  return result;
}

}  // namespace

Lifted lift(const kernel::KernelProgram& program, const config::Launch& launch) {
  return lifted_or_refused(program, launch, true);
}

TileSpace find_tile_space(const kernel::KernelProgram& program, const config::Launch& launch) {
  return lift(program, launch).space;
}

Lifted lift_box(const kernel::KernelProgram& program, const config::Launch& launch) {
  return lifted_or_refused(program, launch, false);
}

TileSpace find_tile_box(const kernel::KernelProgram& program, const config::Launch& launch) {
  return lift_box(program, launch).space;
}

TileSpace find_tile_space(const std::string& job_path, const std::vector<std::string>& overrides,
                          const kernel::LoadedKernel& loaded) {
  Lifted found = lift(loaded.program, loaded.launch);
  if (found.space.is_found())
    found.space.knobs = find_knobs(found, job_path, overrides, loaded.launch);
  return std::move(found.space);
}

}  // namespace heddle::tiles
