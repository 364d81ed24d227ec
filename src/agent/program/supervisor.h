// The run of a bundle: device, check, time, confirm, counters; and what came of it, written down.
//
//   Supervisor({.folder = "DIR"}).run();   -> exit code; DIR/results holds the rest
//
// Rules
//   1. Kernels run in workers only. A candidate that is rejected takes part no longer, and the
//   others go
//      on in a new worker; a timing that it broke off is begun again without it.
//   2. The original's failure is Failure(kOriginal): there is nothing to compare with.
//   3. Confirmed is the best of those that are faster with cold caches beyond the noise, with the
//      confidence of statistics.h; the confirmation is another process with another order of runs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results.h"
#include "session.h"

namespace heddle::agent {

inline constexpr const char* kVersion = "0.2.0";

struct Options {
  std::string folder;                ///< of a Supervisor
  std::vector<std::string> folders;  ///< as named: bundles, and folders of bundles
  std::string python = "python3";
  std::string only;  ///< empty: everything
  bool counters = true;
  bool resume = false;  ///< bundles that are done are left as they are
  double budget_s = 0;  ///< 0: none
};

/// Version, digest of the bundle and host, for machine.txt.
void add_own_facts(const std::string& folder,
                   std::vector<std::pair<std::string, std::string>>& facts);

class Supervisor {
 public:
  explicit Supervisor(Options options);

  /// Throws Failure; done.txt says so before.
  void run();

 private:
  void phases();
  void device();
  void check();
  /// Which samples there are afterwards: those of a worker that came to its end.
  std::vector<Sample> time(const std::string& phase, std::uint64_t seed,
                           std::vector<std::string> candidates);
  std::optional<std::string> winner(const std::vector<Sample>& samples) const;
  void count_sectors();

  /// Whether the original failed on a launch besides the first one, which is then left out.
  bool leaves_out(const WorkerOutcome& outcome);
  /// Notes it; throws Failure for the original.
  void reject(const WorkerOutcome& outcome, const std::string& phase);
  void note(const WorkerLine& line, const Verdict& verdict);
  CheckKey key_of(const std::string& candidate, const std::string& launch,
                  const std::string& seed) const;
  std::vector<std::string> passed() const;
  std::vector<std::string> counted() const;
  /// Whether the line says what a compiler made of a candidate.
  bool keep_sizes(const WorkerLine& line);
  void write_machine(const std::string& clocks_reason);

  Options options_;
  Results results_;
  Bundle bundle_;
  std::optional<Workers> workers_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::map<CheckKey, Verdict> verdicts_;
  std::map<std::size_t, CompiledSizes> sizes_;
  std::vector<bool> rejected_;
  std::set<std::string> left_out_;  ///< launches
  std::vector<Sample> samples_;
  std::vector<Sample> warm_ups_;
  std::vector<std::string> clock_rows_;
};

}  // namespace heddle::agent
