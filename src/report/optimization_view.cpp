#include "report/optimization_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/independence_report.h"
#include "report/markdown_page.h"
#include "report/measurement_report.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_figures.h"
#include "report/optimization_table.h"
#include "report/tuning_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestViewName = 80;
constexpr std::size_t kLongestText = 1000;
constexpr std::size_t kLongestLine = 300;  ///< of a title in a table
constexpr std::size_t kMostRankedView = 5;

/// Words of others in a sentence.
Text words(std::string_view text, std::size_t width = kLongestText) {
  return one_line(text, width);
}

Text code_line(std::string_view text) {
  return code(one_line(text, kLongestLine));
}

Text sentences_line(const std::vector<std::string>& sentences) {
  return one_line(paragraph(sentences), std::string::npos);
}

Text title_of(const OptimizationReport& report) {
  const Text kernel = words(report.kernel, kLongestViewName);
  const Text gpu = words(report.gpu.name, kLongestViewName);
  switch (report.answer) {
    case Answer::improved:
      if (is_tuned(report))
        return kernel +
               ours(fmt::format(": {:.2f}x {} on ", headline_speedup(report),
                                report.tuning->measured ? "measured" : "predicted")) +
               gpu + ours(" by other values") +
               ours(report.is_reordered() ? " and another block order" : "");
      if (!report.shapes.empty())
        return kernel + ours(fmt::format(": {:.2f}x predicted on ", headline_speedup(report))) +
               gpu +
               ours(fmt::format(" for {} by another block order",
                                count_of(std::ssize(report.shapes), "shape")));
      if (report.best.measured)
        return kernel + ours(fmt::format(": {:.2f}x measured on ", report.best.measured->ratio)) +
               words(device_text(report), kLongestViewName) + ours(" by another block order");
      return kernel +
             ours(fmt::format(
                 ": {:.2f}x{} predicted on ", report.best.speedup,
                 in_brackets(speedup_interval(report.best.speedup, report.best.predicted)))) +
             gpu + ours(" by another block order");
    case Answer::measure:
      return kernel + ours(": too close to call on ") + gpu +
             ours(fmt::format(", {} to measure", count_of(std::ssize(report.to_measure), "order")));
    case Answer::already_best:
      return kernel +
             ours(fmt::format(": {} is the best known on ",
                              report.lifted ? "its own order" : "the launch order")) +
             gpu;
    case Answer::not_independent:
      return kernel + ours(": tiles are not independent, no order was tried");
    case Answer::unknown:
      break;
  }
  return kernel + ours(": no answer on ") + gpu;
}

Tone tone_of_answer(Answer answer) {
  if (answer == Answer::improved) return Tone::good;
  if (answer == Answer::not_independent) return Tone::bad;
  return answer == Answer::already_best ? Tone::neutral : Tone::doubtful;
}

Text lead(const OptimizationReport& report) {
  Text text;
  if (is_tuned(report)) text = ours("Set ") + code(tuned_title(report, kLongestLine)) + ours(". ");
  if (report.is_reordered())
    text += code_line(report.best.title.empty() ? report.best.formula : report.best.title) +
            ours(fmt::format(", {} for {}. ", verdict_text(report.best.verdict),
                             proved_for(report.best.sizes, report.grid)));
  if (has_replay(report.baseline) && report.measurements.empty())
    text += ours("Figures are predicted, not measured. ");
  return text + ours("Job ") + code_line(report.job) +
         ours(fmt::format(", grid {}, ", fmt::join(report.grid, "x"))) + machine_text(report.gpu) +
         ours(".");
}

// ---- figures ------------------------------------------------------------------------------------

