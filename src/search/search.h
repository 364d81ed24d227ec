// Whose turn it is: asks the proposers one after the other.
//
//   Search search(make_proposers(space));
//   while (auto proposal = search.next()) search.report({proposal->formula, time});
//
// Rules
//   1. The published orders come first, all of them: a search that gets through them is never worse
//      than those.
//   2. Then the others take turns, a few proposals each; the last, which learns from the others,
//      has longer ones.
//   3. The search is exhausted when no proposer has a proposal left.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "search/proposer.h"

namespace heddle::search {

class Search {
 public:
  explicit Search(std::vector<std::unique_ptr<Proposer>> proposers);

  /// Nothing: exhausted.
  std::optional<Proposal> next();
  /// Tells every proposer.
  void report(const Trial& trial);

  std::vector<std::string> names() const;
  /// Whether rule 1's first turn is over.
  bool past_published() const { return turn_ > 0; }

 private:
  std::vector<std::unique_ptr<Proposer>> proposers_;
  std::size_t turn_ = 0;  ///< the proposer that is asked
  int taken_ = 0;         ///< proposals of this turn
};

}  // namespace heddle::search
