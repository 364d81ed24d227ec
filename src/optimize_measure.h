// Orders of a search on a real GPU: which of them, in bundles, and what comes back.
//
// Rules
//   1. Only proved orders are measured, and only where tiles are independent. Files of somebody's
//      ride along in the first bundle; they never become the best.
//   2. Every bundle has the job's launch and, for orders that hold for all sizes, a ragged one.
//   3. What a round shows is told to the proposers. The next round takes orders that the model,
//      corrected by its errors so far, expects to come near to the fastest or beyond it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline.h"
#include "proof/proven_order.h"
#include "trace/independence.h"

namespace heddle {

struct OrderToMeasure {
  OrderAttempt* attempt = nullptr;
  const proof::ProvenOrder* proven = nullptr;
};

class Measuring {
 public:
  /// All must outlive this.
  Measuring(const OptimizeRequest& request, const LoadedKernel& loaded,
            const trace::IndependentTiles& independent, OptimizationReport& report);

  /// Fills in `measured` or `rejected` of these. False: nothing was measured.
  bool measure(const std::vector<OrderToMeasure>& orders);
  /// Orders that may still be measured.
  int left() const;

  /// The iteration that was confirmed fastest, and its times.
  struct Winner {
    int iteration = 0;
    MeasuredTimes times;
  };
  const std::optional<Winner>& winner() const { return winner_; }

  /// Unmeasured ones that are worth it, best first; at most so many.
  std::vector<std::size_t> worth_measuring(std::size_t most) const;

 private:
  std::optional<std::string> rewritten(const proof::ProvenOrder& proven, const std::string& title);
  void add_launches(bool all_sizes, measure::Bundle& bundle);
  void load_ragged();
  void take(const MeasurementReport& measured, const std::vector<OrderAttempt*>& attempts);

  const OptimizeRequest& request_;
  const LoadedKernel& loaded_;
  const trace::IndependentTiles& independent_;
  OptimizationReport& report_;
  std::optional<LoadedKernel> ragged_;
  bool looked_for_ragged_ = false;
  int measured_ = 0;
  std::optional<Winner> winner_;
};

}  // namespace heddle
