// Traces written by hand, and machines that run them: for tests of the simulated GPU.
//
//   Script script;
//   const Shape* load = script.read(0, {{0, 0xf}});
//   script.tile({{load, 0}, {load, 1}});
//   const SimResult result = drive(config::read_gpu("mi300x"), 1 << 20, script);
#pragma once

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "order/order.h"
#include "results/simulation.h"
#include "sim/collect.h"
#include "sim/machine.h"
#include "sim/tile_trace.h"
#include "sim/units/pages.h"

namespace heddle::sim::testing {

using kernel::MemoryKind;

struct ScriptStep {
  const Shape* shape = nullptr;
  std::uint32_t base = 0;
};

/// The tiles of a launch, written down instruction by instruction.
class Script {
 public:
  const Shape* shape(MemoryKind kind, int site, std::vector<ShapeRequest> requests) {
    Shape& shape = shapes_.emplace_back();
    shape.kind = kind;
    shape.site = site;
    shape.requests = std::move(requests);
    sites_ = std::max(sites_, site + 1);
    return &shape;
  }
  const Shape* read(int site, std::vector<ShapeRequest> requests) {
    return shape(MemoryKind::read, site, std::move(requests));
  }
  const Shape* write(int site, std::vector<ShapeRequest> requests) {
    return shape(MemoryKind::write, site, std::move(requests));
  }
  const Shape* atomic(int site, std::vector<ShapeRequest> requests) {
    return shape(MemoryKind::atomic, site, std::move(requests));
  }
  /// A load that everything after it waits for.
  const Shape* awaited_read(int site, std::vector<ShapeRequest> requests) {
    read(site, std::move(requests));
    shapes_.back().awaited = true;
    return &shapes_.back();
  }
  /// A load that is the same for a whole wave.
  const Shape* uniform_read(int site, std::vector<ShapeRequest> requests) {
    awaited_read(site, std::move(requests));
    shapes_.back().uniform = true;
    return &shapes_.back();
  }

  /// Its loop begins again: the loads before it are done.
  const Shape* entering_read(int site, std::vector<ShapeRequest> requests) {
    read(site, std::move(requests));
    shapes_.back().enters = true;
    return &shapes_.back();
  }
  /// A load that is not made rounds ahead.
  const Shape* read_alone(int site, std::vector<ShapeRequest> requests) {
    read(site, std::move(requests));
    shapes_.back().alone = true;
    return &shapes_.back();
  }

  /// The last shape has work before and after it, in cycles.
  void work(std::int64_t before, std::int64_t after) {
    shapes_.back().ticks_before = before * kTicks;
    shapes_.back().ticks_after = after * kTicks;
  }

  /// And its block waits for this long after that.
  void wait(std::int64_t after) { shapes_.back().wait_after = after * kTicks; }

  void begin() { writer().begin(); }
  void add(const Shape* shape, std::uint32_t base) { writer().add(shape, base); }
  void end(double arithmetic_cycles = 0) {
    tiles_.push_back(writer().finish());
    tiles_.back().arithmetic_cycles = arithmetic_cycles;
    writer_.reset();
  }
  void tile(const std::vector<ScriptStep>& steps) {
    begin();
    for (const ScriptStep& step : steps) add(step.shape, step.base);
    end();
  }

  int sites() const { return sites_; }
  std::int64_t tiles() const { return static_cast<std::int64_t>(tiles_.size()); }
  /// Everybody may read it: nothing is made when a tile is asked for.
  TraceSource source() const {
    return [this](std::int64_t tile, int) { return tiles_[static_cast<std::size_t>(tile)]; };
  }

 private:
  TraceWriter& writer() {
    if (!writer_) writer_ = std::make_unique<TraceWriter>(chunk_);
    return *writer_;
  }

  std::deque<Shape> shapes_;
  TraceChunk chunk_;
  std::unique_ptr<TraceWriter> writer_;
  std::vector<TileTrace> tiles_;
  int sites_ = 1;
};

struct DriveOptions {
  order::Map map = {};  ///< empty: tile by tile
  int places = 1;
  int threads = 1;
  int depth = 1;
  std::int64_t sets = 1;  ///< one of so many is replayed
  bool why = false;
  std::vector<TraceSource> sources = {};  ///< empty: the script's
};

/// A machine beside everything that it refers to.
class Driven {
 public:
  Driven(config::Gpu gpu, std::int64_t bytes, const Script& script, DriveOptions options = {})
      : gpu_(std::move(gpu)), pages_(bytes, gpu_.pages), map_(std::move(options.map)) {
    if (map_.empty()) {
      map_.resize(static_cast<std::size_t>(script.tiles()));
      std::iota(map_.begin(), map_.end(), 0);
    }
    SamplePlan plan;
    plan.sets = options.sets;
    plan.last_launch = static_cast<std::int64_t>(map_.size());
    const MachineSetup setup{gpu_,           pages_,        map_, options.places, 0,
                             script.sites(), options.depth, plan, options.why};
    std::vector<TraceSource> sources = std::move(options.sources);
    if (sources.empty())
      sources.assign(static_cast<std::size_t>(gpu_.compute.dies), script.source());
    machine_ = std::make_unique<Machine>(setup, std::move(sources));
    threads_ = options.threads;
  }
  Driven(const Driven&) = delete;
  Driven& operator=(const Driven&) = delete;

