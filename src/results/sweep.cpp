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
  if (row.verb == "optimize") add_to(gains, row);
  if (row.verb == "simulate") add_to(times, row);
}

void SweepSummary::add_to(GpuTable& table, const SweepRow& row) const {
  const auto gpu = std::ranges::find(gpus, row.gpu);
  if (gpu == gpus.end()) return;
  const std::string subject = row.subject();
  std::vector<OnGpus>& list = table.subjects;
  if (list.empty() || list.back().subject != subject) {  // rows of a kernel follow one another
    if (list.size() == kMostSubjects) {
      table.left_out += gpu == gpus.begin() ? 1 : 0;
      return;
    }
    list.push_back({subject, std::vector<std::optional<SweepRow>>(gpus.size()), 0});
  }
  SweepRow kept = row;
  kept.patch.clear();
  if (!row.failed && row.answer == "faster")
    list.back().best = std::max(list.back().best, row.speedup.value_or(0));
  list.back().rows[static_cast<std::size_t>(gpu - gpus.begin())] = std::move(kept);
}

}  // namespace heddle
