#include "report/optimization_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/independence_report.h"
#include "report/measurement_report.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_table.h"
#include "report/table_text.h"
#include "report/tile_space_report.h"
#include "report/tuning_report.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostRanked = 5;
constexpr std::size_t kLongestRankedOrder = 44;
constexpr std::size_t kLongestJob = 54;  ///< so that it and a kernel fit on a line
constexpr std::size_t kLongestKernel = 40;
constexpr std::size_t kLongestNote = 600;
constexpr std::size_t kLongestWord = 80;  ///< longer ones are cut, or a line would be too wide

/// No word of it is wider than a line.
std::string with_short_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) words.push_back(cut(word, kLongestWord));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string line(std::string_view label, std::string_view text) {
  return labelled(label, with_short_words(one_line(text, kLongestNote)));
}

std::string heading(const OptimizationReport& report, const Style& style) {
  const std::string job = one_line(report.job, kLongestJob);
  const std::string rest = fmt::format("{} on grid {}, {}", one_line(report.kernel, kLongestKernel),
                                       fmt::join(report.grid, "x"), machine_text(report.gpu));
  std::string text = headline(style.bold(job), rest);
  if (report.lifted) text += line("tiles", tile_space_text(*report.memory.space));
  return text;
}

std::string before_and_after(const OptimizationReport& report) {
  if (!has_replay(report.baseline)) return {};
  const ComparedOrders orders = compared_orders(report);
  std::vector<Row> rows = {orders.after == nullptr ? Row{"predicted", report.baseline_name()}
                                                   : Row{"predicted", report.baseline_name(),
                                                         orders.after_name, "change"}};
  for (const ComparedRow& figure : orders.rows) {
    Row row = {figure.label, figure.before};
    if (orders.after != nullptr) row.insert(row.end(), {figure.after, figure.change});
    rows.push_back(std::move(row));
  }
  return "\n" + table_text(rows, {true, false, false, false});
}

std::string why(const OptimizationReport& report) {
  std::string text;
  if (is_tuned(report)) {
    std::vector<std::string> flags;
    for (const std::string& one : report.tuning->best().set) flags.push_back("--set " + one);
    text += line("set", fmt::format("{}", fmt::join(flags, " ")));
  }
  std::string sentences;
  for (const std::string& sentence : explanation(report))
    sentences += line(sentences.empty() ? "why" : "", sentence);
  return text + sentences;
}

/// The command that lets a GPU decide.
std::string measure_lines(const OptimizationReport& report) {
  if (report.answer != Answer::measure) return {};
  std::string command = fmt::format(
      "heddle bundle {} --gpu {}", shell_quoted(report.job),
      shell_quoted(report.gpu.argument.empty() ? report.gpu.name : report.gpu.argument));
  for (const std::string& option : report.options) command += " " + shell_quoted(option);
  for (const int number : report.to_measure)
    command +=
        fmt::format(" --order {}",
                    shell_quoted(report.attempts.at(static_cast<std::size_t>(number) - 1).formula));
  return line("measure", command);
}

std::string search_lines(const OptimizationReport& report) {
  std::string text = line("search", search_counts(report.search));
  text += line("", search_end_sentence(report));
  if (!report.search.proposers.empty())
    text += line("proposers", fmt::format("{}", fmt::join(report.search.proposers, ", ")));
  return text;
}

std::string speedup_cell(const OrderAttempt& attempt) {
  const bool sampled = attempt.predicted->sample.sampled;
  return fmt::format("{}{}{:.3f}", attempt.from_history ? "*" : "", sampled ? "~" : "",
                     *attempt.speedup);
}

std::string ranking(const OptimizationReport& report) {
  std::vector<const OrderAttempt*> attempts = ranked_attempts(report);
  if (attempts.empty()) return {};
  if (attempts.size() > kMostRanked) attempts.resize(kMostRanked);
  std::vector<Row> rows = {{"iteration", "order", "hit rate", "time", "speedup", "proved for"}};
  for (const OrderAttempt* attempt : attempts) {
    rows.push_back({std::to_string(attempt->iteration),
                    cut(short_title(*attempt), kLongestRankedOrder),
                    hit_rate_text(attempt->predicted->l2.cache),
                    time_text(attempt->predicted->time_us), speedup_cell(*attempt),
                    proved_for(attempt->sizes.value_or(ProvedSizes::grid), report.grid)});
  }
  return "\n" + table_text(rows, {false, true, false, false, false, true});
}

/// What each round on a GPU showed.
std::string measured_lines(const OptimizationReport& report, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < report.measurements.size(); ++i)
    text += fmt::format("\n{}\n{}", style.bold(fmt::format("measured, round {}", i + 1)),
                        measurement_body(report.measurements[i]));
  return text;
}

std::string proof_lines(const OptimizationReport& report, const Style& style) {
  std::string text;
  if (report.is_reordered()) {
    text +=
        labelled("proof", fmt::format("{}: {}", style.verdict(report.best.verdict),
                                      with_short_words(one_line(report.best.scope, kLongestNote))));
    if (!report.agreement.empty()) text += line("patch", report.agreement);
  }
  if (report.answer != Answer::not_independent && report.independence.verdict == Verdict::proved)
    text += line("independent",
                 fmt::format("{}; traced on {}", independence_sentence(report.independence),
                             report.independence.traced_on));
  if (report.answer == Answer::not_independent)
    text += line("traced on", report.independence.traced_on);
  return text;
}

std::string notes(const OptimizationReport& report) {
  std::string text;
  for (const std::string& sentence : confidence_sentences(report))
    text += line(text.empty() ? "confidence" : "", sentence);
  for (const std::string& note : report.notes) text += line("note", note);
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string optimization_text(const OptimizationReport& report, const Style& style) {
  return style.bold(wrapped(answer_line(report), 0, 2)) + "\n" + heading(report, style) +
         before_and_after(report) + tuning_text(report) + "\n" + why(report) +
         measure_lines(report) + proof_lines(report, style) + search_lines(report) +
         ranking(report) + measured_lines(report, style) + notes(report);
}

}  // namespace heddle::report
