#include "calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibrate/score.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

constexpr const char* kSource = "calibrated";

std::string kernel_name(const std::string& job) {
  ComparedGroup group;
  group.job = job;
  return group.label();
}

class Calibration {
 public:
  Calibration(const std::vector<Workload>& workloads, const config::Gpu& gpu,
              const std::vector<Parameter>& parameters, const CalibrationOptions& options)
      : workloads_(workloads),
        gpu_(gpu),
        options_(options),
        objective_(workloads, gpu, parameters, options.search,
                   [this](const MeasuredPoint& point) { look(point); }),
        refused_(parameters.size(), false),
        all_(objective_.kernels().size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  CalibrationReport run() {
    start_report();
    try {
      score(gpu_, report_.before);
      fit_all();
      if (options_.leave_out && all_.size() > 1) leave_out();
    } catch (const Interrupted&) {
      report_.interrupted = true;
    }
    return std::move(report_);
  }

 private:
  void look(const MeasuredPoint& point) const {
    if (options_.stop && options_.stop()) throw Interrupted();
    if (options_.progress) options_.progress(fmt::format("{}: {}", stage_, point.place()));
  }

  void start_report() {
    report_.gpu = gpu_.name;
    report_.gpu_title = gpu_.title;
    report_.mode = gpu_.mode;
    for (const std::string& job : objective_.kernels()) report_.kernels.push_back(kernel_name(job));
    for (const Workload& workload : workloads_)
      report_.points += static_cast<int>(workload.group().points.size());
    for (const Parameter& parameter : objective_.parameters()) {
      FittedParameter fitted;
      fitted.key = parameter.key;
      fitted.why = parameter.why;
      fitted.values = static_cast<int>(parameter.values.size());
      fitted.before = fitted.after = parameter.values.front();
      report_.parameters.push_back(std::move(fitted));
    }
    best_.assign(objective_.parameters().size(), 0);
  }

  /// Predicts every point in full.
  void score(const config::Gpu& gpu, GpuScore& score) {
    stage_ = "predicting";
    std::vector<ComparedGroup> groups;
    for (const Workload& workload : workloads_)
      groups.push_back(
          compare(workload, gpu, options_.full, [this](const MeasuredPoint& p) { look(p); }));
    score = score_gpus(groups).front();
  }

  void fit_all() {
    stage_ = "fitting";
    report_.loss_before = report_.loss_after = *objective_.loss_of(best_, all_);
    while (true) {
      const FitResult found = fit(objective_, all_, refused_, options_.fit);
      report_.evaluations += found.evaluations;
      best_ = found.best;
      report_.loss_after = found.loss;
      note_changes({});
      if (found.interrupted) throw Interrupted();
      const std::vector<std::vector<double>> gains = gains_of(best_);
      const std::optional<std::size_t> alone = helps_one_kernel(gains);
      if (!alone) {
        note_changes(gains);
        break;
      }
      refused_[*alone] = true;
      report_.parameters[*alone].refused = true;
    }
    GpuScore after;
    score(*objective_.gpu_of(best_), after);
    report_.after = std::move(after);
  }

  /// For each changed parameter and kernel: the loss if it alone went back to the file's value.
  std::vector<std::vector<double>> gains_of(const Setting& setting) {
    std::vector<std::vector<double>> gains(setting.size());
    for (std::size_t i = 0; i < setting.size(); ++i) {
      if (setting[i] == 0) continue;
      Setting without = setting;
      without[i] = 0;
      for (const std::size_t kernel : all_) {
        const std::optional<KernelError> other = objective_.error_of(without, kernel);
        const std::optional<KernelError> its = objective_.error_of(setting, kernel);
        gains[i].push_back(other && its ? other->loss() - its->loss() : 0);
      }
    }
    return gains;
  }

  /// The changed parameter with the least to give to all kernels but the one it helps most.
  std::optional<std::size_t> helps_one_kernel(const std::vector<std::vector<double>>& gains) const {
    if (all_.size() < 2) return std::nullopt;
    std::optional<std::size_t> worst;
    double least = kSharedGain;
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (gains[i].empty()) continue;
      const double total = std::accumulate(gains[i].begin(), gains[i].end(), 0.0);
      const double shared = total - *std::max_element(gains[i].begin(), gains[i].end());
      if (shared >= least) continue;
      least = shared;
      worst = i;
    }
    return worst;
  }

  void note_changes(const std::vector<std::vector<double>>& gains) {
    for (std::size_t i = 0; i < best_.size(); ++i) {
      FittedParameter& parameter = report_.parameters[i];
      parameter.after = objective_.parameters()[i].values[best_[i]];
      if (i < gains.size()) parameter.gains = gains[i];
    }
  }

  void leave_out() {
    const Setting file(best_.size(), 0);
    for (const std::size_t kernel : all_) {
      stage_ = fmt::format("leaving out {}", report_.kernels[kernel]);
      std::vector<std::size_t> others = all_;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(kernel));
      const FitResult found = fit(objective_, others, refused_, options_.fit);
      if (found.interrupted) throw Interrupted();
      const KernelError before = *objective_.error_of(file, kernel);
      if (before.hit_points == 0) continue;
      const std::optional<KernelError> after = objective_.error_of(found.best, kernel);
      LeftOutKernel left;
      left.kernel = report_.kernels[kernel];
      left.points = before.hit_points;
      left.file_error = before.mean_points();
      left.fitted_error = objective_.error_of(best_, kernel)->mean_points();
      left.left_out_error = after ? after->mean_points() : before.mean_points();
      report_.left_out.push_back(std::move(left));
    }
  }

  const std::vector<Workload>& workloads_;
  const config::Gpu& gpu_;
  const CalibrationOptions& options_;
  Objective objective_;
  std::vector<bool> refused_;
  std::vector<std::size_t> all_;
  Setting best_;
  std::string stage_;
  CalibrationReport report_;
};

}  // namespace

CalibrationReport calibrate_gpu(const std::vector<Workload>& workloads, const config::Gpu& gpu,
                                const std::vector<Parameter>& parameters,
                                const CalibrationOptions& options) {
  return Calibration(workloads, gpu, parameters, options).run();
}

config::TomlNode calibrated_document(config::TomlNode file, const CalibrationReport& report) {
  if (!report.changed()) return file;
  const std::string tables = fmt::format("{}", fmt::join(report.tables, ", "));
  const std::string effect =
      report.after ? fmt::format(
                         "with all changes the mean error of L2 hit rates is {:.1f} points "
                         "instead of {:.1f} ({} of {})",
                         report.after->l2.mean, report.before.l2.mean,
                         count_of(report.after->l2.count, "point"), tables)
                   : fmt::format(
                         "the search over {} was interrupted; its loss is {:.3g} instead "
                         "of {:.3g}",
                         tables, report.loss_after, report.loss_before);
  for (const FittedParameter& parameter : report.parameters) {
    if (!parameter.changed()) continue;
    const std::string why = fmt::format("was {}; {}", parameter.before, effect);
    config::change_gpu(file, report.mode, {parameter.key, parameter.after, kSource, why});
  }
  const auto kernels = static_cast<std::int64_t>(report.kernels.size());
  config::set_gpu_source(
      file, kSource,
      fmt::format("{}: fitted to {} of {} in {}", kCalibrated, count_of(report.points, "point"),
                  count_of(kernels, "kernel"), tables));
  config::set_gpu_calibrated(file, true);
  return file;
}

}  // namespace heddle::calibrate
