// The attempts of a search by their numbers, each with its proof.
//
// Rules
//   1. Numbers count from 1 without a gap; attempt 1 is the launch order.
//   2. What was proved once is kept: emission and measurement need the proof, not the attempt.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "proof/proven_order.h"
#include "results/optimization.h"

namespace heddle::search {

inline constexpr int kLaunchOrder = 1;  ///< the number of that attempt

/// A proof, and why it holds, one line a step.
struct Proven {
  proof::ProvenOrder order;
  std::vector<std::string> argument;
};

class Attempts {
 public:
  int count() const { return static_cast<int>(all_.size()); }
  const std::vector<OrderAttempt>& all() const { return all_; }
  OrderAttempt& at(int number) { return all_.at(static_cast<std::size_t>(number) - 1); }
  const OrderAttempt& at(int number) const { return all_.at(static_cast<std::size_t>(number) - 1); }
  OrderAttempt& launch() { return all_.front(); }
  const OrderAttempt& launch() const { return all_.front(); }
  bool has_proof(int number) const { return proven_.contains(number); }
  /// Of an attempt that was proved.
  const Proven& proven(int number) const { return proven_.at(number); }

  /// Its number has to be the next one.
  void add(OrderAttempt attempt) { all_.push_back(std::move(attempt)); }
  void add_proof(int number, Proven proven) { proven_.emplace(number, std::move(proven)); }

 private:
  std::vector<OrderAttempt> all_;
  std::map<int, Proven> proven_;
};

}  // namespace heddle::search
