// Counters against each other and against the grid; level files, sysinfo.csv, ids of dispatches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "profile/plausibility/checks.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

/// Counters of one ratio may stem from different replays, and kernels differ a little each time.
constexpr double kPartTolerance = 1.25;
constexpr double kPartNoise = 1000;
/// What a thousand is to large counters, these are to small ones.
constexpr double kSmallPartTolerance = 1.75;
constexpr double kSmallPartNoise = 8;

struct Part {
  std::vector<std::string> parts;
  std::string whole;
  std::string_view meaning;
};

std::vector<Part> parts_of(const Recording& recording) {
  const auto fabric = [&](std::string_view name) { return recording.fabric(name); };
  std::vector<std::string> asked_of_l2 = {"TCP_TCC_READ_REQ_sum", "TCP_TCC_ATOMIC_WITH_RET_REQ_sum",
                                          "TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum"};
  // On MI300 an access of 128 B is two writes of 64 B.
  if (!recording.is_mi300()) asked_of_l2.emplace_back("TCP_TCC_WRITE_REQ_sum");
  return {
      {{"TCC_HIT_sum", "TCC_MISS_sum"}, "TCC_REQ_sum", "hits and misses of the L2"},
      {{"TCC_READ_sum", "TCC_WRITE_sum", "TCC_ATOMIC_sum"}, "TCC_REQ_sum", "requests to the L2"},
      {{fabric("RDREQ_32B_sum")}, fabric("RDREQ_sum"), "reads of 32 bytes among those of the L2"},
      {{fabric("RDREQ_DRAM_sum")}, fabric("RDREQ_sum"), "reads from HBM among those of the L2"},
      {{fabric("WRREQ_64B_sum")}, fabric("WRREQ_sum"), "writes of 64 bytes among those of the L2"},
      {{fabric("WRREQ_DRAM_sum")}, fabric("WRREQ_sum"), "writes to HBM among those of the L2"},
      {asked_of_l2, "TCP_TOTAL_CACHE_ACCESSES_sum",
       "what the vL1D asks of the L2, among its accesses"},
      {{"SQC_DCACHE_HITS"}, "SQC_DCACHE_REQ", "hits of the scalar cache"},
      {{"SQC_ICACHE_HITS"}, "SQC_ICACHE_REQ", "hits of the instruction cache"},
      {{"TCP_UTCL1_TRANSLATION_HIT_sum"}, "TCP_UTCL1_REQUEST_sum", "hits of the address cache"},
      {{"SQ_LDS_BANK_CONFLICT"}, "SQ_LDS_IDX_ACTIVE", "conflicts among active cycles of the LDS"},
      {{"GRBM_GUI_ACTIVE"}, "GRBM_COUNT", "active cycles among all"},
  };
}

bool is_recorded(const Part& part, const Recording& recording) {
  return recording.recorded(part.whole) &&
         std::ranges::all_of(part.parts,
                             [&](const std::string& name) { return recording.recorded(name); });
}

double most_of_whole(double whole) {
  return std::min(kPartTolerance * whole + kPartNoise,
                  kSmallPartTolerance * whole + kSmallPartNoise);
}

}  // namespace

bool is_counter(std::string_view column) {
  constexpr std::array<std::string_view, 11> kBlocks = {
      "SQ_", "SQC_", "TA_", "TD_", "TCP_", "TCC_", "SPI_", "CPC_", "CPF_", "GRBM_", "GDS_"};
  for (const std::string_view block : kBlocks) {
    if (column.starts_with(block)) return true;
  }
  return false;
}

void check_waves(const Recording& recording, std::vector<Finding>& findings) {
  Group none("no-waves", "dispatch");
  Group other("wave-count", "dispatch");
  for (const Dispatch* dispatch : recording.dispatches()) {
    const auto waves = recording.counter("SQ_WAVES", *dispatch);
    const auto grid = recording.counter("Grid_Size", *dispatch);
    if (!waves || !grid || *grid <= 0) continue;
    auto lanes = recording.counter("wave_size", *dispatch);
    if (!lanes) lanes = recording.counter("Wave_Size", *dispatch);
    if (!lanes) lanes = recording.system("wave_size");
    if (!lanes || *lanes <= 0) continue;
    const double group = std::max(recording.counter("Workgroup_Size", *dispatch).value_or(0), 1.0);
    const double groups = std::ceil(*grid / group);
    // Without the size of a block, its last wave may be full or not.
    const double needed =
        group > 1 ? groups * std::ceil(group / *lanes) : std::ceil(*grid / *lanes);
    const auto of_grid = [&] {
      return fmt::format("a grid of {} lanes needs {} waves", figure(*grid), figure(needed));
    };
    if (*waves == 0)
      none.add(needed, *dispatch, [&] { return fmt::format("SQ_WAVES is 0, {}", of_grid()); });
    else if (*waves * kReplayTolerance < needed ||
             (group > 1 && *waves > needed * kReplayTolerance))
      other.add(std::abs(std::log(*waves / needed)), *dispatch,
                [&] { return fmt::format("SQ_WAVES is {}, {}", figure(*waves), of_grid()); });
  }
  none.append_to(findings);
  other.append_to(findings);
}

