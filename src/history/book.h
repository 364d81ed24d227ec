// One search's view of a history: what earlier searches knew, and a place for its own attempts.
//
//   Book book("history.db", false, key);
//   book.known()                     attempts of earlier searches for the same work
//   book.record(attempts);           one transaction
//   book.end(report);                the answer; notes() then has what went wrong
//
// Rules
//   1. A damaged or foreign history is an Error. One that cannot be used at all is an Error where
//      the user has named it (`needed`), else a note; so is one that fails later, such as on a full
//      disk: the answer must not be lost for it.
//   2. Without a file nothing is known and nothing is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "history/history.h"
#include "results/optimization.h"

namespace heddle::history {

class Book {
 public:
  /// Rule 2.
  Book() = default;
  Book(const std::string& path, bool needed, const RunKey& key);

  const std::vector<OrderAttempt>& known() const { return known_; }
  const std::vector<std::string>& notes() const { return notes_; }
  /// All of them are kept, or none is.
  void record(const std::vector<OrderAttempt>& attempts);
  void end(const OptimizationReport& report);

 private:
  template <class Work>
  void try_to(Work work);

  std::optional<History> history_;  ///< nothing: not kept, or not any more
  std::int64_t run_ = 0;
  std::vector<OrderAttempt> known_;
  std::vector<std::string> notes_;
};

}  // namespace heddle::history
