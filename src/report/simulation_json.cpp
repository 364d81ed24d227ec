#include "report/json_values.h"
#include "report/simulation_counters.h"
#include "report/simulation_report.h"
#include "report/tile_space_report.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr int kSimulationVersion = 1;

/// With the hit rate; null where nothing was requested.
template <class Counts>
json cache_json(const Counts& counts, const CacheCounts& cache) {
  json result = value_json(counts);
  result["hit_rate_pct"] = cache.requests > 0 ? json(cache.hit_rate_pct()) : json(nullptr);
  return result;
}

json l1_json(const L1Counts& counts) {
  json result = cache_json(counts, counts.cache);
  const bool counted = counts.lane_requests() > 0;  // else it is no C++ kernel, or asks for nothing
  const auto known = [&](auto figure) { return counted ? json(figure) : json(nullptr); };
  result.update({{"accesses", counts.accesses()},
                 {"read_requests", known(counts.read_requests)},
                 {"write_requests", known(counts.write_requests)},
                 {"atomic_requests", known(counts.atomic_requests)},
                 {"hit_rate_of_accesses_pct", known(counts.hit_rate_of_accesses_pct())}});
  return result;
}

json scalar_json(const std::optional<ScalarCounts>& counts) {
  return counts ? cache_json(*counts, counts->cache) : json(nullptr);
}

json l2_json(const L2Counts& counts, const std::optional<MissCauses>& causes) {
  json result = cache_json(counts, counts.cache);
  result.update({{"by_cause", value_json(causes)},
                 {"read_bytes", counts.read_bytes()},
                 {"write_bytes", counts.write_bytes()}});
  return result;
}

json counters_json(const std::vector<NamedCounter>& counters) {
  json result = json::object();
  for (const NamedCounter& counter : counters) result[counter.name] = counter.value;
  return result;
}

json die_json(const DieResult& die, CounterNames names) {
  json channels = json::array();
  for (const L2Counts& channel : die.channels)
    channels.push_back(counters_json(l2_counters(channel, names)));
  return {{"blocks", die.blocks},
          {"time_us", die.time_us},
          {"busy_pct", die.busy_pct},
          {"l1", l1_json(die.l1)},
          {"scalar_cache", scalar_json(die.scalar)},
          {"l2", l2_json(die.l2, die.causes)},
          {"counters", counters_json(die_counters(die, names))},
          {"channels", channels}};
}

json occupancy_json(const Occupancy& occupancy) {
  return {{"blocks", occupancy.blocks},       {"limited_by", text_or_null(occupancy.limited_by)},
          {"registers", occupancy.registers}, {"shared_bytes", occupancy.shared_bytes},
          {"estimated", occupancy.estimated}, {"spills", occupancy.spills}};
}

json intervals_json(const PredictionIntervals& intervals) {
  return {{"share_pct", 100 * kIntervalShare},
          {"l2_hit_rate_pct", value_json(intervals.l2_hit_pct)},
          {"hbm_read_bytes", value_json(intervals.hbm_read_bytes)},
          {"time_us", value_json(intervals.time_us)},
          {"speedup_factor", value_json(intervals.speedup)},
          {"learnt_from", text_or_null(intervals.learnt_from)},
          {"families", intervals.families}};
}

}  // namespace

json simulation_json(const SimResult& result, const std::string& job) {
  json utilization = json::object();
  for (const Utilization& entry : result.utilization) utilization[entry.resource] = entry.percent;
  json dies = json::array();
  for (const DieResult& die : result.dies) dies.push_back(die_json(die, result.counter_names));
  return {{"version", kSimulationVersion},
          {"job", job},
          {"kernel", result.kernel},
          {"grid", result.grid},
          {"tile_space", result.space ? tile_space_json(*result.space, false) : nlohmann::json()},
          {"gpu", result.gpu},
          {"gpu_title", result.gpu_title},
          {"gpu_calibrated", result.gpu_calibrated},
          {"mode", text_or_null(result.mode)},
          {"order", result.order},
          {"permutation", result.permutation},
          {"blocks", result.blocks},
          {"blocks_idle", result.blocks_idle},
          {"waves", result.waves},
          {"occupancy", occupancy_json(result.occupancy)},
          {"l1", l1_json(result.l1)},
          {"scalar_cache", scalar_json(result.scalar)},
          {"l2", l2_json(result.l2, result.causes)},
          {"last_level",
           result.last_level ? cache_json(*result.last_level, *result.last_level) : json(nullptr)},
          {"latency_cycles", value_json(result.latencies)},
          {"far_sectors", value_json(result.far_sectors)},
          {"hbm", {{"read_bytes", result.hbm_read_bytes}, {"write_bytes", result.hbm_write_bytes}}},
          {"predicted_time_us", result.time_us},
          {"intervals", intervals_json(result.intervals)},
          {"tile_spread", result.tile_spread},
          {"limited_by", text_or_null(result.limited_by)},
          {"utilization", utilization},
          {"bound", {{"hit_rate_pct", result.bound_hit_rate_pct}, {"bytes", result.bound_bytes}}},
          {"sampled", result.sample.sampled},
          {"sample", value_json(result.sample)},
          {"counters", counters_json(launch_counters(result))},
          {"imbalance",
           {{"dies_by_time", die_time_imbalance(result)},
            {"channels_by_requests", channel_imbalance(result)}}},
          {"dies", dies},
          {"notes", result.notes}};
}

}  // namespace heddle::report
