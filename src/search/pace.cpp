#include "search/pace.h"

#include <algorithm>
#include <cmath>

namespace heddle::search {

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Pace::elapsed_s() const {
  return seconds_since(since_);
}

bool Pace::out_of_time(double replays, double replay_s) const {
  if (options_.budget.count() <= 0) return false;
  const double least = replays >= kFinalReplays ? kLeastReserve * budget_s() : 0;
  const double reserve = std::clamp(replay_s * replays, least, kMostReserve * budget_s());
  return elapsed_s() + reserve > budget_s();
}

std::chrono::milliseconds Pace::half_of_the_rest() const {
  if (options_.budget.count() <= 0) return std::chrono::milliseconds::max();
  const double left = std::max(budget_s() - elapsed_s(), 1.0);
  return std::chrono::milliseconds(std::llround(500 * left));
}

void Pace::show(OptimizeProgress progress) const {
  if (!options_.progress) return;
  progress.elapsed_s = elapsed_s();
  progress.budget_s = budget_s();
  options_.progress(progress);
}

void Pace::show(const char* step) const {
  OptimizeProgress progress;
  progress.step = step;
  show(std::move(progress));
}

}  // namespace heddle::search
