// The answer of the model: the best few orders, replayed as well as the answer needs; the best of
// those.
//
// Rules
//   1. Finalists are, in turn, the best of all, the best published ones, and those that move few
//      bytes: however a sample ranks them, an answer is never worse than what was published.
//   2. The first few are replayed in any case, the others while there is time.
//   3. The best has the causes of its misses and a replay of this search: a prediction that a
//      history holds may be wrong, and then another is the best.
//   4. The answer is `improved` where an order is surely faster, else `measure` where some are worth
//      a measurement, else `already best` (results/decision.h).
//   5. A faster order that is proved for the job's grid only is not chosen without --fixed-grid; a
//      note says so.
#pragma once

#include <string>
#include <vector>

#include "search/loop.h"

namespace heddle::search {

struct Chosen {
  Searched searched;  ///< finalists have the predictions of the answer
  int best = kLaunchOrder;
  Answer answer = Answer::unknown;
  std::string reason;                ///< unknown: why
  std::vector<int> to_measure = {};  ///< answer `measure`: attempts, the predicted fastest first
  std::optional<double> most_gain = {};  ///< that any finalist may have, as a share of the time
};

Chosen choose(const Prepared& prepared, const Session& session, Searched searched);

/// By rule 1, best first; the launch order is not among them.
std::vector<int> finalists(const Prepared& prepared, const SearchOptions& options,
                           const Attempts& attempts);

/// The tile of each launch id under a proved attempt.
order::Map map_of(const Prepared& prepared, const Attempts& attempts, int number);

}  // namespace heddle::search
