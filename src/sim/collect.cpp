#include "sim/collect.h"

#include <algorithm>
#include <cmath>

#include "trace/access_table.h"

namespace heddle::sim {
namespace {

constexpr double kBusyEnough = 60;       ///< percent: below it, nothing but latency limits
constexpr std::int64_t kCodePiece = 64;  ///< bytes that an instruction cache asks for at a time
constexpr double kUneven = 1.15;  ///< the last die's time over the mean: above it, imbalance limits

class Scaler {
 public:
  explicit Scaler(double factor) : factor_(factor) {}
  void operator()(std::int64_t& value) const {
    if (factor_ != 1) value = std::llround(static_cast<double>(value) * factor_);
  }
  /// Hits and misses are scaled, requests are their sum.
  void operator()(CacheCounts& counts) const { each(counts); }
  void operator()(L2Counts& counts) const {
    each(counts);
    counts.reads = counts.cache.requests - counts.writes - counts.atomics;
  }
  void operator()(L1Counts& counts) const { each(counts); }
  void operator()(ScalarCounts& counts) const { each(counts); }
  /// They go on adding up to the misses, which are scaled already.
  void operator()(MissCauses& causes, std::int64_t misses) const {
    for (std::int64_t* value : {&causes.first_touch, &causes.conflict, &causes.other_die}) {
      (*this)(*value);
      *value = std::min(*value, misses);
      misses -= *value;
    }
    causes.capacity = misses;
  }
  /// Only what instructions count.
  void lanes(L1Counts& counts) const {
    L1Counts::fields(
        [&](Field field, std::int64_t& value) {
          if (field.has(Field::by_instruction)) (*this)(value);
        },
        counts);
  }

 private:
  static CacheCounts& cache_of(CacheCounts& counts) { return counts; }
  template <class Counts>
  static CacheCounts& cache_of(Counts& counts) {
    return counts.cache;
  }
  template <class Counts>
  void each(Counts& counts) const {
    Counts::fields(
        [&](Field field, std::int64_t& value) {
          if (!field.has(Field::by_instruction)) (*this)(value);
        },
        counts);
    CacheCounts& cache = cache_of(counts);
    cache.requests = cache.hits + cache.misses;
  }

