#include "report/optimization_markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/independence_report.h"
#include "report/markdown.h"
#include "report/measurement_report.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_table.h"
#include "report/tuning_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestMarkdownName = 80;
constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kLongestLine = 300;  ///< of a title in a table
constexpr std::size_t kMostRankedMarkdown = 5;

/// Words of others in a sentence.
std::string plain(std::string_view text, std::size_t width = kLongestText) {
  return escaped(one_line(text, width));
}

/// Code in a cell of a table.
std::string code_cell(std::string_view text) {
  return table_cell(inline_code(one_line(text, kLongestLine)));
}

std::string sentences_text(const std::vector<std::string>& sentences) {
  return escaped(one_line(paragraph(sentences), std::string::npos)) + "\n";
}

std::string title(const OptimizationReport& report) {
  const std::string kernel = plain(report.kernel, kLongestMarkdownName);
  const std::string gpu = plain(report.gpu.name, kLongestMarkdownName);
  switch (report.answer) {
    case Answer::improved:
      if (is_tuned(report))
        return fmt::format("# {}: {:.2f}x {} on {} by other values{}\n", kernel,
                           headline_speedup(report),
                           report.tuning->measured ? "measured" : "predicted", gpu,
                           report.is_reordered() ? " and another block order" : "");
      if (!report.shapes.empty())
        return fmt::format("# {}: {:.2f}x predicted on {} for {} by another block order\n", kernel,
                           headline_speedup(report), gpu,
                           count_of(std::ssize(report.shapes), "shape"));
      if (report.best.measured)
        return fmt::format("# {}: {:.2f}x measured on {} by another block order\n", kernel,
                           report.best.measured->ratio,
                           plain(device_text(report), kLongestMarkdownName));
      return fmt::format(
          "# {}: {:.2f}x{} predicted on {} by another block order\n", kernel, report.best.speedup,
          in_brackets(speedup_interval(report.best.speedup, report.best.predicted)), gpu);
    case Answer::measure:
      return fmt::format("# {}: too close to call on {}, {} to measure\n", kernel, gpu,
                         count_of(std::ssize(report.to_measure), "order"));
    case Answer::already_best:
      return fmt::format("# {}: {} is the best known on {}\n", kernel,
                         report.lifted ? "its own order" : "the launch order", gpu);
    case Answer::not_independent:
      return fmt::format("# {}: tiles are not independent, no order was tried\n", kernel);
    case Answer::unknown:
      break;
  }
  return fmt::format("# {}: no answer on {}\n", kernel, gpu);
}

std::string lead(const OptimizationReport& report) {
  std::string text;
  if (is_tuned(report))
    text = fmt::format("Set {}. ", inline_code(tuned_title(report, kLongestLine)));
  if (report.is_reordered()) {
    text += fmt::format(
        "{}, {} for {}. ",
        inline_code(one_line(report.best.title.empty() ? report.best.formula : report.best.title,
                             kLongestLine)),
        verdict_text(report.best.verdict), proved_for(report.best.sizes, report.grid));
  }
  if (has_replay(report.baseline) && report.measurements.empty())
    text += "Figures are predicted, not measured. ";
  return fmt::format("{}Job {}, grid {}, {}.\n", text,
                     inline_code(one_line(report.job, kLongestLine)), fmt::join(report.grid, "x"),
                     escaped(machine_text(report.gpu)));
}

// ---- figures ------------------------------------------------------------------------------------

std::string compared_table(const OptimizationReport& report) {
  if (!has_replay(report.baseline)) return {};
  const ComparedOrders orders = compared_orders(report);
  const bool is_pair = orders.after != nullptr;
  std::string text = is_pair
                         ? fmt::format("\n| predicted | {} | {} | change |\n|---|--:|--:|--:|\n",
                                       report.baseline_name(), orders.after_name)
                         : fmt::format("\n| predicted | {} |\n|---|--:|\n", report.baseline_name());
  for (const ComparedRow& figure : orders.rows) {
    std::vector<std::string> cells = {table_cell(figure.label), table_cell(figure.before)};
    if (is_pair) cells.insert(cells.end(), {table_cell(figure.after), table_cell(figure.change)});
    text += table_row(cells);
  }
  return text;
}

std::string markdown_ranking(const OptimizationReport& report) {
  std::vector<const OrderAttempt*> attempts = ranked_attempts(report);
  if (attempts.empty()) return {};
  if (attempts.size() > kMostRankedMarkdown) attempts.resize(kMostRankedMarkdown);
  std::string text =
      "\n| iteration | order | L2 hit rate | time | speedup | replay "
      "|\n|--:|---|--:|--:|--:|---|\n";
  for (const OrderAttempt* attempt : attempts) {
    const std::string_view replay = attempt->from_history                ? "from history"
                                    : attempt->predicted->sample.sampled ? "sampled"
                                                                         : "exact";
    text += table_row({std::to_string(attempt->iteration), code_cell(short_title(*attempt)),
                       hit_rate_text(attempt->predicted->l2.cache),
                       time_text(attempt->predicted->time_us),
                       fmt::format("{:.3f}", *attempt->speedup), std::string(replay)});
  }
  return text;
}

// ---- parts --------------------------------------------------------------------------------------

std::string what_changes(const OptimizationReport& report) {
  return fmt::format("\n## {}\n\n{}{}",
                     report.answer == Answer::improved ? "What changes and why" : "Why",
                     sentences_text(explanation(report)), compared_table(report));
}

