// The job with other sizes, for comparing outputs: an order that is right on powers of two only
// shows there.
//
//   M = 8192, N = 8192, K = 4096      the job's own
//   M = 4479, N = 4223, K = 797       35 x 33 tiles, the last ones not full; a ragged loop
//   heads = 24 beside kv_heads = 8    counts keep what divides them: 3 groups
//
// Rules
//   1. Sizes that the grid depends on make odd numbers of tiles, the last ones not full. Where the
//      kernel cannot do that, it gets tiles that are full, and what the job says where that fails.
//   2. Other numbers of the job, bounds of loops among them, become smaller and odd where the
//      kernel can do that.
//   3. The tracer judges: no access outside its tensor, no tile that depends on another one, and
//      nothing that Triton would refuse. What it finds wrong does not travel.
//   4. Macros and other names that hold for a whole bundle stay as they are.
#pragma once

#include <memory>
#include <string>

#include "kernel/source.h"
#include "optimize/request.h"

namespace heddle::optimize {

struct RaggedLaunch {
  std::unique_ptr<const kernel::LoadedKernel> kernel;  ///< null: there is none
  std::string reason;  ///< why there is none, or why its tiles are full; may be empty
};

RaggedLaunch find_ragged(const OptimizeRequest& request, const kernel::LoadedKernel& loaded);

}  // namespace heddle::optimize
