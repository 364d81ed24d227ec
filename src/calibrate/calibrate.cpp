#include "calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "calibrate/score.h"
#include "support/text.h"

namespace heddle::calibrate {
namespace {

constexpr const char* kSource = "calibrated";

/// What the search has found for some kernels.
struct SharedFit {
  Setting best;
  std::optional<double> loss;  ///< nothing if it was stopped before the first
  int evaluations = 0;
  bool interrupted = false;
  bool checked = true;                     ///< no change helps one kernel alone
  std::vector<std::vector<double>> gains;  ///< per parameter, per kernel; empty where none changed
  std::vector<std::pair<std::size_t, std::size_t>> refused;  ///< parameter, place of the value
};

class Calibration {
 public:
  Calibration(const std::vector<Workload>& workloads, const config::Gpu& gpu,
              const std::vector<Parameter>& parameters, const CalibrationOptions& options)
      : workloads_(workloads),
        gpu_(gpu),
        options_(options),
        objective_(workloads, gpu, parameters, options.search,
                   [this](const MeasuredPoint& point) { look(point); }),
        all_(objective_.kernels().size()) {
    std::iota(all_.begin(), all_.end(), std::size_t{0});
  }

  CalibrationReport run() {
    start_report();
    try {
      stage_ = "predicting";
      before_ = compare_all(gpu_, all_);
      report_.before = score_gpus(before_).front();
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
    report_.kernels = distinct_names(objective_.kernels());
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
    best_ = file_setting();
  }

  Setting file_setting() const { return Setting(objective_.parameters().size(), 0); }

  bool is_of(const std::string& job, const std::vector<std::size_t>& kernels) const {
    return std::ranges::any_of(
        kernels, [&](std::size_t kernel) { return objective_.kernels()[kernel] == job; });
  }

  /// Predicts every point of some kernels in full.
  std::vector<ComparedGroup> compare_all(const config::Gpu& gpu,
                                         const std::vector<std::size_t>& kernels) {
    std::vector<ComparedGroup> groups;
    for (const Workload& workload : workloads_) {
      if (is_of(workload.group().job, kernels))
        groups.push_back(
            compare(workload, gpu, options_.full, [this](const MeasuredPoint& p) { look(p); }));
    }
    return groups;
  }

  void fit_all() {
    stage_ = "fitting";
    report_.loss_before = report_.loss_after = objective_.loss_of(best_, all_);
    const SharedFit found = fit_shared(all_);
    best_ = found.best;
    report_.evaluations = found.evaluations;
    if (found.loss) report_.loss_after = found.loss;
    report_.checked = found.checked;
    for (std::size_t i = 0; i < best_.size(); ++i) {
      FittedParameter& parameter = report_.parameters[i];
      parameter.after = objective_.parameters()[i].values[best_[i]];
      if (i < found.gains.size()) parameter.gains = found.gains[i];
    }
    for (const auto& [parameter, value] : found.refused)
      report_.parameters[parameter].refused.push_back(
          objective_.parameters()[parameter].values[value]);
    if (found.interrupted) throw Interrupted();
    stage_ = "predicting";
    after_ = best_ == file_setting() ? before_ : compare_all(*objective_.gpu_of(best_), all_);
    report_.after = score_gpus(after_).front();
  }

  /// Fits to some kernels; what helps one of them alone is refused. Nothing is refused at first, so
  /// that kernels which are left out have no say.
  SharedFit fit_shared(const std::vector<std::size_t>& kernels) {
    SharedFit result;
    Forbidden forbidden;
    try {
      while (true) {
        const FitResult found = fit(objective_, kernels, forbidden, options_.fit);
        result.best = found.best;
        result.evaluations += found.evaluations;
        if (found.evaluations > 0) result.loss = found.loss;
        result.checked = kernels.size() < 2 || found.best == file_setting();
        if (found.interrupted) throw Interrupted();
        std::vector<std::vector<double>> gains = gains_of(found.best, kernels);
        const std::optional<std::size_t> alone = helps_one_kernel(gains);
        if (!alone) {
          result.gains = std::move(gains);
          result.checked = true;
          break;
        }
        refuse(*alone, found.best[*alone], forbidden, result);
      }
    } catch (const Interrupted&) {
      result.interrupted = true;
    }
    return result;
  }

  void refuse(std::size_t parameter, std::size_t value, Forbidden& forbidden,
              SharedFit& result) const {
    result.refused.emplace_back(parameter, value);
    forbidden.insert({parameter, value});
    const auto times = std::ranges::count_if(
        result.refused, [&](const auto& pair) { return pair.first == parameter; });
    if (times < kMostRefused) return;
    for (std::size_t i = 1; i < objective_.parameters()[parameter].values.size(); ++i)
      forbidden.insert({parameter, i});
  }

  /// For each changed parameter and kernel: the loss if it alone went back to the file's value.
  std::vector<std::vector<double>> gains_of(const Setting& setting,
                                            const std::vector<std::size_t>& kernels) {
    std::vector<std::vector<double>> gains(setting.size());
    for (std::size_t i = 0; i < setting.size(); ++i) {
      if (setting[i] == 0) continue;
      Setting without = setting;
      without[i] = 0;
      for (const std::size_t kernel : kernels) {
        const std::optional<KernelError> other = objective_.error_of(without, kernel);
        const std::optional<KernelError> its = objective_.error_of(setting, kernel);
        gains[i].push_back(other && its ? other->loss() - its->loss() : 0);
      }
    }
    return gains;
  }

  /// The changed parameter with the least to give to all kernels but the one it helps most.
  static std::optional<std::size_t> helps_one_kernel(
      const std::vector<std::vector<double>>& gains) {
    std::optional<std::size_t> worst;
    double least = kSharedGain;
    for (std::size_t i = 0; i < gains.size(); ++i) {
      if (gains[i].size() < 2) continue;
      const double total = std::accumulate(gains[i].begin(), gains[i].end(), 0.0);
      const double shared = total - *std::ranges::max_element(gains[i]);
      if (shared >= least) continue;
      least = shared;
      worst = i;
    }
    return worst;
  }

  /// Of one kernel; groups hold those of others as well.
  GpuScore score_of(const std::vector<ComparedGroup>& groups, std::size_t kernel) const {
    std::vector<ComparedGroup> its;
    for (const ComparedGroup& group : groups) {
      if (group.job == objective_.kernels()[kernel]) its.push_back(group);
    }
    return score_gpus(its).front();
  }

  void leave_out() {
    for (const std::size_t kernel : all_) {
      const GpuScore by_file = score_of(before_, kernel);
      if (by_file.l2.count == 0 && by_file.speedup.count == 0) continue;
      stage_ = fmt::format("leaving out {}", report_.kernels[kernel]);
      std::vector<std::size_t> others = all_;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(kernel));
      const SharedFit found = fit_shared(others);
      if (found.interrupted) throw Interrupted();
      const GpuScore fitted = score_of(after_, kernel);
      const GpuScore by_others =
          found.best == best_
              ? fitted
              : score_of(compare_all(*objective_.gpu_of(found.best), {kernel}), kernel);
      LeftOutKernel left;
      left.kernel = report_.kernels[kernel];
      left.l2 = {by_file.l2.count, by_file.l2.mean, fitted.l2.mean, by_others.l2.mean};
      left.speedup = {by_file.speedup.count, by_file.speedup.mean, fitted.speedup.mean,
                      by_others.speedup.mean};
      report_.left_out.push_back(std::move(left));
    }
  }

