#include "report/optimization_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "optlog/lines.h"
#include "report/clean_text.h"
#include "report/figures.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "report/optimization_log_profile.h"
#include "report/trace_report.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestLoggedName = 60;
constexpr std::size_t kLongestIdea = 400;
constexpr std::size_t kLongestSaid = 2000;
constexpr int kJsonIndent = 4;       ///< of the JSON object
constexpr double kFewMisses = 0.01;  ///< a share of avoidable misses below this is not worth a try

using Sentences = std::vector<std::string>;

/// A paragraph on one line that is not a heading, whatever its words.
std::string line_of(const Sentences& sentences) {
  if (sentences.empty()) return {};
  const std::string text = one_line(paragraph(sentences), std::string::npos);
  const bool is_heading = optlog::mark_line(text).kind != optlog::LineKind::text;
  return fmt::format("{}{}\n", is_heading ? "- " : "", text);
}

// ---- memory analysis ----------------------------------------------------------------------------

std::string kernel_sentence(const OptimizationReport& report) {
  const TraceReport& memory = report.memory;
  std::string text = fmt::format(
      "{} runs {} on grid {}; {} were traced", one_line(report.kernel, kLongestLoggedName),
      count_of(memory.tiles, "tile"), fmt::join(report.grid, "x"),
      memory.tiles_traced == memory.tiles ? "all" : with_separators(memory.tiles_traced));
  if (!memory.sampled_because.empty())
    text += fmt::format(" ({})", one_line(memory.sampled_because, kLongestIdea));
  return text + ".";
}

std::string access_paragraph(const TraceReport& memory, const AccessSummary& access) {
  Sentences sentences = access_sentences(memory, access);
  sentences.front() = fmt::format(
      "Line {} {} {}, {}", access.place.line, verb_of(access.kind),
      access.tensor.empty() ? "unknown memory" : one_line(access.tensor, kLongestLoggedName),
      sentences.front());
  return line_of(sentences);
}

std::string totals_sentence(const OptimizationReport& report) {
  const TraceReport& memory = report.memory;
  std::string text = fmt::format("The traced tiles request {}",
                                 bytes_text(static_cast<double>(memory.total_bytes())));
  const std::optional<std::int64_t> lines = memory.distinct_lines();
  if (!lines || *lines == 0) return text + ".";
  const double distinct = static_cast<double>(*lines) * memory.line_bytes;
  text +=
      fmt::format(" on {}, which are {}", count_of(*lines, "distinct line"), bytes_text(distinct));
  const double l2_bytes =
      static_cast<double>(report.gpu.l2_bytes) * static_cast<double>(report.gpu.dies);
  if (l2_bytes > 0)
    text += fmt::format(", {} times the {} of all L2s", number_text(distinct / l2_bytes),
                        bytes_text(l2_bytes));
  return text + ".";
}

/// The access whose lines neighbouring tiles share most.
std::string sharing_sentence(const TraceReport& memory) {
  const AccessSummary* access = nullptr;
  const NeighbourShare* most = nullptr;
  for (const AccessSummary& candidate : memory.accesses) {
    for (const NeighbourShare& share : candidate.neighbours) {
      if (most != nullptr && share.share <= most->share) continue;
      access = &candidate;
      most = &share;
    }
  }
  if (most == nullptr || most->share <= 0) return {};
  return fmt::format(
      "Tiles {} apart along {} share most: {} of the lines that line {} touches "
      "in {}.",
      most->distance, memory.axis_name(most->axis), share_text(most->share), access->place.line,
      access->tensor.empty() ? "unknown memory" : one_line(access->tensor, kLongestLoggedName));
}

std::string memory_analysis(const OptimizationReport& report) {
  std::string text = "--- MEMORY ANALYSIS ---\n";
  text += line_of({kernel_sentence(report), gpu_sentence(report.gpu)}) + "\n";
  text += memory_sentences(report);
  if (has_replay(report.baseline)) {
    Sentences launch = {
        fmt::format("In the launch order {} ran.", count_of(report.baseline.blocks, "block"))};
    for (std::string& fact : result_sentences(report.baseline)) launch.push_back(std::move(fact));
    text += line_of(launch) + "\n";
  }
  return text;
}

// ---- one iteration ------------------------------------------------------------------------------

/// The fastest attempt before this one; null before the first replay.
const OrderAttempt* best_before(const OptimizationReport& report, std::size_t position) {
  const OrderAttempt* best = nullptr;
  for (std::size_t i = 0; i < position; ++i) {
    const OrderAttempt& attempt = report.attempts[i];
    if (!attempt.predicted || !attempt.speedup || attempt.same_as) continue;
    if (best == nullptr || *attempt.speedup > *best->speedup) best = &attempt;
  }
  return best;
}

/// The replay of an attempt of which most is known; null if it was not replayed.
const SimResult* replay_of(const OptimizationReport& report, const OrderAttempt& attempt) {
  if (attempt.iteration == 1 && has_replay(report.baseline)) return &report.baseline;
  const bool is_best = attempt.iteration == report.best.iteration && attempt.predicted;
  if (is_best && has_replay(report.best.predicted)) return &report.best.predicted;
  return attempt.predicted ? &*attempt.predicted : nullptr;
}

