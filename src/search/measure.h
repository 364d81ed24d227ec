// Orders of a search on a real GPU, in rounds: which of them, and what comes of it.
//
// Rules
//   1. Only proved orders are measured, and only where tiles are independent.
//   2. The first round has the best by the model, the best published ones and the leanest; or the
//      given ones where only those were asked for.
//   3. What a round shows is told to the proposers. The next round takes orders that the model,
//      corrected by its errors so far, expects to come near to the fastest or beyond it.
//   4. The best is the order that was confirmed fastest, and the launch order where none was.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "search/choose.h"

namespace heddle::search {

/// How many orders are measured, the original not counted.
struct MeasureLimits {
  int most = 10;
  int first = 5;  ///< in the first round
};

/// What a round found: candidate i + 1 of the report is attempt orders[i]. Candidates after those
/// are not orders.
struct MeasuredRound {
  std::vector<int> orders;
  MeasurementReport report;
};

/// Measures some attempts; nothing: it was not possible, and will not be.
using MeasureRound = std::function<std::optional<MeasuredRound>(const Attempts& attempts,
                                                                const std::vector<int>& orders)>;

struct Measured {
  Chosen chosen;                          ///< with what was measured
  std::vector<MeasurementReport> rounds;  ///< empty: nothing was measured
  std::optional<MeasuredTimes> times;     ///< of the best, if it was confirmed faster
};

/// Rule 2.
std::vector<int> first_to_measure(const Prepared& prepared, const SearchOptions& options,
                                  const Chosen& chosen, const MeasureLimits& limits);

Measured measure(const Prepared& prepared, const Session& session, Chosen chosen,
                 const MeasureLimits& limits, const MeasureRound& measure_round);

}  // namespace heddle::search
