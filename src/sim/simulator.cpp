#include "sim/simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <thread>

#include "sim/collect.h"
#include "sim/intervals.h"
#include "sim/machine.h"
#include "sim/occupancy.h"
#include "sim/recorder.h"
#include "sim/tile_traces.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

constexpr std::int64_t kTraceBytes = std::int64_t{1} << 30;
constexpr std::int64_t kGoodSets = 8;          ///< of which one is in a good sample
constexpr double kGoodWindow = 0.6;            ///< of a launch: better than half as many sets
constexpr std::int64_t kMostSets = 16;         ///< in any: beyond it L1s get too small
constexpr std::int64_t kLeastGenerations = 4;  ///< of blocks that run at once, in a sampled launch
constexpr std::int64_t kProbes = 32;           ///< tiles that are looked at to plan a replay

int thread_count(int asked) {
  if (asked > 0) return std::min(asked, 256);
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 64);
}

/// Blocks with a tile, of the launch ids below `last`.
std::int64_t launched(const order::Map& map, std::int64_t last) {
  return std::count_if(map.begin(), map.begin() + last,
                       [](std::int64_t tile) { return tile >= 0; });
}

/// Operations on indices: one after the other in a wave. Where waves share the issue slots with
/// all else (`issue`), they also keep others from them; scalar units work beside the others.
BlockStart start_of_block(int operations, const config::Launch& launch, const config::Gpu& gpu) {
  BlockStart start;
  const double taken = operations * gpu.arithmetic.index_share * static_cast<double>(kTicks);
  start.wait = std::llround(taken * gpu.arithmetic.dependent_cycles);
  const int lanes = gpu.compute.wave_lanes;
  if (gpu.arithmetic.issue > 0)
    start.work = std::llround(taken * launch.waves(lanes) * lanes / gpu.arithmetic.issue);
  return start;
}

}  // namespace

struct Simulator::Parts {
  Parts(const kernel::KernelProgram& program, const config::Launch& its_launch,
        const config::Gpu& its_gpu)
      : launch(its_launch),
        gpu(its_gpu),
        reduced(kernel::remove_unneeded(program, kernel::Keep::all)),
        pages(its_launch, gpu),
        context(reduced, {}, its_launch, gpu, pages),
        occupancy(find_occupancy(program, its_launch, its_gpu)),
        depth(program.load_depth(its_launch, its_gpu)),
        traces(context, kTraceBytes) {
    context.work = program.work(launch, gpu, context.lane_elements);
    if (context.work.has_products && gpu.compute.product_clock_mhz > 0)
      gpu.compute.clock_mhz = gpu.compute.product_clock_mhz;
    const Probe whole = probe(1);
    requests_of_tile = whole.requests;
    tile_spread = whole.spread;
  }

  struct Probe {
    double requests = 0;  ///< the mean
    double spread = 1;    ///< the largest over the mean
  };

  /// The requests of some tiles, of a share of their rounds. The tiles lie a golden
  /// section of the grid apart: steps of a power of two would meet one query block of every head.
  Probe probe(double share_of_rounds) {
    const std::int64_t tiles = launch.grid.count();
    const std::int64_t probes = std::min(kProbes, tiles);
    std::int64_t total = 0;
    std::int64_t most = 0;
    for (std::int64_t k = 0; k < probes; ++k) {
      const auto place = static_cast<std::uint64_t>(k + 1) * 0x9e3779b9U & 0xffff'ffffU;
      const auto tile = static_cast<std::int64_t>(place * static_cast<std::uint64_t>(tiles) >> 32);
      const std::int64_t requests = requests_of(traces.trace_of(tile), share_of_rounds);
      total += requests;
      most = std::max(most, requests);
    }
    const double mean = static_cast<double>(total) / static_cast<double>(probes);
    return {mean, mean > 0 ? static_cast<double>(most) / mean : 1};
  }

  SamplePlan plan(const order::Map& map, const SimOptions& options);
  double scale_of(const SamplePlan& plan, const order::Map& map);
  /// The share of the requests that is left when loops run this share of their rounds.
  double share_left(double share_of_rounds);

