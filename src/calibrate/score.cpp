#include "calibrate/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "support/error.h"

namespace heddle::calibrate {
namespace {

constexpr std::size_t kLeastRanked = 3;

/// Ranks from 1; equal figures share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& figures) {
  std::vector<double> ranks;
  for (const double figure : figures) {
    const auto below = std::ranges::count_if(figures, [&](double other) { return other < figure; });
    const auto equal = std::ranges::count(figures, figure);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal + 1) / 2);
  }
  return ranks;
}

double mean_of(const std::vector<double>& figures) {
  return std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size());
}

/// Adds errors one by one; the mean is known at the end.
class ErrorSum {
 public:
  void add(std::optional<double> error, PointPlace place) {
    if (!error) return;
    const double size = std::abs(*error);
    if (score_.count == 0 || size > score_.largest) {
      score_.largest = size;
      score_.worst = place;
    }
    ++score_.count;
    total_ += size;
  }

  ErrorScore score() const {
    ErrorScore result = score_;
    if (result.count > 0) result.mean = total_ / result.count;
    return result;
  }

 private:
  ErrorScore score_;
  double total_ = 0;
};

/// The mean of what some groups have.
class GroupSum {
 public:
  void add(std::optional<double> figure) {
    if (!figure) return;
    ++count_;
    total_ += *figure;
  }
  GroupMean mean() const { return {count_, count_ > 0 ? total_ / count_ : 0}; }

 private:
  int count_ = 0;
  double total_ = 0;
};

void count_effects(const ComparedPoint& point, PointPlace place, PointScore& score) {
  if (!point.permutation) return;
  score.clear_effects += point.clear_effect() ? 1 : 0;
  if (point.wrong_sign()) score.wrong_signs.push_back(place);
  score.gains += point.measured_speedup && point.predicted.speedup > 1 + kHarm ? 1 : 0;
  if (point.harmful()) score.harmful.push_back(place);
}

/// Of the groups with these numbers.
PointScore score_points(const std::vector<ComparedGroup>& groups,
                        const std::vector<std::size_t>& numbers) {
  PointScore score;
  score.groups = numbers;
  ErrorSum l2;
  ErrorSum last_level;
  ErrorSum dram_read;
  ErrorSum small_dram_read;
  ErrorSum speedup;
  ErrorSum speedup_others;
  ErrorSum time;
  for (const std::size_t g : numbers) {
    for (std::size_t p = 0; p < groups[g].points.size(); ++p) {
      const ComparedPoint& point = groups[g].points[p];
      const PointPlace place{g, p};
      ++score.points;
      l2.add(point.l2_error(), place);
      last_level.add(point.last_level_error(), place);
      dram_read.add(point.dram_read_error_pct(), place);
      small_dram_read.add(point.small_dram_read_error_mb(), place);
      (point.permutation ? speedup : speedup_others).add(point.speedup_error_pct(), place);
      time.add(point.time_error_pct(), place);
      count_effects(point, place, score);
    }
  }
  score.l2 = l2.score();
  score.last_level = last_level.score();
  score.dram_read = dram_read.score();
  score.small_dram_read = small_dram_read.score();
  score.speedup = speedup.score();
  score.speedup_others = speedup_others.score();
  score.time = time.score();
  const auto mean = [&](std::optional<double> ComparedGroup::*figure) {
    GroupSum sum;
    for (const std::size_t g : numbers) sum.add(groups[g].*figure);
    return sum.mean();
  };
  score.l2_rank = mean(&ComparedGroup::l2_rank);
  score.time_rank = mean(&ComparedGroup::time_rank);
  score.regret_pct = mean(&ComparedGroup::regret_pct);
  score.baseline_regret_pct = mean(&ComparedGroup::baseline_regret_pct);
  return score;
}

/// The numbers of the groups, by the text that `key` makes of them, in their order.
template <class Key>
std::vector<std::pair<std::string, std::vector<std::size_t>>> split(
    const std::vector<ComparedGroup>& groups, const std::vector<std::size_t>& numbers, Key key) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> parts;
  for (const std::size_t g : numbers) {
    const std::string name = key(groups[g]);
    auto part = std::ranges::find_if(parts, [&](const auto& known) { return known.first == name; });
    if (part == parts.end()) part = parts.insert(part, {name, {}});
    part->second.push_back(g);
  }
  return parts;
}

/// Permutations whose times can be compared, with how fast they were measured to be.
struct Race {
  std::vector<std::size_t> points;
  std::vector<double> measured;
  std::vector<double> predicted;

  std::size_t size() const { return points.size(); }
  std::size_t fastest(const std::vector<double>& speeds) const {
    return static_cast<std::size_t>(std::ranges::max_element(speeds) - speeds.begin());
  }
};

Race race_of(const ComparedGroup& group) {
  Race by_speedup;
  Race by_time;
  const auto add = [](Race& race, std::size_t i, double measured, const ComparedPoint& point) {
    race.points.push_back(i);
    race.measured.push_back(measured);
    race.predicted.push_back(point.predicted.speedup);
  };
  for (std::size_t i = 0; i < group.points.size(); ++i) {
    const ComparedPoint& point = group.points[i];
    if (!point.permutation) continue;
    if (point.measured_speedup || point.baseline)
      add(by_speedup, i, point.measured_speedup.value_or(1), point);
    if (point.measured.time_us) add(by_time, i, 1 / *point.measured.time_us, point);
  }
  return by_speedup.size() >= 2 ? by_speedup : by_time;
}

