// A job for a kernel that has none: inferred from its file, tried, repaired.
//
//   const auto job = infer_job({"matmul.py"});
//   job->draft.repairs     "contents of 'slots': permutation, since an address depends on them"
//   job->problem           what still stops the kernel from being traced; empty: nothing
//
// Rules
//   1. Nothing of the kernel's file is executed to infer the job. Nothing is inferred where the
//      kernel's language has no drafts (kernel/source.h).
//   2. Only guesses are repaired: a value that host code gives stays.
//   3. The user's values replace what was inferred; they are not guesses.
//   4. A kernel that nothing names is the only one of its file, or the one that is launched first;
//      draft.function_remark says so.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/target.h"

namespace heddle::infer {

struct InferRequest {
  std::string kernel_path;
  std::string function = {};  ///< empty: the only one
  config::Target target = {};
  std::vector<std::string> overrides = {};  ///< NAME=VALUE, as read_job takes them
};

struct InferredJob {
  config::JobDraft draft;  ///< its kernel_path is that of the request
  std::string problem;     ///< the error or the fault that is left; empty: it traces without one
  bool traces = false;     ///< there may be faults
};

std::optional<InferredJob> infer_job(const InferRequest& request);

}  // namespace heddle::infer
