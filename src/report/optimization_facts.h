// What replays counted, in sentences: the words that the log, the text and the Markdown of a search
// share.
//
// Sample (result_sentences)
//   Of 6,540,451 requests to the L2, 2,087,468 hit: 31.9 % of at most 67.9 %.
//   4,452,983 missed: 2,097,152 (47 %) on the first touch of a line, 2,290,439 (51 %) due to
//   conflicts in a set, 36,312 (0.8 %) on lines that another die held, 29,080 (0.7 %) for lack of
//   capacity.
//   450 MiB moved past the L2, of at least 256 MiB: 1.76 times.
//   The time is 167 us, limited by latency: the busiest resource, memory, is busy for 38 % of it.
//
// Rules
//   1. Every sentence has a figure, and every figure is the replay's own.
//   2. What a replay does not know (causes, dies) gives no sentence; nothing is divided by zero.
//   3. A sampled result is called so, with its error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/optimization.h"

namespace heddle::report {

/// Between the L2s and what lies behind.
std::int64_t moved_bytes(const SimResult& result);
/// Of those the bound; absent without one.
std::optional<double> bytes_ratio(const SimResult& result);
/// Both directions.
std::int64_t hbm_bytes(const SimResult& result);
/// "31.9 %"; "-" without requests.
std::string hit_rate_text(const CacheCounts& counts);

/// One cause of misses, with its words.
struct CauseCount {
  std::string name;    ///< "other die"
  std::string phrase;  ///< "on lines that another die held"
  std::string remedy;  ///< what an order can do about it; empty: nothing
  std::int64_t count = 0;
};
/// First touch, conflict, other die, capacity; empty where causes were not counted.
std::vector<CauseCount> causes_of(const SimResult& result);

/// Misses that are not first touches; absent where causes were not counted.
std::optional<std::int64_t> avoidable_misses(const SimResult& result);

/// What one replay counted.
std::vector<std::string> result_sentences(const SimResult& result);
/// What is different in another replay of the same tiles.
std::vector<std::string> change_sentences(const SimResult& before, const SimResult& after);
/// "The figures are sampled: ..."; empty for an exact replay.
std::string sample_sentence(const SimResult& result);
/// "limited by memory, which is busy for 85 % of it"; empty where it is not known.
std::string limit_text(const SimResult& result);

/// 1.144 -> "14.4 % faster than X", 0.95 -> "5.3 % slower than X", 1.0001 -> "as fast as X to 0.1
/// %".
std::string speed_text(double speedup, std::string_view than);

/// Of a predicted speedup against another order of the kernel; nothing where it was not learnt.
std::optional<Interval> speedup_interval(double speedup, const SimResult& predicted);
/// How many kernels like it that holds for: "9 of 10" of the gains of finalists, which
/// decide, else "4 of 5".
std::string_view interval_share(double speedup, bool finalist);
/// " (1.08 to 1.20)"; empty without an interval.
std::string in_brackets(const std::optional<Interval>& interval);

/// Sentences as one paragraph.
std::string paragraph(const std::vector<std::string>& sentences);

}  // namespace heddle::report
