// What a search is asked for, and the kernel it is of.
//
//   const search::Subject subject = read_subject(request);   GPU, job and kernel, read
//   JobSearch(request, subject)                               job_search.h
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/bundle.h"
#include "results/optimization.h"
#include "search/measure.h"

namespace heddle::optimize {

/// How orders are measured.
struct MeasureOptions {
  search::MeasureLimits limits;
  std::vector<std::int64_t> seeds = {1, 2, 3};
  int limit_s = 60;        ///< after which a silent kernel is killed
  int rounds = 40;         ///< of timing
  int budget_s = 60;       ///< of a phase of timing
  bool lean = false;       ///< given orders without a replay, compared once and timed quickly
  bool with_agent = true;  ///< the bundle carries the agent's sources
  std::map<std::string, std::string> families;  ///< of points, by order; "": of others
};

/// Measures what is in a bundle; nothing: it was not measured, and asking again is useless.
using Measure = std::function<std::optional<MeasurementReport>(const measure::Bundle&)>;

struct OptimizeRequest : search::SearchOptions {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string gpu;
  std::string history;              ///< file; empty: none is kept
  bool history_needed = false;      ///< an Error where it cannot be used; else a note
  std::string model;                ///< of the predictions: those of another are not read back
  std::vector<std::string> tune;    ///< "BLOCK_M=64,128", "configs" (search/variants.h)
  std::vector<std::string> shapes;  ///< "M=4096,8192;N=4096" (search/shapes.h)
  Measure measure;                  ///< empty: nothing is measured
  MeasureOptions measuring;
};

/// Reads the GPU, the job and its kernel. The budget runs from here.
search::Subject read_subject(const OptimizeRequest& request);

}  // namespace heddle::optimize
