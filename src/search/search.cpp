#include "search/search.h"

namespace heddle::search {
namespace {

constexpr int kTurn = 8;         ///< proposals of one turn
constexpr int kTurnOfLast = 24;  ///< of the last proposer, which learns from the others

}  // namespace

Search::Search(std::vector<std::unique_ptr<Proposer>> proposers)
    : proposers_(std::move(proposers)) {}

std::optional<Proposal> Search::next() {
  if (proposers_.empty()) return std::nullopt;
  for (std::size_t idle = 0; idle <= proposers_.size();) {
    const bool is_last = turn_ + 1 == proposers_.size();
    const int most = is_last ? kTurnOfLast : kTurn;
    if (turn_ == 0 || taken_ < most) {
      if (auto proposal = proposers_[turn_]->next()) {
        ++taken_;
        return proposal;
      }
      ++idle;
    }
    // The first proposer is asked until it has nothing more, and never again.
    turn_ = is_last ? std::min<std::size_t>(1, proposers_.size() - 1) : turn_ + 1;
    taken_ = 0;
  }
  return std::nullopt;
}

void Search::report(const Trial& trial) {
  for (const auto& proposer : proposers_) proposer->report(trial);
}

std::vector<std::string> Search::names() const {
  std::vector<std::string> names;
  for (const auto& proposer : proposers_) names.emplace_back(proposer->name());
  return names;
}

}  // namespace heddle::search
