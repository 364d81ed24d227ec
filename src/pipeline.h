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
#include "optimize/request.h"
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

using kernel::compile_kernel;
using kernel::load_kernel;
using kernel::LoadedKernel;

/// A kernel, an order of its tiles and the GPU to run them on.
struct SimulationRequest {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string gpu;                    ///< a known name or a file (config/gpu.h)
  std::optional<order::Order> order;  ///< nothing: the kernel's own
  order::Bindings bindings;
  std::string tiles;  ///< as --tiles gives it; empty: the kernel's own tile space
  sim::SimOptions options;
  bool allow_faults = false;
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

using optimize::Measure;
using optimize::MeasureOptions;
using optimize::OptimizeRequest;
using optimize::read_subject;

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
