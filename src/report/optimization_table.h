// The launch order beside the best one, as cells: what the text and the Markdown of a search share.
//
//   time                 167 us    149 us   -10.9 %
//   L2 hit rate          31.9 %    69.2 %   +37.3 points
//   against the bound    1.76x     1.00x
//
// Rules
//   1. A row stands where at least one of the two has its figure; the other is "-".
//   2. A change is given where both are numbers; empty where nothing changed.
#pragma once

#include <string>
#include <vector>

#include "results/optimization.h"

namespace heddle::report {

struct ComparedRow {
  std::string label;
  std::string before;
  std::string after;
  std::string change;  ///< may be empty
};

/// Two orders side by side.
struct ComparedOrders {
  std::vector<ComparedRow> rows;     ///< time, hit rates, bytes, dies, the limit; causes of misses
  const SimResult* after = nullptr;  ///< null: nothing to compare the launch order with
  std::string after_name;            ///< "best", "best other"
};

/// The launch order beside the best one; where it is itself the best, beside the best other order
/// that was replayed at the same fidelity.
ComparedOrders compared_orders(const OptimizationReport& report);

}  // namespace heddle::report
