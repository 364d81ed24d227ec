// Writes attempts as a log of the shape that optlog/read.h reads, for tests of the reader.
//
// Sample
//   Iteration 1:
//   Swizzling formula:
//   pid = tl.program_id(0)
//
//   --- PROFILING ITERATION 1 ---
//   Hit rate increased from 29.7% to 67.6%. Achieved 1.15x speedup with execution time reduced
//   from 0.18ms to 0.16ms (15.0% faster).                               (on one line)
//
// Rules
//   1. read_log(write_log(attempts)) gives back iteration, formula and claim, to the last digit.
//      Blank lines at either end of a formula and carriage returns at line ends are not kept.
//   2. A speedup under 1 is written as a slowdown where that reads back as the same number, else
//      as "0.93612x speedup".
//   3. Remarks and formula_line are not written. No attempts give an empty text.
//   4. What could not be read back is an Error: an iteration number under 0 or too large, a
//      claimed figure that is negative or not finite, a speedup of 0, a line of a formula that is
//      a heading of the log.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "optlog/claim.h"
#include "optlog/lines.h"
#include "results/attempt.h"
#include "support/error.h"
#include "support/text.h"

namespace heddle::optlog {

[[noreturn]] inline void refuse(int iteration, std::string_view what, std::string hint) {
  throw Error(fmt::format("iteration {} cannot be written as a log: {}", iteration, what),
              std::move(hint));
}

inline void check_figures(int iteration, const Claim& claim) {
  for (const std::optional<double>& figure : {claim.hit_before, claim.hit_after, claim.speedup,
                                              claim.time_before_ms, claim.time_after_ms}) {
    if (figure && (!std::isfinite(*figure) || std::signbit(*figure))) {
      refuse(iteration, fmt::format("it claims the figure {}", *figure),
             "leave the figure out where it is not known");
    }
  }
  if (claim.speedup && *claim.speedup == 0) {
    refuse(iteration, "it claims a speedup of 0", "leave the speedup out where it is not known");
  }
}

/// The formula without blank lines at either end and without carriage returns at line ends.
inline std::string formula_lines(const Attempt& attempt) {
  std::string text;
  std::size_t size = 0;
  int number = 0;
  for (const std::string_view line : split_lines(attempt.formula)) {
    ++number;
    if (ends_formula(mark_line(line), false)) {
      refuse(attempt.iteration,
             fmt::format("line {} of its formula is a heading of the log", number),
             "turn the line into a comment or take it out");
    }
    const bool blank = is_blank(line);
    if (blank && size == 0) continue;
    text += line;
    text += '\n';
    if (!blank) size = text.size();
  }
  text.resize(size);
  return text;
}

inline std::string hit_sentences(const Claim& claim) {
  if (claim.hit_before && claim.hit_after) {
    const bool fell = *claim.hit_after < *claim.hit_before;
    return fmt::format("Hit rate {} from {}% to {}%. ", fell ? "decreased" : "increased",
                       *claim.hit_before, *claim.hit_after);
  }
  if (claim.hit_before) return fmt::format("Hit rate before: {}%. ", *claim.hit_before);
  if (claim.hit_after) return fmt::format("Hit rate after: {}%. ", *claim.hit_after);
  return {};
}

/// "from 0.18ms to 0.16ms", or nothing unless both times are known.
inline std::string time_span(const Claim& claim) {
  if (!claim.time_before_ms || !claim.time_after_ms) return {};
  const bool rose = *claim.time_after_ms > *claim.time_before_ms;
  return fmt::format("execution time {} from {}ms to {}ms", rose ? "increased" : "reduced",
                     *claim.time_before_ms, *claim.time_after_ms);
}

inline std::string time_sentences(const Claim& claim) {
  const std::string span = time_span(claim);
  if (!span.empty()) return fmt::format("Performance: {}. ", span);
  if (claim.time_before_ms) return fmt::format("Time before: {}ms. ", *claim.time_before_ms);
  if (claim.time_after_ms) return fmt::format("Time after: {}ms. ", *claim.time_after_ms);
  return {};
}

inline std::string speed_sentences(const Claim& claim) {
  if (!claim.speedup) return time_sentences(claim);
  const double speedup = *claim.speedup;
  const std::string span = time_span(claim);
  const std::string with = span.empty() ? span : " with " + span;
  const std::string rest = span.empty() ? time_sentences(claim) : std::string();
  const double slower = std::round((1 / speedup - 1) * 1e3) / 10;
  if (speedup < 1 && speedup_of_slower(slower) == speedup) {
    return fmt::format("Experienced {:.2f}x slowdown{} ({:.1f}% slower). {}", 1 + slower / 100,
                       with, slower, rest);
  }
  if (speedup < 1) return fmt::format("Achieved {}x speedup{}. {}", speedup, with, rest);
  return fmt::format("Achieved {}x speedup{} ({:.1f}% faster). {}", speedup, with,
                     (speedup - 1) * 100, rest);
}

inline std::string claim_sentences(const Claim& claim) {
  if (is_empty(claim)) return "Nothing was measured.";
  const std::string sentences = hit_sentences(claim) + speed_sentences(claim);
  return std::string(trim(sentences));
}

inline std::string write_log(const std::vector<Attempt>& attempts) {
  std::string text;
  for (const Attempt& attempt : attempts) {
    if (attempt.iteration < 0 || attempt.iteration > kLargestNumber) {
      refuse(attempt.iteration, "its number is out of range",
             fmt::format("number iterations from 0 to {}", kLargestNumber));
    }
    if (!text.empty()) text += '\n';
    text += fmt::format("Iteration {}:\n", attempt.iteration);
    const std::string formula = formula_lines(attempt);
    if (!formula.empty()) text += "Swizzling formula:\n" + formula;
    if (!attempt.claim) continue;
    check_figures(attempt.iteration, *attempt.claim);
    text += fmt::format("\n--- PROFILING ITERATION {} ---\n{}\n", attempt.iteration,
                        claim_sentences(*attempt.claim));
  }
  return text;
}

}  // namespace heddle::optlog