/// What the avoidable misses of the best order so far call for.
std::string remedy_sentence(const SimResult& result) {
  std::vector<CauseCount> causes = causes_of(result);
  std::erase_if(causes, [](const CauseCount& cause) { return cause.remedy.empty(); });
  if (causes.empty() || result.l2.cache.misses <= 0) return {};
  const std::int64_t avoidable = avoidable_misses(result).value_or(0);
  const std::string misses = with_separators(result.l2.cache.misses);
  const double few = kFewMisses * static_cast<double>(result.l2.cache.misses);
  if (static_cast<double>(avoidable) < few) {
    return fmt::format("No more than {} of its {} misses could be hits in another order.",
                       part_text(avoidable, result.l2.cache.misses), misses);
  }
  const CauseCount& most = *std::ranges::max_element(causes, {}, &CauseCount::count);
  return fmt::format("{} of its {} misses happen {}: {} may avoid them.",
                     part_text(most.count, result.l2.cache.misses), misses, most.phrase,
                     most.remedy);
}

std::string reasoning(const OptimizationReport& report, std::size_t position) {
  const OrderAttempt& attempt = report.attempts[position];
  const OrderAttempt* old = best_before(report, position);
  Sentences sentences = {
      fmt::format("Proposed by {}.", one_line(attempt.proposer, kLongestLoggedName))};
  if (old == nullptr) {
    sentences.push_back(fmt::format("Iteration {} is the first: other orders are compared with it.",
                                    attempt.iteration));
    return line_of(sentences);
  }
  const SimResult& result = *replay_of(report, *old);
  sentences.push_back(
      fmt::format("The best order before it is iteration {}, {}, with {} predicted.",
                  old->iteration, short_title(*old), time_text(result.time_us)));
  if (const auto ratio = bytes_ratio(result)) {
    const std::int64_t saved = std::max<std::int64_t>(0, moved_bytes(result) - result.bound_bytes);
    sentences.push_back(fmt::format(
        "It moves {:.2f} times the bytes that any order must: another order can save {} "
        "at most.",
        *ratio, bytes_text(static_cast<double>(saved))));
  }
  if (std::string remedy = remedy_sentence(result); !remedy.empty())
    sentences.push_back(std::move(remedy));
  return line_of(sentences);
}

