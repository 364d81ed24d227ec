// One attempt of an optimiser at a better order, as its log tells it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What the log says it measured. Absent parts were not said.
struct Claim {
  std::optional<double> hit_before;  ///< L2 hit rate in per cent
  std::optional<double> hit_after;
  std::optional<double> speedup;  ///< over 1 is faster; "1.07x slowdown (6.8 % slower)" is 0.936
  std::optional<double> time_before_ms;
  std::optional<double> time_after_ms;
};

/// One iteration: its formula as written, where it stands, and the claim that follows it.
struct Attempt {
  int iteration = 0;                 ///< as the log numbers it
  std::string formula;               ///< empty where the log has none
  int formula_line = 0;              ///< line of the log on which the formula begins
  std::optional<Claim> claim;        ///< absent where no profile follows
  std::vector<std::string> remarks;  ///< slips in the log: odd numbering, stray fences, ...
};

}  // namespace heddle
