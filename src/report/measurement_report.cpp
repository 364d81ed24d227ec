#include "report/measurement_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/json_values.h"
#include "report/style.h"
#include "report/table_text.h"
#include "report/text_blocks.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestTableTitle = 24;  ///< in the table: rows fit on 100 columns
constexpr std::size_t kLongestDetail = 400;

Values measured_line(std::string label, const std::string& text) {
  return value(std::move(label), one_line(text, kLongestDetail));
}

std::string verdict_cell(const MeasuredCandidate& one) {
  if (one.rejected) return "rejected: " + one.rejected->kind;
  if (!one.cold || one.number == 0) return "";
  return one.cold->difference == Difference::none ? "none" : difference_text(one.cold->difference);
}

Row row_of(const MeasuredCandidate& one, std::size_t title_width) {
  const bool compared = one.cold && one.number > 0;
  const auto& counters = one.counters;
  return {std::to_string(one.number),
          cut(one_line(one.title, kLongestDetail), title_width),
          one.cold ? time_text(one.cold->time_us) : "-",
          compared ? ratio_text(*one.cold) : "-",
          compared && one.warm ? fmt::format("{:.3f}", one.warm->ratio) : "-",
          counters && counters->l2_hit_pct ? percent_text(*counters->l2_hit_pct) : "-",
          counters && counters->dram_read_bytes ? bytes_text(*counters->dram_read_bytes) : "-",
          one.predicted && one.number > 0 ? fmt::format("{:.3f}", one.predicted->speedup) : "-",
          verdict_cell(one)};
}

Table candidates_table(const MeasurementReport& report, std::size_t title_width) {
  Table table{"Candidates",
              {{"", true},
               {"order"},
               {"time", true},
               {"speedup", true},
               {"warm", true},
               {"L2 hits", true},
               {"DRAM read", true},
               {"model", true},
               {""}}};
  for (const MeasuredCandidate& one : report.candidates) {
    if (report.winner == one.number) table.marked.push_back(table.rows.size());
    const Row row = row_of(one, title_width);
    table.rows.emplace_back(row.begin(), row.end());
  }
  return table;
}

/// Ratios with their intervals, and what was predicted.
void add_ratios(const MeasurementReport& report, Document& page) {
  Plot plot;
  plot.x = {"candidate", false, {}};
  plot.y = {"times as fast as the original", false, {}};
  plot.has_filter = true;
  plot.series = {{"measured, cold caches", Plot::Series::Kind::points},
                 {"measured, warm caches", Plot::Series::Kind::points},
                 {"predicted", Plot::Series::Kind::points}};
  Table table{
      "Ratios",
      {{"candidate", true}, {"order"}, {"cold", true}, {"warm", true}, {"predicted", true}}};
  for (const MeasuredCandidate& one : report.candidates) {
    if (one.number == 0 || !one.cold) continue;
    const auto at = static_cast<double>(one.number);
    const std::string name = fmt::format("{}: {}", one.number, one_line(one.title, kLongestDetail));
    const bool is_bounded = std::isfinite(one.cold->low) && std::isfinite(one.cold->high);
    plot.series[0].points.push_back(
        {at, one.cold->ratio, fmt::format("{}\ncold {}", name, ratio_text(*one.cold)),
         is_bounded ? std::optional(Interval{one.cold->low, one.cold->high}) : std::nullopt});
    if (one.warm)
      plot.series[1].points.push_back(
          {at, one.warm->ratio, fmt::format("{}\nwarm {}", name, ratio_text(*one.warm)), {}});
    if (one.predicted)
      plot.series[2].points.push_back(
          {at,
           one.predicted->speedup,
           fmt::format("{}\npredicted {:.3f}", name, one.predicted->speedup),
           {}});
    table.rows.push_back(
        {ours(std::to_string(one.number)), code(one_line(one.title, kLongestDetail)),
         ours(ratio_text(*one.cold)), ours(one.warm ? fmt::format("{:.3f}", one.warm->ratio) : "-"),
         ours(one.predicted ? fmt::format("{:.3f}", one.predicted->speedup) : "-")});
  }
  if (table.rows.empty()) return;
  page.add(Picture{"Measured against the original",
                   "Above 1 a candidate is faster than the original; bars are intervals.",
                   std::move(plot), std::move(table)});
}

