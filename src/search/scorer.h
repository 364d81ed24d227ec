// Replays proven orders, first cheaply, then as well as the answer needs.
//
// Rules
//   1. Only equal fidelities are compared; each has its own replay of the launch order.
//   2. Search: exact where that is cheap, else a sample. Answer: exact up to kExactAnswer requests,
//      else a larger sample; the one that `simulate` takes where that samples as well.
//   3. A replay depends on the order alone, not on those before it.
#pragma once

#include <cstdint>
#include <string>

#include "order/order.h"
#include "results/simulation.h"
#include "sim/simulator.h"

namespace heddle::search {

inline constexpr std::int64_t kExactSearch = 16'000'000;  ///< requests
inline constexpr std::int64_t kSampleSearch = 2'000'000;  ///< requests of a sample
inline constexpr std::int64_t kExactAnswer = 32'000'000;
inline constexpr std::int64_t kSampleAnswer = 8'000'000;

enum class Purpose { search, answer };

class Scorer {
 public:
  Scorer(sim::Simulator& simulator, int threads);

  /// "exact", "sampled 2000000".
  std::string fidelity(Purpose purpose) const;
  bool same_fidelity() const { return fidelity(Purpose::search) == fidelity(Purpose::answer); }
  SimResult replay(const order::Map& map, Purpose purpose, bool why);

 private:
  sim::SimOptions options(Purpose purpose) const;

  sim::Simulator& simulator_;
  int threads_;
  std::int64_t requests_;
};

}  // namespace heddle::search
