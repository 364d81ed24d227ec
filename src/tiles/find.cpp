#include "tiles/find.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.h"
#include "support/text.h"
#include "tiles/coordinates.h"
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

struct Best {
  std::vector<ShownRows> tables;
  const ShownRows* table = nullptr;  ///< of the anchor with the most tiles; the first of equals
  Coordinates coordinates;
};

Best best_anchor(const kernel::IndexProbe& probe) {
  Best best;
  best.tables = show_numbers(probe);
  best.coordinates.refusal = "no block gets to a store";
  for (const ShownRows& table : best.tables) {
    Coordinates found = find_coordinates(probe, table);
    const bool is_better = !found.refusal.empty()
                               ? best.table == nullptr && table.rows() > 0
                               : found.rows.size() > best.coordinates.rows.size();
    if (!is_better) continue;
    if (found.refusal.empty()) best.table = &table;
    best.coordinates = std::move(found);
  }
  return best;
}

TileSpace found_space(const kernel::KernelProgram& program, const config::Launch& launch) {
  kernel::IndexProbe probe = program.probe_index(launch);
  if (!probe) return refused(probe.reason);
  Best best = best_anchor(probe);
  const std::string refusal = best.coordinates.refusal;
  std::int64_t working = 0;
  if (best.table == nullptr && best.coordinates.has_holes) {
    for (const ShownRows& table : best.tables)
      working = std::max(working, static_cast<std::int64_t>(table.rows()));
    probe = program.probe_index(launch, true);
    best = best_anchor(probe);
  }
  if (best.table == nullptr) return refused(refusal);
  TileSpace space = find_walk(probe, *best.table, best.coordinates, hints_of(launch));
  if (working > 0) space.returning = space.count() - working;
  return space;
}

}  // namespace

TileSpace find_tile_space(const kernel::KernelProgram& program, const config::Launch& launch) {
  try {
    if (launch.grid.count() > kMostBlocks)
      return refused(fmt::format("the launch has {} blocks, more than {}",
                                 with_separators(launch.grid.count()),
                                 with_separators(kMostBlocks)));
    return found_space(program, launch);
  } catch (const Error& error) {
    return refused(error.message());
  }
}

}  // namespace heddle::tiles
