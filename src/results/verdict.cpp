#include "results/verdict.h"

#include <algorithm>
#include <numeric>

namespace heddle {

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved:
      return "PROVED";
    case Verdict::refuted:
      return "REFUTED";
    case Verdict::unknown:
      return "UNKNOWN";
  }
  return "UNKNOWN";
}

std::string kind_text(Counterexample::Kind kind) {
  switch (kind) {
    case Counterexample::Kind::collision:
      return "collision";
    case Counterexample::Kind::outside:
      return "outside";
    case Counterexample::Kind::missing:
      return "missing";
    case Counterexample::Kind::arithmetic:
      return "arithmetic";
  }
  return "collision";
}

double imbalance(const std::vector<std::int64_t>& blocks_per_die) {
  const auto total = std::accumulate(blocks_per_die.begin(), blocks_per_die.end(), std::int64_t{0});
  if (total == 0) return 1.0;
  const auto largest = *std::ranges::max_element(blocks_per_die);
  return static_cast<double>(largest) * static_cast<double>(blocks_per_die.size()) /
         static_cast<double>(total);
}

}  // namespace heddle
