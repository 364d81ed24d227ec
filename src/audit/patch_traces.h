// The checks `order` and `bytes` of a changed kernel: what its blocks do, traced.
//
// Rules
//   1. Every block of both kernels is traced, or nothing is said to be proved by tracing.
//   2. `order` is PROVED if the blocks do the tiles of the original, each once, by the accesses
//   they
//      make: the same instructions, or at least the same bytes. That tiles whose order matters to
//      their results (independence.h) are in another order makes it UNKNOWN.
//   3. `bytes` is PROVED with it, or if all blocks together write, update and read the same bytes,
//      and share the same ones.
//   4. Where tracing is too much work, blocks with the index values of a tile do that tile
//      (program_match.h); `by_index` has them.
#pragma once

#include <optional>
#include <string>

#include "audit/block_match.h"
#include "results/patch_audit.h"

namespace heddle::audit {

struct TraceJudgement {
  CheckResult order;
  CheckResult bytes;
  /// The original leaves its tensors, or computes what is not defined: it is not made for the launch.
  bool is_original_outside = false;
  bool is_original_undefined = false;
};

/// `by_index` may be null.
TraceJudgement judge_traces(const LaunchedKernel& before, const LaunchedKernel& after,
                            const BlockMatch* by_index);

}  // namespace heddle::audit
