#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "audit/audit_cxx.h"
#include "audit/audit_patch.h"
#include "calibrate/points.h"
#include "calibrate/score.h"
#include "config/gpu.h"
#include "config/job.h"
#include "kernel/cxx/compile.h"
#include "kernel/cxx/language.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/language.h"
#include "order/evaluate.h"
#include "order/space_range.h"
#include "patch_pair.h"
#include "proof/check.h"
#include "support/text.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoTimeLimit{24};
constexpr int kMostAtOnce = 4;  ///< kernels that are replayed at a time: each may take 1 GiB

/// What is wrong with an order that was not proved, and how many blocks do nothing for it.
std::string permutation_note(const GridReport& check, const order::Map& map) {
  std::string note = check.counterexample ? check.counterexample->message : check.reason;
  if (check.counted) {
    note += fmt::format("; {} of {} are computed", with_separators(check.distinct_tiles),
                        count_of(check.tiles, "tile"));
  }
  const std::string idle = calibrate::idle_note(map);
  if (!idle.empty()) note += "; " + idle;
  return note;
}

std::vector<MeasuredPoint> read_tables(const std::vector<std::string>& tables) {
  std::vector<MeasuredPoint> points;
  for (const std::string& table : tables) {
    std::vector<MeasuredPoint> more = calibrate::read_points(table);
    points.insert(points.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  return points;
}

bool is_of(const MeasuredPoint& point, const std::string& gpu) {
  const std::string name = lower_case(gpu);
  return lower_case(point.gpu) == name || lower_case(point.gpu_field) == name;
}

/// Puts the substitutes in place of the GPUs that the points name.
void substitute(std::vector<MeasuredPoint>& points, const std::vector<GpuSubstitute>& gpus) {
  std::vector<bool> used(gpus.size(), false);
  for (MeasuredPoint& point : points) {
    const auto fits = [&](const GpuSubstitute& known) {
      return known.name.empty() || is_of(point, known.name);
    };
    const auto found = std::find_if(gpus.begin(), gpus.end(), fits);
    if (found == gpus.end()) continue;
    used[static_cast<std::size_t>(found - gpus.begin())] = true;
    point.gpu = found->gpu;
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!used[i] && !gpus[i].name.empty())
      throw Error(fmt::format("no point of the tables is of '{}'", gpus[i].name),
                  "write --gpu NAME=FILE with a name from the column gpu");
  }
}

/// Reads a GPU of the command line: errors without a place speak of --gpu.
config::Gpu gpu_of_option(const std::string& gpu) {
  try {
    return config::read_gpu(gpu);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in("--gpu") : error;
  }
}

void check_substitutes(const std::vector<GpuSubstitute>& gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    gpu_of_option(gpus[i].gpu);
    for (std::size_t j = 0; j < i; ++j) {
      if (lower_case(gpus[i].name) != lower_case(gpus[j].name)) continue;
      throw Error(gpus[i].name.empty() ? "two --gpu stand for all GPUs"
                                       : fmt::format("two --gpu stand for '{}'", gpus[i].name),
                  "drop one, or write --gpu NAME=GPU with another name");
    }
  }
}

config::Gpu gpu_of(const calibrate::PointGroup& group) {
  try {
    return config::read_gpu(group.gpu);
  } catch (const Error& error) {
    throw calibrate::at_point(error, group.points.front());
  }
}

LoadedKernel kernel_of(const calibrate::PointGroup& group) {
  try {
    return load_kernel(group.job, group.overrides);
  } catch (const Error& error) {
    throw calibrate::at_point(error, group.points.front());
  }
}

calibrate::Workload workload_of(const calibrate::PointGroup& group) {
  LoadedKernel loaded = kernel_of(group);
  return {group, std::move(loaded.launch), std::move(loaded.program)};
}

/// A limit that nothing can exceed would pass without a word.
void check_limits(const ValidationLimits& limits, bool has_hits, bool has_speedups) {
  if (!has_hits && (limits.mean_points || limits.largest_points))
    throw Error(fmt::format("{} has nothing to judge: no point has an l2_hit_pct",
                            limits.mean_points ? "--max-mean" : "--max-error"),
                "leave it out, or fill in the column");
  if (!has_speedups && limits.speedup_error_pct)
    throw Error("--max-speedup-error has nothing to judge: no permutation has a speedup",
                "leave it out, or fill in the column speedup, or time_us of the baseline as well");
}

