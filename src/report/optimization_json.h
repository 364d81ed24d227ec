// What a search found as JSON: report.json, and what an external proposer gets each round.
//
//   {"version": 1, "gpu": "mi300x", "job": "examples/stencil_2d.toml", "answer": "improved",
//    "baseline": {...}, "best": {"formula": "xcd(8) | columns", "predicted_speedup": 1.12, ...},
//    "bound": {"bytes": 268435456, "best_bytes_ratio": 1.0, ...}, "iterations": [...], ...}
//
// Rules
//   1. `best` is never null; absent is null.
//   2. `baseline` and `best.predicted` are as `heddle simulate --json` prints them; an iteration
//   has
//      the totals.
//   3. All text is UTF-8, so that dump() does not throw: other bytes become U+FFFD.
#pragma once

#include <nlohmann/json.hpp>

#include "results/optimization.h"

namespace heddle::report {

nlohmann::json optimization_json(const OptimizationReport& report);

/// What a proposer program reads on its standard input, once per round (from 1): the kernel's
/// accesses, the GPU, every attempt so far with what became of it, and how to answer.
nlohmann::json feedback_json(const OptimizationReport& so_far, int round);

}  // namespace heddle::report
