#include "report/simulation_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.h"
#include "report/optimization_facts.h"
#include "report/simulation_counters.h"
#include "report/text_blocks.h"
#include "report/tile_figures.h"
#include "report/tile_space_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostDies = 16;  ///< rows of the table
constexpr double kAlike = 0.05;        ///< of a figure: dies that differ by less are alike
constexpr double kAlikePoints = 1;     ///< of a hit rate
constexpr double kBalanced = 1.005;    ///< an imbalance below this reads as 1

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

using Cells = std::vector<Text>;

Cells cells_of(std::vector<std::string> texts) {
  Cells cells;
  for (std::string& text : texts) cells.push_back(ours(std::move(text)));
  return cells;
}

Cells cache_row(const std::string& name, const CacheCounts& counts) {
  return cells_of({name, with_separators(counts.requests), with_separators(counts.hits),
                   with_separators(counts.misses), hit_rate_text(counts), "", ""});
}

bool uses_scalar_cache(const SimResult& result) {
  return result.scalar && result.scalar->cache.requests + result.scalar->duplicate_misses > 0;
}

Table levels_table(const SimResult& result) {
  const auto bytes = [](std::int64_t count) { return bytes_text(static_cast<double>(count)); };
  Table table{"Requests and bytes of each level",
              {{"level"},
               {"requests", true},
               {"hits", true},
               {"misses", true},
               {"hit rate", true},
               {"read", true},
               {"written", true}},
              {}};
  std::vector<Cells>& rows = table.rows;
  rows.push_back(cache_row("L1", result.l1.cache));
  if (uses_scalar_cache(result)) rows.push_back(cache_row("scalar cache", result.scalar->cache));
  rows.push_back(cache_row("L2", result.l2.cache));
  rows.push_back(
      cells_of({result.amd() ? "fabric" : "L2 to memory",
                with_separators(result.l2.fabric_reads() + result.l2.fabric_writes()), "", "", "",
                bytes(result.l2.read_bytes()), bytes(result.l2.write_bytes())}));
  if (result.far_sectors)
    rows.push_back(
        cells_of({"other partition", with_separators(*result.far_sectors), "", "", "", "", ""}));
  if (result.last_level) rows.push_back(cache_row("last level", *result.last_level));
  rows.push_back(cells_of(
      {"HBM", "", "", "", "", bytes(result.hbm_read_bytes), bytes(result.hbm_write_bytes)}));
  return table;
}

Table counters_table(const SimResult& result) {
  Table table{"Counters, by the profiler's names", {{"counter"}, {"value", true}}, {}};
  table.is_list = true;
  for (const NamedCounter& counter : launch_counters(result))
    if (uses_scalar_cache(result) || !counter.name.starts_with("SQC_"))
      table.rows.push_back(cells_of({counter.name, with_separators(counter.value)}));
  return table;
}

// ---- lines --------------------------------------------------------------------------------------

Values machine_lines(const SimResult& result) {
  std::string gpu =
      result.gpu_title.empty() ? result.gpu : fmt::format("{} ({})", result.gpu_title, result.gpu);
  if (!result.mode.empty()) gpu += fmt::format(", mode {}", result.mode);
  Values text = value("GPU", gpu);
  const Occupancy& occupancy = result.occupancy;
  std::string slots = fmt::format("{} per compute unit", count_of(occupancy.blocks, "block"));
  if (!occupancy.limited_by.empty()) slots += fmt::format(" (limit: {})", occupancy.limited_by);
  slots +=
      fmt::format(", {}{} per thread, {} of shared memory per block",
                  occupancy.estimated ? "about " : "", count_of(occupancy.registers, "register"),
                  bytes_text(static_cast<double>(occupancy.shared_bytes)));
  if (result.space) text += value("tiles", tile_space_text(*result.space));
  text += value("occupancy", slots);
  if (result.blocks_idle > 0) {
    text += value(
        "idle", fmt::format("{} of {} blocks, without a tile", with_separators(result.blocks_idle),
                            with_separators(result.blocks + result.blocks_idle)));
  }
  return text;
}

/// How far off the other figures may be, and how it is known.
Values intervals_line(const SimResult& result) {
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
  return value("intervals", text);
}

