// Why a search ended with this answer, in sentences that text, Markdown and log share.
//
// Sample (nothing helps)
//   The best of 43 other orders, xcd(8), is predicted 0.2 % slower than the launch order.
//   The launch order moves 264 MiB past the L2, 1.03 times the 256 MiB that any order
//   must move.
//   The time is limited by L1, which is busy for 98 % of it: every order sends it the same
//   25,148,928 requests.
//
// Rules
//   1. Sentences follow from the report's figures; without figures there is no sentence.
//   2. Names and reasons of others are cut and made printable (clean_text.h), not escaped.
//   3. Times and speedups are called predicted.
#pragma once

#include <string>
#include <vector>

#include "results/optimization.h"

namespace heddle::report {

/// "improved 1.14x: xcd(8) | columns, PROVED for all sizes".
std::string answer_line(const OptimizationReport& report);

std::vector<std::string> explanation(const OptimizationReport& report);

/// "The search ended because ...".
std::string search_end_sentence(const OptimizationReport& report);
/// "45 orders proposed: 40 replayed, 3 duplicates, ...".
std::string search_counts(const SearchSummary& search);

/// Which GPU, sampled or exact, compared with measurements or not; empty without a replay.
std::vector<std::string> confidence_sentences(const OptimizationReport& report);

/// Attempts with a speedup, the fastest first; those replayed at the fidelity of the answer before
/// the others. Duplicates are left out.
std::vector<const OrderAttempt*> ranked_attempts(const OptimizationReport& report);

/// The best of them that is not the launch order; null without one.
const OrderAttempt* best_other(const OptimizationReport& report);

/// Whether a result holds a replay at all.
bool has_replay(const SimResult& result);

/// "AMD Instinct MI300X (mi300x), mode SPX".
std::string machine_text(const GpuFacts& gpu);
/// "NVIDIA H200": what was measured on.
std::string device_text(const OptimizationReport& report);
/// How many orders were measured, or rejected there.
int measured_orders(const OptimizationReport& report);

/// "all sizes" or "grid 256x256".
std::string proved_for(ProvedSizes sizes, const std::vector<std::int64_t>& grid);

/// The title of an order, or its formula, short enough for a sentence.
std::string short_title(const OrderAttempt& attempt);

/// With a capital letter, and a full stop at its end; empty stays empty.
std::string as_sentence(std::string_view text);

}  // namespace heddle::report
