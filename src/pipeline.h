// The recipe: what every verb does, one named step after the other.
//
//   load_kernel("examples/gemm.toml", {"M=4096"})   job -> config, heuristics -> launch -> program
//   simulate_job({"examples/gemm.toml", ...})       job, GPU, order -> map -> counters and time
//   validate_tables({{"validation/mi300x.csv"}})    measured points -> predictions -> errors
//   optimize_job({"examples/gemm.toml", ...})       job, GPU -> every attempt, the best, a patch
//   calibrate_tables({{"validation/mi300x.csv"}})   measured points -> a GPU that explains them
//   merge_bundle({"bundle"})                        a bundle and its results -> what was measured
//   audit_patch({"a.py", "b.py", "job.toml"})       two kernels, one job -> verdicts on a change
//   audit_profiles({"before", "after"})             two recorded runs -> is it the same work?
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/calibrate.h"
#include "calibrate/workload.h"
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
  std::string gpu;  ///< a known name or a file (config/gpu.h)
  order::Order order;
  order::Bindings bindings;
  std::string tiles;  ///< as --tiles gives it; empty: the kernel's grid
  sim::SimOptions options;
};

/// An order that is no permutation is simulated as it is; blocks without a tile do nothing, and
/// the result's notes say how many those are.
SimResult simulate_job(const SimulationRequest& request);

/// A kernel, what somebody made of it, and how both are launched.
struct PatchRequest {
  std::string before;
  std::string after;
  std::string job_path;  ///< its kernel is replaced by `before`
  std::vector<std::string> overrides;
  std::string function;        ///< the kernel; empty: the job's, or the only one
  std::string after_function;  ///< where the new file calls it something else
  std::string after_job_path;  ///< empty: the same job
  std::optional<Grid> after_grid;
};

/// The two files of a patch, read and parsed. A file that cannot be parsed is an Error.
struct PatchSources;
std::shared_ptr<PatchSources> read_sources(const PatchRequest& request);

/// On the job's launch alone. A file without such a kernel is an Error; so is an original that
/// cannot be read for the job.
PatchAudit audit_launch(const PatchRequest& request, PatchSources& sources);
PatchAudit audit_launch(const PatchRequest& request);
/// The grid that the job gives the original.
Grid original_grid(const PatchRequest& request, PatchSources& sources);
/// The same, and again with other sizes for what the grid depends on.
PatchAudit audit_patch(const PatchRequest& request);

/// Two recorded runs of a kernel: folders of rocprofiler-compute.
struct ProfileAuditRequest {
  std::string before;
  std::string after;
  profile::Choice choice_before;
  profile::Choice choice_after;
  std::string job_path;        ///< what both have to do; empty: not known
  std::string after_job_path;  ///< what the second has to do, if it is another kernel
  std::vector<std::string> overrides;
};

ProfileAudit audit_profiles(const ProfileAuditRequest& request);

/// What a launch of the job cannot do without.
NecessaryWork necessary_work(const std::string& job_path,
                             const std::vector<std::string>& overrides);

/// A GPU in place of one that tables name: {"mi300x", "my.toml"}; an empty name stands for all.
struct GpuSubstitute {
  std::string name;
  std::string gpu;
};

struct ValidationRequest {
  std::vector<std::string> tables;
  std::vector<GpuSubstitute> gpus;  ///< the first that fits decides
  ValidationLimits limits;
  sim::SimOptions options;
  calibrate::BeforeReplay before;  ///< may be called by several threads at once
};

/// Predicts every point of the tables and compares. A substitute that no point asks for is an
/// Error, and so is a limit that no point can exceed.
ValidationReport validate_tables(const ValidationRequest& request);

struct CalibrationRequest {
  std::vector<std::string> tables;
  std::string gpu;                      ///< where to start: a known name or a file
  std::string points_of;                ///< the GPU that tables name; empty: the same
  std::vector<std::string> parameters;  ///< keys of a GPU file; empty: what is estimated
  calibrate::CalibrationOptions options;
};

/// Fits a GPU to the points of the tables that are of it. Points of a file: those with its name, or
/// all if the tables name one GPU only. In another mode than the usual one, `points_of` has to say
/// whose points those are, unless the tables name the mode.
CalibrationReport calibrate_tables(const CalibrationRequest& request);

/// Formulas from a file or a program.
struct GivenText {
  std::string name;
  std::string text;
};

/// How a search is going.
struct OptimizeProgress {
  std::string step;  ///< "reading the kernel", "replaying", ...
  int attempts = 0;  ///< judged
  int replayed = 0;
  std::string best;  ///< its title; empty before the first replay
  double speedup = 1;
  std::string fidelity;  ///< of that speedup
  double elapsed_s = 0;
  double budget_s = 0;
};

/// Measures what is in a bundle; nothing: it was not measured, and there is no use in asking again.
using Measure = std::function<std::optional<MeasurementReport>(const measure::Bundle&)>;

/// What of a search is measured, and how.
struct MeasureOptions {
  Measure measure;                    ///< empty: nothing is
  int most = 10;                      ///< orders, the original not counted
  int first = 5;                      ///< of them in the first round
  bool given_only = false;            ///< the given orders, all of them, and no others
  std::vector<GivenText> candidates;  ///< kernels of somebody's: name, text of the file
  std::vector<std::int64_t> seeds = {1, 2, 3};
  int limit_s = 60;
  int rounds = 40;
  int budget_s = 60;
};

struct OptimizeRequest {
  std::string job_path;
  std::vector<std::string> overrides;
  std::string gpu;
  bool fixed_grid = false;              ///< orders for the job's grid alone will do
  std::chrono::milliseconds budget{0};  ///< 0: none
  int iterations = 0;                   ///< attempts, at most; 0: no limit
  int threads = 0;
  std::vector<GivenText> given;
  order::ReadOptions reading;     ///< of given formulas
  std::vector<std::string> lets;  ///< "NAME=VALUE"; the job's own integers need none
  std::string history;            ///< file; empty: none is kept
  bool history_needed = false;    ///< an Error where it cannot be used; else a note
  std::string model;              ///< of the predictions: those of another are not read back
  /// Asks a program for formulas, once per round, for so long at most; nothing: it has no more to
  /// say. May be empty.
  std::function<std::optional<GivenText>(const OptimizationReport& so_far, int round,
                                         std::chrono::milliseconds most)>
      ask;
  std::function<void(const OptimizeProgress&)> progress;  ///< may be empty
  std::function<bool()> stop;                             ///< may be empty
  MeasureOptions measuring;
};

/// The closed loop: propose, prove, replay, learn. Never throws for a bad proposal.
OptimizationReport optimize_job(const OptimizeRequest& request);

struct MergeRequest {
  std::string folder;                ///< a bundle with results
  std::vector<std::string> imports;  ///< "1=ncu.csv": counters of a candidate, taken elsewhere
};

/// Reads what an agent measured. Throws Error where there is nothing.
MeasurementReport merge_bundle(const MergeRequest& request);

}  // namespace heddle
