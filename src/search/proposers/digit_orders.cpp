#include <deque>
#include <set>

#include "order/digits.h"
#include "search/arrangements.h"
#include "search/proposers/list.h"

namespace heddle::search {
namespace {

/// Grids with at most so many arrangements are searched to the last one.
constexpr std::int64_t kAllOf = 8000;
constexpr int kMostSplits = 3;
constexpr int kMostSplitsOfBox = 2;  ///< of three axes

/// Unsplit axes first, then those of small grids, then more and more splits: made when the search
/// gets there.
class DigitOrders : public Proposer {
 public:
  explicit DigitOrders(SearchSpace space) : space_(std::move(space)) {
    splits_ = {Splits(static_cast<std::size_t>(space_.grid.axes()))};
  }

  std::string_view name() const override { return "digits"; }

  std::optional<Proposal> next() override {
    for (;;) {
      if (waiting_.empty() && !refill()) return std::nullopt;
      if (waiting_.empty()) continue;
      const order::DigitOrder digits = digit_order(waiting_.front(), space_.dies);
      waiting_.pop_front();
      if (proposed_.insert(digits.text()).second)
        return propose(name(), order::Order::from_stages({order::digit_stage(digits)}));
    }
  }

  void report(const Trial&) override {}

 private:
  /// False: there are no more.
  bool refill() {
    if (next_ == splits_.size()) {
      const int most = space_.grid.axes() > 2 ? kMostSplitsOfBox : kMostSplits;
      if (count_ == most) return false;
      if (count_ == 0)
        if (auto all = all_arrangements(space_.grid, kAllOf))
          waiting_.assign(all->begin(), all->end());
      splits_ = splits_of(space_.grid, space_.extents, ++count_);
      next_ = 0;
      return true;
    }
    const auto placed = placed_dies(space_.grid, space_.dies, splits_[next_++]);
    waiting_.assign(placed.begin(), placed.end());
    return true;
  }

  SearchSpace space_;
  std::vector<Splits> splits_;  ///< `count_` each
  std::size_t next_ = 0;        ///< of them
  int count_ = 0;
  std::deque<Arrangement> waiting_;
  std::set<std::string> proposed_;
};

}  // namespace

std::unique_ptr<Proposer> digit_orders(const SearchSpace& space) {
  return std::make_unique<DigitOrders>(space);
}

}  // namespace heddle::search
