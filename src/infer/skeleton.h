// The signature of a kernel whose language has no drafts, tried and repaired as drafts are.
//
//   const auto tried = try_skeleton(*source, "scale");
//   job_skeleton(tried.input)      // a job that traces, as far as that was found
//
// Rules
//   1. Only guesses change: shapes and contents of tensors, shared bytes, sizes and numbers.
//   2. One finding changes one thing, the number of trials is bounded, and a trial looks at some
//      tiles.
//   3. A kernel that cannot be tried here (no Clang, no sandbox) keeps its signature.
#pragma once

#include <string>

#include "config/skeleton.h"
#include "kernel/source.h"

namespace heddle::infer {

struct TriedSkeleton {
  config::SkeletonInput input;
  std::string problem;  ///< what is left; empty: it traces without a fault, or was not tried
};

TriedSkeleton try_skeleton(kernel::Source& source, const std::string& function);

}  // namespace heddle::infer