  const std::vector<Workload>& workloads_;
  const config::Gpu& gpu_;
  const CalibrationOptions& options_;
  Objective objective_;
  std::vector<std::size_t> all_;
  Setting best_;
  std::vector<ComparedGroup> before_;  ///< every point, by the file's numbers
  std::vector<ComparedGroup> after_;   ///< by the fitted ones
  std::string stage_;
  CalibrationReport report_;
};

/// What the changes do, for the file: of the figures that were measured.
std::string effect_text(const CalibrationReport& report) {
  const std::string tables = fmt::format("{}", fmt::join(report.tables, ", "));
  std::string text;
  if (report.after) {
    std::vector<std::string> parts;
    const auto add = [&](const char* what, const char* unit, ErrorScore PointScore::*errors) {
      const ErrorScore& after = (*report.after).*errors;
      if (after.count == 0) return;
      parts.push_back(fmt::format("mean error of {} is {:.1f} {} instead of {:.1f} ({})", what,
                                  after.mean, unit, (report.before.*errors).mean,
                                  count_of(after.count, "point")));
    };
    add("L2 hit rates", "points", &PointScore::l2);
    add("last-level hit rates", "points", &PointScore::last_level);
    add("speedups", "%", &PointScore::speedup);
    if (!parts.empty())
      text = fmt::format("with all changes the {}, of {}", fmt::join(parts, ", the "), tables);
  }
  if (text.empty()) {
    text = fmt::format("the search over {} {}", tables,
                       report.interrupted ? "was interrupted" : "had little to go by");
    if (report.loss_before && report.loss_after)
      text += fmt::format("; its loss is {:.3g} instead of {:.3g}", *report.loss_after,
                          *report.loss_before);
  }
  if (!report.checked) text += "; not checked: it may help one kernel alone";
  return text;
}

/// "calibrated", or the first of "calibrated_2" and so on that the file does not have.
std::string free_source(const config::TomlNode& file) {
  const config::TomlNode* sources = file.find("sources");
  std::string name = kSource;
  for (int i = 2; sources != nullptr && sources->find(name) != nullptr; ++i)
    name = fmt::format("{}_{}", kSource, i);
  return name;
}

}  // namespace

CalibrationReport calibrate_gpu(const std::vector<Workload>& workloads, const config::Gpu& gpu,
                                const std::vector<Parameter>& parameters,
                                const CalibrationOptions& options) {
  return Calibration(workloads, gpu, parameters, options).run();
}

config::TomlNode calibrated_document(config::TomlNode file, const CalibrationReport& report) {
  if (!report.changed()) return file;
  const std::string effect = effect_text(report);
  const std::string source = free_source(file);
  for (const FittedParameter& parameter : report.parameters) {
    if (!parameter.changed()) continue;
    const std::string why = fmt::format("was {}; {}", parameter.before, effect);
    config::change_gpu(file, report.mode, {parameter.key, parameter.after, source, why});
  }
  const auto kernels = static_cast<std::int64_t>(report.kernels.size());
  config::set_gpu_source(
      file, source,
      fmt::format("{}: fitted to {} of {} in {}", kCalibrated, count_of(report.points, "point"),
                  count_of(kernels, "kernel"), fmt::join(report.tables, ", ")));
  config::set_gpu_calibrated(file, report.checked);
  return file;
}

}  // namespace heddle::calibrate