  double factor_;
};

/// Two standard errors of the L2 hit rate, in points, from how much groups of sets differ.
double hit_rate_error(const Machine& machine) {
  std::vector<CacheCounts> groups(Sample::kGroups);
  for (const auto& die : machine.dies())
    for (std::size_t k = 0; k < groups.size(); ++k) groups[k] += die->groups()[k];
  double total = 0;
  double hits = 0;
  for (const CacheCounts& group : groups) {
    total += static_cast<double>(group.requests);
    hits += static_cast<double>(group.hits);
  }
  if (total == 0) return 0;
  const double mean = hits / total;
  double squares = 0;
  for (const CacheCounts& group : groups) {
    const double off = static_cast<double>(group.hits) - mean * static_cast<double>(group.requests);
    squares += off * off;
  }
  const auto count = static_cast<double>(groups.size());
  return 100 * 2 * std::sqrt(squares * count / (count - 1)) / total;
}

/// What instruction caches fetch, one beside each scalar cache: pieces of 64 B, of which the first
/// one of a line misses.
void add_code(const config::Gpu& gpu, std::int64_t code_bytes, std::int64_t caches,
              DieResult& die) {
  if (caches == 0) return;
  const std::int64_t line_bytes = gpu.l2.shape.line_bytes;
  for (std::int64_t line = 0; line * line_bytes < code_bytes; ++line) {
    const std::int64_t left = std::min(code_bytes - line * line_bytes, line_bytes);
    L2Counts more;
    more.cache.requests = caches * ((left + kCodePiece - 1) / kCodePiece);
    more.cache.misses = 1;
    more.cache.hits = more.cache.requests - 1;
    more.reads = more.cache.requests;
    more.fabric_reads_64 = line_bytes / kCodePiece;
    const std::size_t channel =
        static_cast<std::size_t>(line * line_bytes / gpu.l2.interleave_bytes) % die.channels.size();
    die.channels[channel] += more;
    die.l2 += more;
  }
}

void find_limit(const Machine& machine, const config::Gpu& gpu, SimResult& result) {
  const auto ticks = static_cast<double>(std::max<std::int64_t>(1, machine.end_ticks()));
  const double dies = static_cast<double>(machine.dies().size());
  const double units = dies * gpu.compute.compute_units;
  const double channels = dies * gpu.l2.channels;
  double arithmetic = 0;
  double l1 = 0;
  double l2 = 0;
  double link = 0;
  double last = 0;
  double sum = 0;
  for (const auto& die : machine.dies()) {
    arithmetic += static_cast<double>(die->busy().arithmetic);
    l1 += static_cast<double>(die->busy().l1);
    l2 += static_cast<double>(die->busy().l2);
    link += static_cast<double>(std::max(die->busy().link, die->busy().link_write));
    last = std::max(last, static_cast<double>(die->time()));
    sum += static_cast<double>(die->time());
  }
  const auto add = [&](const char* name, double busy, double count) {
    result.utilization.push_back({name, std::min(100.0, 100 * busy / (count * ticks))});
  };
  add("compute", arithmetic, units);
  add("L1", l1, units);
  add("L2", l2, channels);
  add("fabric", link, dies);
  if (machine.last_level()) add("last level", machine.memory().last_level_busy_ticks(), 1);
  add("memory", machine.memory().memory_busy_ticks(), 1);
  const auto busiest = std::ranges::max_element(
      result.utilization, [](const auto& a, const auto& b) { return a.percent < b.percent; });
  result.limited_by = busiest->percent >= kBusyEnough ? busiest->resource : "latency";
  if (busiest->percent < kBusyEnough && sum > 0 && last > kUneven * sum / dies)
    result.limited_by = "imbalance";
}

/// What compute units and memory do at the same time does not overlap altogether; and a launch takes
/// time of its own.
void add_to_time(const config::Gpu& gpu, SimResult& result) {
  double compute = 0;
  double memory = 0;
  for (const Utilization& one : result.utilization) {
    if (one.resource == "compute") compute = one.percent;
    if (one.resource == "memory" || one.resource == "last level")
      memory = std::max(memory, one.percent);
  }
  const double factor = 1 + gpu.memory.unhidden * std::min(compute, memory) / 100;
  for (DieResult& die : result.dies) die.time_us *= factor;
  const double whole = result.time_us * factor + gpu.compute.launch_us;
  for (Utilization& one : result.utilization) one.percent *= result.time_us / whole;
  result.time_us = whole;
}

/// Nothing if no L1 was read.
std::optional<Latencies> mean_latencies(const Machine& machine) {
  Die::Waits all;
  for (const auto& die : machine.dies()) {
    const Die::Waits& waits = die->waits();
    all.l1_ticks += waits.l1_ticks;
    all.l1_lookups += waits.l1_lookups;
    all.l2_ticks += waits.l2_ticks;
    all.l2_reads += waits.l2_reads;
    all.fabric_ticks += waits.fabric_ticks;
    all.fabric_reads += waits.fabric_reads;
  }
  if (all.l1_lookups == 0) return std::nullopt;
  const auto mean = [](std::int64_t ticks, std::int64_t count) {
    return count == 0 ? 0.0
                      : static_cast<double>(ticks) / static_cast<double>(count) /
                            static_cast<double>(kTicks);
  };
  return Latencies{mean(all.l1_ticks, all.l1_lookups), mean(all.l2_ticks, all.l2_reads),
                   mean(all.fabric_ticks, all.fabric_reads)};
}

/// How figures of a replay become those of the launch.
struct Scale {
  Scaler all;
  Scaler blocks;  ///< of what instructions count, in whatever sets
  double us_per_tick = 0;
};

std::vector<ArithmeticSummary> total_arithmetic(const Machine& machine, const Scale& scale) {
  Die::Arithmetic arithmetic;
  for (const auto& die : machine.dies()) {
    for (const auto& [kind, count] : die->arithmetic()) arithmetic[kind] += count;
  }
  for (auto& [kind, count] : arithmetic) scale.blocks(count);
  return trace::arithmetic_summary(arithmetic);
}

DieResult die_result(const Machine& machine, std::size_t number, const config::Gpu& gpu,
                     const Scale& scale, std::int64_t code_bytes) {
  const Die& die = *machine.dies()[number];
  DieResult part = die.result();
  scale.all(part.l1);
  scale.blocks.lanes(part.l1);
  scale.all(part.l2);
  for (L2Counts& channel : part.channels) scale.all(channel);
  if (gpu.scalar_cache) add_code(gpu, code_bytes, die.scalar_caches_used(), part);
  if (part.scalar) scale.all(*part.scalar);
  part.time_us = static_cast<double>(die.time()) * scale.us_per_tick;
  const double places = static_cast<double>(gpu.compute.compute_units) * machine.places() *
                        static_cast<double>(std::max<std::int64_t>(1, machine.end_ticks()));
  part.busy_pct = 100 * static_cast<double>(die.busy().places) / places;
  if (!machine.causes().empty()) {
    part.causes = machine.causes()[number];
    scale.all(*part.causes, part.l2.cache.misses);
  }
  return part;
}

void add_die(DieResult part, SimResult& result) {
  if (part.causes) {
    if (!result.causes) result.causes.emplace();
    *result.causes += *part.causes;
  }
  result.l1 += part.l1;
  result.l2 += part.l2;
  if (result.scalar) *result.scalar += *part.scalar;
  result.dies.push_back(std::move(part));
}

/// The last level, the memory, and the bounds; after the dies.
void collect_memory(const Machine& machine, const Scale& scale, SimResult& result) {
  if (machine.last_level()) {
    result.last_level = machine.last_level()->counts();
    scale.all(*result.last_level);
  }
  const MemoryTraffic traffic = machine.traffic();
  result.hbm_read_bytes = traffic.hbm_read;
  result.hbm_write_bytes = traffic.hbm_written;
  std::int64_t first = machine.first_misses();
  result.bound_bytes = machine.bound_bytes();
  for (std::int64_t* value :
       {&result.hbm_read_bytes, &result.hbm_write_bytes, &first, &result.bound_bytes})
    scale.all(*value);
  // A part of a launch touches more for its size than the whole, but no more than there is.
  result.bound_bytes = std::min(result.bound_bytes, machine.tensor_bytes());
  if (result.l2.cache.requests > 0)
    result.bound_hit_rate_pct =
        100 * (1 - static_cast<double>(first) / static_cast<double>(result.l2.cache.requests));
}

}  // namespace

SimResult collect(const Machine& machine, const config::Gpu& gpu, double blocks_scale,
                  std::int64_t code_bytes) {
  const auto factor = static_cast<double>(machine.sample().factor()) * blocks_scale;
  const Scale scale{Scaler(factor), Scaler(blocks_scale),
                    blocks_scale / (gpu.compute.clock_mhz * static_cast<double>(kTicks))};
  SimResult result;
  result.gpu = gpu.name;
  result.gpu_title = gpu.title;
  result.mode = gpu.mode;
  result.counter_names = gpu.vendor != config::Vendor::amd ? CounterNames::nvidia
                         : gpu.target == "gfx90a"          ? CounterNames::gfx90a
                                                           : CounterNames::gfx942;
  result.gpu_calibrated = gpu.calibrated;
  result.time_us = static_cast<double>(machine.end_ticks()) * scale.us_per_tick;
  result.latencies = mean_latencies(machine);
  result.arithmetic = total_arithmetic(machine, scale);
  if (gpu.scalar_cache) result.scalar.emplace();
  std::int64_t far = 0;
  for (std::size_t k = 0; k < machine.dies().size(); ++k) {
    result.sample.requests += machine.dies()[k]->replayed();
    far += machine.dies()[k]->far_sectors();
    add_die(die_result(machine, k, gpu, scale, code_bytes), result);
  }
  if (gpu.partitions) {
    scale.all(far);
    result.far_sectors = far;
  }
  collect_memory(machine, scale, result);
  result.sample.sampled = factor != 1;
  if (machine.sample().is_sampled()) result.sample.hit_rate_error_pct = hit_rate_error(machine);
  find_limit(machine, gpu, result);
  add_to_time(gpu, result);
  return result;
}

TileRun tile_run(const Machine& machine, const config::Gpu& gpu, const order::Map& map,
                 std::int64_t blocks, const std::vector<std::int64_t>& grid) {
  const double us_per_tick = 1 / (gpu.compute.clock_mhz * static_cast<double>(kTicks));
  const auto time = [&](std::int64_t ticks) {
    return static_cast<float>(static_cast<double>(ticks) * us_per_tick);
  };
  TileRun run{launch_axes(grid), map, {}, {}, blocks, gpu.compute.dies};
  run.turns.reserve(machine.turns().size());
  for (const TurnRecord& turn : machine.turns())
    run.turns.push_back({time(turn.start), time(turn.end),
                         static_cast<float>(turn.l2_misses * machine.sample().factor())});
  run.causes.reserve(machine.turn_causes().size());
  for (const MissCauses& causes : machine.turn_causes()) {
    std::size_t cause = 0;
    auto& counts = run.causes.emplace_back();
    MissCauses::fields(
        [&](Field, std::int64_t count) {
          counts[cause++] = static_cast<float>(count * machine.sample().factor());
        },
        causes);
  }
  return run;
}

}  // namespace heddle::sim
