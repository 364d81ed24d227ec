// How long a search may go on: the budget, Ctrl-C, and what is shown meanwhile.
//
// Rules
//   1. The budget runs from `since`, and covers the answer too: `out_of_time` keeps a reserve for
//      the replays that are still needed, between kLeastReserve and kMostReserve of the budget
//      where finalists are among them.
//   2. Without a budget there is always time.
#pragma once

#include <chrono>

#include "search/options.h"

namespace heddle::search {

using Clock = std::chrono::steady_clock;

/// Replays of the answer, causes and all, that time is kept for.
inline constexpr double kLastReplays = 1.2;  ///< of the best
inline constexpr double kFinalReplays = 5;   ///< of the finalists and the best
inline constexpr double kLeastReserve = 0.12;
inline constexpr double kMostReserve = 0.6;

class Pace {
 public:
  /// The options must outlive this.
  Pace(const SearchOptions& options, Clock::time_point since) : options_(options), since_(since) {}

  bool interrupted() const { return options_.stop && options_.stop(); }
  /// Whether the rest is needed for this many replays, each taking `replay_s`.
  bool out_of_time(double replays, double replay_s) const;
  /// Half of what is left, a second at least counted as left.
  std::chrono::milliseconds half_of_the_rest() const;
  /// Fills in the times and shows it.
  void show(OptimizeProgress progress) const;
  /// A step before the first attempt.
  void show(const char* step) const;

 private:
  double budget_s() const { return static_cast<double>(options_.budget.count()) / 1000; }
  double elapsed_s() const;

  const SearchOptions& options_;
  Clock::time_point since_;
};

/// Seconds since then.
double seconds_since(Clock::time_point begin);

}  // namespace heddle::search
