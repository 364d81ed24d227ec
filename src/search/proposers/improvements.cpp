#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "order/compact.h"
#include "order/digit_map.h"
#include "search/arrangements.h"
#include "search/proposers/list.h"
#include "search/ranking.h"

namespace heddle::search {
namespace {

constexpr std::size_t kExpanded = 12;     ///< the best orders whose neighbours are tried
constexpr double kClearlyBetter = 0.999;  ///< of the least cost

/// The neighbours of an order of families: parameters doubled and halved.
std::vector<order::Order> with_other_parameters(const order::Order& order) {
  std::vector<order::Order> found;
  for (std::size_t stage = 0; stage < order.stages().size(); ++stage) {
    const std::size_t parameters = order.stages()[stage].parameters.size();
    for (std::size_t i = 0; i < parameters; ++i) {
      for (const bool up : {true, false}) {
        std::vector<order::Stage> stages = order.stages();
        std::int64_t& value = stages[stage].parameters[i];
        if (stages[stage].family->parameters[i] == "dies" || (!up && value == 1)) continue;
        value = up ? value * 2 : value / 2;
        if (value < kBlockLimit / 1024) found.push_back(order::Order::from_stages(stages));
      }
    }
  }
  return found;
}

class Improvements : public Proposer {
 public:
  explicit Improvements(SearchSpace space) : space_(std::move(space)) {}

  std::string_view name() const override { return "improve"; }

  std::optional<Proposal> next() override {
    // The best comes first; what was planned around earlier ones waits.
    if (!known_.empty() && !known_.front().expanded) expand(known_.front());
    for (std::size_t i = 1; i < std::min(known_.size(), kExpanded) && waiting_.empty(); ++i)
      if (!known_[i].expanded) expand(known_[i]);
    if (waiting_.empty()) return std::nullopt;
    Proposal proposal = propose(name(), waiting_.front());
    waiting_.pop_front();
    return proposal;
  }

  void report(const Trial& trial) override {
    if (!order::looks_compact(trial.formula)) return;
    Known known{trial.cost, trial.formula};
    if (trial.measured) {
      const auto same = std::ranges::find(known_, trial.formula, &Known::formula);
      if (same != known_.end()) {
        known.expanded = same->expanded;
        known_.erase(same);
      }
    }
    const auto place = std::ranges::upper_bound(
        known_, known, [](const Known& a, const Known& b) { return a.cost < b.cost; });
    // What is as good as the best is no reason to begin anew.
    const bool worth = known_.empty() || known.cost < known_.front().cost * kClearlyBetter;
    const auto added = known_.insert(place, known);
    if (added == known_.begin() && !worth) std::iter_swap(added, added + 1);
  }

 private:
  struct Known {
    double cost = 0;
    std::string formula;
    bool expanded = false;
  };

  void expand(Known& known) {
    known.expanded = true;
    std::deque<order::Order> before = std::move(waiting_);
    waiting_.clear();
    add_neighbours(order::read_compact(known.formula));
    waiting_.insert(waiting_.end(), std::make_move_iterator(before.begin()),
                    std::make_move_iterator(before.end()));
  }

  void add_neighbours(const order::Order& order) {
    for (order::Order& other : with_other_parameters(order)) add(std::move(other));
    if (const auto arrangement = arrangement_for(order)) {
      for (const Arrangement& other : neighbours(*arrangement, space_.grid)) {
        if (other.launch.size() > order::kMostDigits) continue;
        add(order::Order::from_stages({order::digit_stage(digit_order(other, space_.dies))}));
      }
    }
  }

  std::optional<Arrangement> arrangement_for(const order::Order& order) const {
    if (const auto digits = order::digits_of(order)) {
      if (digits->axes.size() == static_cast<std::size_t>(space_.grid.axes())) {
        Arrangement arrangement = arrangement_of(*digits, space_.grid);
        // Radices beyond the grid cover nothing of it: then only the map counts.
        const bool is_covering = std::ranges::all_of(
            arrangement.launch, [](const Part& part) { return part.radix > 0; });
        if (is_covering) return arrangement;
      }
    }
    order::Space space;
    space.launch = space_.grid;
    return recognize(order::materialize(order, space, {}), space_.grid);
  }

  void add(order::Order order) {
    if (proposed_.insert(order.title()).second) waiting_.push_back(std::move(order));
  }

  SearchSpace space_;
  std::vector<Known> known_;  ///< by time
  std::deque<order::Order> waiting_;
  std::set<std::string> proposed_;
};

}  // namespace

std::unique_ptr<Proposer> improvements(const SearchSpace& space) {
  return std::make_unique<Improvements>(space);
}

}  // namespace heddle::search
