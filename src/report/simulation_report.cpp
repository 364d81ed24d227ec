#include "report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/optimization_facts.h"
#include "report/simulation_counters.h"
#include "report/tile_space_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kSimulationColumns = 100;
constexpr std::size_t kMostDies = 16;  ///< rows of the table
constexpr double kAlike = 0.05;        ///< of a figure: dies that differ by less are alike
constexpr double kAlikePoints = 1;     ///< of a hit rate
constexpr double kBalanced = 1.005;    ///< an imbalance below this reads as 1

using Row = std::vector<std::string>;

// ---- figures ------------------------------------------------------------------------------------

/// 0.0625 -> "1 in 16 sets", 0.3 -> "30 % of the sets".
std::string fraction_text(double share, std::string_view noun) {
  const double inverse = share > 0 ? 1 / share : 0;
  if (inverse > 1.5 && std::abs(inverse - std::round(inverse)) < 0.01 * inverse)
    return fmt::format("1 in {} {}", with_separators(std::llround(inverse)), noun);
  return fmt::format("{} of the {}", share_text(share), noun);
}

/// "1 kernel family", "12 kernel families".
std::string families_text(int count) {
  return count == 1 ? "1 kernel family" : fmt::format("{} kernel families", count);
}

// ---- tables -------------------------------------------------------------------------------------

/// The first column to the left, figures to the right, each as wide as its widest cell.
std::string aligned_rows(const std::vector<Row>& rows, std::size_t first_width) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  widths[0] = first_width;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

Row cache_row(const std::string& name, const CacheCounts& counts) {
  return {name,
          with_separators(counts.requests),
          with_separators(counts.hits),
          with_separators(counts.misses),
          hit_rate_text(counts),
          "",
          ""};
}

bool uses_scalar_cache(const SimResult& result) {
  return result.scalar && result.scalar->cache.requests + result.scalar->duplicate_misses > 0;
}

std::string levels_table(const SimResult& result) {
  const auto bytes = [](std::int64_t count) { return bytes_text(static_cast<double>(count)); };
  std::vector<Row> rows = {{"level", "requests", "hits", "misses", "hit rate", "read", "written"}};
  rows.push_back(cache_row("L1", result.l1.cache));
  if (uses_scalar_cache(result)) rows.push_back(cache_row("scalar cache", result.scalar->cache));
  rows.push_back(cache_row("L2", result.l2.cache));
  rows.push_back({result.amd() ? "fabric" : "L2 to memory",
                  with_separators(result.l2.fabric_reads() + result.l2.fabric_writes()), "", "", "",
                  bytes(result.l2.read_bytes()), bytes(result.l2.write_bytes())});
  if (result.far_sectors)
    rows.push_back({"other partition", with_separators(*result.far_sectors), "", "", "", "", ""});
  if (result.last_level) rows.push_back(cache_row("last level", *result.last_level));
  rows.push_back(
      {"HBM", "", "", "", "", bytes(result.hbm_read_bytes), bytes(result.hbm_write_bytes)});
  return aligned_rows(rows, 0);
}

/// In two columns where they fit.
std::string counters_table(const SimResult& result) {
  std::vector<NamedCounter> counters = launch_counters(result);
  if (!uses_scalar_cache(result)) {
    std::erase_if(counters,
                  [](const NamedCounter& counter) { return counter.name.starts_with("SQC_"); });
  }
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const NamedCounter& counter : counters) {
    name_width = std::max(name_width, counter.name.size());
    value_width = std::max(value_width, with_separators(counter.value).size());
  }
  const std::size_t cell = 2 + name_width + 2 + value_width;
  const std::size_t columns = 2 * cell + 2 <= kSimulationColumns ? 2 : 1;
  const std::size_t rows = (counters.size() + columns - 1) / columns;
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t at = row; at < counters.size(); at += rows) {
      text += fmt::format("{}{:<{}}  {:>{}}", at == row ? "  " : "    ", counters[at].name,
                          name_width, with_separators(counters[at].value), value_width);
    }
    text += "\n";
  }
  return text;
}