Values rejections(const MeasurementReport& report) {
  Values text;
  for (const MeasuredCandidate& one : report.candidates) {
    if (!one.rejected) continue;
    std::string where;
    if (!one.rejected->launch.empty()) where = " on launch " + one.rejected->launch;
    if (!one.rejected->seed.empty()) where += ", seed " + one.rejected->seed;
    text += measured_line("rejected", fmt::format("{} {}: {}{}: {}", one.number, one.title,
                                                  one.rejected->kind, where, one.rejected->detail));
  }
  return text;
}

/// How far a prediction was off, over the candidates that have it.
struct ModelError {
  double sum = 0;
  int count = 0;
  void add(double error) {
    sum += std::abs(error);
    ++count;
  }
  double mean() const { return sum / count; }
};

Values model_line(const MeasurementReport& report) {
  ModelError speedups, hits, bytes;
  for (const MeasuredCandidate& one : report.candidates) {
    if (!one.predicted || one.rejected) continue;
    if (one.cold && one.number > 0)
      speedups.add(100 * (one.predicted->speedup / one.cold->ratio - 1));
    if (!one.counters) continue;
    if (one.predicted->l2_hit_pct && one.counters->l2_hit_pct)
      hits.add(*one.predicted->l2_hit_pct - *one.counters->l2_hit_pct);
    if (one.predicted->dram_read_bytes && one.counters->dram_read_bytes.value_or(0) > 0)
      bytes.add(100 * (*one.predicted->dram_read_bytes / *one.counters->dram_read_bytes - 1));
  }
  std::vector<std::string> parts;
  if (speedups.count > 0)
    parts.push_back(
        fmt::format("speedups {:.1f} % ({})", speedups.mean(), count_of(speedups.count, "order")));
  if (hits.count > 0) parts.push_back(fmt::format("L2 hit rates {:.1f} points", hits.mean()));
  if (bytes.count > 0) parts.push_back(fmt::format("DRAM reads {:.0f} %", bytes.mean()));
  if (parts.empty()) return {};
  return measured_line("model", fmt::format("mean errors of the predictions for {}: {}", report.gpu,
                                            fmt::join(parts, ", ")));
}

Values confirmation(const MeasurementReport& report) {
  if (!report.not_confirmed.empty()) return measured_line("not confirmed", report.not_confirmed);
  if (!report.winner || !report.confirmed_cold) return {};
  std::string text = fmt::format("{} in a fresh process, {}: {}", *report.winner,
                                 count_of(report.confirmed_cold->rounds, "round"),
                                 ratio_text(*report.confirmed_cold));
  if (report.confirmed_warm)
    text += fmt::format("; with warm caches {}", ratio_text(*report.confirmed_warm));
  return measured_line("confirmed", text);
}

/// How those that were not rejected compare with the original.
std::string outputs_text(const MeasurementReport& report) {
  std::vector<int> close;
  for (const MeasuredCandidate& one : report.candidates)
    if (!one.rejected && one.number > 0 && one.runs_close > 0) close.push_back(one.number);
  if (close.empty()) return "bit-identical to the original's";
  return fmt::format(
      "bit-identical to the original's, but those of {} only as close as the original is to "
      "itself,",
      fmt::join(close, ", "));
}

Values method_lines(const MeasurementReport& report) {
  Values text;
  for (const MeasuredCandidate& one : report.candidates) {
    if (one.number == 0 || !one.cold) continue;
    text += measured_line(
        "intervals", fmt::format("from {}, {:.4g} % each and 95 % jointly; the original differs "
                                 "from itself by {:.2f} %",
                                 count_of(one.cold->rounds, "round"), 100 * one.cold->confidence,
                                 100 * one.cold->noise));
    break;
  }
  if (!report.launches.empty() && report.answer != MeasuredAnswer::nothing_passed)
    text += measured_line(
        "outputs", fmt::format("{} on launches {}, with seeds {}", outputs_text(report),
                               fmt::join(report.launches, " and "), fmt::join(report.seeds, ", ")));
  if (!report.counters_reason.empty()) text += measured_line("counters", report.counters_reason);
  for (const MeasuredCandidate& one : report.candidates) {
    if (!one.counters) continue;
    for (const std::string& reason : one.counters->reasons)
      text += measured_line("counters", fmt::format("of {}: {}", one.number, reason));
  }
  return text;
}

std::string spread_text(const SpreadOf& spread, const char* unit) {
  if (spread.least == spread.most) return fmt::format("{:.0f} {}", spread.median, unit);
  return fmt::format("{:.0f} {} ({:.0f} to {:.0f})", spread.median, unit, spread.least,
                     spread.most);
}

