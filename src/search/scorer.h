// Replays proven orders, first cheaply, then as well as the answer needs.
//
// Rules
//   1. Only equal fidelities are compared; each has its own replay of the launch order.
//   2. Search: exact up to kExactSearch requests, else a sample of sets, then of blocks or, where
//      tiles are unequal, of the rounds of loops (docs/optimize.md). Answer: the same up to
//      kExactAnswer requests.
//   3. Finding out why requests miss takes up to three times as long: only where it is asked for.
//      Such a replay also says which turn did which tile, and when.
//   4. A replay depends on the order alone, not on those before it or beside it.
//   5. Maps are of the subject's tile space; what blocks run for it, the launch knows
//      (tiles/launch.h).
//   6. Several orders are replayed at a time, each on one thread: dies of one replay wait for one
//      another, replays do not.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "order/order.h"
#include "results/simulation.h"
#include "sim/simulator.h"
#include "tiles/launch.h"

namespace heddle::search {

inline constexpr std::int64_t kExactSearch = 2'000'000;   ///< requests
inline constexpr std::int64_t kSampleSearch = 1'000'000;  ///< requests of a sample
inline constexpr std::int64_t kExactAnswer = 8'000'000;
inline constexpr std::int64_t kSampleAnswer = 4'000'000;

inline constexpr std::size_t kAtOnce = 4;  ///< replays, at most

enum class Purpose { search, answer };

/// How much of a launch a replay looks at.
struct Fidelity {
  std::int64_t sampled = 0;  ///< requests of a sample; 0: all of them, exactly

  auto operator<=>(const Fidelity&) const = default;
  /// "exact", "sampled 2000000".
  std::string text() const;
};

/// The reverse of text(); nothing for any other text.
std::optional<Fidelity> read_fidelity(std::string_view text);

/// What is to be replayed; the map must outlive it.
struct Replay {
  const order::Map* map = nullptr;
  bool why = false;
  int operations = 0;  ///< order/cost.h
};

/// How a launch with so many requests is replayed.
sim::SimOptions replay_options(Purpose purpose, std::int64_t requests);

class Scorer {
 public:
  /// `threads`: 0 is one per core. The simulator, of the launch's `single`, and the launch must
  /// outlive this.
  Scorer(sim::Simulator& simulator, const tiles::TileLaunch& launch, int threads);

  std::int64_t requests() const { return requests_; }  ///< of the launch, about
  Fidelity fidelity(Purpose purpose) const;
  bool same_fidelity() const { return fidelity(Purpose::search) == fidelity(Purpose::answer); }
  SimResult replay(const Replay& replay, Purpose purpose) const;
  /// One result for each map, in their order.
  std::vector<SimResult> replay_all(const std::vector<Replay>& replays, Purpose purpose) const;

 private:
  sim::SimOptions options(Purpose purpose) const;
  SimResult run(const Replay& replay, sim::SimOptions options) const;

  sim::Simulator& simulator_;  ///< a replay changes nothing that another one sees
  const tiles::TileLaunch& launch_;
  int threads_;
  std::int64_t requests_;
};

}  // namespace heddle::search
