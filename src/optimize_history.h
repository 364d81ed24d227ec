// What a search knows from earlier ones, and what it leaves to later ones.
//
// Rules
//   1. A damaged or foreign history is an Error. One that cannot be used at all is an Error where
//      the user has named it, else a note; so is one that fails later, such as on a full disk: the
//      answer must not be lost for it.
//   2. Only predictions are read back, by the map that was proved anew: nothing else is believed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"
#include "results/optimization.h"

namespace heddle {

class HistoryBook {
 public:
  /// `notes` must outlive this.
  HistoryBook(const std::string& path, bool needed, const history::RunKey& key,
              std::vector<std::string>& notes);

  /// The prediction of an attempt's map at its fidelity; null if there is none.
  const SimResult* known(const OrderAttempt& attempt) const;
  /// One transaction: what has settled together is kept together.
  void record(const std::vector<OrderAttempt>& attempts);
  void end(const OptimizationReport& report);

 private:
  template <class Work>
  void try_to(Work work);

  std::optional<history::History> history_;
  std::int64_t run_ = 0;
  std::map<std::string, SimResult> known_;  ///< by map and fidelity
  std::vector<std::string>& notes_;
};

}  // namespace heddle