Values machine_lines(const MeasurementReport& report) {
  Values text;
  if (report.clocks) {
    std::vector<std::string> parts;
    const ClockSummary& clocks = *report.clocks;
    if (clocks.sm_mhz) parts.push_back("SM " + spread_text(*clocks.sm_mhz, "MHz"));
    if (clocks.memory_mhz) parts.push_back("memory " + spread_text(*clocks.memory_mhz, "MHz"));
    if (clocks.temperature_c) parts.push_back(spread_text(*clocks.temperature_c, "C"));
    if (clocks.power_w) parts.push_back(spread_text(*clocks.power_w, "W"));
    for (const std::string& reason : clocks.throttled) parts.push_back("limited by " + reason);
    if (!parts.empty()) text += measured_line("clocks", fmt::format("{}", fmt::join(parts, ", ")));
  }
  std::vector<std::string> facts;
  for (const auto& [key, value] : report.machine)
    if (key != "host" && key != "agent") facts.push_back(key + " " + value);
  if (!facts.empty()) text += measured_line("machine", fmt::format("{}", fmt::join(facts, "; ")));
  for (const std::string& note : report.notes) text += measured_line("note", note);
  return text;
}

Values measured_values(const MeasurementReport& report) {
  return confirmation(report) + rejections(report) + model_line(report) + method_lines(report) +
         machine_lines(report);
}

bool was_compared(const MeasurementReport& report) {
  return std::ranges::any_of(report.candidates, [](const MeasuredCandidate& one) {
    return one.number > 0 && one.rejected && one.rejected->kind != "unchecked";
  });
}

}  // namespace

std::string ratio_text(const MeasuredTimes& times) {
  return fmt::format("{:.3f} ({:.3f}-{:.3f})", times.ratio, times.low, times.high);
}

std::string measured_answer(const MeasurementReport& report) {
  switch (report.answer) {
    case MeasuredAnswer::faster: {
      const auto& winner = report.candidates[static_cast<std::size_t>(*report.winner)];
      return fmt::format("faster {:.2f}x: {}", report.confirmed_cold->ratio,
                         one_line(winner.title, kLongestDetail));
    }
    case MeasuredAnswer::nothing_passed:
      return was_compared(report) ? "no candidate computes what the original does"
                                  : "no candidate was compared with the original";
    case MeasuredAnswer::not_timed:
      return "outputs were compared, and nothing was timed";
    case MeasuredAnswer::no_difference:
      break;
  }
  return "no candidate is significantly faster";
}

std::string measurement_text(const MeasurementReport& report, const Style& style) {
  const std::string device =
      report.device.empty() ? "a GPU" : one_line(report.device, kLongestDetail);
  std::string text =
      wrapped(fmt::format("{}, measured on {}", style.bold(measured_answer(report)), device), 0, 2);
  text += "\n" + headline(style.bold(one_line(report.job, kLongestDetail)),
                          one_line(report.kernel, kLongestDetail));
  return text + "\n" + measurement_body(report);
}

Document measurement_view(const MeasurementReport& report) {
  Document page;
  page.verb = "merge";
  page.title = Text(one_line(report.kernel, kLongestDetail)) + ours(": ") +
               Text(measured_answer(report)) + ours(", measured on ") +
               Text(report.device.empty() ? "a GPU" : one_line(report.device, kLongestDetail));
  page.badge = measured_answer_text(report.answer);
  page.tone = report.answer == MeasuredAnswer::faster           ? Tone::good
              : report.answer == MeasuredAnswer::nothing_passed ? Tone::bad
                                                                : Tone::neutral;
  page.paragraph(ours("Job ") + code(one_line(report.job, kLongestDetail)) +
                 ours("; a speedup is the original's median time over the candidate's."));
  page.heading(ours("Candidates"));
  add_ratios(report, page);
  page.add(candidates_table(report, kLongestDetail));
  page.heading(ours("How it was measured"));
  page.add(measured_values(report));
  return page;
}

std::string measurement_body(const MeasurementReport& report) {
  const std::string table = text_blocks({candidates_table(report, kLongestTableTitle)}, {});
  return table + "\n" + text_blocks({measured_values(report)}, {});
}

nlohmann::json measurement_json(const MeasurementReport& report) {
  nlohmann::json result = value_json(report);
  result["version"] = 1;
  return result;
}

}  // namespace heddle::report
