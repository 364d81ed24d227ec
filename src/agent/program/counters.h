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
#include <string_view>
#include <vector>

#include "session.h"

namespace heddle::agent {

inline constexpr double kProfilerPatience_s = 300;  ///< ncu says nothing while it repeats kernels

struct CounterResult {
  std::string csv;
  std::vector<std::string> order;
  std::string refused;  ///< "KIND TEXT"; empty if there is a table
  std::string log;
};

/// The words before a worker's that count launches of kernels with these names; empty: there is no
/// profiler, and `refused` says so.
std::vector<std::string> profiler_command(const std::vector<std::string>& functions,
                                          std::string& refused);

/// What a profiler printed: its table, and all else.
class CounterTable {
 public:
  Heard hear(std::string_view line);

  const std::vector<std::string>& header() const { return header_; }
  const std::vector<std::string>& rows() const { return rows_; }
  const std::string& said() const { return said_; }
  std::string csv() const;

 private:
  std::vector<std::string> header_;  ///< names, units
  std::vector<std::string> rows_;
  std::string said_;
};

/// Why the profiler left no table; empty: it left one.
std::string refusal_of(const ChildEnd& end, const CounterTable& table);

CounterResult count(const Workers& workers, const Bundle& bundle,
                    const std::vector<std::string>& candidates);

}  // namespace heddle::agent
