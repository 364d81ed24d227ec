// What an audit of an optimiser's log found, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/attempt.h"
#include "results/check.h"
#include "results/verdict.h"

namespace heddle {

struct AuditedAttempt {
  int iteration = 0;
  int line = 0;  ///< of the log, on which its formula begins; 0: it has none
  Verdict verdict = Verdict::unknown;
  std::string reason;  ///< UNKNOWN: why (a formula that cannot be read, mostly)
  std::int64_t tiles = 0;
  std::int64_t distinct_tiles = 0;
  std::int64_t out_of_grid = 0;
  bool identity = false;
  std::optional<int> repeats;  ///< the first earlier iteration with the same map
  std::optional<Claim> claim;
  std::optional<Counterexample> counterexample;
  std::vector<std::string> notes;
  std::vector<NamedCheck> checks;  ///< order, hit-rate, and where asked for shapes and bound

  /// The log says it is faster, or hits more.
  bool claims_gain() const;
};

struct AuditReport {
  std::vector<std::int64_t> grid;
  std::vector<AuditedAttempt> attempts;
  std::vector<std::string> not_checked;  ///< "shapes (needs --grids)"

  /// The worst of all checks of all attempts.
  Verdict verdict() const;

  int count(Verdict verdict) const;
  /// The attempt with the highest claimed speedup among those `keep` accepts; null if none.
  template <class Keep>
  const AuditedAttempt* best(Keep keep) const {
    const AuditedAttempt* best = nullptr;
    for (const AuditedAttempt& attempt : attempts) {
      if (!attempt.claim || !attempt.claim->speedup || !keep(attempt)) continue;
      if (best == nullptr || *attempt.claim->speedup > *best->claim->speedup) best = &attempt;
    }
    return best;
  }
};

}  // namespace heddle