/// Calls work(i, threads) for every i, some at a time: replays of a GPU with one die use one
/// thread. The first error, by i, is thrown at the end.
void for_each_at_once(std::size_t count, int threads,
                      const std::function<void(std::size_t, int)>& work) {
  const int all = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  const int at_once = std::clamp(std::min(all, static_cast<int>(count)), 1, kMostAtOnce);
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i, std::max(1, all / at_once));
      } catch (...) {
        errors[i] = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < at_once; ++i) others.emplace_back(take);
    take();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// The points that a GPU is fitted to.
std::vector<MeasuredPoint> points_of(const CalibrationRequest& request, const config::Gpu& gpu) {
  std::vector<MeasuredPoint> points = read_tables(request.tables);
  const std::string& first = points.front().gpu;
  const bool one_gpu = std::all_of(points.begin(), points.end(),
                                   [&](const MeasuredPoint& point) { return is_of(point, first); });
  std::string name = request.points_of.empty() ? request.gpu : request.points_of;
  const auto count = [&] {
    return std::count_if(points.begin(), points.end(),
                         [&](const MeasuredPoint& point) { return is_of(point, name); });
  };
  const bool is_known =
      !request.points_of.empty() || gpu.path == fmt::format("gpus/{}.toml", gpu.name);
  const bool is_usual = gpu.modes.empty() || gpu.mode == gpu.modes.front();
  if (count() == 0 && request.points_of.empty() && !is_usual)
    throw Error(fmt::format("no point of the tables is of '{}'", name),
                fmt::format("write --gpu {}={} if its points were measured in mode {}", gpu.name,
                            request.gpu, gpu.mode));
  if (count() == 0 && request.points_of.empty()) name = gpu.name;
  if (count() == 0 && !is_known && one_gpu) name = first;
  if (count() == 0)
    throw Error(fmt::format("no point of the tables is of '{}'", name),
                "write --gpu NAME=GPU with a NAME from the column gpu");
  std::erase_if(points, [&](const MeasuredPoint& point) { return !is_of(point, name); });
  for (MeasuredPoint& point : points) point.gpu = request.gpu;
  return points;
}

/// The new file's kernel: by name, or the only one where that name is gone.
const kernel::cxx::CxxFunction& new_kernel(const kernel::cxx::CxxSource& source,
                                           const std::string& asked, const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const auto& kernels = source.kernels();
  const bool is_there = std::any_of(kernels.begin(), kernels.end(), [&](const auto& one) {
    return one.scope + one.name == original;
  });
  try {
    return source.kernel(is_there ? original : "");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(source.path());
  }
}

/// "blas::scale" of the original's "blas::scale<float>" with its arguments for the new kernel.
std::string with_arguments(const kernel::cxx::CxxFunction& function, const std::string& asked) {
  const std::string name = function.scope + function.name;
  const std::size_t arguments = asked.find('<');
  const bool takes = !function.template_parameters.empty() && arguments != std::string::npos;
  return takes ? name + asked.substr(arguments) : name;
}

PatchAudit audit_cxx_patch(const PatchRequest& request, const kernel::cxx::CxxSource& source_before,
                           const kernel::cxx::CxxSource& source_after) {
  namespace cxx = kernel::cxx;
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  const cxx::CxxFunction& function = source_before.kernel(job.function);
  job.function = with_arguments(function, job.function);
  audit::CxxPatchSide before{request.before, {&source_before, &function, {}}, {}, {}, {}};
  before.launch = cxx::launch_of(source_before, job).launch;
  before.program = cxx::compile(source_before, before.launch);

  const std::string original = function.scope + function.name;
  const cxx::CxxFunction& changed = new_kernel(source_after, request.after_function, original);
  audit::CxxPatchSide after{request.after, {&source_after, &changed, {}}, before.launch, {}, {}};
  audit::LaunchGiven given;
  given.grid = given.new_grid = before.launch.grid;
  given.after_grid = request.after_grid;
  try {
    config::Job new_job = request.after_job_path.empty()
                              ? job
                              : config::read_job(request.after_job_path, request.overrides);
    new_job.kernel_path = request.after;
    new_job.function = with_arguments(
        changed, request.after_function.empty() ? job.function : request.after_function);
    after.launch = cxx::launch_of(source_after, new_job).launch;
    given.new_grid = after.launch.grid;
    if (!request.after_job_path.empty() && !given.after_grid) given.after_grid = after.launch.grid;
  } catch (const Error& error) {
    after.reason = error.message();
  }
  for (const config::Argument& argument : before.launch.arguments)
    if (argument.is_constexpr) before.code.numbers.insert(argument.name);
  for (const config::Argument& argument : after.launch.arguments)
    if (argument.is_constexpr) after.code.numbers.insert(argument.name);
  const audit::LaunchJudgement launch = audit::judge_cxx_launch(before.code, after.code, given);
  after.launch.grid = launch.after_grid;
  if (after.reason.empty()) {
    try {
      after.program = cxx::compile(source_after, after.launch);
    } catch (const Error& error) {
      after.reason = error.position().line > 0
                         ? fmt::format("line {}: {}", error.position().line, error.message())
                         : error.message();
    }
  }
  return audit::audit_cxx(before, after, launch);
}

