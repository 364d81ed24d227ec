// All bundles of one command.
//
//   run_batch({.folders = {"sweep"}, .resume = true, .budget_s = 540})
//
// Rules
//   1. A folder without bundle.txt stands for the bundles in it, by name.
//   2. One bundle alone: its failure is thrown. Of several, a failure is told and the rest go on;
//      the code is 0 if any was measured, and else that of the first failure.
//   3. Lean bundles of Triton kernels are measured together (lean.h), after the others.
//   4. With `resume`, bundles with results of their own and `done` are left as they are, but for
//      counters that are pending.
#pragma once

#include "supervisor.h"

namespace heddle::agent {

/// The exit code. Throws Failure.
int run_batch(const Options& options);

}  // namespace heddle::agent
