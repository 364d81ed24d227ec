// Reads the log of an optimiser that tries one block order per iteration, in the style of the
// SwizzlePerf logs: the formula of each iteration and what its profile claims.
//
// Sample                                              what is read
//   --- MEMORY ANALYSIS ---                           (skipped)
//   Rows are shared by neighbouring blocks.
//   Iteration 1:                                      iteration 1
//   Reason why old was slow:                          (skipped)
//   { "iteration 1": "Rows are far apart." }          (skipped: no heading)
//   Swizzling formula:
//   pid = tl.program_id(0)                            formula, formula_line 7
//   pid = (pid % 8) * (N // 8) + pid // 8
//
//   --- PROFILING ITERATION 1 ---
//   Hit rate increased from 29.7% to 67.6%.           claim: hit rate 29.7 -> 67.6 per cent
//   Achieved 1.15x speedup (14.6% faster).            claim: speedup 1.15
//
// Rules
//   1. A heading or a marker is a whole line; lines.h says which lines are. Markdown decoration,
//      letter case and CRLF do not matter.
//   2. The formula begins after "Swizzling formula:", on the same line or below, and ends at the
//      next heading, at a "--- ... ---" line, at a line "---" or with the text. Its lines are kept
//      as written, fences included; blank lines at either end are dropped. A line with one '#' is
//      a comment of the formula, unless the iteration or the formula was headed with one '#'.
//   3. An iteration without a formula has an empty one, and a remark. Of several formulas of one
//      iteration the first stands.
//   4. A profile belongs to the latest iteration of its number that has no claim yet; else, or
//      without a number, to the latest iteration. Of several profiles the first readable stands.
//   5. claim.h says how a profile is read. A profile that says nothing readable is a Claim with
//      all parts absent, and a remark; no profile is no claim.
//   6. Attempts come in the order of the log, numbered as the log numbers them. Repeated, skipped
//      and too large numbers, and profiles out of place, give remarks ("line 7: ..."), at most
//      kMostRemarks for one attempt.
//   7. Time and memory are linear in the text. Any bytes are accepted.
//
// Does not read: the prose; logs kept as JSON; formulas outside an iteration; what comes before
// the first iteration (a formula or a profile there gives a remark).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "results/attempt.h"

namespace heddle::optlog {

inline constexpr std::size_t kLargestLog = std::size_t{64} << 20;  ///< bytes
inline constexpr std::size_t kMostIterations = 100'000;
inline constexpr std::size_t kMostRemarks = 16;

/// Throws Error where the text holds no iteration, or is larger than these limits.
std::vector<Attempt> read_log(std::string_view text);

}  // namespace heddle::optlog
