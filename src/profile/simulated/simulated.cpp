#include "profile/simulated/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "profile/roofline/roofline.h"
#include "support/csv.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::profile {
namespace {

constexpr std::int64_t kWaveLanes = 64;
/// SQ_INSTS_VALU_MFMA_MOPS counts in units of 512 operations.
constexpr std::int64_t kMatrixUnit = 512;
/// Any; timestamps of a run that never was begin here.
constexpr std::int64_t kStart = 1'000'000'000;

/// Columns and one row of a CSV file.
class Row {
 public:
  void add(const std::string& name, const std::string& value) {
    names_.push_back(csv_field(name));
    values_.push_back(csv_field(value));
  }
  void add(const std::string& name, std::int64_t value) { add(name, std::to_string(value)); }
  void add_real(const std::string& name, double value) { add(name, fmt::format("{}", value)); }
  std::string text() const {
    return fmt::format("{}\n{}\n", fmt::join(names_, ","), fmt::join(values_, ","));
  }
  /// A row per counter, each with what the dispatch is.
  std::string long_text() const;

 private:
  std::string field(const char* name) const {
    const auto found = std::ranges::find(names_, name);
    return found == names_.end() ? "" : values_[static_cast<std::size_t>(found - names_.begin())];
  }

  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

/// In the order of the view that rocprofv3's databases have (counters_collection).
constexpr std::array<const char*, 12> kDispatchFields = {
    "GPU_ID",         "Dispatch_ID",       "Grid_Size",
    "Workgroup_Size", "LDS_Per_Workgroup", "Scratch_Per_Workitem",
    "Arch_VGPR",      "Accum_VGPR",        "SGPR",
    "Kernel_Name",    "Start_Timestamp",   "End_Timestamp"};

std::string Row::long_text() const {
  std::string fields;
  for (const char* name : kDispatchFields) fields += field(name) + ",";
  std::string text =
      fmt::format("{},Kernel_ID,Counter_Name,Counter_Value\n", fmt::join(kDispatchFields, ","));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (is_one_of(names_[i], kDispatchFields) || names_[i] == "Wave_Size") continue;
    text += fmt::format("{}0,{},{}\n", fields, names_[i], values_[i]);
  }
  return text;
}

/// What readers ask of it.
constexpr const char* kProfilingConfig =
    "filter_blocks: {}\nformat_rocprof_output: rocpd\niteration_multiplexing: null\n"
    "join_type: grid\nkokkos_trace: false\nmode: profile\n";

struct Chip {
  const char* target;
  const char* folder;
};
constexpr std::array<Chip, 3> kChips = {
    {{"gfx90a", "MI200"}, {"gfx942", "MI300X_A1"}, {"gfx950", "MI350"}}};

void add_dispatch(const SimResult& result, Row& row) {
  const std::int64_t blocks = result.blocks + result.blocks_idle;
  row.add("Dispatch_ID", 1);
  row.add("Kernel_Name", result.kernel);
  row.add("GPU_ID", std::int64_t{0});
  row.add("Grid_Size", blocks * result.threads);
  row.add("Workgroup_Size", result.threads);
  row.add("LDS_Per_Workgroup", result.occupancy.shared_bytes);
  if (!result.occupancy.estimated) row.add("Arch_VGPR", result.occupancy.registers);
  row.add("Wave_Size", kWaveLanes);
  const std::int64_t waves = blocks * ((result.threads + kWaveLanes - 1) / kWaveLanes);
  row.add("SQ_WAVES", waves);
  row.add("SPI_CSN_WAVE", waves);
  row.add("SPI_CSN_NUM_THREADGROUPS", blocks);
}

void add_cycles(const SimResult& result, const config::Gpu& gpu, Row& row) {
  const std::int64_t cycles = std::llround(result.time_us * gpu.compute.clock_mhz);
  row.add("GRBM_GUI_ACTIVE", cycles * gpu.compute.dies);
  row.add("GRBM_COUNT", cycles * gpu.compute.dies);
}

void add_l1(const SimResult& result, Row& row) {
  const L1Counts& l1 = result.l1;
  if (result.lanes_counted) {
    row.add("TCP_TOTAL_ACCESSES_sum", l1.lane_requests());
    row.add("TCP_TOTAL_READ_sum", l1.read_requests);
    row.add("TCP_TOTAL_WRITE_sum", l1.write_requests);
    // The model does not tell atomics by whether their result is used.
    row.add("TCP_TOTAL_ATOMIC_WITH_RET_sum", std::int64_t{0});
    row.add("TCP_TOTAL_ATOMIC_WITHOUT_RET_sum", l1.atomic_requests);
    row.add("TA_TOTAL_WAVEFRONTS_sum", l1.lane_requests() / kWaveLanes);
  }
  row.add("TCP_TOTAL_CACHE_ACCESSES_sum", l1.accesses());
  row.add("TCP_TCC_READ_REQ_sum", l1.reads_to_l2);
  row.add("TCP_TCC_WRITE_REQ_sum", l1.writes_to_l2);
  row.add("TCP_TCC_ATOMIC_WITH_RET_REQ_sum", std::int64_t{0});
  row.add("TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum", l1.atomics_to_l2);
  for (const char* kind : {"NC", "UC", "CC"}) {
    for (const char* access : {"READ", "WRITE", "ATOMIC"})
      row.add(fmt::format("TCP_TCC_{}_{}_REQ_sum", kind, access), std::int64_t{0});
  }
  row.add("TCP_TCC_RW_READ_REQ_sum", l1.reads_to_l2);
  row.add("TCP_TCC_RW_WRITE_REQ_sum", l1.writes_to_l2);
  row.add("TCP_TCC_RW_ATOMIC_REQ_sum", l1.atomics_to_l2);
}

/// On gfx90a there is no counter of reads of 128 B: a line is fetched as two of 64 B.
L2Counts counted(L2Counts l2, const std::string& fabric) {
  if (fabric == "TCC_EA_") {
    l2.fabric_reads_64 += 2 * l2.fabric_reads_128;
    l2.fabric_reads_128 = 0;
  }
  return l2;
}

void add_latencies(const SimResult& result, const std::string& fabric, Row& row) {
  if (!result.latencies) return;
  const auto sum = [](double cycles, std::int64_t count) {
    return std::llround(cycles * static_cast<double>(count));
  };
  const std::int64_t lookups = result.l1.cache.requests;
  row.add("TCP_TA_TCP_STATE_READ_sum", lookups);
  row.add("TCP_TCP_LATENCY_sum", sum(result.latencies->l1, lookups));
  row.add("TCP_TCC_READ_REQ_LATENCY_sum", sum(result.latencies->l1_to_l2, result.l1.reads_to_l2));
  if (result.latencies->fabric_read > 0)
    row.add(fabric + "RDREQ_LEVEL_sum",
            sum(result.latencies->fabric_read, counted(result.l2, fabric).fabric_reads()));
}

void add_scalar(const SimResult& result, Row& row) {
  if (!result.scalar) return;
  const CacheCounts& cache = result.scalar->cache;
  const std::int64_t duplicates = result.scalar->duplicate_misses;
  row.add("SQC_DCACHE_REQ", cache.hits + cache.misses + duplicates);
  row.add("SQC_DCACHE_HITS", cache.hits);
  row.add("SQC_DCACHE_MISSES", cache.misses);
  row.add("SQC_DCACHE_MISSES_DUPLICATE", duplicates);
  row.add("SQC_TC_DATA_READ_REQ", cache.misses);
}

/// `ending` is "_sum" or "[7]".
void add_l2(const L2Counts& l2, const std::string& fabric, const std::string& ending, Row& row) {
  row.add("TCC_REQ" + ending, l2.cache.requests);
  row.add("TCC_HIT" + ending, l2.cache.hits);
  row.add("TCC_MISS" + ending, l2.cache.misses);
  row.add("TCC_READ" + ending, l2.reads);
  row.add("TCC_WRITE" + ending, l2.writes);
  row.add("TCC_ATOMIC" + ending, l2.atomics);
  row.add(fabric + "RDREQ" + ending, l2.fabric_reads());
  row.add(fabric + "WRREQ" + ending, l2.fabric_writes());
  row.add(fabric + "ATOMIC" + ending, std::int64_t{0});
  if (fabric == "TCC_EA0_") row.add("TCC_BUBBLE" + ending, l2.fabric_reads_128);
}

void add_whole_l2(const SimResult& result, const std::string& fabric, Row& row) {
  const L2Counts l2 = counted(result.l2, fabric);
  add_l2(l2, fabric, "_sum", row);
  row.add("TCC_RW_REQ_sum", l2.cache.requests);
  row.add("TCC_WRITEBACK_sum", l2.writebacks);
  row.add("TCC_NORMAL_EVICT_sum", l2.evictions);
  row.add(fabric + "RDREQ_32B_sum", l2.fabric_reads_32);
  row.add(fabric + "RDREQ_DRAM_sum", l2.fabric_reads());
  row.add(fabric + "WRREQ_64B_sum", l2.fabric_writes_64);
  row.add(fabric + "WRREQ_DRAM_sum", l2.fabric_writes());
  std::size_t channel = 0;
  for (const DieResult& die : result.dies) {
    for (const L2Counts& counts : die.channels)
      add_l2(counted(counts, fabric), fabric, fmt::format("[{}]", channel++), row);
  }
}

std::string counter_type(const std::string& type) {
  if (type == "fp64") return "F64";
  if (type == "fp32") return "F32";
  return type == "fp16" || type == "bf16" ? "F16" : "";
}

/// Waves of instructions: 64 lanes each; matrix units by 512 operations.
void add_arithmetic(const SimResult& result, Row& row) {
  if (result.arithmetic.empty()) return;
  std::map<std::string, std::int64_t> counters;
  for (const char* type : {"F16", "F32", "F64"}) {
    for (const char* kind : {"ADD", "MUL", "FMA", "TRANS"})
      counters[fmt::format("SQ_INSTS_VALU_{}_{}", kind, type)] = 0;
  }
  for (const char* type : {"F16", "BF16", "F32", "F64", "I8"})
    counters[fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", type)] = 0;
  counters["SQ_INSTS_VALU_INT32"] = 0;
  counters["SQ_INSTS_VALU_INT64"] = 0;
  for (const ArithmeticSummary& summary : result.arithmetic) {
    const std::string type = counter_type(summary.type);
    if (summary.kind == "dot") {
      const std::string matrix = summary.type == "bf16" ? "BF16" : type.empty() ? "I8" : type;
      counters["SQ_INSTS_VALU_MFMA_MOPS_" + matrix] += 2 * summary.total / kMatrixUnit;
    } else if (type.empty()) {
      counters[summary.type.ends_with("64") ? "SQ_INSTS_VALU_INT64" : "SQ_INSTS_VALU_INT32"] +=
          summary.total / kWaveLanes;
    } else {
      const char* kind = summary.kind == "fused"      ? "FMA"
                         : summary.kind == "multiply" ? "MUL"
                         : summary.kind == "add"      ? "ADD"
                                                      : "TRANS";
      counters[fmt::format("SQ_INSTS_VALU_{}_{}", kind, type)] += summary.total / kWaveLanes;
    }
  }
  for (const auto& [name, value] : counters) row.add(name, value);
}

std::string system_text(const config::Gpu& gpu, const std::string& folder, const std::string& name,
                        const std::string& command, SimulatedFormat format) {
  const config::GpuCompute& compute = gpu.compute;
  Row row;
  row.add("workload_name", name);
  row.add("command", command);
  row.add("simulated_by", "heddle");
  row.add("ip_blocks", "SQ|SQC|TCP|TCC|roofline");
  row.add("version", format == SimulatedFormat::rocpd ? "3" : "2");
  row.add("gpu_model", folder);
  row.add("gpu_arch", gpu.target);
  row.add("compute_partition", gpu.mode.empty() ? "NA" : gpu.mode.substr(0, gpu.mode.find('-')));
  row.add("gpu_l1", gpu.l1.shape.bytes / 1024);
  row.add("gpu_l2", gpu.l2.shape.bytes / 1024);
  row.add("cu_per_gpu", std::int64_t{compute.dies} * compute.compute_units);
  row.add("se_per_gpu", std::int64_t{compute.dies} * compute.shader_engines);
  row.add("wave_size", compute.wave_lanes);
  row.add("max_waves_per_cu", compute.waves);
  row.add_real("max_sclk", compute.clock_mhz);
  row.add("total_l2_chan", std::int64_t{compute.dies} * gpu.l2.channels);
  row.add("lds_banks_per_cu", std::int64_t{32});
  if (gpu.scalar_cache)
    row.add("sqc_per_gpu",
            std::int64_t{compute.dies} * gpu.scalar_cache->caches_of(compute.compute_units));
  row.add("pipes_per_gpu", std::int64_t{4});
  const double bandwidth = gpu.memory.peak_bytes_per_second / 1e9;
  if (format == SimulatedFormat::csv) {
    row.add_real("hbm_bw", bandwidth);
  } else {
    // Readers make it of these: 32 bytes a clock and channel.
    const std::int64_t channels = std::int64_t{compute.dies} * gpu.l2.channels;
    row.add_real("max_mclk", bandwidth * 1000 / 32 / static_cast<double>(channels));
    row.add("num_memory_channels", channels);
    row.add("num_hbm_channels", channels);
  }
  row.add("num_xcd", compute.dies);
  return row.text();
}

std::string roofline_text(const config::Gpu& gpu) {
  const RooflineCeilings ceilings = known_ceilings(gpu);
  Row row;
  row.add("device", std::int64_t{0});
  for (const BandwidthCeiling& bandwidth : ceilings.bandwidths)
    row.add_real(bandwidth.level + "Bw", bandwidth.gb_per_s);
  for (const ComputeCeiling& rate : ceilings.rates) {
    const std::string type =
        rate.type == "INT8" ? "I8" : rate.type.substr(rate.type[0] == 'F' ? 2 : 0);
    if (!rate.matrix)
      row.add_real(rate.type + "Flops", rate.gflop_per_s);
    else if (rate.type == "INT8")
      row.add_real("MFMAI8Ops", rate.gflop_per_s);
    else
      row.add_real("MFMA" + (rate.type == "BF16" ? rate.type : "F" + type) + "Flops",
                   rate.gflop_per_s);
  }
  return row.text();
}

}  // namespace

std::string simulated_folder(const config::Gpu& gpu) {
  if (gpu.target == "gfx942" && gpu.name.starts_with("mi300a")) return "MI300A_A1";
  for (const Chip& chip : kChips) {
    if (gpu.target == chip.target) return chip.folder;
  }
  throw Error(fmt::format("rocprofiler-compute has no folders for {}", gpu.title),
              "use an AMD GPU, such as --gpu mi210");
}

SimulatedWorkload simulated_workload(const SimResult& result, const config::Gpu& gpu,
                                     const std::string& name, const std::string& command,
                                     SimulatedFormat format) {
  SimulatedWorkload workload;
  workload.folder = simulated_folder(gpu);
  const std::string fabric = gpu.target == "gfx90a" ? "TCC_EA_" : "TCC_EA0_";
  Row row;
  add_dispatch(result, row);
  add_cycles(result, gpu, row);
  add_l1(result, row);
  add_latencies(result, fabric, row);
  add_scalar(result, row);
  add_whole_l2(result, fabric, row);
  add_arithmetic(result, row);
  row.add("Start_Timestamp", kStart);
  row.add("End_Timestamp", kStart + std::llround(result.time_us * 1000));
  const bool is_long = format == SimulatedFormat::rocpd;
  workload.files = {{"pmc_perf.csv", is_long ? row.long_text() : row.text()},
                    {"sysinfo.csv", system_text(gpu, workload.folder, name, command, format)},
                    {"roofline.csv", roofline_text(gpu)}};
  if (is_long) workload.files.push_back({"profiling_config.yaml", kProfilingConfig});
  return workload;
}

}  // namespace heddle::profile
