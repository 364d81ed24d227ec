// What a profile paragraph of a log says it measured.
//
// Sample
//   Hit rate increased from 29.7% to 67.6% (higher is better). Performance Gain: Achieved 1.15x
//   speedup with execution time reduced from 0.18ms to 0.16ms (14.6% faster).
//   -> hit rate 29.7 -> 67.6 per cent, speedup 1.15, time 0.18 -> 0.16 ms
//
// Rules
//   1. The paragraph is read sentence by sentence; what is said first stands.
//   2. Hit rates: "A% to B%" (or "->") in a sentence that speaks of a hit rate, except those of
//      the L1. Alone: "before: A%", "after: B%", "unchanged at A%".
//   3. Speedup: "1.15x speedup" is 1.15, as written. "1.07x slowdown ... (6.8% slower)" is
//      1/1.068 rounded to three decimals, since the per cent is the finer figure; without it,
//      1/1.07. "14.6% faster" alone is 1.146. "No change" in performance or time is 1.
//   4. Times: "from 0.18ms to 160us", in milliseconds whatever their unit. A speedup is never
//      worked out from the times.
//   5. Figures that contradict one another are kept as written and give a remark.
//   6. Time is linear in the paragraph; a sentence is cut after kLongestSentence bytes.
//
// Does not read: tables, hit rates written as fractions, numbers written as words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "results/attempt.h"

namespace heddle::optlog {

inline constexpr std::size_t kLongestSentence = 65'536;

struct ClaimReading {
  Claim claim;
  std::vector<std::string>
      remarks;  ///< contradictions; "nothing readable" where the claim is empty
};

ClaimReading read_claim(std::string_view paragraph);

/// Nothing was said.
bool is_empty(const Claim& claim);

/// The speedup that "N% slower" stands for, rounded to three decimals.
double speedup_of_slower(double per_cent);

}  // namespace heddle::optlog