  Machine& run() {
    machine_->run(threads_);
    return *machine_;
  }
  Machine& machine() { return *machine_; }
  const config::Gpu& gpu() const { return gpu_; }
  SimResult result() const { return collect(*machine_, gpu_, 1); }
  double cycles() const {
    return static_cast<double>(machine_->end_ticks()) / static_cast<double>(kTicks);
  }

 private:
  config::Gpu gpu_;
  Pages pages_;
  order::Map map_;
  std::unique_ptr<Machine> machine_;
  int threads_ = 1;
};

inline SimResult drive(config::Gpu gpu, std::int64_t bytes, const Script& script,
                       DriveOptions options = {}) {
  Driven driven(std::move(gpu), bytes, script, std::move(options));
  driven.run();
  return driven.result();
}

/// Address bits one by one: an MI300X whose L2 folds none of them.
inline void index_plainly(config::Gpu& gpu) {
  gpu.l2.channel_bits = {{8}, {9}, {10}, {11}};
  gpu.l2.set_bits = {{7}, {12}, {13}, {14}, {15}, {16}, {17}};
}

/// A known GPU with one die, and pages where they were asked for.
inline config::Gpu one_die(const std::string& name) {
  config::Gpu gpu = config::read_gpu(name);
  gpu.compute.dies = 1;
  gpu.pages.placement = config::Placement::contiguous;
  return gpu;
}

inline std::string text_of(const CacheCounts& c) {
  return fmt::format("{}/{}/{}", c.requests, c.hits, c.misses);
}

inline std::string text_of(const L2Counts& c) {
  return fmt::format("{} r{} w{} a{} f{}/{}/{} o{}/{} b{}", text_of(c.cache), c.reads, c.writes,
                     c.atomics, c.fabric_reads_128, c.fabric_reads_64, c.fabric_reads_32,
                     c.fabric_writes_64, c.fabric_writes_32, c.writebacks);
}

inline std::string text_of(const L1Counts& c) {
  return fmt::format("{} w{} a{} to{}/{}/{}", text_of(c.cache), c.writes, c.atomics, c.reads_to_l2,
                     c.writes_to_l2, c.atomics_to_l2);
}

inline std::string text_of(const std::optional<MissCauses>& c) {
  if (!c) return "-";
  return fmt::format("{}/{}/{}/{}", c->first_touch, c->capacity, c->conflict, c->other_die);
}

/// Everything that a run counted, so that two runs can be compared in one go.
inline std::string text_of(const SimResult& result) {
  std::string text = fmt::format(
      "blocks {} idle {}\nL1 {}\nL2 {}\ncauses {}\nlast {}\nhbm {} {}\nfar {}\ntime {:a} by {}\n"
      "bound {} {:a}\nsample {} {:a} {:a}\n",
      result.blocks, result.blocks_idle, text_of(result.l1), text_of(result.l2),
      text_of(result.causes), result.last_level ? text_of(*result.last_level) : "-",
      result.hbm_read_bytes, result.hbm_write_bytes, result.far_sectors.value_or(-1),
      result.time_us, result.limited_by, result.bound_bytes, result.bound_hit_rate_pct,
      result.sample.requests, result.sample.share_of_blocks, result.sample.hit_rate_error_pct);
  for (const Utilization& use : result.utilization)
    text += fmt::format("{} {:a}\n", use.resource, use.percent);
  for (const DieResult& die : result.dies) {
    text += fmt::format("die {} {:a} {:a} L1 {} L2 {} causes {}", die.blocks, die.time_us,
                        die.busy_pct, text_of(die.l1), text_of(die.l2), text_of(die.causes));
    if (die.scalar)
      text +=
          fmt::format(" scalar {} {}", text_of(die.scalar->cache), die.scalar->duplicate_misses);
    for (const L2Counts& channel : die.channels) text += "\n  " + text_of(channel);
    text += "\n";
  }
  return text;
}

}  // namespace heddle::sim::testing
