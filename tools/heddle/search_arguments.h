// The flags of a search: what optimize and bundle share.
#pragma once

#include <string>

#include "flags.h"
#include "measure_arguments.h"
#include "pipeline.h"

namespace heddle::tool {

struct SearchArguments {
  OptimizeRequest request;
  std::string budget = kNoBudget;
  std::string effort = kUsual;
  std::string risk = kUsual;
  MeasureArguments measuring;

  static constexpr const char* kUsual = "normal";
  static constexpr const char* kNoBudget = "none";

  /// JOB and --gpu.
  void add_job(Verb verb, const std::string& gpu_help, bool job_needed = true);
  /// --set, --effort and --budget.
  void add_limits(Verb verb, const std::string& budget_help);
  void add_fixed_grid(Verb verb);
  void add_risk(Verb verb);
  /// --tune and --shapes.
  void add_launches(Verb verb);
  void add_threads(Verb verb);
  /// Fills in the request, but for what watches and stops it.
  void fill_request();
};

}  // namespace heddle::tool
