// Many lean bundles of Triton kernels, by one worker for all of them.
//
//   LeanRun run(options, deadline);
//   run.add("sweep/001-gemm");        ... more of them
//   run.measure();                    times; results of each are written when it is through
//   run.count();                      counters, in one profiler for many bundles
//
// Rules
//   1. A worker takes a plan, a file with bundles and their candidates, and says `bundle N` before
//      each and `finished` after it. What it says of a candidate counts for the bundle it named.
//   2. A rejected candidate is out. If the worker ends, whoever it named last is to blame, and a new
//      worker goes on with what is left, that bundle from its start.
//   3. The original's failure is the end of its bundle alone.
//   4. After the deadline nothing is begun. A bundle that it breaks off has no done.txt.
//   5. Counters come after times. Until then counters.txt says `refused pending`, and a later run
//      with --resume counts them.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clocks.h"
#include "counters.h"
#include "supervisor.h"

namespace heddle::agent {

/// When --budget is spent.
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

/// Seconds that are left; a large number without a deadline.
double seconds_left(const Deadline& deadline);

struct LeanBundle {
  std::string folder;
  Bundle bundle;
  std::vector<bool> rejected;
  std::unique_ptr<Results> results;  ///< from its begin on
  std::map<CheckKey, Verdict> verdicts;
  std::map<std::size_t, CompiledSizes> sizes;
  std::vector<Sample> samples;
  std::vector<Sample> warm_ups;
  std::vector<std::string> clock_rows;
  bool is_timed = false;
  bool is_failed = false;  ///< done.txt says so
};

class LeanRun {
 public:
  LeanRun(const Options& options, Deadline deadline);

  /// One that is to be measured; or, with `timed`, one that only its counters are missing of.
  void add(const std::string& folder, Bundle bundle, bool timed);
  bool empty() const { return bundles_.empty(); }
  void measure();
  void count();
  /// How many were measured in this run; how many failed; how many the deadline left.
  int measured() const { return measured_; }
  int failed() const { return failed_; }
  int left() const;

 private:
  friend class LeanTalk;
  std::string write_plan(const std::vector<std::size_t>& numbers, bool counted);
  std::vector<std::string> names(const LeanBundle& one, bool counted) const;
  void begin(LeanBundle& one);
  void write(LeanBundle& one) const;
  void finish(LeanBundle& one);
  void fail(LeanBundle& one, const std::string& why);
  void count_some(const std::vector<std::size_t>& numbers);
  void share_counters(const std::vector<std::size_t>& numbers, const CounterTable& table,
                      const std::vector<std::pair<std::size_t, std::string>>& launched,
                      const std::string& refused);

  const Options& options_;
  Deadline deadline_;
  std::vector<LeanBundle> bundles_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::optional<Clocks> clocks_;
  int measured_ = 0;
  int failed_ = 0;
};

}  // namespace heddle::agent
