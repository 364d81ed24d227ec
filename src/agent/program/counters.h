// Counters of the caches, by Nsight Compute.
//
//   CounterResult result = count(workers, bundle, {"0", "1", "2"});
//
// Rules
//   1. Every kernel is counted kTimes times, one after the other: 0 1 2 0 1 2 0 1 2.
//   2. What `ncu` printed is kept from its header line on, as it is.
//   3. Where there are none, `refused` says why: `no-profiler`, `permission`, `failed` or
//   `not-supported`.
#pragma once

#include <string>
#include <vector>

#include "session.h"

namespace heddle::agent {

struct CounterResult {
  std::string csv;
  std::vector<std::string> order;
  std::string refused;  ///< "KIND TEXT"; empty if there is a table
  std::string log;
};

CounterResult count(const Workers& workers, const Bundle& bundle,
                    const std::vector<std::string>& candidates);

}  // namespace heddle::agent
