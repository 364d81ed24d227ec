#include "report/history_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/table_text.h"
#include "report/text_blocks.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestStored = 400;
constexpr std::size_t kLongestCell = 120;
constexpr std::size_t kDateLength = 10;

/// Stored texts on one line, without what a terminal would obey.
std::string plain_line(std::string_view text) {
  std::string result(text.substr(0, kLongestStored));  // more is never shown
  for (char& c : result) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space && (static_cast<unsigned char>(c) < ' ' || c == '\x7f')) c = '?';
  }
  return cut(result, kLongestStored);
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

/// Rows of a sweep lack what its searches did not write down.
std::string text_or_dash(std::string text) {
  return text.empty() ? "-" : text;
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

/// 146.3, 4.87: short times differ in later digits.
std::string us_text(double time_us) {
  return fmt::format("{:.{}f}", time_us, time_us < 10 ? 2 : 1);
}

std::string time_cell(const std::optional<OrderAttempt>& attempt) {
  return attempt && attempt->predicted ? us_text(attempt->predicted->time_us) : "-";
}

Row attempt_cells(const OrderAttempt& attempt) {
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

const char* end_words(SearchEnd end) {
  switch (end) {
    case SearchEnd::no_room:
      return "no order has room to gain";
    case SearchEnd::at_bound:
      return "the best is at the bound";
    case SearchEnd::exhausted:
      return "every known order was tried";
    case SearchEnd::iterations:
      return "stopped by --iterations";
    case SearchEnd::budget:
      return "stopped by --budget";
    case SearchEnd::interrupted:
      return "interrupted";
    case SearchEnd::not_started:
      break;
  }
  return "the search was not started";
}

std::string outcome_text(const HistoryRun& run) {
  if (!run.answer) return "unfinished: still running, or killed";
  std::string text = answer_text(*run.answer);
  if (!run.best_title.empty()) text += fmt::format(": {}", plain_line(run.best_title));
  if (run.speedup) text += fmt::format(", speedup {:.3f}", *run.speedup);
  if (run.end) text += fmt::format("; {}", end_words(*run.end));
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

/// What text and pages say of runs: values, then a table.
struct HistoryPart {
  Values values = {};
  std::vector<Table::Column> columns = {};
  std::vector<Row> rows = {};
};

HistoryPart list_part(const HistoryListing& listing) {
  HistoryPart part;
  part.columns = {{"run", true},      {"started"}, {"job"},           {"GPU"},   {"grid"},
                  {"attempts", true}, {"best"},    {"speedup", true}, {"answer"}};
  for (const HistoryRun& run : listing.runs)
    part.rows.push_back(
        {std::to_string(run.id), text_or_dash(plain_line(run.started).substr(0, kDateLength)),
         file_name(run.job), plain_line(run.gpu), text_or_dash(plain_line(run.grid)),
         run.started.empty() ? "-" : with_separators(run.attempts),
         text_or_dash(plain_line(run.best_title)), number_or_dash(run.speedup, 3),
         answer_or_state(run)});
  return part;
}

HistoryPart run_part(const HistoryRunReport& report) {
  const HistoryRun& run = report.run;
  HistoryPart part;
  part.values = value("started", started_text(run.started) + " UTC") +
                value("job", fmt::format("{}, kernel {}, grid {}", plain_line(run.job),
                                         plain_line(run.kernel), plain_line(run.grid))) +
                value("GPU", plain_line(run.gpu)) + value("predicted by", plain_line(run.model)) +
                value("answer", outcome_text(run)) +
                value("attempts", counts_text(report.attempts));
  part.columns = {{"attempt", true}, {"order"},         {"verdict"}, {"L2 hit %", true},
                  {"time us", true}, {"speedup", true}, {"fidelity"}};
  for (const OrderAttempt& attempt : report.attempts) part.rows.push_back(attempt_cells(attempt));
  return part;
}

HistoryPart comparison_part(const HistoryComparison& comparison) {
  HistoryPart part;
  part.values = value("before", run_line(comparison.before)) +
                value("after", run_line(comparison.after)) +
                value("differ", comparison.differ.empty()
                                    ? std::string("nothing that a prediction depends on")
                                    : fmt::format("{}", fmt::join(comparison.differ, ", ")));
  if (comparison.orders.empty()) part.values += value("orders", "neither run predicted any");
  part.columns = {
      {"order"}, {"before us", true}, {"after us", true}, {"change %", true}, {"remark"}};
  for (const ComparedOrder& order : comparison.orders)
    part.rows.push_back({plain_line(order.title), time_cell(order.before), time_cell(order.after),
                         order.change_pct ? fmt::format("{:+.1f}", *order.change_pct) : "-",
                         best_mark(comparison, order)});
  return part;
}

std::string rows_text(const HistoryPart& part, const Style& style) {
  std::vector<Row> rows(1);
  std::vector<bool> to_the_left;
  for (const Table::Column& column : part.columns) {
    rows.front().push_back(style.bold(column.title));
    to_the_left.push_back(!column.is_figure);
  }
  for (const Row& cells : part.rows) {
    Row& row = rows.emplace_back();
    for (const std::string& cell : cells) row.push_back(cut(cell, kLongestCell));
  }
  return table_text(rows, to_the_left);
}

std::string part_text(const HistoryPart& part, const Style& style) {
  const std::string text = text_blocks({part.values}, style);
  return part.rows.empty() ? text : text + "\n" + rows_text(part, style);
}

Document history_page(std::string title, const HistoryPart& part) {
  Document page;
  page.verb = "history";
  page.title = std::move(title);
  if (!part.values.values.empty()) page.add(part.values);
  return page;
}

Table document_rows(std::string caption, const HistoryPart& part) {
  Table table{std::move(caption), part.columns};
  for (const Row& row : part.rows) table.rows.emplace_back(row.begin(), row.end());
  return table;
}

/// The attempts with a prediction, hit rate against time.
void add_attempts(const HistoryRunReport& report, Document& page) {
  Plot plot;
  plot.x = {"L2 hit rate, %", false, {}};
  plot.y = {"predicted time, us", false, {}};
  plot.series = {{"finalists", Plot::Series::Kind::points},
                 {"other orders", Plot::Series::Kind::points}};
  Table table{"Predictions", {{"order"}, {"L2 hit %", true}, {"time us", true}}};
  for (const OrderAttempt& one : report.attempts) {
    if (!one.predicted) continue;
    const std::string order = plain_line(one.title.empty() ? one.formula : one.title);
    const double rate = one.predicted->l2.cache.hit_rate_pct();
    plot.series[one.finalist ? 0 : 1].points.push_back(
        {rate,
         one.predicted->time_us,
         fmt::format("{}: {}\n{} us, hit rate {:.1f} %", one.iteration, order,
                     us_text(one.predicted->time_us), rate),
         {}});
    table.rows.push_back(
        {code(order), ours(fmt::format("{:.1f}", rate)), ours(us_text(one.predicted->time_us))});
  }
  plot.has_filter = !plot.series[0].points.empty() && !plot.series[1].points.empty();
  if (!plot.has_filter) plot.series[1].name = "orders";
  if (!table.rows.empty())
    page.add(Picture{"Every order that was predicted", "", std::move(plot), std::move(table)});
}

/// Predicted times of both runs, with the diagonal.
void add_changes(const HistoryComparison& comparison, Document& page) {
  Plot plot;
  plot.x = {fmt::format("run {}, us", comparison.before.id), true, {}};
  plot.y = {fmt::format("run {}, us", comparison.after.id), true, {}};
  plot.series = {{"orders", Plot::Series::Kind::points}};
  Table table{"Predicted times of both runs", {{"order"}, {"before us", true}, {"after us", true}}};
  std::optional<Interval> range;
  for (const ComparedOrder& one : comparison.orders) {
    if (!one.change_pct || !one.before->predicted || !one.after->predicted) continue;
    const double before = one.before->predicted->time_us;
    const double after = one.after->predicted->time_us;
    if (!range) range = {before, before};
    range = {std::min({range->low, before, after}), std::max({range->high, before, after})};
    plot.series[0].points.push_back(
        {before,
         after,
         fmt::format("{}\n{} us, then {} us ({:+.1f} %)", plain_line(one.title), us_text(before),
                     us_text(after), *one.change_pct),
         {}});
    table.rows.push_back(
        {code(plain_line(one.title)), ours(us_text(before)), ours(us_text(after))});
  }
  if (!range) return;
  plot.series.push_back(
      {"no change",
       Plot::Series::Kind::line,
       {{range->low, range->low, "no change", {}}, {range->high, range->high, "no change", {}}},
       true});
  page.add(Picture{"Before and after",
                   "Below the dashed line an order is predicted faster than before.",
                   std::move(plot), std::move(table)});
}

}  // namespace

Document history_list_view(const HistoryListing& listing) {
  const HistoryPart part = list_part(listing);
  Document page = history_page(plain_line(listing.path), part);
  page.paragraph(ours(count_of(std::ssize(listing.runs), "run") + ", newest first."));
  page.heading(ours("Runs"));
  page.add(document_rows("Past searches", part));
  return page;
}

Document history_run_view(const HistoryRunReport& report) {
  const HistoryPart part = run_part(report);
  Document page =
      history_page(fmt::format("Run {}: {}", report.run.id, plain_line(report.run.job)), part);
  page.badge = answer_or_state(report.run);
  if (part.rows.empty()) return page;
  page.heading(ours("Attempts"));
  add_attempts(report, page);
  page.add(document_rows("Attempts of the run", part));
  return page;
}

Document history_comparison_view(const HistoryComparison& comparison) {
  const HistoryPart part = comparison_part(comparison);
  Document page =
      history_page(fmt::format("Runs {} and {}", comparison.before.id, comparison.after.id), part);
  if (part.rows.empty()) return page;
  page.heading(ours("Orders"));
  add_changes(comparison, page);
  page.add(document_rows("Orders of both runs", part));
  return page;
}

std::string history_list_text(const HistoryListing& listing, const Style& style) {
  const auto count = static_cast<std::int64_t>(listing.runs.size());
  std::string text = headline(style.bold(plain_line(listing.path)),
                              count == 0 ? "no runs" : count_of(count, "run"));
  if (count == 0) return text;
  return text + rows_text(list_part(listing), style);
}

std::string history_run_text(const HistoryRunReport& report, const Style& style) {
  return headline(style.bold(fmt::format("run {}", report.run.id)), plain_line(report.path)) +
         part_text(run_part(report), style);
}

std::string history_comparison_text(const HistoryComparison& comparison, const Style& style) {
  return headline(
             style.bold(fmt::format("runs {} and {}", comparison.before.id, comparison.after.id)),
             plain_line(comparison.path)) +
         part_text(comparison_part(comparison), style);
}

}  // namespace heddle::report