std::string independence_part(const OptimizationReport& report) {
  const IndependenceReport& independence = report.independence;
  std::string text =
      fmt::format("\nIndependence of the tiles: {}. {}", verdict_text(independence.verdict),
                  plain(as_sentence(independence_sentence(independence))));
  if (!independence.traced_on.empty())
    text += fmt::format(" Traced on {}; other sizes and data were not looked at.",
                        plain(independence.traced_on));
  text += "\n";
  for (const std::string& note : independence.notes) text += fmt::format("\n* {}\n", plain(note));
  return text;
}

std::string proof_part(const OptimizationReport& report) {
  std::string text = "\n## Proof\n";
  if (report.is_reordered()) {
    text += fmt::format("\n{}: the order is a permutation of the tiles for {}.\n",
                        verdict_text(report.best.verdict),
                        report.best.scope.empty() ? proved_for(report.best.sizes, report.grid)
                                                  : plain(report.best.scope));
    if (!report.best.argument.empty()) text += "\n";
    for (const std::string& step : report.best.argument) text += fmt::format("* {}\n", plain(step));
  }
  text += independence_part(report);
  if (!report.agreement.empty())
    text += fmt::format("\nPatched kernel: {}\n", plain(as_sentence(report.agreement)));
  return text;
}

std::string code_parts(const OptimizationReport& report) {
  if (!report.is_reordered()) return {};
  std::string text;
  if (!report.patch.empty()) text += "\n## Change\n\n" + fenced("diff", printable(report.patch));
  const std::string& code = report.best.triton.empty() ? report.best.formula : report.best.triton;
  if (!code.empty())
    text +=
        "\n## Formula\n\n" + fenced(report.best.triton.empty() ? "" : "python", printable(code));
  return text;
}

std::string confidence_part(const OptimizationReport& report) {
  const std::vector<std::string> sentences = confidence_sentences(report);
  if (sentences.empty() && report.notes.empty()) return {};
  std::string text = "\n## How sure this is\n\n";
  if (!sentences.empty()) {
    text += sentences_text(sentences) +
            "heddle's docs/validation.md sets its predictions beside measurements, point by "
            "point.\n";
  }
  if (!sentences.empty() && !report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += fmt::format("* {}\n", plain(note));
  return text;
}

std::string search_part(const OptimizationReport& report) {
  std::vector<std::string> proposers;
  for (const std::string& proposer : report.search.proposers) proposers.push_back(plain(proposer));
  std::string text = fmt::format("\n## Search\n\n{}. {}\n", search_counts(report.search),
                                 search_end_sentence(report));
  if (!proposers.empty()) text += fmt::format("Proposers: {}.\n", fmt::join(proposers, ", "));
  return text + markdown_ranking(report);
}

std::string reproduction(const OptimizationReport& report) {
  std::string gpu = report.gpu.name;
  if (!report.gpu.mode.empty() && gpu.find(':') == std::string::npos) gpu += ":" + report.gpu.mode;
  if (!report.gpu.argument.empty()) gpu = report.gpu.argument;
  std::string command =
      fmt::format("heddle optimize {} --gpu {}", shell_quoted(report.job), shell_quoted(gpu));
  for (const std::string& option : report.options) command += " " + shell_quoted(option);
  return "\n## How to reproduce\n\n" + fenced("", printable(command));
}

// ---- on a GPU -----------------------------------------------------------------------------------

std::string measured_row(const MeasuredCandidate& one) {
  std::string times = "| | |";
  if (one.cold)
    times = fmt::format("{} | {} | {} |", time_text(one.cold->time_us),
                        one.number == 0 ? "" : ratio_text(*one.cold),
                        one.number == 0 ? "" : difference_text(one.cold->difference));
  if (one.rejected)
    times = fmt::format("| | rejected: {} |",
                        table_cell(plain(one.rejected->kind + ", " + one.rejected->detail)));
  const auto& counters = one.counters;
  return fmt::format(
      "| {} | {} {} | {} |\n", code_cell(one.title), times,
      counters && counters->l2_hit_pct ? percent_text(*counters->l2_hit_pct) : "",
      counters && counters->dram_read_bytes ? bytes_text(*counters->dram_read_bytes) : "");
}

std::string measured_part(const OptimizationReport& report) {
  if (report.measurements.empty()) return {};
  std::string text = fmt::format(
      "\n## Measured\n\nOn {}, outputs compared bit for bit; ratios are the launch order's median "
      "time over the order's, with intervals that hold for all orders of a round together.\n\n"
      "| order | cold caches | ratio | | L2 hits | DRAM read |\n|---|--:|--:|---|--:|--:|\n",
      plain(device_text(report), kLongestMarkdownName));
  for (std::size_t round = 0; round < report.measurements.size(); ++round)
    for (const MeasuredCandidate& one : report.measurements[round].candidates)
      if (one.number > 0 || round == 0) text += measured_row(one);
  return text;
}

}  // namespace

std::string optimization_markdown(const OptimizationReport& report) {
  return title(report) + "\n" + lead(report) + tuning_markdown(report) + measured_part(report) +
         what_changes(report) + proof_part(report) + code_parts(report) + confidence_part(report) +
         search_part(report) + reproduction(report);
}

}  // namespace heddle::report
