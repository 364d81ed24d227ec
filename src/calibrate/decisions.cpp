#include "calibrate/decisions.h"

#include <algorithm>
#include <functional>

namespace heddle::calibrate {
namespace {

struct Candidate {
  std::size_t point = 0;
  double measured = 1;
  Rival rival;
};

/// Predicted fastest first.
std::vector<Candidate> candidates_of(const ComparedGroup& group, const sim::IntervalTable& table) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < group.points.size(); ++i) {
    const ComparedPoint& point = group.points[i];
    if (point.baseline || !point.permutation || !point.measured_speedup) continue;
    const Prediction& predicted = point.predicted;
    Rival rival{predicted.speedup, predicted.traffic, std::nullopt};
    const auto exponents =
        sim::gain_interval(predicted.traffic, group.gpu_name, group.vendor, table);
    if (exponents && !predicted.spills) rival.interval = gained(predicted.speedup, *exponents);
    candidates.push_back({i, *point.measured_speedup, rival});
  }
  std::ranges::stable_sort(candidates, std::greater<>{},
                           [](const Candidate& one) { return one.rival.speedup; });
  return candidates;
}

GroupDecision decide(std::size_t number, const std::vector<Candidate>& candidates, Risk risk) {
  GroupDecision decision;
  decision.group = number;
  for (const Candidate& one : candidates) decision.best = std::max(decision.best, one.measured);
  for (const Candidate& one : candidates) {
    if (!is_surely_faster(one.rival, risk)) continue;
    decision.answer = GroupDecision::Answer::faster;
    decision.chosen = one.point;
    decision.taken = decision.unmeasured = one.measured;
    return decision;
  }
  for (const Candidate& one : candidates) {
    if (!is_worth_measuring(one.rival) || decision.to_measure.size() == kMostMeasured) break;
    decision.answer = GroupDecision::Answer::measure;
    decision.to_measure.push_back(one.point);
    decision.taken = std::max(decision.taken, one.measured);
  }
  return decision;
}

}  // namespace

std::vector<GroupDecision> decide_groups(const std::vector<ComparedGroup>& groups,
                                         const std::vector<Residual>& residuals, Risk risk) {
  const auto without = gains_without_each(residuals);
  std::vector<GroupDecision> decisions;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto found = without.find(groups[g].family());
    if (found == without.end()) continue;
    const std::vector<Candidate> candidates = candidates_of(groups[g], found->second);
    if (candidates.size() >= 2) decisions.push_back(decide(g, candidates, risk));
  }
  return decisions;
}

void add_decisions(const std::vector<GroupDecision>& decisions, std::vector<GpuScore>& scores) {
  for (GpuScore& score : scores) {
    score.decisions.clear();
    for (const GroupDecision& decision : decisions)
      if (std::ranges::find(score.groups, decision.group) != score.groups.end())
        score.decisions.push_back(decision);
  }
}

}  // namespace heddle::calibrate
