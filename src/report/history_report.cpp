#include "report/history_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kHistoryColumns = 100;
constexpr std::size_t kHistoryIndent = 2;
constexpr std::size_t kHistoryGap = 2;
constexpr std::size_t kLeastWidth = 8;  ///< to which a column may shrink
constexpr std::size_t kDateLength = 10;

/// Stored texts on one line, without what a terminal would obey.
std::string plain_line(std::string_view text) {
  std::string result(text.substr(0, 4 * kHistoryColumns));  // more is never shown
  for (char& c : result) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space && (static_cast<unsigned char>(c) < ' ' || c == '\x7f')) c = '?';
  }
  return cut(result, 4 * kHistoryColumns);
}

struct TableColumn {
  std::string title;
  bool right = false;  ///< numbers
  bool wide = false;   ///< may be cut where the line is too long
};

/// The cells of a line. Where there are fewer than columns, the last one has the rest of the line.
using TableRow = std::vector<std::string>;

/// The widths with which a line has at most 100 columns: the widest that may shrink does.
std::vector<std::size_t> fitted_widths(const std::vector<TableColumn>& columns,
                                       const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t width = width_of(columns[i].title);
    for (const TableRow& row : rows) {
      if (i < row.size() && (i + 1 < row.size() || row.size() == columns.size()))
        width = std::max(width, width_of(row[i]));
    }
    widths.push_back(width);
  }
  const std::size_t gaps = kHistoryIndent + kHistoryGap * (columns.size() - 1);
  while (std::accumulate(widths.begin(), widths.end(), gaps) > kHistoryColumns) {
    std::size_t widest = columns.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!columns[i].wide || widths[i] <= kLeastWidth) continue;
      if (widest == columns.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns.size()) break;
    --widths[widest];
  }
  return widths;
}

std::string history_table(const std::vector<TableColumn>& columns,
                          const std::vector<TableRow>& rows, const Style& style) {
  const std::vector<std::size_t> widths = fitted_widths(columns, rows);
  const auto line_of = [&](const TableRow& cells) {
    std::string line(kHistoryIndent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i + 1 == cells.size() && cells.size() < columns.size())
        return line + cut(cells[i], kHistoryColumns - width_of(line));
      const std::string cell = cut(cells[i], std::max(widths[i], kLeastWidth));
      const std::string fill(widths[i] - std::min(widths[i], width_of(cell)), ' ');
      line += (columns[i].right ? fill + cell : cell + fill) + std::string(kHistoryGap, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    return line;
  };
  TableRow titles;
  for (const TableColumn& column : columns) titles.push_back(column.title);
  std::string text = style.bold(line_of(titles)) + "\n";
  for (const TableRow& row : rows) text += line_of(row) + "\n";
  return text;
}

/// "examples/stencil_2d.toml" -> "stencil_2d.toml": a list has no room for folders.
std::string file_name(const std::string& path) {
  return plain_line(std::string_view(path).substr(path.find_last_of('/') + 1));
}

std::string answer_or_state(const HistoryRun& run) {
  return run.answer ? answer_text(*run.answer) : "unfinished";
}

std::string number_or_dash(const std::optional<double>& number, int digits) {
  return number ? fmt::format("{:.{}f}", *number, digits) : "-";
}

/// "2026-11-15T14:03:22Z" -> "2026-11-15 14:03".
std::string started_text(const std::string& started) {
  std::string text = plain_line(started).substr(0, kDateLength + 6);
  if (text.size() > kDateLength && text[kDateLength] == 'T') text[kDateLength] = ' ';
  return text;
}

std::string verdict_cell(const OrderAttempt& attempt) {
  std::string text = verdict_text(attempt.verdict);
  if (attempt.verdict == Verdict::proved && attempt.sizes)
    text += *attempt.sizes == ProvedSizes::all ? " all sizes" : " on this grid";
  return text;
}

/// "REFUTED: launch ids 1 and 8 both compute tile 256": an attempt without figures.
std::string fate_of(const OrderAttempt& attempt) {
  std::string remark;
  if (attempt.counterexample) remark = plain_line(attempt.counterexample->message);
  if (attempt.verdict == Verdict::unknown) remark = plain_line(attempt.reason);
  if (attempt.same_as) remark = fmt::format("the same map as {}", *attempt.same_as);
  return verdict_cell(attempt) + (remark.empty() ? "" : ": " + remark);
}

std::string time_cell(const std::optional<OrderAttempt>& attempt) {
  return attempt && attempt->predicted ? fmt::format("{:.1f}", attempt->predicted->time_us) : "-";
}

TableRow attempt_cells(const OrderAttempt& attempt) {
  const std::string order = plain_line(attempt.title.empty() ? attempt.formula : attempt.title);
  if (!attempt.predicted) return {std::to_string(attempt.iteration), order, fate_of(attempt)};
  return {std::to_string(attempt.iteration),
          order,
          verdict_cell(attempt),
          fmt::format("{:.1f}", attempt.predicted->l2.cache.hit_rate_pct()),
          time_cell(attempt),
          number_or_dash(attempt.speedup, 3),
          plain_line(attempt.fidelity)};
}

std::string counts_text(const std::vector<OrderAttempt>& attempts) {
  const auto count = [&](auto holds) { return std::ranges::count_if(attempts, holds); };
  const auto judged = [&](Verdict verdict) {
    return count([&](const OrderAttempt& one) { return one.verdict == verdict; });
  };
  return fmt::format("{}: {} proved, {} refuted, {} unknown; {} predicted",
                     with_separators(static_cast<std::int64_t>(attempts.size())),
                     judged(Verdict::proved), judged(Verdict::refuted), judged(Verdict::unknown),
                     count([](const OrderAttempt& one) { return one.predicted.has_value(); }));
}

std::string outcome_text(const HistoryRun& run) {
  if (!run.answer) return "unfinished: still running, or killed";
  std::string text = answer_text(*run.answer);
  if (!run.best_title.empty()) text += fmt::format(": {}", plain_line(run.best_title));
  if (run.speedup) text += fmt::format(", speedup {:.3f}", *run.speedup);
  if (run.end) text += fmt::format("; the search ended: {}", search_end_text(*run.end));
  return text;
}

std::string best_mark(const HistoryComparison& comparison, const ComparedOrder& order) {
  const auto is_best = [](const HistoryRun& run, const std::optional<OrderAttempt>& attempt) {
    return attempt && !run.best_title.empty() && attempt->title == run.best_title;
  };
  const bool before = is_best(comparison.before, order.before);
  const bool after = is_best(comparison.after, order.after);
  if (before && after) return "best of both";
  if (before || after) return before ? "best before" : "best after";
  return order.before && order.after && !order.change_pct ? "another fidelity" : "";
}

std::string run_line(const HistoryRun& run) {
  return fmt::format("run {}, {}: {} on {}, grid {}; {}", run.id, started_text(run.started),
                     plain_line(run.job), plain_line(run.gpu), plain_line(run.grid),
                     outcome_text(run));
}

}  // namespace

