#include "results/sweep.h"

#include <algorithm>

#include "support/error.h"

namespace heddle {

std::string SweepRow::subject() const {
  std::string text = job;
  if (!function.empty()) text += ":" + function;
  if (!shape.empty()) text += " " + shape;
  return text;
}

void SweepSummary::add(const SweepRow& row) {
  ++(row.failed ? failed : done);
  if (!row.failed && row.exit_code == static_cast<int>(ExitCode::inconclusive)) ++inconclusive;
  ++answers[{row.verb, row.failed ? "failed" : row.answer}];
  if (row.failed && failures.size() < kMostFailures) failures.push_back(row);
  if (!row.failed && row.answer == "REFUTED" && refuted.size() < kMostFailures)
    refuted.push_back(row);
  if (row.verb != "optimize") return;
  const auto gpu = std::ranges::find(gpus, row.gpu);
  if (gpu == gpus.end()) return;
  const std::string subject = row.subject();
  if (gains.empty() || gains.back().subject != subject) {  // rows of a kernel follow one another
    if (gains.size() == kMostGains) {
      gains_left_out += gpu == gpus.begin() ? 1 : 0;
      return;
    }
    gains.push_back({subject, std::vector<std::optional<SweepRow>>(gpus.size()), 0});
  }
  Gain& gain = gains.back();
  SweepRow kept = row;
  kept.patch.clear();
  if (!row.failed && row.answer == "faster")
    gain.best = std::max(gain.best, row.speedup.value_or(0));
  gain.rows[static_cast<std::size_t>(gpu - gpus.begin())] = std::move(kept);
}

}  // namespace heddle
