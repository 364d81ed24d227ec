#include "report/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/text_blocks.h"
#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 40;  ///< rows of a table, as text
constexpr std::size_t kMostBars = 30;
constexpr std::size_t kSubjectWidth = 48;
constexpr std::size_t kReasonWidth = 110;
constexpr std::size_t kOrderWidth = 24;
constexpr std::size_t kMostReason = 300;

/// "24 units: 20 done, 3 failed, 1 not done yet".
std::string headline(const SweepSummary& summary) {
  std::string text =
      fmt::format("{}: {} done", count_of(summary.planned, "unit"), with_separators(summary.done));
  if (summary.failed > 0) text += fmt::format(", {} failed", with_separators(summary.failed));
  if (summary.missing() > 0)
    text += fmt::format(", {} not done yet", with_separators(summary.missing()));
  return text;
}

Table answers_table(const SweepSummary& summary) {
  Table table{"Answers", {{"verb"}, {"answer"}, {"units", true}}};
  for (const auto& [key, units] : summary.answers)
    table.rows.push_back(
        {ours(key.first), Text(printable(key.second)), ours(with_separators(units))});
  return table;
}

/// "1.14x columns", "leave it", "failed".
Text gain_cell(const std::optional<SweepRow>& row, bool is_page) {
  if (!row) return ours("-");
  if (row->failed) return ours("failed");
  if (row->answer != "faster") {
    const bool is_open = row->answer == "measure these" && row->speedup;
    return ours(is_open ? fmt::format("measure: {:.2f}x", *row->speedup) : row->answer);
  }
  Text cell = strong(fmt::format("{:.2f}x", row->speedup.value_or(1)));
  if (is_page && row->speedup_low && row->speedup_high)
    cell += ours(fmt::format(" ({:.2f} to {:.2f})", *row->speedup_low, *row->speedup_high));
  // The order of the launch alone helps where the kernel brings one of its own.
  if (is_page && row->order == "identity")
    return cell + ours(" identity, in place of its own order");
  return cell + ours(" ") + Text(one_line(row->order, kOrderWidth));
}

/// Those that gain most first.
std::vector<const SweepSummary::OnGpus*> by_gain(const SweepSummary::GpuTable& table) {
  std::vector<const SweepSummary::OnGpus*> list;
  for (const SweepSummary::OnGpus& subject : table.subjects) list.push_back(&subject);
  std::ranges::stable_sort(
      list, [](const auto* one, const auto* other) { return one->best > other->best; });
  return list;
}

/// "146 us", "failed".
Text time_cell(const std::optional<SweepRow>& row, bool is_page) {
  if (!row) return ours("-");
  if (row->failed || !row->time_us) return ours("failed");
  Text cell = ours(time_text(*row->time_us));
  if (is_page && !row->limited_by.empty()) cell += ours(", limited by " + row->limited_by);
  return cell;
}

/// The end of a long path tells more than its beginning.
Text subject_cell(const std::string& subject, bool is_page) {
  return Text(is_page ? one_line(subject, 400) : end_of_line(subject, kSubjectWidth));
}

using Cell = Text (*)(const std::optional<SweepRow>&, bool);

/// A row a kernel, a column a GPU.
Table gpu_table(const SweepSummary& summary, const SweepSummary::GpuTable& from,
                const std::string& caption, Cell cell, bool is_page) {
  Table table{caption, {{"kernel"}}};
  for (const std::string& gpu : summary.gpus) table.columns.push_back({printable(gpu)});
  const auto list = by_gain(from);
  const std::size_t shown = is_page ? list.size() : std::min(list.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<Text> cells = {subject_cell(list[i]->subject, is_page)};
    for (const auto& row : list[i]->rows) cells.push_back(cell(row, is_page));
    if (list[i]->best > 0) table.marked.push_back(table.rows.size());
    table.rows.push_back(std::move(cells));
  }
  const auto left = from.left_out + static_cast<std::int64_t>(list.size() - shown);
  if (left > 0) table.more = fmt::format("{} more in results.csv", with_separators(left));
  return table;
}

