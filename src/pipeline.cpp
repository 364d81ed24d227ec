#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/gpu.h"
#include "config/job.h"
#include "kernel/triton/compile.h"
#include "order/evaluate.h"
#include "order/space_range.h"
#include "proof/check.h"
#include "support/text.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoTimeLimit{24};

/// The kernel's grid and the tiles of an order for it.
order::Space space_of(const Grid& grid, const SimulationRequest& request) {
  if (request.tiles.empty()) return {grid, std::nullopt};
  if (request.tiles.find("..") != std::string::npos)
    throw Error("--tiles takes one tile space here, not a range", "write --tiles 48x36");
  const order::Space space =
      order::SpaceRange(grid.text(), request.tiles, request.bindings).first();
  if (space.tile_count() != space.block_count()) {
    throw Error(fmt::format("--tiles {} has {} tiles, the kernel's grid {} has {}",
                            space.tiles->text(), with_separators(space.tile_count()), grid.text(),
                            with_separators(space.block_count())),
                "give as many tiles as the kernel has, or leave --tiles out");
  }
  return space;
}

/// The tile of each launch id; a table's tiles that do not exist become kOutside.
order::Map map_of(const SimulationRequest& request, const order::Space& space) {
  order::Map map = order::materialize(request.order, space, request.bindings);
  for (std::int64_t& tile : map) {
    if (tile >= space.tile_count()) tile = order::kOutside;
  }
  return map;
}

/// What is wrong with an order that was not proved, and how many blocks do nothing for it.
std::string permutation_note(const GridReport& check, const order::Map& map) {
  std::string note = check.counterexample ? check.counterexample->message : check.reason;
  if (check.counted) {
    note += fmt::format("; {} of {} are computed", with_separators(check.distinct_tiles),
                        count_of(check.tiles, "tile"));
  }
  const auto count = [&](std::int64_t slot) { return std::count(map.begin(), map.end(), slot); };
  std::vector<std::string> idle;
  if (const auto outside = count(order::kOutside); outside > 0)
    idle.push_back(fmt::format("{} with a tile outside of the grid", count_of(outside, "block")));
  if (const auto failed = count(order::kFailed); failed > 0)
    idle.push_back(fmt::format("{} with arithmetic that fails", count_of(failed, "block")));
  if (!idle.empty()) note += fmt::format("; simulated as idle: {}", fmt::join(idle, ", "));
  return note;
}

}  // namespace

LoadedKernel load_kernel(const std::string& job_path, const std::vector<std::string>& overrides) {
  namespace triton = kernel::triton;
  const config::Job job = config::read_job(job_path, overrides);
  triton::TritonSource source(job.kernel_path);
  const auto picked = triton::picked_config(source, job.function, job.config);
  config::Arguments arguments = config::resolve_arguments(job, picked);
  const auto heuristics = triton::heuristics(source, job.function, arguments);
  LoadedKernel loaded;
  loaded.launch = config::make_launch(job, std::move(arguments), heuristics);
  loaded.program = triton::compile(source, loaded.launch);
  return loaded;
}

SimResult simulate_job(const SimulationRequest& request) {
  const config::Gpu gpu = config::read_gpu(request.gpu);
  const LoadedKernel loaded = load_kernel(request.job_path, request.overrides);
  const order::Space space = space_of(loaded.launch.grid, request);
  const GridReport check =
      proof::check_grid(request.order, space, request.bindings, {gpu.compute.dies, kNoTimeLimit});
  const order::Map map = map_of(request, space);
  SimResult result = sim::simulate(loaded.program, loaded.launch, gpu, map, request.options);
  result.order = request.order.title();
  result.kernel = loaded.program.function;
  result.grid = loaded.launch.grid.extents();
  result.permutation = check.verdict == Verdict::proved;
  if (!result.permutation) result.notes.insert(result.notes.begin(), permutation_note(check, map));
  return result;
}

}  // namespace heddle
