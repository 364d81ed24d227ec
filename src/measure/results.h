// What an agent wrote into a bundle's folder, read as untrusted input.
//
// Rules
//   1. Files are those of docs/agent.md. What is missing or cannot be read is an Error with its
//      place, but for counters and clocks, whose absence has a reason.
//   2. Candidates that the bundle does not have are an Error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/counters.h"
#include "results/measurement.h"

namespace heddle::measure {

struct CheckRow {
  int candidate = 0;
  std::string launch;
  std::string seed;
  std::string verdict;  ///< "equal", "close", "rejected"
  std::string kind;
  std::string detail;
};

/// Times of one candidate by round.
using TimesByRound = std::map<int, double>;

/// One phase, "time" or "confirm".
struct PhaseTimes {
  std::map<std::string, TimesByRound> cold, warm;  ///< by candidate: "0", "1", "0b"
  std::optional<bool> stable;                      ///< whether the warm-up came to rest
};

struct ClockReading {
  std::optional<double> sm_mhz, memory_mhz, temperature_c, power_w;
  std::string throttle;
};

struct AgentResults {
  std::vector<std::pair<std::string, std::string>> machine;
  std::vector<CheckRow> checks;
  std::map<std::string, PhaseTimes> phases;
  std::vector<ClockReading> clocks;
  std::map<int, CompiledFigures> compiled;  ///< empty: the agent did not say
  std::map<int, KernelCounters> counters;   ///< medians over launches of each candidate
  std::string counters_reason;
};

/// `candidates`: how many the bundle has, the original among them.
AgentResults read_results(const std::string& folder, int candidates);

/// Medians of each figure; figures that one of them does not have are absent.
KernelCounters median_counters(const std::vector<KernelCounters>& launches);

}  // namespace heddle::measure