void score_race(ComparedGroup& group) {
  const Race race = race_of(group);
  if (race.size() < 2) return;
  group.time_rank = rank_correlation(race.measured, race.predicted);
  const std::size_t measured = race.fastest(race.measured);
  const std::size_t predicted = race.fastest(race.predicted);
  const auto regret = [&](std::size_t i) {
    return 100 * (race.measured[measured] / race.measured[i] - 1);
  };
  group.regret_pct = regret(predicted);
  for (std::size_t i = 0; i < race.size(); ++i) {
    if (group.points[race.points[i]].baseline) group.baseline_regret_pct = regret(i);
  }
  group.fastest_measured = race.points[measured];
  group.fastest_predicted = race.points[predicted];
  if (race.predicted[measured] == race.predicted[predicted])
    group.fastest_predicted = group.fastest_measured;
  else if (race.measured[measured] == race.measured[predicted])
    group.fastest_measured = group.fastest_predicted;
}

/// A limit that nothing can exceed would pass without a word.
void check_dram_limits(const std::vector<GpuScore>& scores, const ValidationLimits& limits) {
  if (!limits.dram_mean_pct && !limits.dram_error_pct) return;
  const bool is_judged =
      std::ranges::any_of(scores, [](const GpuScore& score) { return score.dram_read.count > 0; });
  if (!is_judged)
    throw Error(fmt::format("{} has nothing to judge: no point has a dram_read_mb of {:g} or more",
                            limits.dram_mean_pct ? "--max-dram-mean" : "--max-dram-error",
                            kLeastDramReadMb),
                "leave it out, or fill in the column");
}

}  // namespace

std::optional<double> rank_correlation(const std::vector<double>& first,
                                       const std::vector<double>& second) {
  if (first.size() < kLeastRanked || first.size() != second.size()) return std::nullopt;
  const std::vector<double> a = ranks_of(first);
  const std::vector<double> b = ranks_of(second);
  const double mean = mean_of(a);  // of ranks: the same for both
  double together = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    together += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  if (of_a <= 0 || of_b <= 0) return std::nullopt;
  return together / std::sqrt(of_a * of_b);
}

void score_group(ComparedGroup& group) {
  std::vector<double> measured_l2;
  std::vector<double> predicted_l2;
  std::vector<double> measured_last;
  std::vector<double> predicted_last;
  for (const ComparedPoint& point : group.points) {
    if (point.measured.l2_hit_pct) {
      measured_l2.push_back(*point.measured.l2_hit_pct);
      predicted_l2.push_back(point.predicted.l2_hit_pct);
    }
    if (point.last_level_error()) {
      measured_last.push_back(*point.measured.last_level_hit_pct);
      predicted_last.push_back(*point.predicted.last_level_hit_pct);
    }
  }
  group.l2_rank = rank_correlation(measured_l2, predicted_l2);
  group.last_level_rank = rank_correlation(measured_last, predicted_last);
  score_race(group);
}

std::vector<GpuScore> score_gpus(const std::vector<ComparedGroup>& groups) {
  std::vector<std::size_t> all(groups.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<GpuScore> scores;
  for (const auto& [gpu, its] : split(groups, all, [](const auto& group) { return group.gpu; })) {
    GpuScore score{score_points(groups, its), gpu, {}, {}, {}};
    for (const auto& [family, part] :
         split(groups, its, [](const auto& group) { return group.family(); }))
      score.families.push_back({score_points(groups, part), family});
    scores.push_back(std::move(score));
  }
  return scores;
}

std::vector<LimitBreach> breaches_of(const std::vector<GpuScore>& scores,
                                     const ValidationLimits& limits) {
  check_dram_limits(scores, limits);
  std::vector<LimitBreach> breaches;
  for (const GpuScore& score : scores) {
    if (limits.mean_points && score.l2.mean > *limits.mean_points)
      breaches.push_back({"mean error of the L2 hit rate", "points", *limits.mean_points,
                          score.l2.mean, score.gpu, std::nullopt});
    if (limits.largest_points && score.l2.largest > *limits.largest_points)
      breaches.push_back({"largest error of the L2 hit rate", "points", *limits.largest_points,
                          score.l2.largest, score.gpu, score.l2.worst});
    if (limits.dram_mean_pct && score.dram_read.mean > *limits.dram_mean_pct)
      breaches.push_back({"mean error of DRAM reads", "%", *limits.dram_mean_pct,
                          score.dram_read.mean, score.gpu, std::nullopt});
    if (limits.dram_error_pct && score.dram_read.largest > *limits.dram_error_pct)
      breaches.push_back({"largest error of DRAM reads", "%", *limits.dram_error_pct,
                          score.dram_read.largest, score.gpu, score.dram_read.worst});
    if (limits.speedup_error_pct && score.speedup.largest > *limits.speedup_error_pct)
      breaches.push_back({"largest error of a permutation's speedup", "%",
                          *limits.speedup_error_pct, score.speedup.largest, score.gpu,
                          score.speedup.worst});
  }
  return breaches;
}

}  // namespace heddle::calibrate
