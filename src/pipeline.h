// The recipe: what every verb does, one named step after the other.
//
//   load_kernel("examples/gemm.toml", {"M=4096"})   job -> config, heuristics -> launch -> program
//   simulate_job({"examples/gemm.toml", ...})       job, GPU, order -> map -> counters and time
//   validate_tables({{"validation/mi300x.csv"}})    measured points -> predictions -> errors
//   optimize_job({"examples/gemm.toml", ...})       job, GPU -> every attempt, the best, a patch
//   bundle_job({"examples/gemm.toml", ...}, ...)    job, GPU -> the best orders as a bundle
//   calibrate_tables({{"validation/mi300x.csv"}})   measured points -> a GPU that explains them
//   audit_patch({"a.py", "b.py", "job.toml"})       two kernels, one job -> verdicts on a change
//   audit_profiles({"before", "after"})             two recorded runs -> is it the same work?
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/patch.h"
#include "audit/profiles.h"
#include "calibrate/tables.h"
#include "config/launch.h"
#include "kernel/source.h"
#include "measure/bundle.h"
#include "order/bindings.h"
#include "order/order.h"
#include "profile/workload/selection.h"
#include "results/optimization.h"
#include "results/patch_audit.h"
#include "results/profile_audit.h"
#include "results/simulation.h"
#include "results/validation.h"
#include "search/measure.h"
#include "sim/simulate.h"

namespace heddle {

using kernel::load_kernel;
using kernel::LoadedKernel;

/// A kernel's file as if it held this text, compiled for a launch; its ending says the language.
kernel::KernelProgram compile_kernel(const std::string& path, const std::string& text,
                                     const config::Launch& launch);

/// A kernel, an order of its tiles and the GPU to run them on.
struct SimulationRequest {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string gpu;                    ///< a known name or a file (config/gpu.h)
  std::optional<order::Order> order;  ///< nothing: the kernel's own
  order::Bindings bindings;
  std::string tiles;  ///< as --tiles gives it; empty: the kernel's own tile space
  sim::SimOptions options;
};

/// An order takes the place of the one that the kernel has (tiles/launch.h); with `tiles` it comes
/// before that. One that is not a permutation is simulated as it is; blocks without a tile do nothing, and
/// the result's notes say how many those are.
SimResult simulate_job(const SimulationRequest& request);

using audit::audit_launch;
using audit::audit_patch;
using audit::PatchRequest;

using audit::audit_profiles;
using audit::necessary_work;
using audit::ProfileAuditRequest;

/// Predicts every point of the tables and compares.
ValidationReport validate_tables(const calibrate::ValidationRequest& request);
/// Fits a GPU to the points of the tables that are of it.
CalibrationReport calibrate_tables(const calibrate::CalibrationRequest& request);

/// How orders are measured.
struct MeasureOptions {
  search::MeasureLimits limits;
  std::vector<std::int64_t> seeds = {1, 2, 3};
  int limit_s = 60;   ///< after which a silent kernel is killed
  int rounds = 40;    ///< of timing
  int budget_s = 60;  ///< of a phase of timing
  bool lean =
      false;  ///< a bundle of given orders without a replay, compared once and timed quickly
  bool with_agent = true;                       ///< the bundle carries the agent's sources
  std::map<std::string, std::string> families;  ///< of points, by order; "": of others
};

/// Measures what is in a bundle; nothing: it was not measured, and there is no use in asking again.
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

/// The closed loop: propose, prove, replay, learn. Never throws for a bad proposal. `subject` is
/// what read_subject read for the request. With `tune` or `shapes` the best of them (results/tuning.h).
OptimizationReport optimize_job(const OptimizeRequest& request, const search::Subject& subject);
OptimizationReport optimize_job(const OptimizeRequest& request);

/// A bundle that was written.
struct WrittenBundle {
  std::string kernel;  ///< the function
  std::vector<measure::BundleCandidate> candidates;
  std::vector<std::pair<std::string, Grid>> launches;  ///< their names
};

struct BundleReport {
  OptimizationReport search;             ///< without a patch
  std::optional<WrittenBundle> written;  ///< nothing: there is nothing to measure, or Ctrl-C
};

/// The best orders of a search, or the given ones, as a bundle in `folder`. `files` are
/// user-supplied candidates: name, text of the file.
BundleReport bundle_job(const OptimizeRequest& request, const search::Subject& subject,
                        const std::vector<search::GivenText>& files, const std::string& folder);

}  // namespace heddle
