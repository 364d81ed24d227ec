#include "tiles/find.h"

#include <fmt/format.h>

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

/// The anchor with the most tiles; its place among equals decides.
TileSpace best_space(const kernel::IndexProbe& probe, const config::Launch& launch) {
  const std::vector<ShownRows> tables = show_numbers(probe);
  const ShownRows* best = nullptr;
  Coordinates chosen;
  chosen.refusal = "no block gets to a store";
  for (const ShownRows& table : tables) {
    Coordinates found = find_coordinates(probe, table);
    const bool is_better = !found.refusal.empty() ? best == nullptr && table.rows() > 0
                                                  : found.rows.size() > chosen.rows.size();
    if (!is_better) continue;
    if (found.refusal.empty()) best = &table;
    chosen = std::move(found);
  }
  if (best == nullptr) return refused(chosen.refusal);
  return find_walk(probe, *best, chosen, hints_of(launch));
}

}  // namespace

TileSpace find_tile_space(const kernel::KernelProgram& program, const config::Launch& launch) {
  try {
    if (launch.grid.count() > kMostBlocks)
      return refused(fmt::format("the launch has {} blocks, more than {}",
                                 with_separators(launch.grid.count()),
                                 with_separators(kMostBlocks)));
    const kernel::IndexProbe probe = program.probe_index(launch);
    if (!probe) return refused(probe.reason);
    return best_space(probe, launch);
  } catch (const Error& error) {
    return refused(error.message());
  }
}

}  // namespace heddle::tiles
