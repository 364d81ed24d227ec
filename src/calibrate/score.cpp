#include "calibrate/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

GpuScore score_gpu(const std::vector<ComparedGroup>& groups, const std::string& gpu) {
  GpuScore score;
  score.gpu = gpu;
  ErrorSum l2;
  ErrorSum last_level;
  ErrorSum dram_read;
  ErrorSum small_dram_read;
  ErrorSum speedup;
  ErrorSum speedup_others;
  ErrorSum time;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].gpu != gpu) continue;
    score.groups.push_back(g);
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
      if (point.permutation && point.wrong_sign()) score.wrong_signs.push_back(place);
    }
  }
  score.l2 = l2.score();
  score.last_level = last_level.score();
  score.dram_read = dram_read.score();
  score.small_dram_read = small_dram_read.score();
  score.speedup = speedup.score();
  score.speedup_others = speedup_others.score();
  score.time = time.score();
  return score;
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
  std::vector<std::size_t> raced;
  for (std::size_t i = 0; i < group.points.size(); ++i) {
    const ComparedPoint& point = group.points[i];
    if (point.measured.l2_hit_pct) {
      measured_l2.push_back(*point.measured.l2_hit_pct);
      predicted_l2.push_back(point.predicted.l2_hit_pct);
    }
    if (point.last_level_error()) {
      measured_last.push_back(*point.measured.last_level_hit_pct);
      predicted_last.push_back(*point.predicted.last_level_hit_pct);
    }
    if (point.permutation && (point.measured_speedup || point.baseline)) raced.push_back(i);
  }
  group.l2_rank = rank_correlation(measured_l2, predicted_l2);
  group.last_level_rank = rank_correlation(measured_last, predicted_last);
  if (raced.size() < 2) return;
  const auto& points = group.points;
  group.fastest_measured = *std::ranges::max_element(raced, [&](std::size_t a, std::size_t b) {
    return points[a].measured_speedup.value_or(1) < points[b].measured_speedup.value_or(1);
  });
  group.fastest_predicted = *std::ranges::max_element(raced, [&](std::size_t a, std::size_t b) {
    return points[a].predicted.speedup < points[b].predicted.speedup;
  });
  const auto measured = [&](std::size_t i) { return points[i].measured_speedup.value_or(1); };
  const auto predicted = [&](std::size_t i) { return points[i].predicted.speedup; };
  if (predicted(*group.fastest_measured) == predicted(*group.fastest_predicted))
    group.fastest_predicted = group.fastest_measured;
  else if (measured(*group.fastest_measured) == measured(*group.fastest_predicted))
    group.fastest_measured = group.fastest_predicted;
}

std::vector<GpuScore> score_gpus(const std::vector<ComparedGroup>& groups) {
  std::vector<GpuScore> scores;
  for (const ComparedGroup& group : groups) {
    const bool is_known =
        std::ranges::any_of(scores, [&](const GpuScore& score) { return score.gpu == group.gpu; });
    if (!is_known) scores.push_back(score_gpu(groups, group.gpu));
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