// ---- lines --------------------------------------------------------------------------------------

std::string machine_lines(const SimResult& result) {
  std::string gpu =
      result.gpu_title.empty() ? result.gpu : fmt::format("{} ({})", result.gpu_title, result.gpu);
  if (!result.mode.empty()) gpu += fmt::format(", mode {}", result.mode);
  std::string text = labelled("GPU", gpu);
  const Occupancy& occupancy = result.occupancy;
  std::string slots = fmt::format("{} a compute unit", count_of(occupancy.blocks, "block"));
  if (!occupancy.limited_by.empty()) slots += fmt::format(" (limit: {})", occupancy.limited_by);
  slots +=
      fmt::format(", {}{} a thread, {} of shared memory a block",
                  occupancy.estimated ? "about " : "", count_of(occupancy.registers, "register"),
                  bytes_text(static_cast<double>(occupancy.shared_bytes)));
  if (result.space) text += labelled("tiles", tile_space_text(*result.space));
  text += labelled("occupancy", slots);
  if (result.blocks_idle > 0) {
    text += labelled(
        "idle", fmt::format("{} of {} blocks, without a tile", with_separators(result.blocks_idle),
                            with_separators(result.blocks + result.blocks_idle)));
  }
  return text;
}

/// How far off the other figures may be, and how it is known.
std::string intervals_line(const SimResult& result) {
  const PredictionIntervals& intervals = result.intervals;
  std::vector<std::string> parts;
  if (intervals.l2_hit_pct && result.l2.cache.requests > 0)
    parts.push_back(fmt::format("L2 hit rate {:.1f} to {}", intervals.l2_hit_pct->low,
                                percent_text(intervals.l2_hit_pct->high)));
  if (intervals.hbm_read_bytes && result.hbm_read_bytes > 0)
    parts.push_back(fmt::format("{} to {} read from HBM", bytes_text(intervals.hbm_read_bytes->low),
                                bytes_text(intervals.hbm_read_bytes->high)));
  if (parts.empty()) return {};
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (intervals.families > 0)
    text += fmt::format("; {:.0f} % intervals, that of the time from {} ({})", 100 * kIntervalShare,
                        families_text(intervals.families), intervals.learnt_from);
  return labelled("intervals", text);
}

std::string time_lines(const SimResult& result, const Style& style) {
  std::string time = fmt::format("{} predicted", style.bold(time_text(result.time_us)));
  if (result.intervals.time_us)
    time += fmt::format(" ({} to {} in 4 of 5 kernels like it)",
                        time_text(result.intervals.time_us->low),
                        time_text(result.intervals.time_us->high));
  if (!result.limited_by.empty()) time += fmt::format(", limited by {}", result.limited_by);
  std::string text = labelled("time", time) + intervals_line(result);
  std::vector<std::string> parts;
  for (const Utilization& entry : result.utilization)
    parts.push_back(fmt::format("{} {}", entry.resource, share_text(entry.percent / 100)));
  if (!parts.empty()) text += labelled("busy", fmt::format("{}", fmt::join(parts, ", ")));
  return text;
}

std::string bound_line(const SimResult& result) {
  const std::int64_t moved = result.l2.read_bytes() + result.l2.write_bytes();
  std::string text = fmt::format(
      "L2 hit rate {} of at most {}; {} moved of at least {}", hit_rate_text(result.l2.cache),
      percent_text(result.bound_hit_rate_pct), bytes_text(static_cast<double>(moved)),
      bytes_text(static_cast<double>(result.bound_bytes)));
  if (result.bound_bytes > 0) {
    text += fmt::format(" ({:.2f}x)",
                        static_cast<double>(moved) / static_cast<double>(result.bound_bytes));
  }
  return labelled("bound", text);
}

/// Of a C++ kernel on AMD: what profilers count in front of the L1, and by which they rate it.
std::string lookups_line(const SimResult& result) {
  if (!result.amd() || result.l1.lane_requests() == 0) return {};
  return labelled("L1 lookups", fmt::format("{} for {} of lanes; {} of them ask the L2 for nothing",
                                            with_separators(result.l1.accesses()),
                                            count_of(result.l1.lane_requests(), "request"),
                                            percent_text(result.l1.hit_rate_of_accesses_pct())));
}

