// Variants of a job and shapes of a launch beside one another: tables, words and JSON.
//
//   variant          as written  best order  with it  speedup
//   as it is             412 us  group(8)     371 us    1.111
//   BLOCK_M = 128        356 us  group(4)     315 us    1.308  chosen
//   BLOCK_M = 96              -  does not work: arange takes powers of two
//
// Rules
//   1. Without variants or shapes there is nothing to print.
//   2. Speedups of variants are against the job as it is, as written; those of shapes against the
//      same shape as written. "~" in front of a speedup: from samples.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/document.h"
#include "results/optimization.h"

namespace heddle::report {

/// A variant was chosen that is not the job as it is.
bool is_tuned(const OptimizationReport& report);

/// What the first line claims: against the job as it is, or over all shapes.
double headline_speedup(const OptimizationReport& report);
/// What is to be set: "BLOCK_M = 128, num_warps = 8", cut to a width; empty for the job as it is.
std::string tuned_title(const OptimizationReport& report, std::size_t width);

/// What is to be said before the order's own story.
std::vector<std::string> tuning_sentences(const OptimizationReport& report);

/// Tables; empty without variants and shapes.
std::string tuning_text(const OptimizationReport& report);
void add_tuning(const OptimizationReport& report, Document& page);

/// null without variants.
nlohmann::json tuning_json(const OptimizationReport& report);
nlohmann::json shapes_json(const OptimizationReport& report);

}  // namespace heddle::report
