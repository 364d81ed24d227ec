// Where a file launches its kernel, and on which grid.
//
//   grid = lambda META: (triton.cdiv(M, META["BLOCK_M"]), 4)
//   kernel[grid](a, b, M)          launch: the expression of `grid`, and what was assigned before
//
// Rules
//   1. `kernel[GRID](...)` is a launch, in a function or at the level of the file. A name as GRID
//      is followed to its one assignment.
//   2. Nothing is executed: a grid is arithmetic on names that the job knows, or it is not known.
//   3. A grid that changed must be on a closed list: names, whole numbers, + - * // %, cdiv, min,
//      max, sizes of tensors, tuples and lists of them, meta["NAME"], and a lambda or a function
//      without defaults around it. Everything else may do more than give a number: UNKNOWN.
//   4. A name that holds the grid may be used by launches of the kernel and by nothing else.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/job.h"
#include "kernel/triton/source.h"
#include "results/patch_audit.h"
#include "support/grid.h"

namespace heddle::audit {

struct HostLaunch {
  const kernel::triton::Node* call = nullptr;
  const kernel::triton::Node* grid = nullptr;      ///< the expression that makes it
  std::vector<const kernel::triton::Node*> steps;  ///< assignments before it
  const kernel::triton::Node* scope = nullptr;     ///< function or module that names the grid
};

std::vector<HostLaunch> find_launches(const kernel::triton::Module& module,
                                      const std::string& kernel);

struct LaunchSide {
  kernel::triton::TritonSource* source = nullptr;
  const kernel::triton::Node* function = nullptr;
};

/// What the job says of both kernels, and what the user says of the new one.
struct LaunchGiven {
  Grid grid{{1}};      ///< of the original
  Grid new_grid{{1}};  ///< of the new kernel: the same expression with its own constexprs
  std::vector<config::NamedValue> names;  ///< whatever expressions of the original can name
  std::vector<config::NamedValue> new_names;
  std::vector<config::Tensor> tensors;
  std::optional<Grid> after_grid;  ///< --after-grid, --after-job
};

struct LaunchJudgement {
  CheckResult check;
  Grid after_grid{{1}};      ///< on which the new kernel is to be traced
  bool is_by_bytes = false;  ///< another grid: whether all is done decides (`bytes`)
  std::set<const kernel::triton::Node*> grids_before;  ///< compared here, not with the code
  std::set<const kernel::triton::Node*> grids_after;
};

LaunchJudgement judge_launch(const LaunchSide& before, const LaunchSide& after,
                             const LaunchGiven& given);

/// Another grid is right if the same bytes are written and read.
void judge_by_bytes(CheckResult& launch, const CheckResult& bytes);

}  // namespace heddle::audit
