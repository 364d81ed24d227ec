#include "profile/workload/recorded_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "support/text.h"

namespace heddle::profile {
namespace {

struct Renaming {
  const char* old_name;
  const char* name;
};

/// Omniperf 1.x has the names of rocprof; 2.0 renamed some of them at a time.
constexpr std::array<Renaming, 20> kRecordedColumns = {{
    {"KernelName", "Kernel_Name"},
    {"Index", "Dispatch_ID"},
    {"Dispatch_Id", "Dispatch_ID"},
    {"gpu-id", "GPU_ID"},
    {"grd", "Grid_Size"},
    {"wgr", "Workgroup_Size"},
    {"lds", "LDS_Per_Workgroup"},
    {"LDS_Block_Size", "LDS_Per_Workgroup"},
    {"scr", "Scratch_Per_Workitem"},
    {"Scratch_Size", "Scratch_Per_Workitem"},
    {"vgpr", "Arch_VGPR"},
    {"arch_vgpr", "Arch_VGPR"},
    {"VGPR_Count", "Arch_VGPR"},
    {"accum_vgpr", "Accum_VGPR"},
    {"Accum_VGPR_Count", "Accum_VGPR"},
    {"sgpr", "SGPR"},
    {"SGPR_Count", "SGPR"},
    {"BeginNs", "Start_Timestamp"},
    {"EndNs", "End_Timestamp"},
    {"Agent_Id", "GPU_ID"},
}};

constexpr std::array<Renaming, 25> kRecordedFields = {{
    {"gpu_soc", "gpu_arch"},
    {"name", "gpu_model"},
    {"numSE", "se_per_gpu"},
    {"numCU", "cu_per_gpu"},
    {"numSIMD", "simd_per_cu"},
    {"waveSize", "wave_size"},
    {"maxWavesPerCU", "max_waves_per_cu"},
    {"maxWorkgroupSize", "workgroup_max_size"},
    {"L1", "gpu_l1"},
    {"L2", "gpu_l2"},
    {"sclk", "max_sclk"},
    {"mclk", "max_mclk"},
    {"L2Banks", "total_l2_chan"},
    {"totalL2Banks", "total_l2_chan"},
    {"LDSBanks", "lds_banks_per_cu"},
    {"numSQC", "sqc_per_gpu"},
    {"numPipes", "pipes_per_gpu"},
    {"hbmBW", "hbm_bw"},
    {"numXCD", "num_xcd"},
    {"host_name", "hostname"},
    {"host_cpu", "cpu_model"},
    {"host_distro", "linux_distro"},
    {"host_kernel", "linux_kernel_version"},
    {"host_rocmver", "rocm_version"},
    {"date", "timestamp"},
}};

/// Names of chips and boards, as far as they tell the architecture.
constexpr std::array<Renaming, 12> kRecordedChips = {{
    {"mi50", "gfx906"},
    {"mi60", "gfx906"},
    {"mi100", "gfx908"},
    {"mi200", "gfx90a"},
    {"mi210", "gfx90a"},
    {"mi250", "gfx90a"},
    {"mi300", "gfx942"},
    {"mi308", "gfx942"},
    {"mi325", "gfx942"},
    {"mi350", "gfx950"},
    {"mi355", "gfx950"},
    {"rdna35", "gfx115x"},
}};

const std::string* text_of(const SystemFields& fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string, std::string>::first);
  return found == fields.end() || found->second.empty() ? nullptr : &found->second;
}

bool is_there(const SystemFields& fields, std::string_view name) {
  return std::ranges::find(fields, name, &std::pair<std::string, std::string>::first) !=
         fields.end();
}

}  // namespace

void rename_columns(CounterTable& table) {
  for (const auto& [old_name, name] : kRecordedColumns) table.rename(old_name, name);
}

void rename_fields(SystemFields& fields) {
  for (const auto& [old_name, name] : kRecordedFields) {
    if (is_there(fields, name)) continue;
    const auto found =
        std::ranges::find(fields, old_name, &std::pair<std::string, std::string>::first);
    if (found != fields.end()) found->first = name;
  }
}

std::string recorded_arch(const SystemFields& fields) {
  // "gfx90a:sramecc+:xnack-"
  if (const std::string* arch = text_of(fields, "gpu_arch")) {
    const std::string plain(trim(std::string_view(*arch).substr(0, arch->find(':'))));
    if (plain.starts_with("gfx") || plain.starts_with("sm_")) return plain;
  }
  for (const char* field : {"gpu_model", "gpu_series"}) {
    const std::string* model = text_of(fields, field);
    if (model == nullptr) continue;
    const std::string small = lower_case(*model);
    for (const auto& [chip, arch] : kRecordedChips) {
      if (small.find(chip) != std::string::npos) return arch;
    }
  }
  return {};
}

std::string guessed_arch(const CounterTable& counters) {
  bool old_fabric = false;
  bool new_fabric = false;
  for (const std::string& name : counters.columns()) {
    if (name.starts_with("GL2C_")) return "gfx115x";
    old_fabric = old_fabric || name.starts_with("TCC_EA_");
    new_fabric = new_fabric || name.starts_with("TCC_EA0_");
  }
  // MI100 counts no matrix operations by type, and its fabric's counters go by both names.
  if (!counters.has("SQ_INSTS_VALU_MFMA_MOPS_F64")) return {};
  if (new_fabric && counters.has("SQ_INSTS_VALU_MFMA_MOPS_F6F4")) return "gfx950";
  // MI350 counts waves for each of four pipes, MI300 for all of them together.
  if (new_fabric) return counters.has("SPI_CSN_WAVE") ? "gfx942" : "";
  return old_fabric ? "gfx90a" : "";
}

std::optional<double> derived_bandwidth(const SystemFields& fields) {
  const std::string* clock = text_of(fields, "max_mclk");
  const std::string* channels = text_of(fields, "num_memory_channels");
  if (channels == nullptr) channels = text_of(fields, "num_hbm_channels");
  if (clock == nullptr || channels == nullptr) return std::nullopt;
  const auto megahertz = parse_number(*clock);
  const auto count = parse_number(*channels);
  constexpr double kBytesPerClock = 32;
  if (!megahertz || !count || *megahertz <= 0 || *count <= 0) return std::nullopt;
  return *megahertz / 1000 * kBytesPerClock * *count;
}

}  // namespace heddle::profile
