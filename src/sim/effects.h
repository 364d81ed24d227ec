// What is left of the predicted effect of an order.
//
//   launch order 100 us, replay of columns 80 us   ─▶   columns 83.7 us, 1.195x instead of 1.25x
//
// Rules
//   1. What a replay says of an order beside the launch order is larger than what GPUs show, for gains
//      and losses alike: the ratio of their times is raised to `effect_share`. Orders keep their
//      ranks, and equal times stay equal.
//   2. The share was learnt on measured orders of an H200; of 60 kernel families each was left out
//      once, and 0.8 was best for 58 and 0.75 for 2 (docs/model.md, "Effects of orders"). AMD's GPUs
//      show larger effects than replays say: theirs stay as they are.
//   3. Where registers spill no order is faster than the launch order (results/decision.h, rule 3).
//   4. Everything that compares orders asks here: search, simulate, validate. A launch order's time is
//      that of its replay.
#pragma once

#include "config/gpu.h"
#include "results/simulation.h"

namespace heddle::sim {

/// Rule 1; 1 leaves effects as they are.
double effect_share(const config::Gpu& gpu);

/// The time of a permutation whose replay takes `order_us`, beside a launch order's of `launch_us`.
double time_beside(double order_us, double launch_us, bool spills, const config::Gpu& gpu);

/// Sets the times of a replayed permutation, and what they are compared with, accordingly.
void put_beside(SimResult& order, double launch_us, const config::Gpu& gpu);

}  // namespace heddle::sim