std::string history_list_text(const HistoryListing& listing, const Style& style) {
  const auto count = static_cast<std::int64_t>(listing.runs.size());
  std::string text = fmt::format("{}  {}\n", style.bold(plain_line(listing.path)),
                                 count == 0 ? "no runs" : count_of(count, "run"));
  if (count == 0) return text;
  std::vector<TableRow> rows;
  for (const HistoryRun& run : listing.runs)
    rows.push_back({std::to_string(run.id), plain_line(run.started).substr(0, kDateLength),
                    file_name(run.job), plain_line(run.gpu), plain_line(run.grid),
                    with_separators(run.attempts),
                    run.best_title.empty() ? "-" : plain_line(run.best_title),
                    number_or_dash(run.speedup, 3), answer_or_state(run)});
  return text + history_table({{"run", true},
                               {"started"},
                               {"job", false, true},
                               {"GPU", false, true},
                               {"grid", false, true},
                               {"attempts", true},
                               {"best", false, true},
                               {"speedup", true},
                               {"answer"}},
                              rows, style);
}

std::string history_run_text(const HistoryRunReport& report, const Style& style) {
  const HistoryRun& run = report.run;
  std::string text =
      fmt::format("{}  {}\n", style.bold(fmt::format("run {}", run.id)), plain_line(report.path));
  text += labelled("started", started_text(run.started) + " UTC");
  text += labelled("job", fmt::format("{}, kernel {}, grid {}", plain_line(run.job),
                                      plain_line(run.kernel), plain_line(run.grid)));
  text += labelled("GPU", fmt::format("{}, model {}", plain_line(run.gpu), plain_line(run.model)));
  text += labelled("answer", outcome_text(run));
  text += labelled("attempts", counts_text(report.attempts));
  if (report.attempts.empty()) return text;
  std::vector<TableRow> rows;
  for (const OrderAttempt& attempt : report.attempts) rows.push_back(attempt_cells(attempt));
  return text + "\n" +
         history_table({{"attempt", true},
                        {"order", false, true},
                        {"verdict"},
                        {"L2 hit %", true},
                        {"time us", true},
                        {"speedup", true},
                        {"fidelity", false, true}},
                       rows, style);
}

std::string history_comparison_text(const HistoryComparison& comparison, const Style& style) {
  std::string text = fmt::format(
      "{}  {}\n",
      style.bold(fmt::format("runs {} and {}", comparison.before.id, comparison.after.id)),
      plain_line(comparison.path));
  text += labelled("before", run_line(comparison.before));
  text += labelled("after", run_line(comparison.after));
  text += labelled("differ", comparison.differ.empty()
                                 ? "in nothing that a prediction depends on"
                                 : fmt::format("{}", fmt::join(comparison.differ, ", ")));
  if (comparison.orders.empty()) return text + labelled("orders", "neither run predicted any");
  std::vector<TableRow> rows;
  for (const ComparedOrder& order : comparison.orders)
    rows.push_back({plain_line(order.title), time_cell(order.before), time_cell(order.after),
                    order.change_pct ? fmt::format("{:+.1f}", *order.change_pct) : "-",
                    best_mark(comparison, order)});
  return text + "\n" +
         history_table({{"order", false, true},
                        {"before us", true},
                        {"after us", true},
                        {"change %", true},
                        {"remark"}},
                       rows, style);
}

}  // namespace heddle::report
