// GPUs as text and as JSON: a list of them, or one with every number and where it comes from.
//
//   name    GPU               dies     L2      last     memory     calibrated  modes
//   mi300x  MI300X            8 x 38   4 MiB   256 MiB  5.3 TB/s   yes         SPX DPX QPX CPX
//
// Rules
//   1. A number is shown as its file writes it, with its source; "estimated" is a source like any
//      other and comes with the reason.
//   2. A mode is shown by what it changes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "report/style.h"

namespace heddle::report {

std::string gpu_list_text(const std::vector<config::Gpu>& gpus, const Style& style);
nlohmann::json gpu_list_json(const std::vector<config::Gpu>& gpus);

/// `modes`: the same GPU in each of its modes, the usual one first; may be empty.
std::string gpu_text(const config::Gpu& gpu, const std::vector<config::Gpu>& modes,
                     const Style& style);
nlohmann::json gpu_json(const config::Gpu& gpu, const std::vector<config::Gpu>& modes);

}  // namespace heddle::report