void add_compared(const OptimizationReport& report, Document& page) {
  if (!has_replay(report.baseline)) return;
  const ComparedOrders orders = compared_orders(report);
  const bool is_pair = orders.after != nullptr;
  Table table{is_pair ? "Predictions for both orders" : "Predictions",
              {{"predicted"}, {report.baseline_name(), true}}};
  if (is_pair)
    table.columns.insert(table.columns.end(), {{orders.after_name, true}, {"change", true}});
  for (const ComparedRow& figure : orders.rows) {
    std::vector<Text> row = {ours(figure.label), ours(figure.before)};
    if (is_pair) row.insert(row.end(), {ours(figure.after), ours(figure.change)});
    table.rows.push_back(std::move(row));
  }
  page.add(std::move(table));
}

void add_ranking(const OptimizationReport& report, Document& page) {
  std::vector<const OrderAttempt*> attempts = ranked_attempts(report);
  if (attempts.empty()) return;
  if (attempts.size() > kMostRankedView) attempts.resize(kMostRankedView);
  Table table{"The fastest orders",
              {{"iteration", true},
               {"order"},
               {"L2 hit rate", true},
               {"time", true},
               {"speedup", true},
               {"replay"}},
              {},
              {}};
  for (const OrderAttempt* attempt : attempts) {
    const char* const replay = attempt->from_history                ? "from history"
                               : attempt->predicted->sample.sampled ? "sampled"
                                                                    : "exact";
    if (attempt->iteration == report.best.iteration) table.marked.push_back(table.rows.size());
    table.rows.push_back({ours(std::to_string(attempt->iteration)),
                          code_line(short_title(*attempt)),
                          ours(hit_rate_text(attempt->predicted->l2.cache)),
                          ours(time_text(attempt->predicted->time_us)),
                          ours(fmt::format("{:.3f}", *attempt->speedup)), ours(replay)});
  }
  page.add(std::move(table));
}

// ---- parts --------------------------------------------------------------------------------------

void add_change(const OptimizationReport& report, Document& page) {
  page.heading(ours(report.answer == Answer::improved ? "What changes and why" : "Why"));
  page.paragraph(sentences_line(explanation(report)));
  add_compared(report, page);
  add_replay_figures(report, page);
}

void add_independence(const OptimizationReport& report, Document& page) {
  const IndependenceReport& independence = report.independence;
  Text text =
      ours(fmt::format("Independence of the tiles: {}. ", verdict_text(independence.verdict))) +
      words(as_sentence(independence_sentence(independence)));
  if (!independence.traced_on.empty())
    text += ours(" Traced on ") + words(independence.traced_on) +
            ours("; other sizes and data were not traced.");
  page.paragraph(std::move(text));
  for (const std::string& note : independence.notes) page.add(Items{{words(note)}});
}

void add_proof(const OptimizationReport& report, Document& page) {
  page.heading(ours("Proof"));
  if (report.is_reordered()) {
    page.paragraph(ours(fmt::format("{}: the order is a permutation of the tiles for ",
                                    verdict_text(report.best.verdict))) +
                   (report.best.scope.empty() ? ours(proved_for(report.best.sizes, report.grid))
                                              : words(report.best.scope)) +
                   ours("."));
    Items steps;
    for (const std::string& step : report.best.argument) steps.items.push_back(words(step));
    if (!steps.items.empty()) page.add(std::move(steps));
  }
  add_independence(report, page);
  if (!report.agreement.empty())
    page.paragraph(ours("Patched kernel: ") + words(as_sentence(report.agreement)));
}

void add_code(const OptimizationReport& report, Document& page) {
  if (!report.is_reordered()) return;
  if (!report.patch.empty()) {
    page.heading(ours("Change"));
    page.add(Code{"diff", printable(report.patch)});
  }
  const std::string& formula =
      report.best.triton.empty() ? report.best.formula : report.best.triton;
  if (formula.empty()) return;
  page.heading(ours("Formula"));
  page.add(Code{report.best.triton.empty() ? "" : "python", printable(formula)});
}

