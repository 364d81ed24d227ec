// The kernels that a change touches, the units that judge them, and the judgement.
//
//   const GatePlan plan = plan_gate(spec, base, version);      units before and after, of these alone
//   judge_gate(plan, rows, {5.0, false})                       a GateReport
//
// Rules
//   1. A kernel is touched where its closure (closure.h) is not that of the base: working tree against
//      revision, uncommitted files included. Others are counted, and cost their hashes only.
//   2. Of each there are units before and after: check, simulate on every GPU; and audit, where both
//      sides have it. Rows are found by their keys, so that a second run does nothing.
//   3. `order`: PROVED passes, REFUTED fails. UNKNOWN, or no answer, fails where the base is PROVED,
//      else it is a note.
//   4. `patch`: a change of index code alone that is REFUTED fails, one that is UNKNOWN is a doubt. A
//      change of other code is another computation: a note. `strict` fails whatever is not PROVED.
//   5. A GPU: more than `slower_pct` slower fails. No prediction any more is a doubt.
#pragma once

#include <string>
#include <vector>

#include "results/gate.h"
#include "sweep/plan.h"
#include "sweep/revision.h"
#include "sweep/store.h"

namespace heddle::sweep {

struct TouchedKernel {
  KernelFile kernel;
  std::string shape;
  bool is_new = false;
};

struct GatePlan {
  Plan plan;  ///< may have no units
  Revision base;
  std::vector<std::string> gpus;
  std::vector<TouchedKernel> touched;
  std::vector<std::string> removed;
  std::int64_t unchanged = 0;
};

GatePlan plan_gate(const Spec& spec, const Revision& base, const std::string& version);

struct GateOptions {
  double slower_pct = 5;
  bool strict = false;
};

GateReport judge_gate(const GatePlan& gate, const StoredRows& rows, const GateOptions& options);

}  // namespace heddle::sweep
