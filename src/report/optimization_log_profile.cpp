#include "report/optimization_log_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optlog/lines.h"
#include "report/clean_text.h"
#include "report/figures.h"
#include "report/measurement_report.h"
#include "report/optimization_explanation.h"
#include "report/optimization_facts.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestLoggedReason = 400;
constexpr double kLoggedMicrosecondsMs = 1000;  ///< of a millisecond
constexpr double kNoLoggedChange = 0.0005;      ///< of a speedup

std::int64_t tiles_of(const std::vector<std::int64_t>& grid) {
  std::int64_t count = 1;
  for (const std::int64_t extent : grid) count *= extent;
  return count;
}

const OrderAttempt* attempt_numbered(const OptimizationReport& report, int iteration) {
  const auto found = std::ranges::find(report.attempts, iteration, &OrderAttempt::iteration);
  return found == report.attempts.end() ? nullptr : &*found;
}

/// The launch order as it was replayed for this attempt: at the same fidelity where there is one.
const SimResult& launch_order_beside(const OptimizationReport& report,
                                     const OrderAttempt& attempt) {
  const OrderAttempt* first = attempt_numbered(report, 1);
  if (first != nullptr && first->predicted &&
      (first->fidelity == attempt.fidelity || !has_replay(report.baseline)))
    return *first->predicted;
  return report.baseline;
}

// ---- the profile --------------------------------------------------------------------------------

/// One decimal with a per cent sign that touches it, as the logs write it.
std::string log_per_cent(double percent) {
  return fmt::format("{:.1f}%", percent);
}

std::string log_time(double time_us) {
  return fmt::format("{:.4g}ms", time_us / kLoggedMicrosecondsMs);
}

std::string hits_clause(const SimResult& before, const SimResult& after) {
  if (after.l2.cache.requests <= 0) return "0 requests reached the L2";
  const std::string new_rate = log_per_cent(after.l2.cache.hit_rate_pct());
  if (before.l2.cache.requests <= 0) return "hit rate after: " + new_rate;
  const std::string old_rate = log_per_cent(before.l2.cache.hit_rate_pct());
  if (old_rate == new_rate) return "hit rate unchanged at " + new_rate;
  const bool fell = after.l2.cache.hit_rate_pct() < before.l2.cache.hit_rate_pct();
  return fmt::format("hit rate {} from {} to {}", fell ? "decreased" : "increased", old_rate,
                     new_rate);
}

std::string speed_sentence(const OrderAttempt& attempt) {
  const double after_us = attempt.predicted->time_us;
  const double speedup = attempt.speedup.value_or(0);
  if (!std::isfinite(speedup) || speedup <= 0)
    return fmt::format("Predicted: execution time after: {}.", log_time(after_us));
  if (std::abs(speedup - 1) < kNoLoggedChange)
    return fmt::format("Predicted: execution time unchanged at {}.", log_time(after_us));
  const std::string span =
      fmt::format("from {} to {}", log_time(speedup * after_us), log_time(after_us));
  if (speedup > 1) {
    const std::optional<Interval> interval = speedup_interval(speedup, *attempt.predicted);
    return fmt::format(
        "Predicted: achieved {:.3f}x speedup with execution time reduced {} ({:.1f}% faster).{}",
        speedup, span, (speedup - 1) * 100,
        interval
            ? fmt::format(" In {} kernels like it the factor lies between {:.2f} and {:.2f}.",
                          interval_share(speedup, attempt.finalist), interval->low, interval->high)
            : std::string());
  }
  const double slower = (1 / speedup - 1) * 100;
  return fmt::format(
      "Predicted: experienced {:.2f}x slowdown with execution time increased {} ({:.1f}% slower).",
      1 + slower / 100, span, slower);
}

