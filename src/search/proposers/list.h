// The proposers by name; proposer.cpp lines them up.
#pragma once

#include <memory>
#include <vector>

#include "search/proposer.h"

namespace heddle::search {

/// Orders that others have published, for any number of dies (docs/orders.md).
std::unique_ptr<Proposer> published_orders(const SearchSpace& space);
/// Digit permutations with the die's digit placed: all of them on small grids.
std::unique_ptr<Proposer> digit_orders(const SearchSpace& space);
/// Snakes, Morton and Hilbert curves, cut into one region per die, and tiles from the last to the
/// first: the longest of causal attention come first then.
std::unique_ptr<Proposer> walks(const SearchSpace& space);
/// Neighbours of the best orders so far.
std::unique_ptr<Proposer> improvements(const SearchSpace& space);

/// A fixed list, handed out in order; what most proposers are.
class ListProposer : public Proposer {
 public:
  ListProposer(std::string_view name, std::vector<order::Order> orders,
               Origin origin = Origin::heddle)
      : name_(name), orders_(std::move(orders)), origin_(origin) {}
  std::string_view name() const override { return name_; }
  std::optional<Proposal> next() override {
    if (next_ >= orders_.size()) return std::nullopt;
    return propose(name_, orders_[next_++], origin_);
  }
  void report(const Trial&) override {}

 private:
  std::string name_;
  std::vector<order::Order> orders_;
  Origin origin_;
  std::size_t next_ = 0;
};

}  // namespace heddle::search