void add_confidence(const OptimizationReport& report, Document& page) {
  const std::vector<std::string> sentences = confidence_sentences(report);
  if (sentences.empty() && report.notes.empty()) return;
  page.heading(ours("Confidence"));
  if (!sentences.empty())
    page.add(Paragraph{
        {sentences_line(sentences), ours("docs/validation.md compares heddle's predictions with "
                                         "measurements.")}});
  Items notes;
  for (const std::string& note : report.notes) notes.items.push_back(words(note));
  if (!notes.items.empty()) page.add(std::move(notes));
}

void add_search(const OptimizationReport& report, Document& page) {
  page.heading(ours("Search"));
  Paragraph counts{
      {ours(fmt::format("{}. {}", search_counts(report.search), search_end_sentence(report)))}};
  if (!report.search.proposers.empty())
    counts.lines.push_back(
        ours("Proposers: ") +
        Text(one_line(fmt::format("{}", fmt::join(report.search.proposers, ", ")), kLongestText)) +
        ours("."));
  page.add(std::move(counts));
  add_ranking(report, page);
  add_search_figures(report, page);
}

void add_reproduction(const OptimizationReport& report, Document& page) {
  std::string gpu = report.gpu.name;
  if (!report.gpu.mode.empty() && gpu.find(':') == std::string::npos) gpu += ":" + report.gpu.mode;
  if (!report.gpu.argument.empty()) gpu = report.gpu.argument;
  std::string command =
      fmt::format("heddle optimize {} --gpu {}", shell_quoted(report.job), shell_quoted(gpu));
  for (const std::string& option : report.options) command += " " + shell_quoted(option);
  page.heading(ours("How to reproduce"));
  page.add(Code{"", printable(command)});
}

// ---- on a GPU -----------------------------------------------------------------------------------

std::vector<Text> measured_row(const MeasuredCandidate& one) {
  std::vector<Text> row = {code_line(one.title), ours(""), ours(""), ours("")};
  if (one.rejected) {
    row[3] = ours("rejected: ") + words(one.rejected->kind + ", " + one.rejected->detail);
  } else if (one.cold) {
    row[1] = ours(time_text(one.cold->time_us));
    if (one.number != 0) {
      row[2] = ours(ratio_text(*one.cold));
      row[3] = ours(difference_text(one.cold->difference));
    }
  }
  const auto& counters = one.counters;
  row.push_back(ours(counters && counters->l2_hit_pct ? percent_text(*counters->l2_hit_pct) : ""));
  row.push_back(
      ours(counters && counters->dram_read_bytes ? bytes_text(*counters->dram_read_bytes) : ""));
  return row;
}

void add_measured(const OptimizationReport& report, Document& page) {
  if (report.measurements.empty()) return;
  page.heading(ours("Measured"));
  page.paragraph(
      ours("On ") + words(device_text(report), kLongestViewName) +
      ours(", outputs compared bit for bit; a speedup is the launch order's median time over "
           "the order's, with an interval that holds jointly for all orders of a round."));
  Table table{"Measured on the GPU",
              {{"order"},
               {"cold caches", true},
               {"speedup", true},
               {""},
               {"L2 hits", true},
               {"DRAM read", true}},
              {},
              {}};
  for (std::size_t round = 0; round < report.measurements.size(); ++round)
    for (const MeasuredCandidate& one : report.measurements[round].candidates)
      if (one.number > 0 || round == 0) table.rows.push_back(measured_row(one));
  page.add(std::move(table));
}

}  // namespace

Document optimization_view(const OptimizationReport& report) {
  Document page;
  page.verb = "optimize";
  page.title = title_of(report);
  page.badge = answer_text(report.answer);
  page.tone = tone_of_answer(report.answer);
  page.paragraph(lead(report));
  add_key_figures(report, page);
  add_tuning(report, page);
  add_measured(report, page);
  add_change(report, page);
  add_proof(report, page);
  add_code(report, page);
  add_confidence(report, page);
  add_search(report, page);
  add_reproduction(report, page);
  return page;
}

std::string optimization_markdown(const OptimizationReport& report) {
  return markdown_page(optimization_view(report));
}

}  // namespace heddle::report
