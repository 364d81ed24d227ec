// Predictions of attempts: replayed, or known from this search or an earlier one.
//
// Rules
//   1. A map is replayed once at a fidelity, whoever proposed it.
//   2. A speedup is against the launch order at the same fidelity (sim/effects.h).
//   3. An earlier search is believed for its predictions alone, and only for maps that were proved
//      anew.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "results/optimization.h"
#include "search/scorer.h"
#include "search/subject.h"

namespace heddle::search {

class Predictor {
 public:
  /// `known`: attempts of earlier searches for the same work. Scorer and subject must outlive this.
  Predictor(const Scorer& scorer, const Subject& subject, std::vector<OrderAttempt> known);

  struct Counts {
    int replayed = 0;
    int from_history = 0;
  };
  /// Fills in the predictions. The launch order is the first at each fidelity.
  Counts predict(const std::vector<OrderAttempt*>& attempts, const std::vector<Replay>& replays,
                 Purpose purpose);

  /// The launch order was replayed by itself, for the answer.
  void set_launch_time(double time_us) {
    launch_time_[scorer_->fidelity(Purpose::answer)] = time_us;
  }
  /// Replays one attempt for the answer, with the causes of its misses.
  void replay_for_answer(const order::Map& map, OrderAttempt& attempt) const;

 private:
  struct Known {
    SimResult result;
    bool from_history = false;  ///< and not yet used
  };
  /// The map's hash, and what blocks execute for it.
  using Key = std::tuple<std::string, int, Fidelity>;

  const Scorer* scorer_;
  const Subject* subject_;
  std::map<Key, Known> known_;
  std::map<Fidelity, double> launch_time_;
};

/// The title of a launch whose order nobody changed.
inline constexpr const char* kAsLaunched = "identity";

/// With the names that reports print.
SimResult named(SimResult result, const Subject& subject, const std::string& title);

}  // namespace heddle::search
