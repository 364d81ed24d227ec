// What fitting a GPU has found, as text and as JSON.
//
//   mi300x (AMD Instinct MI300X), 16 points of 4 kernels
//     parameter                  file   fitted   what the change is worth
//     l2.replacement            "lru"  "random"  stencil_2d +0.21, ising +0.11
//     compute.dispatch_cycles       4            refused: helped one kernel alone
//
//     L2 hit rate    mean error 6.9 -> 3.1 points, largest 26.4 -> 7.0
//     left out       stencil_2d 4.1 points (file 8.0, fitted 3.0) ...; mean 5.2
//
// Rules
//   1. Parameters that stay are listed as well: what was open is part of the result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/style.h"
#include "results/calibration.h"

namespace heddle::report {

std::string calibration_text(const CalibrationReport& report, const Style& style);
nlohmann::json calibration_json(const CalibrationReport& report);

}  // namespace heddle::report
