// Predictions of attempts: replayed, or known from this search or an earlier one.
//
// Rules
//   1. A map is replayed once at a fidelity, whoever proposed it.
//   2. A speedup is against the launch order at the same fidelity.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "optimize_history.h"
#include "results/optimization.h"
#include "search/scorer.h"

namespace heddle {

class Predictions {
 public:
  /// `book` may be null. All must outlive this.
  Predictions(search::Scorer& scorer, const HistoryBook* book, OptimizationReport& report)
      : scorer_(scorer), book_(book), report_(report) {}

  /// Fills in the predictions, and counts them. The launch order is the first at each fidelity.
  void predict(const std::vector<OrderAttempt*>& attempts,
               const std::vector<search::Replay>& replays, search::Purpose purpose);
  /// The launch order was replayed by itself.
  void set_launch_time(const std::string& fidelity, double time_us) {
    launch_time_[fidelity] = time_us;
  }
  /// With the names that reports print.
  SimResult named(SimResult result, const std::string& title) const;

 private:
  const SimResult* known(OrderAttempt& attempt) const;
  const SimResult* scored(const OrderAttempt& attempt) const;

  search::Scorer& scorer_;
  const HistoryBook* book_;
  OptimizationReport& report_;
  std::map<std::string, double> launch_time_;  ///< by fidelity
};

}  // namespace heddle
