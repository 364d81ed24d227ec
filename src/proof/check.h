// Exhaustive verdicts: what an order does on one grid, or on every grid of a range.
//
//   R1 on 9 blocks: REFUTED, 8 of 9 tiles, launch ids 1 and 8 both compute tile 1
//
// Rules
//   1. PROVED means: every tile is computed by exactly one block, every block computes a tile or
//      says that it does nothing, and no operation overflowed or failed. Nothing is sampled.
//   2. REFUTED carries a counterexample and exact counts.
//   3. UNKNOWN: a loop did not end, or the time limit passed; the reason says which.
#pragma once

#include <chrono>

#include "order/bindings.h"
#include "order/order.h"
#include "order/space_range.h"
#include "results/verdict.h"

namespace heddle::proof {

struct CheckOptions {
  int dies = 8;                         ///< launch id p runs on die p mod dies
  std::chrono::seconds time_limit{60};  ///< of the processor, for ranges and all sizes
};

/// Stops with UNKNOWN when the time limit passes.
GridReport check_grid(const order::Order& order, const order::Space& space,
                      const order::Bindings& bindings, const CheckOptions& options);

RangeReport check_range(const order::Order& order, const order::SpaceRange& range,
                        const order::Bindings& bindings, const CheckOptions& options);

/// Where two orders differ first on a space; nothing if they are the same map.
struct Difference {
  LaunchId launch;
  std::int64_t first = 0;  ///< tile, or kIdle, kOutside, kFailed
  std::int64_t second = 0;
};
std::optional<Difference> compare(const order::Order& first, const order::Order& second,
                                  const order::Space& space, const order::Bindings& bindings);

}  // namespace heddle::proof