std::string latency_line(const SimResult& result) {
  if (!result.latencies) return {};
  std::string text = fmt::format("{:.0f} cycles at the L1", result.latencies->l1);
  if (result.latencies->l1_to_l2 > 0)
    text += fmt::format("; {:.0f} where it asks the L2", result.latencies->l1_to_l2);
  if (result.latencies->fabric_read > 0)
    text += fmt::format("; {:.0f} from behind the L2", result.latencies->fabric_read);
  return labelled("read latency", text);
}

/// Causes that there are.
std::string causes_line(const SimResult& result) {
  if (!result.causes) return {};
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, std::int64_t count) {
    if (count > 0)
      parts.push_back(fmt::format("{} {}", name, part_text(count, result.l2.cache.misses)));
  };
  add("first touch", result.causes->first_touch);
  add("conflict", result.causes->conflict);
  add("other die", result.causes->other_die);
  add("capacity", result.causes->capacity);
  return labelled("L2 misses", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
}

// ---- dies ---------------------------------------------------------------------------------------

/// The least and the most of a figure over the dies.
struct Range {
  double least = 0;
  double most = 0;
  bool within(double gap) const { return most - least <= gap; }
};

template <class Figure>
Range range_of(const std::vector<DieResult>& dies, Figure figure) {
  Range range{figure(dies.front()), figure(dies.front())};
  for (const DieResult& die : dies) {
    range.least = std::min(range.least, figure(die));
    range.most = std::max(range.most, figure(die));
  }
  return range;
}

/// The figures by which dies are told apart.
struct DieRanges {
  Range blocks;
  Range requests;
  Range hit_rate_pct;
  Range time_us;
  Range busy_pct;
};

DieRanges ranges_of(const std::vector<DieResult>& dies) {
  return {range_of(dies, [](const DieResult& die) { return static_cast<double>(die.blocks); }),
          range_of(dies,
                   [](const DieResult& die) { return static_cast<double>(die.l2.cache.requests); }),
          range_of(dies, [](const DieResult& die) { return die.l2.cache.hit_rate_pct(); }),
          range_of(dies, [](const DieResult& die) { return die.time_us; }),
          range_of(dies, [](const DieResult& die) { return die.busy_pct; })};
}

bool are_alike(const DieRanges& ranges) {
  return ranges.blocks.within(std::max(1.0, kAlike * ranges.blocks.most)) &&
         ranges.requests.within(kAlike * ranges.requests.most) &&
         ranges.hit_rate_pct.within(kAlikePoints) &&
         ranges.time_us.within(kAlike * ranges.time_us.most);
}

/// "512", or "510 to 512".
template <class Text>
std::string range_text(const Range& range, Text text) {
  const std::string least = text(range.least);
  const std::string most = text(range.most);
  return least == most ? most : fmt::format("{} to {}", least, most);
}

std::string dies_table(const std::vector<DieResult>& dies) {
  std::vector<Row> rows = {
      {"die", "blocks", "L2 requests", "hit rate", "read", "written", "done after", "busy"}};
  for (std::size_t i = 0; i < std::min(dies.size(), kMostDies); ++i) {
    const DieResult& die = dies[i];
    rows.push_back({std::to_string(i), with_separators(die.blocks),
                    with_separators(die.l2.cache.requests), hit_rate_text(die.l2.cache),
                    bytes_text(static_cast<double>(die.l2.read_bytes())),
                    bytes_text(static_cast<double>(die.l2.write_bytes())), time_text(die.time_us),
                    share_text(die.busy_pct / 100)});
  }
  std::string text = aligned_rows(rows, 0);
  if (dies.size() > kMostDies)
    text += fmt::format("  ... and {} more\n",
                        count_of(static_cast<std::int64_t>(dies.size() - kMostDies), "die"));
  return text;
}