Values time_lines(const SimResult& result) {
  Text time = strong(time_text(result.time_us)) + ours(" predicted");
  if (result.intervals.time_us)
    time += ours(fmt::format(" ({} to {} in 4 of 5 kernels like it)",
                             time_text(result.intervals.time_us->low),
                             time_text(result.intervals.time_us->high)));
  if (!result.limited_by.empty()) time += ours(fmt::format(", limited by {}", result.limited_by));
  Values text = value("time", time) + intervals_line(result);
  std::vector<std::string> parts;
  for (const Utilization& entry : result.utilization)
    parts.push_back(fmt::format("{} {}", entry.resource, share_text(entry.percent / 100)));
  if (!parts.empty()) text += value("busy", fmt::format("{}", fmt::join(parts, ", ")));
  return text;
}

Values bound_line(const SimResult& result) {
  const std::int64_t moved = result.l2.read_bytes() + result.l2.write_bytes();
  std::string text = fmt::format(
      "L2 hit rate {} of at most {}; {} moved of at least {}", hit_rate_text(result.l2.cache),
      percent_text(result.bound_hit_rate_pct), bytes_text(static_cast<double>(moved)),
      bytes_text(static_cast<double>(result.bound_bytes)));
  if (result.bound_bytes > 0) {
    text += fmt::format(" ({:.2f}x)",
                        static_cast<double>(moved) / static_cast<double>(result.bound_bytes));
  }
  return value("bound", text);
}

/// Of a C++ kernel on AMD: what profilers count in front of the L1, and by which they rate it.
Values lookups_line(const SimResult& result) {
  if (!result.amd() || result.l1.lane_requests() == 0) return {};
  return value("L1 lookups", fmt::format("{} for {}; {} of them send no request to the L2",
                                         with_separators(result.l1.accesses()),
                                         count_of(result.l1.lane_requests(), "lane request"),
                                         percent_text(result.l1.hit_rate_of_accesses_pct())));
}

Values latency_line(const SimResult& result) {
  if (!result.latencies) return {};
  std::string text = fmt::format("{:.0f} cycles at the L1", result.latencies->l1);
  if (result.latencies->l1_to_l2 > 0)
    text += fmt::format("; {:.0f} on an L1 miss", result.latencies->l1_to_l2);
  if (result.latencies->fabric_read > 0)
    text += fmt::format("; {:.0f} beyond the L2", result.latencies->fabric_read);
  return value("read latency", text);
}

/// Causes that there are.
Values causes_line(const SimResult& result) {
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
  return value("L2 misses", parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", ")));
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
template <class Say>
std::string range_text(const Range& range, Say text) {
  const std::string least = text(range.least);
  const std::string most = text(range.most);
  return least == most ? most : fmt::format("{} to {}", least, most);
}

Table dies_table(const std::vector<DieResult>& dies) {
  Table table{"Dies",
              {{"die"},
               {"blocks", true},
               {"L2 requests", true},
               {"hit rate", true},
               {"read", true},
               {"written", true},
               {"done after", true},
               {"busy", true}},
              {}};
  for (std::size_t i = 0; i < std::min(dies.size(), kMostDies); ++i) {
    const DieResult& die = dies[i];
    table.rows.push_back(cells_of(
        {std::to_string(i), with_separators(die.blocks), with_separators(die.l2.cache.requests),
         hit_rate_text(die.l2.cache), bytes_text(static_cast<double>(die.l2.read_bytes())),
         bytes_text(static_cast<double>(die.l2.write_bytes())), time_text(die.time_us),
         share_text(die.busy_pct / 100)}));
  }
  if (dies.size() > kMostDies)
    table.more = count_of(static_cast<std::int64_t>(dies.size() - kMostDies), "die") + " more";
  return table;
}

Values dies_line(const SimResult& result, const DieRanges& ranges) {
  const bool some_requests = ranges.requests.most > 0;
  const std::string each =
      fmt::format("{} blocks, L2 hit rate {}, done after {}, slots {} busy",
                  range_text(ranges.blocks, number_text),
                  some_requests ? range_text(ranges.hit_rate_pct, percent_text) : "-",
                  range_text(ranges.time_us, time_text),
                  range_text(ranges.busy_pct, [](double pct) { return share_text(pct / 100); }));
  const std::size_t count = result.dies.size();
  return value("dies", count == 1 ? "1: " + each : fmt::format("{} alike: {}", count, each));
}

Values imbalance_line(const SimResult& result) {
  std::vector<std::string> parts;
  const double dies = die_time_imbalance(result);
  const double channels = channel_imbalance(result);
  if (dies > kBalanced) parts.push_back(fmt::format("dies {:.3g} by time", dies));
  if (channels > kBalanced)
    parts.push_back(fmt::format("L2 channels {:.3g} by requests", channels));
  if (parts.empty()) return {};
  return value("imbalance", fmt::format("{} (largest over mean)", fmt::join(parts, ", ")));
}