/// A JSON object whose key is the iteration that it speaks of.
std::string old_was_slow(const OptimizationReport& report, std::size_t position) {
  const OrderAttempt* old = best_before(report, position);
  const OrderAttempt& subject = old == nullptr ? report.attempts[position] : *old;
  const SimResult* result = replay_of(report, subject);
  Sentences sentences = {fmt::format(
      "{} is the order of {}.", old == nullptr ? "It" : short_title(subject),
      subject.identity || subject.iteration == 1 ? std::string("the launch, with speedup 1")
                                                 : fmt::format("iteration {}", subject.iteration))};
  if (result != nullptr) {
    for (std::string& fact : result_sentences(*result)) sentences.push_back(std::move(fact));
    const std::int64_t misses = result->l2.cache.misses;
    if (const auto avoidable = avoidable_misses(*result); avoidable && misses > 0)
      sentences.push_back(
          fmt::format("{} of its misses are not first touches: they depend on the order.",
                      part_text(*avoidable, misses)));
  }
  const nlohmann::json object = {
      {fmt::format("iteration {}", subject.iteration), printable(paragraph(sentences))}};
  return object.dump(kJsonIndent, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string summary(const OptimizationReport& report, const OrderAttempt& attempt) {
  Sentences sentences = {fmt::format("Order: {}.", short_title(attempt))};
  if (std::string idea = as_sentence(one_line(attempt.idea, kLongestIdea)); !idea.empty())
    sentences.push_back(std::move(idea));
  if (!attempt.said.empty())
    sentences.push_back(fmt::format("{} says: \"{}\"",
                                    one_line(attempt.proposer, kLongestLoggedName),
                                    one_line(attempt.said, kLongestSaid)));
  if (attempt.verdict == Verdict::proved) {
    std::string proof = fmt::format(
        "PROVED a permutation for {}",
        attempt.scope.empty() ? proved_for(attempt.sizes.value_or(ProvedSizes::grid), report.grid)
                              : one_line(attempt.scope, kLongestIdea));
    if (attempt.operations > 0)
      proof +=
          fmt::format("; a block executes {} for it", count_of(attempt.operations, "operation"));
    sentences.push_back(proof + ".");
  } else {
    sentences.push_back(unprofiled_reason(report, attempt));
  }
  return line_of(sentences);
}

std::string fidelity_sentence(const OrderAttempt& old, const OrderAttempt& attempt) {
  if (old.fidelity == attempt.fidelity) return {};
  return fmt::format(
      "The replay of iteration {} is {}, that of iteration {} {}: part of the difference may be "
      "due "
      "to that.",
      old.iteration, one_line(old.fidelity, kLongestLoggedName), attempt.iteration,
      one_line(attempt.fidelity, kLongestLoggedName));
}

/// Why an attempt without a replay is called neither better nor worse.
std::string unclaimed_sentence(const OrderAttempt& attempt) {
  if (attempt.verdict == Verdict::refuted)
    return fmt::format("Nothing is claimed: it leaves tiles out or repeats them, and computes {}.",
                       count_of(attempt.distinct_tiles, "distinct tile"));
  if (attempt.verdict == Verdict::unknown)
    return "Nothing is claimed: it is not known to be a permutation.";
  if (attempt.same_as)
    return fmt::format("Nothing new is claimed: it runs the tiles as iteration {} does.",
                       *attempt.same_as);
  return "Nothing is claimed: it was not replayed.";
}

/// What the replay showed, against the best order before.
std::string new_is_better(const OptimizationReport& report, std::size_t position) {
  const OrderAttempt& attempt = report.attempts[position];
  const OrderAttempt* old = best_before(report, position);
  if (!attempt.predicted || attempt.same_as || attempt.verdict != Verdict::proved)
    return line_of({unclaimed_sentence(attempt)});
  if (old == nullptr || !attempt.speedup)
    return line_of(
        {fmt::format("Nothing is claimed: no order precedes iteration {}.", attempt.iteration)});
  const double speedup = *attempt.speedup / *old->speedup;
  const std::string than = fmt::format("iteration {}, {}", old->iteration, short_title(*old));
  Sentences sentences = {fmt::format(
      "{} predicted {}.", speedup > 1 ? "It is" : "It is not better:", speed_text(speedup, than))};
  const SimResult* before = replay_of(report, *old);
  const SimResult* after = replay_of(report, attempt);
  if (!before->causes || !after->causes) {  // of the same fidelity rather than with more detail
    before = &*old->predicted;
    after = &*attempt.predicted;
  }
  for (std::string& change : change_sentences(*before, *after))
    sentences.push_back(std::move(change));
  if (std::string caveat = fidelity_sentence(*old, attempt); !caveat.empty())
    sentences.push_back(std::move(caveat));
  return line_of(sentences);
}

std::string iteration(const OptimizationReport& report, std::size_t position) {
  const OrderAttempt& attempt = report.attempts[position];
  return fmt::format(
      "Iteration {}:\n"
      "Code optimization reasoning:\n{}\n"
      "Reason why old was slow:\n{}\n"
      "Summary of optimization:\n{}\n"
      "Reason why new should be better:\n{}\n"
      "Swizzling formula:\n{}\n"
      "{}\n",
      attempt.iteration, reasoning(report, position), old_was_slow(report, position),
      summary(report, attempt), new_is_better(report, position), log_formula(attempt),
      log_profile(report, attempt));
}

// ---- the end ------------------------------------------------------------------------------------

std::string result_section(const OptimizationReport& report) {
  std::string text = "--- RESULT ---\n" + line_of({as_sentence(answer_line(report))});
  text += line_of(explanation(report));
  text += line_of({search_end_sentence(report), search_counts(report.search) + "."});
  if (const auto ratio = bytes_ratio(report.best.predicted)) {
    text += line_of({fmt::format(
        "The best order, iteration {}, moves {} of at least {}: {:.2f} times the bound.",
        report.best.iteration, bytes_text(static_cast<double>(moved_bytes(report.best.predicted))),
        bytes_text(static_cast<double>(report.best.predicted.bound_bytes)), *ratio)});
  }
  return text + line_of(confidence_sentences(report));
}

}  // namespace

std::string gpu_sentence(const GpuFacts& gpu) {
  std::string text = fmt::format(
      "The GPU, {}, has {} of {} with an L2 of {} each, in lines of {} B", machine_text(gpu),
      count_of(gpu.dies, "die"), count_of(gpu.compute_units, "compute unit"),
      bytes_text(static_cast<double>(gpu.l2_bytes)), gpu.line_bytes);
  text += gpu.last_level_bytes > 0
              ? fmt::format(", and a last-level cache of {}",
                            bytes_text(static_cast<double>(gpu.last_level_bytes)))
              : std::string(", and no last-level cache");
  if (gpu.dies > 1) text += fmt::format("; launch id p runs on die p mod {}", gpu.dies);
  return text + ".";
}

std::string memory_sentences(const OptimizationReport& report) {
  std::string text;
  for (const AccessSummary& access : report.memory.accesses)
    text += access_paragraph(report.memory, access) + "\n";
  Sentences totals = {totals_sentence(report)};
  if (const std::string shared = sharing_sentence(report.memory); !shared.empty())
    totals.push_back(shared);
  return text + line_of(totals) + "\n";
}

std::string optimization_log(const OptimizationReport& report) {
  std::string text = memory_analysis(report);
  for (std::size_t i = 0; i < report.attempts.size(); ++i) text += iteration(report, i);
  return text + result_section(report);
}

}  // namespace heddle::report
