#include "calibrate/fit.h"

#include <algorithm>

#include "config/random.h"

namespace heddle::calibrate {
namespace {

constexpr double kLeastGain = 1e-9;
constexpr int kIdleRestarts = 3;
constexpr int kKicked = 2;  ///< parameters that a restart moves

struct BudgetSpent {};

class Search {
 public:
  Search(Objective& objective, const std::vector<std::size_t>& kernels, const Forbidden& forbidden,
         const FitOptions& options)
      : objective_(objective),
        kernels_(kernels),
        forbidden_(forbidden),
        options_(options),
        random_(options.seed) {
    for (std::size_t i = 0; i < objective.parameters().size(); ++i) {
      for (std::size_t value = 1; value < objective.parameters()[i].values.size(); ++value) {
        if (forbidden_.contains({i, value})) continue;
        free_.push_back(i);
        break;
      }
    }
    result_.best.assign(objective.parameters().size(), 0);
  }

  FitResult run() {
    try {
      search();
    } catch (const BudgetSpent&) {
    } catch (const Interrupted&) {
      result_.interrupted = true;
    }
    result_.evaluations = static_cast<int>(seen_.size());
    return std::move(result_);
  }

 private:
  void search() {
    const std::optional<double> start = loss_of(result_.best);
    result_.loss = *start;  // the file's own values can be built
    descend(result_.best, result_.loss);
    for (int idle = 0; idle < kIdleRestarts && !free_.empty(); ++idle) {
      const double before = result_.loss;
      Setting setting = kicked(result_.best);
      if (const std::optional<double> loss = loss_of(setting)) descend(setting, *loss);
      if (result_.loss < before - kLeastGain) idle = -1;
    }
  }

  std::optional<double> loss_of(const Setting& setting) {
    if (!seen_.contains(setting) && static_cast<int>(seen_.size()) >= options_.evaluations)
      throw BudgetSpent();
    const std::optional<double> loss = objective_.loss_of(setting, kernels_);
    seen_.insert(setting);
    if (loss && seen_.size() > 1 && *loss < result_.loss - kLeastGain) {
      result_.loss = *loss;
      result_.best = setting;
    }
    return loss;
  }

  /// Sweeps until one of them changes nothing.
  void descend(Setting setting, double loss) {
    for (bool better = true; better;) {
      better = false;
      for (const std::size_t parameter : shuffled()) better |= improve(setting, loss, parameter);
    }
  }

  /// Moves one parameter of the setting to where the loss is less; false if it stays.
  bool improve(Setting& setting, double& loss, std::size_t parameter) {
    const std::size_t start = setting[parameter];
    const std::vector<std::size_t>& order = objective_.parameters()[parameter].order;
    if (order.empty()) {
      for (std::size_t value = 0; value < objective_.parameters()[parameter].values.size(); ++value)
        try_value(setting, loss, parameter, value);
      return setting[parameter] != start;
    }
    for (const int step : {1, -1}) {
      auto place = std::ranges::find(order, setting[parameter]) - order.begin();
      for (place += step; place >= 0 && place < static_cast<std::ptrdiff_t>(order.size());
           place += step) {
        if (!try_value(setting, loss, parameter, order[static_cast<std::size_t>(place)])) break;
      }
    }
    return setting[parameter] != start;
  }

  bool try_value(Setting& setting, double& loss, std::size_t parameter, std::size_t value) {
    if (setting[parameter] == value || forbidden_.contains({parameter, value})) return false;
    Setting other = setting;
    other[parameter] = value;
    const std::optional<double> its_loss = loss_of(other);
    if (!its_loss || *its_loss >= loss - kLeastGain) return false;
    setting = std::move(other);
    loss = *its_loss;
    return true;
  }

  std::vector<std::size_t> shuffled() {
    std::vector<std::size_t> order = free_;
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(i, draws_++))]);
    return order;
  }

  Setting kicked(Setting setting) {
    for (int i = 0; i < kKicked; ++i) {
      const std::size_t parameter = free_[random_.below(free_.size(), draws_++)];
      const std::size_t values = objective_.parameters()[parameter].values.size();
      const auto value = static_cast<std::size_t>(random_.below(values, draws_++));
      if (!forbidden_.contains({parameter, value})) setting[parameter] = value;
    }
    return setting;
  }

  Objective& objective_;
  const std::vector<std::size_t>& kernels_;
  const Forbidden& forbidden_;
  const FitOptions& options_;
  config::RandomStream random_;
  std::uint64_t draws_ = 0;
  std::vector<std::size_t> free_;
  std::set<Setting> seen_;
  FitResult result_;
};

}  // namespace

FitResult fit(Objective& objective, const std::vector<std::size_t>& kernels,
              const Forbidden& forbidden, const FitOptions& options) {
  return Search(objective, kernels, forbidden, options).run();
}

}  // namespace heddle::calibrate
