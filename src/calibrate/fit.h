// The search for the setting with the least loss: coordinate descent with restarts.
//
//   sweep 1   l2.set_bits: 9 values tried, the 3rd kept; compute.dispatch_cycles: 8, 16 tried ...
//   sweep 2   nothing better: a descent is done
//   restart   the best so far with two parameters set at random; keep what is better
//
// Rules
//   1. A sweep goes through the parameters in an order drawn from the seed. An ordered parameter
//      moves to its neighbour as long as that is better, others try every value.
//   2. It starts from the file's values and ends when the budget of settings is spent, whether they
//      were simulated or remembered, or when kIdleRestarts restarts in a row found nothing.
//   3. The same tables, GPU, parameters, budget and seed give the same setting.
//   4. Interrupted ends the search; the best so far is the result.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "calibrate/objective.h"

namespace heddle::calibrate {

struct FitOptions {
  int evaluations = 100;
  std::uint64_t seed = 1;
};

struct FitResult {
  Setting best;
  double loss = 0;
  int evaluations = 0;
  bool interrupted = false;
};

/// Values that may not be taken: {parameter, place in its values}. Place 0, the file's value, may
/// always be.
using Forbidden = std::set<std::pair<std::size_t, std::size_t>>;

FitResult fit(Objective& objective, const std::vector<std::size_t>& kernels,
              const Forbidden& forbidden, const FitOptions& options);

}  // namespace heddle::calibrate
