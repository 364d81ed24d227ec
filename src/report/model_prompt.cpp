#include "report/model_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "optlog/blocks.h"
#include "report/clean_text.h"
#include "report/figures.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_log.h"
#include "report/optimization_log_profile.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostSource = std::size_t{32} << 10;  ///< bytes of the kernel's file
constexpr std::size_t kBeforeKernel = 2048;                 ///< of those, before the kernel
constexpr std::size_t kMostFormula = 4096;
constexpr std::size_t kMostOutcomes = 8;
constexpr std::size_t kMostRows = 10;
constexpr std::size_t kRowWidth = 80;
constexpr std::size_t kMostPromptReason = 500;

/// The part of a file that the kernel begins in.
std::string part_of(const std::string& source, const std::string& kernel) {
  if (source.size() <= kMostSource) return source;
  std::size_t at = source.find("def " + kernel + "(");
  if (at == std::string::npos) at = source.find(kernel + "(");
  if (at == std::string::npos || at < kBeforeKernel) at = kBeforeKernel;
  return source.substr(at - kBeforeKernel, kMostSource);
}

std::string quoted_formula(const OrderAttempt& attempt) {
  return optlog::fenced(printable(attempt.formula.substr(0, kMostFormula)));
}

/// "1. xcd(8) | columns (published): 109 us, 1.461 times as fast, L2 hit rate 68.1 %".
std::string attempt_row(const OrderAttempt& attempt) {
  std::string row =
      fmt::format("{}. {} ({}): ", attempt.iteration, one_line(attempt.formula, kRowWidth),
                  one_line(attempt.proposer, kRowWidth));
  if (attempt.predicted)
    return row + fmt::format("{}, {:.3f} times as fast as launched, L2 hit rate {}, {} moved",
                             time_text(attempt.predicted->time_us), attempt.speedup.value_or(1),
                             hit_rate_text(attempt.predicted->l2.cache),
                             bytes_text(static_cast<double>(moved_bytes(*attempt.predicted))));
  return row + verdict_text(attempt.verdict);
}

std::string attempts_text(const OptimizationReport& report) {
  std::string text;
  std::size_t rows = 0;
  for (const OrderAttempt* attempt : ranked_attempts(report))
    if (rows++ < kMostRows) text += "* " + attempt_row(*attempt) + "\n";
  const SearchSummary& search = report.search;
  return fmt::format("The fastest of {}, by number:\n\n{}\n{}.\n",
                     count_of(static_cast<std::int64_t>(report.attempts.size()), "attempt"), text,
                     search_counts(search));
}

/// One proposal, its verdict, and its replay against the best.
std::string outcome_of(const OptimizationReport& report, const OrderAttempt& attempt) {
  std::string text = fmt::format("Attempt {}:\n\n{}\n", attempt.iteration, quoted_formula(attempt));
  std::vector<std::string> sentences;
  if (!attempt.predicted || attempt.same_as || attempt.verdict != Verdict::proved) {
    sentences.push_back(one_line(unprofiled_reason(report, attempt), kMostPromptReason));
  } else {
    sentences.push_back(fmt::format(
        "PROVED for {}.", proved_for(attempt.sizes.value_or(ProvedSizes::grid), report.grid)));
    if (attempt.sizes != ProvedSizes::all)
      sentences.emplace_back("It names sizes of this launch, so it cannot become the answer.");
    sentences.push_back(fmt::format("It is predicted {}.",
                                    speed_text(attempt.speedup.value_or(1), "the launch order")));
    for (std::string& fact : result_sentences(*attempt.predicted))
      sentences.push_back(std::move(fact));
    if (report.best.iteration != attempt.iteration)
      sentences.push_back(fmt::format("The best so far, attempt {}, takes {}.",
                                      report.best.iteration,
                                      time_text(report.best.predicted.time_us)));
  }
  return text + paragraph(sentences) + "\n";
}

std::string outcomes(const OptimizationReport& report, int seen) {
  std::string text;
  std::size_t count = 0;
  for (const OrderAttempt& attempt : report.attempts)
    if (attempt.iteration > seen && attempt.proposer == kModelProposer && count++ < kMostOutcomes)
      text += outcome_of(report, attempt) + "\n";
  return text;
}

std::string bound_text(const OptimizationReport& report) {
  const BestOrder& best = report.best;
  std::vector<std::string> sentences = {fmt::format(
      "The best so far is attempt {}: {}.", best.iteration, one_line(best.formula, kRowWidth))};
  if (const auto ratio = bytes_ratio(best.predicted)) {
    const std::int64_t saved =
        std::max<std::int64_t>(0, moved_bytes(best.predicted) - best.predicted.bound_bytes);
    sentences.push_back(
        fmt::format("It moves {:.2f} times the bytes that any order must move: another order can "
                    "save {} at most.",
                    *ratio, bytes_text(static_cast<double>(saved))));
  }
  if (const std::string limit = limit_text(best.predicted); !limit.empty())
    sentences.push_back(fmt::format("Its {} are {}.", time_text(best.predicted.time_us), limit));
  return paragraph(sentences);
}

}  // namespace

std::string fill(std::string_view words, const PromptFacts& facts) {
  std::string text;
  while (true) {
    const std::size_t begin = words.find("{{");
    const std::size_t end = begin == std::string_view::npos ? begin : words.find("}}", begin);
    if (end == std::string_view::npos) return text + std::string(words);
    const std::string name(trim(words.substr(begin + 2, end - begin - 2)));
    const auto fact = facts.find(name);
    if (fact == facts.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : facts) names.push_back(known);
      throw Error(fmt::format("a prompt names '{}', which is not known", one_line(name, kRowWidth)),
                  fmt::format("use one of: {}", fmt::join(names, " ")));
    }
    text += std::string(words.substr(0, begin)) + fact->second;
    words.remove_prefix(end + 2);
  }
}

void check_prompt(std::string_view words) {
  PromptFacts facts;
  for (const char* const name : {"kernel", "launch", "source", "gpu", "memory", "baseline",
                                 "attempts", "outcome", "bound", "families", "rounds"})
    facts[name] = "";
  fill(words, facts);
}

PromptFacts prompt_facts(const OptimizationReport& so_far, const std::string& source, int seen) {
  PromptFacts facts;
  facts["kernel"] = one_line(so_far.kernel, kRowWidth);
  const std::string& traced_on = so_far.independence.traced_on;  // "grid 64x64; rows = 2048"
  facts["launch"] = traced_on.empty() ? fmt::format("grid {}", fmt::join(so_far.grid, "x"))
                                      : one_line(traced_on, std::string::npos);
  facts["source"] = optlog::fenced(valid_utf8(part_of(source, so_far.kernel)));
  facts["gpu"] = gpu_sentence(so_far.gpu);
  facts["memory"] = memory_sentences(so_far);
  facts["baseline"] =
      has_replay(so_far.baseline) ? paragraph(result_sentences(so_far.baseline)) : "unknown";
  facts["attempts"] = attempts_text(so_far);
  facts["outcome"] = outcomes(so_far, seen);
  facts["bound"] = bound_text(so_far);
  return facts;
}

}  // namespace heddle::report