Table gains_table(const SweepSummary& summary, bool is_page) {
  return gpu_table(summary, summary.gains, "Predicted speedup of the best order", gain_cell,
                   is_page);
}

Picture gains_picture(const SweepSummary& summary) {
  Bars bars;
  for (const std::string& gpu : summary.gpus) bars.series.push_back(printable(gpu));
  for (const SweepSummary::OnGpus* gain : by_gain(summary.gains)) {
    if (gain->best <= 0 || bars.groups.size() == kMostBars) break;
    Bars::Group group{one_line(gain->subject, 400), {}, {}};
    for (const auto& row : gain->rows) {
      const bool is_faster = row && !row->failed && row->answer == "faster" && row->speedup;
      group.values.push_back(is_faster ? row->speedup : std::nullopt);
      group.texts.push_back(is_faster ? fmt::format("{:.2f}x", *row->speedup) : "");
    }
    bars.groups.push_back(std::move(group));
  }
  return {"Kernels that gain", "Predicted speedup over the kernel as it is.", bars, {}};
}

/// Without the kernel, which is named beside it or is one of many.
std::string reason_of(const SweepRow& row) {
  for (const std::string& place : {row.subject() + ": ", row.job + ": "})
    if (row.reason.starts_with(place)) return row.reason.substr(place.size());
  return row.reason;
}

/// The same reason of one kernel on several GPUs.
struct Reason {
  const SweepRow* row = nullptr;
  std::string gpus;
  std::string text;
};

std::vector<Reason> merged_reasons(const std::vector<SweepRow>& rows) {
  std::vector<Reason> reasons;
  for (const SweepRow& row : rows) {
    const std::string text = reason_of(row);
    if (!reasons.empty() && reasons.back().row->verb == row.verb && reasons.back().text == text &&
        reasons.back().row->subject() == row.subject())
      reasons.back().gpus += ", " + row.gpu;
    else
      reasons.push_back({&row, row.gpu, text});
  }
  return reasons;
}

Table reasons_table(const std::vector<Reason>& reasons, const std::string& caption, bool is_page) {
  Table table{caption, {{"verb"}, {"kernel"}, {"GPU"}, {"reason"}}};
  const std::size_t shown = is_page ? reasons.size() : std::min(reasons.size(), kMostShown);
  for (std::size_t i = 0; i < shown; ++i)
    table.rows.push_back({ours(reasons[i].row->verb),
                          subject_cell(reasons[i].row->subject(), is_page),
                          Text(one_line(reasons[i].gpus, kOrderWidth)),
                          Text(one_line(reasons[i].text, is_page ? 1000 : kReasonWidth))});
  return table;
}

void add_reasons(Document& page, const std::vector<SweepRow>& rows, std::int64_t count,
                 const char* title, bool is_page) {
  if (rows.empty()) return;
  page.heading(ours(title));
  const std::vector<Reason> reasons = merged_reasons(rows);
  Table table = reasons_table(reasons, title, is_page);
  // Of units that were told, and rows of them that are not shown.
  const auto left = count - std::ssize(rows) + std::ssize(reasons) - std::ssize(table.rows);
  if (left > 0) table.more = fmt::format("{} more in results.csv", with_separators(left));
  page.add(std::move(table));
}

/// "All 6 units failed. Most frequent reason (4): shape 'M=1;N=2': ...".
std::string failures_text(const SweepSummary& summary) {
  std::map<std::string, std::int64_t> reasons;
  for (const SweepRow& row : summary.failures) ++reasons[reason_of(row)];
  const auto most =
      std::ranges::max_element(reasons, {}, [](const auto& reason) { return reason.second; });
  const auto told = static_cast<std::int64_t>(summary.failures.size());
  std::string text = summary.failed == summary.planned
                         ? fmt::format("All {} failed", count_of(summary.failed, "unit"))
                         : fmt::format("{} of {} failed", with_separators(summary.failed),
                                       count_of(summary.planned, "unit"));
  if (most->second < told || told < summary.failed)
    text += fmt::format(". Most frequent reason ({}{})", with_separators(most->second),
                        told < summary.failed ? fmt::format(" of the first {}", told) : "");
  return text + ": " + one_line(most->first, kMostReason);
}