// ---- what makes the figures less than sure ------------------------------------------------------

/// The interval of the hit rate holds the error of the sample as well.
Values sample_line(const SimResult& result) {
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
  return value("sampled", text);
}

Values doubts(const SimResult& result) {
  Values text = sample_line(result);
  if (!result.permutation) {
    text += value("warning",
                  "the order is not a permutation: these are figures of what it does, not of "
                  "the kernel's work");
  }
  for (const std::string& note : result.notes) text += value("note", note);
  if (!result.gpu_calibrated) {
    text += value("note", fmt::format("{} is uncalibrated: its numbers were not compared with "
                                      "measurements",
                                      result.gpu));
  }
  if (result.occupancy.spills)
    text += value("note",
                  "the estimated registers are more than a thread can have: spills are "
                  "likely, and they are not modelled");
  if (result.occupancy.does_not_fit)
    text += value("note",
                  "the estimated shared memory is more than a block can have: the launch is likely "
                  "to fail; try fewer stages, smaller tiles or another config");
  if (result.occupancy.estimated) {
    text += value("note", result.occupancy.shared_estimated
                              ? "registers and shared memory are estimated; the job can give "
                                "them: registers, shared_bytes under [launch]"
                              : "registers are estimated, as no compiler for this GPU was "
                                "asked; the job can give them: registers under [launch]");
  }
  return text;
}

/// What text and pages say.
std::vector<Block> simulation_blocks(const SimResult& result) {
  std::vector<Block> blocks = {machine_lines(result) + time_lines(result), levels_table(result)};
  Values more =
      bound_line(result) + lookups_line(result) + latency_line(result) + causes_line(result);
  if (!result.dies.empty()) {
    const DieRanges ranges = ranges_of(result.dies);
    if (are_alike(ranges)) {
      blocks.emplace_back(more + dies_line(result, ranges) + imbalance_line(result));
    } else {
      blocks.emplace_back(more + imbalance_line(result));
      blocks.emplace_back(dies_table(result.dies));
    }
  } else {
    blocks.emplace_back(std::move(more));
  }
  blocks.emplace_back(counters_table(result));
  const Values unsure = doubts(result);
  if (!unsure.values.empty()) blocks.emplace_back(unsure);
  return blocks;
}

/// What is looked at first, and pictures.
void add_simulation_figures(const SimResult& result, Document& page) {
  KeyFigures key;
  const auto& interval = result.intervals.time_us;
  key.figures.push_back(
      {"predicted time", time_text(result.time_us),
       interval ? fmt::format("{} to {}", time_text(interval->low), time_text(interval->high)) : "",
       Tone::neutral});
  key.figures.push_back({"L2 hit rate", hit_rate_text(result.l2.cache),
                         "of at most " + percent_text(result.bound_hit_rate_pct), Tone::neutral});
  key.figures.push_back({"bytes past the L2", bytes_text(static_cast<double>(moved_bytes(result))),
                         "of at least " + bytes_text(static_cast<double>(result.bound_bytes)),
                         Tone::neutral});
  key.figures.push_back({"limited by", result.limited_by, "", Tone::neutral});
  page.add(std::move(key));
  page.heading(ours("Where and when tiles run"));
  const std::vector<NamedReplay> replays = {{result.order, &result}};
  add_tile_maps(replays, page);
  add_die_loads(replays, page);
  add_miss_causes(replays, page);
  add_utilization(replays, page);
}

}  // namespace

Document simulation_view(const SimResult& result, const std::string& job) {
  Document page;
  page.verb = "simulate";
  page.title = Text(result.kernel) + ours(": ") + ours(time_text(result.time_us)) +
               ours(" predicted on ") + result.gpu + ours(" with order ") + result.order;
  page.badge = result.permutation ? "simulated" : "not a permutation";
  page.tone = result.permutation ? Tone::neutral : Tone::bad;
  page.paragraph(ours("Job ") + code(job) +
                 ours(fmt::format(", grid {}. ", fmt::join(result.grid, "x"))) +
                 ours("Figures are predicted, not measured."));
  add_simulation_figures(result, page);
  page.heading(ours("What the GPU counts"));
  for (Block& block : simulation_blocks(result)) page.add(std::move(block));
  return page;
}

std::string simulation_text(const SimResult& result, const std::string& job, const Style& style) {
  return headline(style.bold(job), fmt::format("{} on grid {}, order {}", result.kernel,
                                               fmt::join(result.grid, "x"), result.order)) +
         text_blocks(simulation_blocks(result), style);
}

}  // namespace heddle::report
