// Judges every iteration of an optimiser's log.
//
// Rules
//   1. Every formula is checked on the given grid, exhaustively; one that cannot be read is
//      UNKNOWN with the reader's message, and does not stop the audit.
//   2. Two iterations repeat each other only if their maps agree on every launch id.
//   3. Claims are quoted, never believed: a claimed hit rate is REFUTED where tiles are lost, a
//      claimed time where the bytes of the job take longer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"
#include "order/space_range.h"
#include "proof/check.h"
#include "results/attempt.h"
#include "results/audit.h"

namespace heddle::audit {

/// A time that no run of the kernel undercuts.
struct TimeBound {
  double least_ms = 0;
  std::string why;  ///< "268 MB at 5300 GB/s of mi300x"
};

struct LogAuditOptions {
  order::ReadOptions reading;
  proof::CheckOptions check;
  std::optional<order::SpaceRange> shapes;  ///< other grids
  std::optional<TimeBound> bound;
};

/// Throws Error only where no formula at all could be judged for lack of a --let value.
AuditReport audit_log(const std::vector<Attempt>& attempts, const order::Space& space,
                      const order::Bindings& bindings, const LogAuditOptions& options);

}  // namespace heddle::audit
