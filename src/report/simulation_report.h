// What a simulated GPU counted, as a profiler would sum it up, and as JSON.
//
//   examples/copy.toml  copy_kernel on grid 262144, order identity
//     GPU            AMD Instinct MI300X (mi300x), mode SPX
//     time           512 us predicted, limited by memory
//
//     level           requests       hits      misses  hit rate   read  written
//     L2            25,165,824  8,388,608  16,777,216    33.3 %
//     fabric        25,165,824                                   1 GiB    1 GiB
//
//     bound          L2 hit rate 33.3 % of at most 33.3 %; 2 GiB moved of at least 2 GiB
//
// Rules
//   1. Levels come in the order in which a request meets them; one that the GPU lacks is left out,
//      and null in JSON, and so is a scalar cache in text that nothing asks. A rate of no requests
//      is "-", and null in JSON.
//   2. Counters have the names of the vendor's profiler (simulation_counters.h).
//   3. What makes the figures less than sure stands at the end: sampling, warnings, notes.
//   4. Text keeps to text_columns().
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/simulation.h"

namespace heddle::report {

/// With tile maps where they were recorded.
Document simulation_view(const SimResult& result, const std::string& job);
std::string simulation_text(const SimResult& result, const std::string& job, const Style& style);
nlohmann::json simulation_json(const SimResult& result, const std::string& job);

}  // namespace heddle::report