/// The new file's kernel: by name, or the only one where that name is gone.
const kernel::triton::Node& new_kernel(const kernel::triton::TritonSource& source,
                                       const std::string& asked, const std::string& original) {
  if (!asked.empty()) return source.kernel(asked);
  const kernel::triton::Module& module = source.main();
  if (module.functions.count(original) > 0) return source.kernel(original);
  try {
    return source.kernel("");
  } catch (const Error& error) {
    throw Error(fmt::format("there is no kernel '{}', and not one that could be meant: {}",
                            original, error.message()),
                "name the new kernel with --after-function NAME")
        .in(module.path);
  }
}

}  // namespace

kernel::KernelProgram compile_kernel(const std::string& path, const std::string& text,
                                     const config::Launch& launch) {
  return kernel::Source::open(path, text)->compile(launch);
}

/// The two files, read once: reading a Triton kernel takes longer than tracing a small launch.
struct PatchSources {
  struct Cxx {
    explicit Cxx(const PatchRequest& request) : before(request.before), after(request.after) {}
    kernel::cxx::CxxSource before;
    kernel::cxx::CxxSource after;
  };
  struct Triton {
    explicit Triton(const PatchRequest& request) : before(request.before), after(request.after) {}
    kernel::triton::TritonSource before;
    kernel::triton::TritonSource after;
  };
  std::optional<Cxx> cxx;
  std::optional<Triton> triton;
};

std::shared_ptr<PatchSources> read_sources(const PatchRequest& request) {
  const bool is_cxx = kernel::cxx::is_cxx_path(request.before);
  if (is_cxx != kernel::cxx::is_cxx_path(request.after))
    throw Error("the two kernels are of different languages",
                "give two Triton kernels, or two C++ kernels");
  auto sources = std::make_shared<PatchSources>();
  if (is_cxx)
    sources->cxx.emplace(request);
  else
    sources->triton.emplace(request);
  return sources;
}

Grid original_grid(const PatchRequest& request, PatchSources& sources) {
  config::Job job = config::read_job(request.job_path, request.overrides);
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  return sources.cxx ? kernel::cxx::launch_of(sources.cxx->before, job).launch.grid
                     : kernel::triton::launch_of(sources.triton->before, job).launch.grid;
}

PatchAudit audit_launch(const PatchRequest& request) {
  return audit_launch(request, *read_sources(request));
}

PatchAudit audit_launch(const PatchRequest& request, PatchSources& sources) {
  const std::optional<PatchPair> pair = patch_pair(request, sources);
  if (!pair) return audit_cxx_patch(request, sources.cxx->before, sources.cxx->after);
  return audit::audit_patch(pair->before, pair->after, pair->launch);
}

std::optional<PatchPair> patch_pair(const PatchRequest& request, PatchSources& sources) {
  if (sources.cxx) return std::nullopt;
  namespace triton = kernel::triton;
  config::Job job = config::read_job(request.job_path, request.overrides);
  triton::TritonSource& source_before = sources.triton->before;
  triton::TritonSource& source_after = sources.triton->after;
  job.kernel_path = request.before;
  if (!request.function.empty()) job.function = request.function;
  const triton::Node& function = source_before.kernel(job.function);
  job.function = function.text;
  kernel::NamedLaunch known = triton::launch_of(source_before, job);
  audit::PatchSide before{request.before, &source_before, &function, known.launch, {}, {}};
  before.program = triton::compile(source_before, before.launch);

  const triton::Node& changed = new_kernel(source_after, request.after_function, function.text);
  audit::PatchSide after{request.after, &source_after, &changed, known.launch, {}, {}};
  audit::LaunchGiven given{before.launch.grid, before.launch.grid,    known.names,
                           known.names,        before.launch.tensors, request.after_grid};
  try {
    config::Job new_job = request.after_job_path.empty()
                              ? job
                              : config::read_job(request.after_job_path, request.overrides);
    new_job.kernel_path = request.after;
    new_job.function = changed.text;
    kernel::NamedLaunch launched = triton::launch_of(source_after, new_job);
    after.launch = std::move(launched.launch);
    given.new_names = std::move(launched.names);
    given.new_grid = after.launch.grid;
    if (!request.after_job_path.empty() && !given.after_grid) given.after_grid = after.launch.grid;
  } catch (const Error& error) {
    after.reason = error.message();
  }
  const audit::LaunchJudgement launch =
      audit::judge_launch({&source_before, &function}, {&source_after, &changed}, given);
  after.launch.kernel_path = request.after;
  after.launch.function = changed.text;
  after.launch.grid = launch.after_grid;
  if (after.reason.empty()) {
    try {
      after.program = triton::compile(source_after, after.launch);
    } catch (const Error& error) {
      after.reason = error.position().line > 0
                         ? fmt::format("line {}: {}", error.position().line, error.message())
                         : error.message();
    }
  }
  return PatchPair{std::move(before), std::move(after), launch};
}

