#include "calibrate/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/decisions.h"
#include "calibrate/parameters.h"
#include "calibrate/points.h"
#include "calibrate/score.h"
#include "calibrate/uncertainty.h"
#include "config/gpu.h"
#include "support/error.h"
#include "support/parallel.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

/// Kernels that are replayed at a time: each may take 1 GiB.
constexpr std::size_t kMostAtOnce = 4;

std::vector<MeasuredPoint> read_tables(const std::vector<std::string>& tables) {
  std::vector<MeasuredPoint> points;
  for (const std::string& table : tables) {
    std::vector<MeasuredPoint> more = read_points(table);
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
    const auto found = std::ranges::find_if(gpus, fits);
    if (found == gpus.end()) continue;
    used[static_cast<std::size_t>(found - gpus.begin())] = true;
    point.gpu = found->gpu;
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!used[i] && !gpus[i].name.empty())
      throw Error(fmt::format("no point of the tables has the GPU '{}'", gpus[i].name),
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
                                       : fmt::format("--gpu is given twice for '{}'", gpus[i].name),
                  "drop one, or write --gpu NAME=GPU with another name");
    }
  }
}

config::Gpu gpu_of(const PointGroup& group) {
  try {
    return config::read_gpu(group.gpu);
  } catch (const Error& error) {
    throw at_point(error, group.points.front());
  }
}

Workload workload_of(const PointGroup& group, const config::Gpu& gpu, const LoadKernel& load) {
  kernel::LoadedKernel loaded = [&] {
    try {
      return load(group.job, group.overrides, config::target_of(gpu));
    } catch (const Error& error) {
      throw at_point(error, group.points.front());
    }
  }();
  return {group, std::move(loaded)};
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

/// The points that a GPU is fitted to.
std::vector<MeasuredPoint> points_of(const CalibrationRequest& request, const config::Gpu& gpu) {
  std::vector<MeasuredPoint> points = read_tables(request.tables);
  const std::string& first = points.front().gpu;
  const bool one_gpu =
      std::ranges::all_of(points, [&](const MeasuredPoint& point) { return is_of(point, first); });
  std::string name = request.points_of.empty() ? request.gpu : request.points_of;
  const auto count = [&] {
    return std::ranges::count_if(points,
                                 [&](const MeasuredPoint& point) { return is_of(point, name); });
  };
  const bool is_known =
      !request.points_of.empty() || gpu.path == fmt::format("gpus/{}.toml", gpu.name);
  const bool is_usual = gpu.modes.empty() || gpu.mode == gpu.modes.front();
  if (count() == 0 && request.points_of.empty() && !is_usual)
    throw Error(fmt::format("no point of the tables has the GPU '{}'", name),
                fmt::format("write --gpu {}={} if its points were measured in mode {}", gpu.name,
                            request.gpu, gpu.mode));
  if (count() == 0 && request.points_of.empty()) name = gpu.name;
  if (count() == 0 && !is_known && one_gpu) name = first;
  if (count() == 0)
    throw Error(fmt::format("no point of the tables has the GPU '{}'", name),
                "write --gpu NAME=GPU with a NAME from the column gpu");
  std::erase_if(points, [&](const MeasuredPoint& point) { return !is_of(point, name); });
  for (MeasuredPoint& point : points) point.gpu = request.gpu;
  return points;
}

}  // namespace

ValidationReport validate_tables(const ValidationRequest& request, const LoadKernel& load) {
  check_substitutes(request.gpus);
  std::vector<MeasuredPoint> points = read_tables(request.tables);
  substitute(points, request.gpus);
  const auto has = [&](auto field) {
    return std::ranges::any_of(
        points, [&](const MeasuredPoint& point) { return (point.*field).has_value(); });
  };
  check_limits(request.limits, has(&MeasuredPoint::l2_hit_pct),
               has(&MeasuredPoint::speedup) || has(&MeasuredPoint::time_us));
  ValidationReport report;
  report.tables = request.tables;
  report.limits = request.limits;
  const std::vector<PointGroup> groups = group_points(points);
  report.groups.resize(groups.size());
  const int threads = thread_count(request.options.threads);
  const std::size_t at_once =
      std::min({static_cast<std::size_t>(threads), groups.size(), kMostAtOnce});
  sim::SimOptions options = request.options;
  options.threads = std::max(1, threads / std::max(1, static_cast<int>(at_once)));
  parallel_for(groups.size(), at_once, [&](std::size_t i, std::size_t) {
    const config::Gpu gpu = gpu_of(groups[i]);
    report.groups[i] = compare(workload_of(groups[i], gpu, load), gpu, options, request.before);
  });
  name_groups(report.groups);
  report.scores = score_gpus(report.groups);
  const std::vector<Residual> residuals = residuals_of(report.groups);
  add_coverage(residuals, report.groups.size(), report.scores);
  add_decisions(decide_groups(report.groups, residuals, request.risk), report.scores);
  report.intervals = learn_intervals(residuals).text();
  check_limits(request.limits, true, std::ranges::any_of(report.scores, [](const GpuScore& score) {
                 return score.speedup.count > 0;
               }));
  report.breaches = breaches_of(report.scores, request.limits);
  return report;
}

CalibrationReport calibrate_tables(const CalibrationRequest& request, const LoadKernel& load) {
  const config::Gpu gpu = gpu_of_option(request.gpu);
  const auto parameters = parameters_of(gpu, request.parameters);
  const auto asked_to_stop = [&] { return request.options.stop && request.options.stop(); };
  CalibrationReport stopped;
  stopped.gpu = gpu.name;
  stopped.gpu_title = gpu.title;
  stopped.mode = gpu.mode;
  stopped.tables = request.tables;
  stopped.interrupted = true;
  std::vector<Workload> workloads;
  for (const PointGroup& group : group_points(points_of(request, gpu))) {
    try {
      workloads.push_back(workload_of(group, gpu, load));
    } catch (const Error&) {
      if (!asked_to_stop()) throw;  // else Ctrl-C has ended a Python that was reading a kernel
    }
    if (asked_to_stop()) return stopped;
  }
  CalibrationReport report = calibrate_gpu(workloads, gpu, parameters, request.options);
  report.tables = request.tables;
  return report;
}

}  // namespace heddle::calibrate
