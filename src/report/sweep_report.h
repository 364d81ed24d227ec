// A sweep as text, page and JSON: which kernels gain on which GPU, what failed and why.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/sweep.h"

namespace heddle::report {

Document sweep_view(const SweepSummary& summary);
std::string sweep_text(const SweepSummary& summary, const Style& style);
/// Counts and gains; every row is in results.jsonl.
nlohmann::json sweep_json(const SweepSummary& summary);

}  // namespace heddle::report