  const config::Launch& launch;
  config::Gpu gpu;  ///< at the clock of the kernel
  kernel::KernelProgram reduced;
  Pages pages;
  RecordContext context;
  Occupancy occupancy;
  int depth;
  TileTraces traces;
  double requests_of_tile = 0;
  double tile_spread = 1;
  std::map<std::int64_t, SampledParts> sampled_parts;  ///< by the sets of the sample
  std::mutex tracing;                                  ///< guards both
};

double Simulator::Parts::share_left(double share_of_rounds) {
  return requests_of_tile > 0 ? probe(share_of_rounds).requests / requests_of_tile : 1;
}

/// What to replay: first a share of the sets, then a share of the launch, then fewer sets, then a
/// share of loops.
SamplePlan Simulator::Parts::plan(const order::Map& map, const SimOptions& options) {
  SamplePlan plan;
  plan.last_launch = static_cast<std::int64_t>(map.size());
  double left = requests_of_tile * static_cast<double>(launched(map, plan.last_launch));
  const bool exact =
      options.fidelity == Fidelity::exact ||
      (options.fidelity == Fidelity::automatic && left <= static_cast<double>(kExactRequests));
  if (exact) return plan;
  const auto most = static_cast<double>(std::max<std::int64_t>(1000, options.sample_requests));
  // Every channel keeps a set, and every L1 a way.
  const std::int64_t most_sets =
      std::min({kMostSets, gpu.sets_of_channel(), std::int64_t{gpu.l1.shape.ways}});
  const auto thin_sets = [&](std::int64_t sets, double enough) {
    for (; 2 * plan.sets <= std::min(sets, most_sets) && left > enough; left /= 2) plan.sets *= 2;
  };
  // A part of a launch whose tiles differ is another launch: of those all blocks run.
  const bool is_whole = tile_spread >= kUnequalTiles;
  if (is_whole)
    thin_sets(kMostSets, most);
  else
    thin_sets(kGoodSets, most / kGoodWindow);
  if (left <= most) return plan;
  if (!is_whole) {
    // Several times as many blocks as run at once: then most of the window is steady.
    const std::int64_t at_once =
        std::int64_t{gpu.compute.dies} * gpu.compute.compute_units * occupancy.blocks;
    const auto window = static_cast<std::int64_t>(static_cast<double>(map.size()) * most / left);
    const std::int64_t whole = plan.last_launch;
    plan.last_launch = std::min(whole, std::max(window, kLeastGenerations * at_once));
    left *= static_cast<double>(plan.last_launch) / static_cast<double>(whole);
    thin_sets(kMostSets, most);
  }
  if (left > most) plan.share_of_rounds = most / left;
  return plan;
}

/// The whole launch over the part of it that a plan replays, sets apart.
double Simulator::Parts::scale_of(const SamplePlan& plan, const order::Map& map) {
  const auto all = static_cast<double>(launched(map, static_cast<std::int64_t>(map.size())));
  const auto some = static_cast<double>(launched(map, plan.last_launch));
  const double blocks = some > 0 ? all / some : 1;
  return plan.share_of_rounds < 1 ? blocks / share_left(plan.share_of_rounds) : blocks;
}

Simulator::Simulator(const kernel::KernelProgram& program, const config::Launch& launch,
                     const config::Gpu& gpu)
    : parts_(std::make_unique<Parts>(program, launch, gpu)) {}

Simulator::~Simulator() = default;

const Occupancy& Simulator::occupancy() const {
  return parts_->occupancy;
}

std::int64_t Simulator::requests_estimated() const {
  return std::llround(parts_->requests_of_tile * static_cast<double>(parts_->launch.grid.count()));
}

std::optional<Sketch> Simulator::sketch(int threads) {
  Parts& parts = *parts_;
  const std::int64_t tiles = parts.launch.grid.count();
  if (tiles > Sketch::kMostTiles) return std::nullopt;
  order::Map all(static_cast<std::size_t>(tiles));
  std::iota(all.begin(), all.end(), 0);
  const std::lock_guard lock(parts.tracing);
  parts.traces.prepare(all, tiles, thread_count(threads));
  SketchBuilder builder(parts.gpu, requests_estimated(), parts.occupancy.blocks);
  const TraceSource source = parts.traces.source();
  for (std::int64_t tile = 0; tile < tiles; ++tile) builder.add(source(tile, 0));
  const BlockStart start = start_of_block(1, parts.launch, parts.gpu);
  return builder.finish(
      (static_cast<double>(start.work) + static_cast<double>(start.wait) / parts.occupancy.blocks) /
      static_cast<double>(kTicks));
}