std::string dies_line(const SimResult& result, const DieRanges& ranges) {
  const bool some_requests = ranges.requests.most > 0;
  const std::string each =
      fmt::format("{} blocks, L2 hit rate {}, done after {}, slots {} busy",
                  range_text(ranges.blocks, number_text),
                  some_requests ? range_text(ranges.hit_rate_pct, percent_text) : "-",
                  range_text(ranges.time_us, time_text),
                  range_text(ranges.busy_pct, [](double pct) { return share_text(pct / 100); }));
  const std::size_t count = result.dies.size();
  return labelled("dies", count == 1 ? "1: " + each : fmt::format("{} alike: {}", count, each));
}

std::string imbalance_line(const SimResult& result) {
  std::vector<std::string> parts;
  const double dies = die_time_imbalance(result);
  const double channels = channel_imbalance(result);
  if (dies > kBalanced) parts.push_back(fmt::format("dies {:.3g} by time", dies));
  if (channels > kBalanced)
    parts.push_back(fmt::format("L2 channels {:.3g} by requests", channels));
  if (parts.empty()) return {};
  return labelled("imbalance", fmt::format("{} (largest over mean)", fmt::join(parts, ", ")));
}

std::string dies_text(const SimResult& result) {
  if (result.dies.empty()) return {};
  const DieRanges ranges = ranges_of(result.dies);
  return are_alike(ranges) ? dies_line(result, ranges) + imbalance_line(result)
                           : imbalance_line(result) + "\n" + dies_table(result.dies);
}

// ---- what makes the figures less than sure ------------------------------------------------------

/// The interval of the hit rate holds the error of the sample as well.
std::string sample_line(const SimResult& result) {
  const SampleReport& sample = result.sample;
  if (!sample.sampled) return {};
  std::vector<std::string> parts;
  if (sample.share_of_sets < 1) parts.push_back(fraction_text(sample.share_of_sets, "cache sets"));
  if (sample.share_of_blocks < 1)
    parts.push_back(share_text(sample.share_of_blocks) + " of the launch");
  if (parts.empty()) parts.emplace_back("a part of the launch");
  std::string text = fmt::format("{}: {} replayed, counts scaled to the launch",
                                 fmt::join(parts, ", "), count_of(sample.requests, "request"));
  if (!result.intervals.l2_hit_pct)
    text += fmt::format("; L2 hit rate {} give or take {:.2g} points (two standard errors)",
                        hit_rate_text(result.l2.cache), sample.hit_rate_error_pct);
  return labelled("sampled", text);
}

std::string doubts(const SimResult& result) {
  std::string text = sample_line(result);
  if (!result.permutation) {
    text += labelled("warning",
                     "the order is not a permutation: these are figures of what it does, not of "
                     "the kernel's work");
  }
  for (const std::string& note : result.notes) text += labelled("note", note);
  if (!result.gpu_calibrated) {
    text += labelled("note", fmt::format("{} is uncalibrated: its numbers were not compared with "
                                         "measurements",
                                         result.gpu));
  }
  if (result.occupancy.spills)
    text += labelled("note",
                     "the estimated registers are more than a thread can have: spills are "
                     "likely, and they are not modelled");
  if (result.occupancy.estimated) {
    text += labelled("note", result.occupancy.shared_estimated
                                 ? "registers and shared memory are estimated; the job can give "
                                   "them: registers, shared_bytes under [launch]"
                                 : "registers are estimated, as no compiler for this GPU was "
                                   "asked; the job can give them: registers under [launch]");
  }
  return text;
}

}  // namespace

std::string simulation_text(const SimResult& result, const std::string& job, const Style& style) {
  std::string text = fmt::format("{}  {} on grid {}, order {}\n", style.bold(job), result.kernel,
                                 fmt::join(result.grid, "x"), result.order);
  text += machine_lines(result) + time_lines(result, style);
  text += "\n" + levels_table(result);
  text +=
      "\n" + bound_line(result) + lookups_line(result) + latency_line(result) + causes_line(result);
  text += dies_text(result);
  text += "\n" + counters_table(result);
  const std::string unsure = doubts(result);
  return unsure.empty() ? text : text + "\n" + unsure;
}

}  // namespace heddle::report