SimResult simulate_job(const SimulationRequest& request) {
  const config::Gpu gpu = config::read_gpu(request.gpu);
  const LoadedKernel loaded = load_kernel(request.job_path, request.overrides);
  const order::Space space =
      calibrate::tile_space(loaded.launch.grid, request.tiles, request.bindings, "--tiles");
  const GridReport check =
      proof::check_grid(request.order, space, request.bindings, {gpu.compute.dies, kNoTimeLimit});
  const order::Map map = calibrate::tile_map(request.order, space, request.bindings);
  SimResult result = sim::simulate(loaded.program, loaded.launch, gpu, map, request.options);
  result.order = request.order.title();
  result.kernel = loaded.program.function;
  result.grid = loaded.launch.grid.extents();
  result.permutation = check.verdict == Verdict::proved;
  if (!result.permutation) result.notes.insert(result.notes.begin(), permutation_note(check, map));
  return result;
}

ValidationReport validate_tables(const ValidationRequest& request) {
  check_substitutes(request.gpus);
  std::vector<MeasuredPoint> points = read_tables(request.tables);
  substitute(points, request.gpus);
  const auto has = [&](auto field) {
    return std::any_of(points.begin(), points.end(),
                       [&](const MeasuredPoint& point) { return (point.*field).has_value(); });
  };
  check_limits(request.limits, has(&MeasuredPoint::l2_hit_pct),
               has(&MeasuredPoint::speedup) || has(&MeasuredPoint::time_us));
  ValidationReport report;
  report.tables = request.tables;
  report.limits = request.limits;
  const std::vector<calibrate::PointGroup> groups = calibrate::group_points(points);
  report.groups.resize(groups.size());
  for_each_at_once(groups.size(), request.options.threads, [&](std::size_t i, int threads) {
    sim::SimOptions options = request.options;
    options.threads = threads;
    const config::Gpu gpu = gpu_of(groups[i]);
    report.groups[i] = calibrate::compare(workload_of(groups[i]), gpu, options, request.before);
  });
  name_groups(report.groups);
  report.scores = calibrate::score_gpus(report.groups);
  check_limits(request.limits, true,
               std::any_of(report.scores.begin(), report.scores.end(),
                           [](const GpuScore& score) { return score.speedup.count > 0; }));
  report.breaches = calibrate::breaches_of(report.scores, request.limits);
  return report;
}

CalibrationReport calibrate_tables(const CalibrationRequest& request) {
  const config::Gpu gpu = gpu_of_option(request.gpu);
  const auto parameters = calibrate::parameters_of(gpu, request.parameters);
  const auto asked_to_stop = [&] { return request.options.stop && request.options.stop(); };
  CalibrationReport stopped;
  stopped.gpu = gpu.name;
  stopped.gpu_title = gpu.title;
  stopped.mode = gpu.mode;
  stopped.tables = request.tables;
  stopped.interrupted = true;
  std::vector<calibrate::Workload> workloads;
  for (const calibrate::PointGroup& group : calibrate::group_points(points_of(request, gpu))) {
    try {
      workloads.push_back(workload_of(group));
    } catch (const Error&) {
      if (!asked_to_stop()) throw;  // else Ctrl-C has ended a Python that was reading a kernel
    }
    if (asked_to_stop()) return stopped;
  }
  CalibrationReport report = calibrate::calibrate_gpu(workloads, gpu, parameters, request.options);
  report.tables = request.tables;
  return report;
}

}  // namespace heddle
