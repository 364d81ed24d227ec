// All rows of a plan as one file, whatever made them, wherever and in whichever order.
//
//   merge(plan, rows, folder)     results.jsonl, results.csv, patches/
//
// Rules
//   1. Rows stand in the order of the plan; units without a row are left out and counted.
//   2. The same plan and the same results give the same bytes. Nothing of lines' times is in them.
//   3. Files are replaced only when the new ones are whole.
//   4. patches/ holds the diff of each order that is faster, as 0001-gemm-mi300x.diff; older ones go.
#pragma once

#include <string>

#include "results/sweep.h"
#include "sweep/plan.h"
#include "sweep/store.h"

namespace heddle::sweep {

SweepSummary merge(const Plan& plan, const StoredRows& rows, const std::string& folder);

}  // namespace heddle::sweep
