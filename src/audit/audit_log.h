// Judges every iteration of an optimiser's log.
//
// Rules
//   1. Every formula is checked on the given grid, exhaustively; one that cannot be read is
//      UNKNOWN with the reader's message, and does not stop the audit.
//   2. Two iterations repeat each other only if their maps agree on every launch id.
//   3. Claims are quoted, never believed: they stand beside the verdict.
#pragma once

#include <vector>

#include "order/bindings.h"
#include "order/order.h"
#include "order/space.h"
#include "proof/check.h"
#include "results/attempt.h"
#include "results/audit.h"

namespace heddle::audit {

/// Throws Error only where no formula at all could be judged for want of a --let value.
AuditReport audit_log(const std::vector<Attempt>& attempts, const order::Space& space,
                      const order::Bindings& bindings, const order::ReadOptions& reading,
                      const proof::CheckOptions& options);

}  // namespace heddle::audit
