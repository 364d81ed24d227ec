#include "results/audit.h"

#include <algorithm>

namespace heddle {

bool AuditedAttempt::claims_gain() const {
  if (!claim) return false;
  if (claim->speedup) return *claim->speedup > 1.0;
  return claim->hit_before && claim->hit_after && *claim->hit_after > *claim->hit_before;
}

Verdict AuditReport::verdict() const {
  Verdict worst = Verdict::proved;
  for (const AuditedAttempt& attempt : attempts) {
    const Verdict one = worst_verdict(attempt.checks);
    if (one == Verdict::refuted) return one;
    if (one == Verdict::unknown) worst = one;
  }
  return worst;
}

int AuditReport::count(Verdict verdict) const {
  return static_cast<int>(std::ranges::count(attempts, verdict, &AuditedAttempt::verdict));
}

}  // namespace heddle
