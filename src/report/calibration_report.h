// What fitting a GPU has found, as text and as JSON.
//
//   mi300x  AMD Instinct MI300X, mode SPX, 16 points of 4 kernels
//     changed        l2.replacement = "random", was "lru"
//                    worth, in each kernel's loss: stencil_2d +0.21, ising +0.11
//     refused        compute.dispatch_cycles = 8: helps one kernel alone
//     kept           l1.hashed_sets
//     search         40 settings looked at, loss 2.500 -> 1.250
//     L2 hit rate    mean error 6.9 -> 3.1 points, largest 26.4 -> 7.0; 16 points
//     left out       stencil_2d: mean error 4.1 points by numbers fitted to the others, 3.0 to all,
//                    8.0 by the file's
//
// Rules
//   1. Parameters that stay are listed as well: what was open is part of the result.
//   2. What was not reached is left out, not zero.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/style.h"
#include "results/calibration.h"

namespace heddle::report {

std::string calibration_text(const CalibrationReport& report, const Style& style);
nlohmann::json calibration_json(const CalibrationReport& report);

}  // namespace heddle::report