bool has_parts(const Recording& recording) {
  return std::ranges::any_of(parts_of(recording),
                             [&](const Part& part) { return is_recorded(part, recording); });
}

void check_parts(const Recording& recording, std::vector<Finding>& findings) {
  constexpr std::size_t kMostTold = 2;
  std::size_t told = 0;
  for (const Part& part : parts_of(recording)) {
    if (!is_recorded(part, recording)) continue;
    Group group("part-exceeds-whole", "dispatch");
    for (const Dispatch* dispatch : recording.dispatches()) {
      const auto whole = recording.counter(part.whole, *dispatch);
      double sum = 0;
      bool known = whole.has_value();
      for (const std::string& name : part.parts) {
        const auto value = recording.counter(name, *dispatch);
        known = known && value;
        sum += value.value_or(0);
      }
      if (!known || sum <= most_of_whole(*whole)) continue;
      group.add(sum - *whole, *dispatch, [&] {
        return fmt::format("{} ({}) is {}, more than {} with {}", fmt::join(part.parts, " + "),
                           part.meaning, figure(sum), part.whole, figure(*whole));
      });
    }
    if (group.empty() || ++told > kMostTold) continue;
    findings.push_back(group.finding());
  }
  if (told > kMostTold)
    findings.back().what += fmt::format(
        "; {} like it", told - kMostTold == 1
                            ? "1 more pair of counters is"
                            : fmt::format("{} more pairs of counters are", told - kMostTold));
}

void check_levels(const Recording& recording, std::vector<Finding>& findings) {
  const Workload& workload = recording.workload();
  Group group("level-mismatch", "row");
  for (const auto& [name, table] : workload.levels) {
    const auto column = table.find("SQ_WAVES");
    const auto kernel = table.find("Kernel_Name");
    for (const Dispatch* dispatch : recording.dispatches()) {
      const std::size_t row = dispatch->row;
      if (row >= table.rows() || table.damaged(row)) continue;
      const std::string where = fmt::format("{}.csv, {}", name, place_of(*dispatch));
      if (kernel && workload.counters.has("Kernel_Name") &&
          table.text(*kernel, row) != dispatch->kernel) {
        group.add(
            std::numeric_limits<double>::max(), where,
            fmt::format("row {} is about {} there", row + 1, short_name(table.text(*kernel, row))));
        continue;
      }
      if (!column) continue;
      const auto there = table.number(*column, row);
      const auto here = recording.counter("SQ_WAVES", *dispatch);
      if (!there || !here) continue;
      if (*there <= *here * kReplayTolerance && *here <= *there * kReplayTolerance) continue;
      group.add(std::abs(*there - *here), where,
                fmt::format("SQ_WAVES is {} there and {} in {}", figure(*there), figure(*here),
                            workload.counters_file));
    }
  }
  group.append_to(findings);
}

void check_dispatch_ids(const Recording& recording, std::vector<Finding>& findings) {
  const CounterTable& table = recording.workload().counters;
  if (!table.has("Dispatch_ID")) return;
  // Processes count for themselves.
  const auto process = table.find("PID");
  // Few ids come again, if any.
  std::vector<std::int64_t> ids;
  for (const Dispatch* dispatch : recording.dispatches()) ids.push_back(dispatch->id);
  std::ranges::sort(ids);
  if (std::ranges::adjacent_find(ids) == ids.end()) return;
  std::map<std::tuple<std::string, std::string, std::string, std::int64_t>, const Dispatch*> known;
  Group group("duplicate-dispatch", "row");
  for (const Dispatch* dispatch : recording.dispatches()) {
    const auto same = std::equal_range(ids.begin(), ids.end(), dispatch->id);
    if (same.second - same.first == 1) continue;
    const auto [first, is_new] =
        known.try_emplace({dispatch->node, dispatch->gpu,
                           process ? table.text(*process, dispatch->row) : "", dispatch->id},
                          dispatch);
    if (is_new) continue;
    group.add(0, place_of(*dispatch),
              fmt::format("rows {} and {} both have Dispatch_ID {}", first->second->row + 1,
                          dispatch->row + 1, dispatch->id));
  }
  group.append_to(findings);
}

void check_system(const Recording& recording, std::vector<Finding>& findings) {
  constexpr std::array<const char*, 7> kFields = {"max_sclk",        "cu_per_gpu", "hbm_bw",
                                                  "total_l2_chan",   "num_xcd",    "wave_size",
                                                  "max_waves_per_cu"};
  Group group("system-value", "field");
  for (const char* field : kFields) {
    const std::string* text = recording.workload().system_text(field);
    if (text != nullptr && !recording.system(field))
      group.add(0, fmt::format("sysinfo.csv, {}", field),
                fmt::format("it is '{}', not a number above zero", *text));
  }
  group.append_to(findings);
}

}  // namespace heddle::profile
