#include <fmt/format.h>

#include <algorithm>

#include "report/family_table.h"
#include "report/markdown.h"
#include "report/style.h"
#include "report/validation_report.h"
#include "report/validation_table.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestNotedMarkdown = 48;

std::string heading(const ComparedGroup& group) {
  return fmt::format("### {} on {}\n\n`{}`, grid {}.\n\n", group.label(), group.gpu, group.kernel,
                     fmt::join(group.grid, "x"));
}

/// Sources of the points, each with a number that stands in the last column.
class Sources {
 public:
  std::string mark(const std::string& source) {
    if (source.empty()) return "";
    const auto found = std::ranges::find(names_, source);
    const auto number = static_cast<std::size_t>(found - names_.begin()) + 1;
    if (found == names_.end()) names_.push_back(source);
    return fmt::format("[[{}]](#sources)", number);
  }

  std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < names_.size(); ++i)
      text += fmt::format("{}. {}\n", i + 1, table_cell(names_[i]));
    return text;
  }

 private:
  std::vector<std::string> names_;
};

std::string group_table(const ComparedGroup& group, Sources& sources) {
  const std::vector<FigureColumns> figures = figure_columns(group);
  std::vector<std::string> heads = {"order"};
  std::vector<std::string> rule = {"---"};
  for (const FigureColumns& figure : figures) {
    heads.insert(heads.end(), {figure.title + ": measured", "predicted", "error"});
    rule.insert(rule.end(), 3, "--:");
  }
  heads.emplace_back("source");
  rule.emplace_back("---");
  std::string text = table_row(heads) + fmt::format("|{}|\n", fmt::join(rule, "|"));
  for (std::size_t p = 0; p < group.points.size(); ++p) {
    const ComparedPoint& point = group.points[p];
    std::string marks = point.permutation ? "" : " \\*";
    if (point.predicted.kind.sampled) marks += " \\~";
    std::vector<std::string> cells = {table_cell(inline_code(point.measured.order)) + marks};
    for (const FigureColumns& figure : figures) append(cells, figure.cells[p]);
    cells.push_back(sources.mark(point.measured.source));
    text += table_row(cells);
  }
  for (const ComparedPoint& point : group.points) {
    if (!point.note.empty())
      text += fmt::format(
          "\n{}: {}.\n", inline_code(cut(point.measured.order, kLongestNotedMarkdown)), point.note);
  }
  return text + "\n";
}

/// Mean errors of each family.
std::string family_lines(const GpuScore& score) {
  const std::vector<std::vector<std::string>> rows = family_rows(score);
  if (rows.empty()) return {};
  std::string text = table_row(rows.front()) + "|---|";
  for (std::size_t i = 1; i < rows.front().size(); ++i) text += "--:|";
  text += "\n";
  for (std::size_t r = 1; r < rows.size(); ++r) {
    std::vector<std::string> cells = rows[r];
    cells.front() = escaped(cells.front());
    text += table_row(cells);
  }
  return text + "\n";
}

std::string score_table(const ValidationReport& report, const GpuScore& score) {
  std::string text = fmt::format("### {}\n\n{}.\n\n| | |\n|---|---|\n", score.gpu,
                                 count_of(score.points, "point"));
  for (const ScoreLine& line : score_lines(report, score, inline_code))
    text += table_row({line.label, table_cell(line.text)});
  return text + "\n" + family_lines(score);
}

/// Words of a command line, as a shell reads them back.
std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quoted(word);
  return text;
}

}  // namespace

std::string validation_markdown(const ValidationReport& report, const std::string& appendix) {
  const bool sampled =
      any_point(report, [](const ComparedPoint& point) { return point.predicted.kind.sampled; });
  std::string text = fmt::format(
      "# Predicted and measured\n\n"
      "This page compares heddle's predictions with measurements of orders on real GPUs. It is "
      "generated:\n\n"
      "```\nheddle validate {}{}{}\n```\n\n"
      "[validate.md](validate.md) explains the figures. An error is predicted minus measured: in\n"
      "points for hit rates, and in per cent of the measured value for DRAM reads, speedups and\n"
      "times (in MB for DRAM reads below 2 MB: *small reads*). `*` marks an order that is not a\n"
      "permutation; its speedup is scored separately, as *others*. `!` marks a speedup predicted\n"
      "with the wrong "
      "sign.{}\n\n## Summary\n\n",
      words_text(report.tables), report.options.empty() ? "" : " ", fmt::join(report.options, " "),
      sampled ? " `~` marks a prediction from a sample." : "");
  for (const GpuScore& score : report.scores) text += score_table(report, score);
  if (!report.breaches.empty()) {
    text += "## Limits exceeded\n\n";
    for (const LimitBreach& breach : report.breaches)
      text += fmt::format("* {}\n", breach_text(report, breach, inline_code));
    text += "\n";
  }
  text += "## Points\n\n";
  Sources sources;
  for (const ComparedGroup& group : report.groups)
    text += heading(group) + group_table(group, sources);
  const std::string list = sources.list();
  if (!list.empty()) text += "## Sources\n\n" + list + "\n";
  if (!trim(appendix).empty()) text += std::string(trim(appendix)) + "\n";
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace heddle::report
