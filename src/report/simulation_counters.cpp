#include "report/simulation_counters.h"

#include <algorithm>

#include "support/lists.h"

namespace heddle::report {
namespace {

using Counters = std::vector<NamedCounter>;

Counters l1_counters(const L1Counts& counts, CounterNames names) {
  if (names != CounterNames::nvidia) {
    Counters counters;
    if (counts.lane_requests() > 0)
      counters = {{"TCP_TOTAL_ACCESSES", counts.lane_requests()},
                  {"TCP_TOTAL_READ", counts.read_requests},
                  {"TCP_TOTAL_WRITE", counts.write_requests}};
    append(counters, Counters{{"TCP_TOTAL_CACHE_ACCESSES", counts.accesses()},
                              {"TCP_TCC_READ_REQ", counts.reads_to_l2},
                              {"TCP_TCC_WRITE_REQ", counts.writes_to_l2},
                              {"TCP_TCC_RW_ATOMIC_REQ", counts.atomics_to_l2}});
    return counters;
  }
  const std::string global = "l1tex__t_sectors_pipe_lsu_mem_global_";
  Counters counters;
  if (counts.lane_requests() > 0)
    counters = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", counts.read_requests},
                {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", counts.write_requests}};
  append(counters, Counters{{global + "op_ld.sum", counts.cache.requests},
                            {global + "op_ld_lookup_hit.sum", counts.cache.hits},
                            {global + "op_ld_lookup_miss.sum", counts.cache.misses},
                            {global + "op_st.sum", counts.written_sectors},
                            {global + "op_atom.sum", counts.atomic_sectors},
                            {"lts__t_requests_srcunit_tex_op_read.sum", counts.reads_to_l2},
                            {"lts__t_requests_srcunit_tex_op_write.sum", counts.writes_to_l2}});
  return counters;
}

Counters scalar_counters(const std::optional<ScalarCounts>& counts) {
  if (!counts) return {};
  const CacheCounts& cache = counts->cache;
  return {{"SQC_DCACHE_REQ", cache.hits + cache.misses + counts->duplicate_misses},
          {"SQC_DCACHE_HITS", cache.hits},
          {"SQC_DCACHE_MISSES", cache.misses},
          {"SQC_DCACHE_MISSES_DUPLICATE", counts->duplicate_misses}};
}

template <class Value>
double largest_over_mean(const std::vector<Value>& values) {
  double sum = 0;
  double largest = 0;
  for (const Value value : values) {
    sum += static_cast<double>(value);
    largest = std::max(largest, static_cast<double>(value));
  }
  return sum > 0 ? largest * static_cast<double>(values.size()) / sum : 1.0;
}

}  // namespace

Counters l2_counters(const L2Counts& counts, CounterNames names) {
  if (names != CounterNames::nvidia) {
    const bool old = names == CounterNames::gfx90a;
    const std::string fabric = old ? "TCC_EA_" : "TCC_EA0_";
    Counters counters = {
        {"TCC_REQ", counts.cache.requests},   {"TCC_HIT", counts.cache.hits},
        {"TCC_MISS", counts.cache.misses},    {"TCC_READ", counts.reads},
        {"TCC_WRITE", counts.writes},         {"TCC_ATOMIC", counts.atomics},
        {"TCC_WRITEBACK", counts.writebacks}, {fabric + "RDREQ", counts.fabric_reads()}};
    if (!old) counters.push_back({"TCC_BUBBLE", counts.fabric_reads_128});
    append(counters, Counters{{fabric + "RDREQ_32B", counts.fabric_reads_32},
                              {fabric + "WRREQ", counts.fabric_writes()},
                              {fabric + "WRREQ_64B", counts.fabric_writes_64}});
    return counters;
  }
  return {{"lts__t_sectors.sum", counts.cache.requests},
          {"lts__t_sectors_lookup_hit.sum", counts.cache.hits},
          {"lts__t_sectors_lookup_miss.sum", counts.cache.misses},
          {"lts__t_sectors_op_read.sum", counts.reads},
          {"lts__t_sectors_op_write.sum", counts.writes},
          {"lts__t_sectors_op_atom.sum", counts.atomics}};
}

Counters die_counters(const DieResult& die, CounterNames names) {
  Counters counters = l1_counters(die.l1, names);
  append(counters, scalar_counters(die.scalar));
  append(counters, l2_counters(die.l2, names));
  return counters;
}

Counters launch_counters(const SimResult& result) {
  Counters counters = l1_counters(result.l1, result.counter_names);
  append(counters, scalar_counters(result.scalar));
  append(counters, l2_counters(result.l2, result.counter_names));
  if (result.far_sectors)
    counters.push_back({"lts__t_sectors_srcunit_ltcfabric.sum", *result.far_sectors});
  if (!result.amd()) {
    counters.push_back({"dram__bytes_read.sum", result.hbm_read_bytes});
    counters.push_back({"dram__bytes_write.sum", result.hbm_write_bytes});
  }
  return counters;
}

double die_time_imbalance(const SimResult& result) {
  std::vector<double> times_us;
  for (const DieResult& die : result.dies) times_us.push_back(die.time_us);
  return largest_over_mean(times_us);
}

double channel_imbalance(const SimResult& result) {
  std::vector<std::int64_t> requests;
  for (const DieResult& die : result.dies) {
    for (const L2Counts& channel : die.channels) requests.push_back(channel.cache.requests);
  }
  return largest_over_mean(requests);
}

}  // namespace heddle::report
