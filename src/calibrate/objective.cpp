#include "calibrate/objective.h"

#include <algorithm>
#include <cmath>

#include "config/gpu_write.h"
#include "support/error.h"
#include "support/lists.h"

namespace heddle::calibrate {
namespace {

/// The mean of squares, as they come.
class MeanSquare {
 public:
  void add(double value) {
    total_ += value * value;
    ++count_;
  }
  std::optional<double> mean() const {
    if (count_ == 0) return std::nullopt;
    return total_ / count_;
  }

 private:
  double total_ = 0;
  int count_ = 0;
};

}  // namespace

Objective::Objective(const std::vector<Workload>& workloads, const config::Gpu& gpu,
                     const std::vector<Parameter>& parameters, const sim::SimOptions& options,
                     BeforeReplay before)
    : workloads_(workloads),
      gpu_(gpu),
      parameters_(parameters),
      options_(options),
      before_(std::move(before)) {
  for (const Workload& workload : workloads_) {
    const std::string& job = workload.group().job;
    if (!is_one_of(job, kernels_)) kernels_.push_back(job);
  }
}

std::optional<config::Gpu> Objective::gpu_of(const Setting& setting) const {
  config::Gpu gpu = gpu_;
  try {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (setting[i] == 0) continue;
      config::set_gpu_value_text(gpu, *config::find_gpu_key(parameters_[i].key),
                                 parameters_[i].values[setting[i]]);
    }
    config::check_gpu(gpu);
  } catch (const Error&) {
    return std::nullopt;
  }
  return gpu;
}

std::optional<KernelError> Objective::error_of(const Setting& setting, std::size_t kernel) {
  const std::pair<Setting, std::size_t> place(setting, kernel);
  if (const auto found = known_.find(place); found != known_.end()) return found->second;
  const std::optional<config::Gpu> gpu = gpu_of(setting);
  if (!gpu) return known_[place] = std::nullopt;
  KernelError error;
  MeanSquare hits;
  MeanSquare speeds;
  for (const Workload& workload : workloads_) {
    if (workload.group().job != kernels_[kernel]) continue;
    const ComparedGroup group = compare(workload, *gpu, options_, before_);
    for (const ComparedPoint& point : group.points) {
      if (const auto points = point.l2_error()) hits.add(*points / kHitScale);
      if (const auto points = point.last_level_error()) hits.add(*points / kHitScale);
      if (point.permutation && point.measured_speedup)
        speeds.add(std::log(point.predicted.speedup / *point.measured_speedup) / kSpeedScale);
    }
  }
  error.hit = hits.mean();
  error.speed = speeds.mean();
  return known_[place] = error;
}

std::optional<double> Objective::loss_of(const Setting& setting,
                                         const std::vector<std::size_t>& kernels) {
  double hit = 0;
  double speed = 0;
  int with_hit = 0;
  int with_speed = 0;
  for (const std::size_t kernel : kernels) {
    const std::optional<KernelError> error = error_of(setting, kernel);
    if (!error) return std::nullopt;
    if (error->hit) {
      hit += *error->hit;
      ++with_hit;
    }
    if (error->speed) {
      speed += *error->speed;
      ++with_speed;
    }
  }
  const auto changed = std::ranges::count_if(setting, [](std::size_t place) { return place != 0; });
  return (with_hit > 0 ? hit / with_hit : 0) + (with_speed > 0 ? speed / with_speed : 0) +
         kChangeCost * static_cast<double>(changed);
}

}  // namespace heddle::calibrate