SimResult Simulator::run(const order::Map& map, const SimOptions& options) {
  Parts& parts = *parts_;
  const std::int64_t tiles = parts.launch.grid.count();
  if (std::ranges::any_of(map, [&](std::int64_t tile) { return tile >= tiles; }))
    throw Error("the order has tiles outside the grid " + parts.launch.grid.text(),
                "see what it does with heddle check --show");
  const int threads = thread_count(options.threads);
  std::unique_lock tracing(parts.tracing);
  const SamplePlan plan = parts.plan(map, options);
  parts.traces.prepare(map, plan.last_launch,
                       options.tracing_threads > 0 ? options.tracing_threads : threads);
  const double scale = parts.scale_of(plan, map);
  std::vector<TraceSource> sources;
  for (int die = 0; die < parts.gpu.compute.dies; ++die) sources.push_back(parts.traces.source());
  SampledParts* const sampled_parts = plan.sets > 1 && parts.traces.keeps(map, plan.last_launch)
                                          ? &parts.sampled_parts[plan.sets]
                                          : nullptr;
  tracing.unlock();

  const MachineSetup setup{
      parts.gpu,
      parts.pages,
      map,
      parts.occupancy.blocks,
      std::min(parts.occupancy.shared_bytes * parts.occupancy.blocks,
               parts.gpu.compute.shared_bytes),
      static_cast<int>(parts.reduced.sites.size()),
      parts.depth,
      plan,
      options.why,
      options.blocks,
      start_of_block(options.index_operations, parts.launch, parts.gpu),
      parts.gpu.vendor == config::Vendor::nvidia || parts.context.work.has_products,
      options.record_tiles && std::ssize(map) <= kMostRecordedTurns,
      sampled_parts,
      std::llround(static_cast<double>(parts.gpu.l2.kept_bytes * parts.gpu.compute.dies) / scale)};
  Machine machine(setup, std::move(sources));
  machine.run(threads);

  SimResult result = collect(machine, parts.gpu, scale, parts.context.work.code_bytes);
  result.occupancy = parts.occupancy;
  result.tile_spread = parts.tile_spread;
  result.intervals = intervals_of(result, parts.gpu, known_intervals());
  result.grid = parts.launch.grid.extents();
  if (setup.record_tiles)
    result.tiles = std::make_shared<const TileRun>(
        tile_run(machine, parts.gpu, map, options.blocks, result.grid));
  const auto turns = static_cast<std::int64_t>(map.size());
  const std::int64_t blocks = options.blocks > 0 ? std::min(options.blocks, turns) : turns;
  result.blocks = launched(map, blocks);
  result.blocks_idle = blocks - result.blocks;
  result.waves = result.blocks * parts.launch.waves(parts.gpu.compute.wave_lanes);
  result.threads = parts.launch.threads[0] > 0 ? parts.launch.thread_count()
                                               : parts.launch.warps * parts.gpu.compute.wave_lanes;
  result.lanes_counted = parts.reduced.traits().has_lanes;
  for (DieResult& die : result.dies) die.blocks = 0;  // of the whole launch, replayed or not
  for (std::size_t launch = 0; launch < static_cast<std::size_t>(blocks); ++launch)
    if (map[launch] >= 0) ++result.dies[launch % result.dies.size()].blocks;
  result.sample.share_of_sets = 1.0 / static_cast<double>(plan.sets);
  result.sample.share_of_blocks = 1 / scale;
  const kernel::TargetFacts* const facts = parts.context.facts.get();
  if (facts != nullptr && !facts->reason.empty())
    result.notes.push_back("registers and arithmetic are not known: " + facts->reason);
  if (facts != nullptr && facts->spilled_registers > 0)
    result.notes.push_back(fmt::format(
        "compiled for {}, a thread spills {} registers into {} B of memory of its own, whose "
        "traffic is not simulated",
        facts->target, facts->spilled_registers, facts->scratch_bytes));
  if (plan.share_of_rounds < 1)
    result.notes.push_back(
        "loops were shortened: what kernels do outside their loops counts too often");
  return result;
}

}  // namespace heddle::sim