Document document_of(const SweepSummary& summary, bool is_page) {
  Document page;
  page.verb = "sweep";
  page.title = Text(printable(summary.name)) + ours((is_page ? ", " : "  ") + headline(summary));
  page.badge = summary.missing() > 0 ? "unfinished" : summary.failed > 0 ? "with failures" : "done";
  page.tone = summary.missing() > 0 || summary.failed > 0 ? Tone::doubtful : Tone::good;
  if (summary.failed > 1) page.paragraph(ours(failures_text(summary)));
  if (!summary.gains.subjects.empty()) {
    const auto gaining = std::ranges::count_if(
        summary.gains.subjects, [](const auto& subject) { return subject.best > 0; });
    page.heading(ours("Which kernels gain"));
    const auto failed = std::ranges::count_if(summary.gains.subjects, [](const auto& subject) {
      return std::ranges::all_of(subject.rows, [](const auto& row) { return row && row->failed; });
    });
    const auto searched = std::ssize(summary.gains.subjects) - failed;
    page.paragraph(ours(
        fmt::format("An order is predicted faster for {} of {} on some GPU{}.", gaining,
                    count_of(searched, "kernel"),
                    failed > 0 ? fmt::format("; {} more failed", with_separators(failed)) : "")));
    if (is_page && gaining > 0) page.add(gains_picture(summary));
    page.add(gains_table(summary, is_page));
  }
  if (!summary.times.subjects.empty()) {
    page.heading(ours("Predicted times, as the kernels are"));
    page.add(gpu_table(summary, summary.times, "Predicted times", time_cell, is_page));
  }
  std::int64_t refuted = 0;
  for (const auto& [key, units] : summary.answers) refuted += key.second == "REFUTED" ? units : 0;
  add_reasons(page, summary.refuted, refuted, "Refuted", is_page);
  add_reasons(page, summary.failures, summary.failed, "Failed", is_page);
  page.heading(ours("Answers"));
  page.add(answers_table(summary));
  return page;
}

}  // namespace

Document sweep_view(const SweepSummary& summary) {
  return document_of(summary, true);
}

std::string sweep_text(const SweepSummary& summary, const Style& style) {
  const Document page = document_of(summary, false);
  return fmt::format("{}  {}\n\n", style.bold(printable(summary.name)), headline(summary)) +
         text_blocks(page.blocks, style);
}

json sweep_json(const SweepSummary& summary) {
  json answers = json::array();
  for (const auto& [key, units] : summary.answers)
    answers.push_back({{"verb", key.first}, {"answer", key.second}, {"units", units}});
  json gains = json::array();
  for (const SweepSummary::OnGpus& gain : summary.gains.subjects) {
    json gpus = json::object();
    for (std::size_t i = 0; i < gain.rows.size(); ++i)
      if (const auto& row = gain.rows[i])
        gpus[summary.gpus[i]] = {{"answer", row->failed ? "failed" : row->answer},
                                 {"speedup", row->speedup ? json(*row->speedup) : json()},
                                 {"order", row->order.empty() ? json() : json(row->order)}};
    gains.push_back({{"kernel", gain.subject}, {"gpus", gpus}});
  }
  return {{"version", 1},
          {"sweep", summary.name},
          {"units", summary.planned},
          {"done", summary.done},
          {"failed", summary.failed},
          {"missing", summary.missing()},
          {"answers", answers},
          {"gains", gains}};
}

}  // namespace heddle::report
