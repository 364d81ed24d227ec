#include "emit/patched_kernel.h"

#include <fmt/format.h>

#include "emit/agreement.h"
#include "emit/kernel_rewriter.h"
#include "order/evaluate.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::emit {
namespace {

/// The orders' boxes have the same coordinates along the same axes.
bool has_same_axes(const tiles::TileLaunch& a, const tiles::TileLaunch& b) {
  const auto names = [](const tiles::TileLaunch& launch) {
    std::vector<std::vector<std::string>> result;
    for (const tiles::TileAxis& axis : launch.axes) {
      result.emplace_back();
      for (const std::size_t one : axis.coordinates)
        result.back().push_back(launch.space.coordinates[one].name);
    }
    return result;
  };
  return names(a) == names(b);
}

/// What comparing blocks of both kernels found. Throws Error where one does other work.
std::string compare(const kernel::LoadedKernel& loaded, const kernel::KernelProgram& after,
                    const proof::ProvenOrder& proven) {
  const Agreement agreement = compare_blocks(loaded.program, after, loaded.launch, proven, {});
  if (agreement.first)
    throw Error(fmt::format("the new kernel does other work: block {} should be tile ({})",
                            agreement.first->block.value, fmt::join(agreement.first->tile, ", ")),
                "please report it");
  return fmt::format("{} of {} traced before and after: the same accesses",
                     with_separators(agreement.blocks),
                     count_of(loaded.launch.grid.count(), "block"));
}

/// Per turn: the tile of the box.
order::Map map_of(const proof::ProvenOrder& proven, const order::Space& space) {
  return order::materialize(proven.order(), space, proven.bindings());
}

/// Per block of the job's launch: the blocks of `single` whose tiles it does.
std::vector<std::vector<std::int64_t>> turns_of(const tiles::TileLaunch& launch,
                                                const order::Map& map) {
  const order::Map schedule = launch.schedule(map);
  const auto blocks = static_cast<std::size_t>(
      launch.is_persistent() ? launch.blocks : launch.orders.block_count());
  std::vector<std::vector<std::int64_t>> turns(blocks);
  for (std::size_t i = 0; i < schedule.size(); ++i)
    if (schedule[i] >= 0) turns[i % blocks].push_back(schedule[i]);
  return turns;
}

std::int64_t compared(const kernel::LoadedKernel& original, const kernel::LoadedKernel& changed,
                      const std::vector<std::vector<std::int64_t>>& turns) {
  const Agreement agreement = compare_turns(original, changed, turns, {});
  if (agreement.first)
    throw Error(fmt::format("the new kernel does other work: block {} does not do the tile of "
                            "block {} of the original",
                            agreement.first->block.value, fmt::join(agreement.first->tile, ", ")),
                "the kernel may use its index besides the tile coordinates");
  return agreement.blocks;
}

}  // namespace

PatchedKernel patch_tiles(const TileSubject& subject, const proof::ProvenOrder& proven,
                          const Independence& independence,
                          const std::vector<std::string>& assumptions, const CompileText& compile) {
  const std::string& path = subject.loaded.launch.kernel_path;
  const auto source = kernel::Source::open(path);
  PatchedKernel patched{
      source->text(), rewrite_tiles(*source, subject, proven, independence, assumptions), {}};
  const auto changed_for = [&](const config::Launch& launch) {
    kernel::LoadedKernel changed{launch, {}};
    // A helper that nothing calls any more looks like another kernel.
    if (changed.launch.function.empty()) changed.launch.function = subject.loaded.program.function;
    changed.program = compile(path, patched.after, changed.launch);
    return changed;
  };
  const tiles::TileLaunch& tiles = subject.tiles;
  const order::Map map = map_of(proven, tiles.orders);
  std::int64_t blocks =
      compared(*tiles.single, changed_for(subject.loaded.launch), turns_of(tiles, map));
  patched.agreement =
      fmt::format("{} of {} traced before and after: the same accesses", with_separators(blocks),
                  count_of(subject.loaded.launch.grid.count(), "block"));
  std::int64_t sizes = 0;
  for (const tiles::OtherLaunch& other : subject.others) {
    auto loaded = std::make_shared<kernel::LoadedKernel>();
    loaded->launch = other.launch;
    loaded->program = compile(path, patched.before, other.launch);
    const tiles::TileLaunch there = tiles::tile_launch(loaded);
    if (!there.is_lifted || there.axes.size() != tiles.axes.size()) continue;
    if (!has_same_axes(tiles, there)) continue;
    blocks = compared(*there.single, changed_for(other.launch),
                      turns_of(there, map_of(proven, there.orders)));
    ++sizes;
  }
  if (sizes > 0) patched.agreement += fmt::format(", and on {}", count_of(sizes, "other size"));
  return patched;
}

PatchedKernel patch_kernel(const kernel::LoadedKernel& loaded, const proof::ProvenOrder& proven,
                           const trace::IndependentTiles& independent, const CompileText& compile) {
  std::vector<std::string> macros;
  for (const config::Argument& argument : loaded.launch.arguments)
    if (argument.is_constexpr) macros.push_back(argument.name);
  const auto kernel = open_kernel(loaded.launch.kernel_path, loaded.program.function, macros);
  kernel->check_program(loaded.program);
  kernel->check_axes(proven.shape());
  PatchedKernel patched{kernel->text(), kernel->rewrite(proven, independent, {}), {}};
  patched.agreement =
      compare(loaded, compile(loaded.launch.kernel_path, patched.after, loaded.launch), proven);
  return patched;
}

}  // namespace heddle::emit