std::string profile_paragraph(const OptimizationReport& report, const OrderAttempt& attempt) {
  const SimResult& after = *attempt.predicted;
  std::vector<std::string> sentences = {
      fmt::format("On the simulated GPU, predicted{}: {}.",
                  attempt.measured ? "" : " and not measured",
                  hits_clause(launch_order_beside(report, attempt), after)),
      speed_sentence(attempt)};
  for (std::string& fact : result_sentences(after)) sentences.push_back(std::move(fact));
  if (attempt.measured)
    sentences.push_back(
        fmt::format("On a GPU it was measured: {} times as fast as the launch order.",
                    ratio_text(*attempt.measured)));
  if (!attempt.rejected.empty())
    sentences.push_back(fmt::format("On a GPU it was rejected: {}.", attempt.rejected));
  if (attempt.from_history)
    sentences.emplace_back("The totals were read back from an earlier run of this order.");
  return paragraph(sentences);
}

// ---- the formula --------------------------------------------------------------------------------

std::vector<std::string> printable_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_lines(text)) lines.push_back(printable(line));
  while (!lines.empty() && optlog::is_blank(lines.back())) lines.pop_back();
  const auto first = std::ranges::find_if_not(
      lines, [](const std::string& line) { return optlog::is_blank(line); });
  lines.erase(lines.begin(), first);
  return lines;
}

void comment_out_headings(std::vector<std::string>& lines) {
  for (std::string& line : lines) {
    if (optlog::ends_formula(optlog::mark_line(line), false)) line = "# " + line;
  }
}

/// A fence without a partner is the last one of an odd number.
void comment_out_lone_fence(std::vector<std::string>& lines) {
  const auto is_fence = [](const std::string& line) { return optlog::is_fence(line); };
  if (std::ranges::count_if(lines, is_fence) % 2 == 0) return;
  std::string& lone = *std::find_if(lines.rbegin(), lines.rend(), is_fence);
  lone = "# " + lone;
}

}  // namespace

std::string log_formula(const OrderAttempt& attempt) {
  std::vector<std::string> lines = printable_lines(attempt.triton);
  if (lines.empty()) lines = printable_lines(attempt.formula);
  if (lines.empty()) lines = {"# the proposal holds no text"};
  comment_out_headings(lines);
  comment_out_lone_fence(lines);
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

std::string unprofiled_reason(const OptimizationReport& report, const OrderAttempt& attempt) {
  if (attempt.verdict == Verdict::refuted) {
    const std::string tiles =
        fmt::format("It would compute {} of {} tiles on grid {}, and is not replayed.",
                    with_separators(attempt.distinct_tiles), with_separators(tiles_of(report.grid)),
                    fmt::join(report.grid, "x"));
    if (!attempt.counterexample) return "REFUTED. " + tiles;
    return fmt::format("REFUTED: {} {}",
                       as_sentence(one_line(attempt.counterexample->message, kLongestLoggedReason)),
                       tiles);
  }
  if (attempt.verdict == Verdict::unknown) {
    const std::string reason = one_line(attempt.reason, kLongestLoggedReason);
    return fmt::format("UNKNOWN: {} It is not replayed.",
                       as_sentence(reason.empty() ? "no reason was given" : reason));
  }
  if (attempt.same_as) {
    const OrderAttempt* same = attempt_numbered(report, *attempt.same_as);
    std::string text =
        fmt::format("The same map as iteration {}, and not replayed again.", *attempt.same_as);
    if (same != nullptr && same->predicted && same->speedup) {
      text +=
          fmt::format(" That one is predicted to take {}, {}.", time_text(same->predicted->time_us),
                      speed_text(*same->speedup, "the launch order"));
    }
    return text;
  }
  return "PROVED, but not replayed.";
}

std::string log_profile(const OptimizationReport& report, const OrderAttempt& attempt) {
  if (attempt.predicted && !attempt.same_as && attempt.verdict == Verdict::proved) {
    return fmt::format("--- PROFILING ITERATION {} ---\n{}\n", attempt.iteration,
                       profile_paragraph(report, attempt));
  }
  return fmt::format("--- NOT PROFILED, ITERATION {} ---\n{}\n", attempt.iteration,
                     unprofiled_reason(report, attempt));
}

}  // namespace heddle::report
