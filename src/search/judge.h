// Reads and proves a proposal before anybody replays it.
//
//   Judge judge({space, bindings, dies, fixed_grid});
//   Judged judged = judge.judge(proposal);       judged.proven, judged.map, judged.attempt
//
// Rules
//   1. The verdict on the job's grid is exhaustive; REFUTED carries its counterexample.
//   2. What is PROVED there is tried for all sizes: families by construction, texts without names
//      of the kernel by Z3 within a time limit. `sizes` says what came of it.
//   3. A text whose map is a digit permutation of the grid, and which is not proved for all sizes,
//      is proposed again as that digit permutation: see `generalized`.
//   4. Two proposals with the same map are the same attempt. Maps are compared tile by tile; those
//      beyond the memory for them, by a hash of 64 bits.
//   5. Nothing that a proposal says is believed, and no proposal throws.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/space.h"
#include "proof/proven_order.h"
#include "search/proposer.h"

namespace heddle::search {

struct JudgeOptions {
  order::Space space;
  order::Map own;  ///< what the kernel does unchanged; empty: tile p in block p
  order::Bindings bindings;
  int dies = 1;
  bool fixed_grid = false;  ///< the job's grid is all that matters
  int time_limit_s = 2;     ///< for the proof of a text for all sizes
};

struct Judged {
  OrderAttempt attempt;
  bool own = false;  ///< as in the proposal
  std::optional<proof::ProvenOrder> proven;
  order::Map map;  ///< empty unless proved
  std::vector<std::string> argument;
};

class Judge {
 public:
  explicit Judge(JudgeOptions options) : options_(std::move(options)) {}

  const order::Bindings& bindings() const { return options_.bindings; }

  /// `iteration` is the number of the attempt.
  Judged judge(const Proposal& proposal, int iteration);

  /// The digit permutation that has the map of an attempt proved for the grid only; nothing if it
  /// has none.
  std::optional<Proposal> generalized(const Judged& judged) const;

 private:
  void prove(const order::Order& order, Judged& judged) const;
  void find_same(Judged& judged);

  JudgeOptions options_;
  struct Seen {
    order::Map map;
    int iteration = 0;
    bool all_sizes = false;
  };
  std::multimap<std::uint64_t, Seen> seen_;
  std::int64_t kept_ = 0;  ///< entries of all maps in seen_
};

/// Of a map, for telling maps apart quickly.
std::uint64_t hash_of(const order::Map& map);

}  // namespace heddle::search
