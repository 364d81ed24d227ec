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
//      max, sizes of tensors, tuples and lists of them, meta["NAME"], a function of the file that
//      returns such an expression, and a lambda or a function without defaults around it, which may
//      be defined beside the launch.
//      Everything else may do more than give a number: UNKNOWN.
//   4. A name that holds the grid may be used by launches of the kernel and by nothing else.
//   5. Assignments of names that only such grids look at, directly or by each other, on that list
//      too, belong to the grid: blocks = cdiv(n, 128); kernel[(blocks,)](...).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/job.h"
#include "kernel/patch.h"
#include "kernel/triton/patch/grid_expressions.h"
#include "kernel/triton/source.h"
#include "support/grid.h"

namespace heddle::kernel::triton {

struct HostLaunch {
  const Node* call = nullptr;
  const Node* grid = nullptr;      ///< the expression that makes it
  std::vector<const Node*> steps;  ///< assignments before it
  const Node* scope = nullptr;     ///< function or module that names the grid
  /// Statements of that function which do nothing but give the grid its numbers (rule 5).
  std::vector<const Node*> support;
};

std::vector<HostLaunch> find_launches(const Module& module, const std::string& kernel);

struct LaunchSide {
  TritonSource* source = nullptr;
  const Node* function = nullptr;
  const PatchSide* side = nullptr;
};

/// The launch hands over a number that is another one there: kernel[grid](BM=32).
bool says_otherwise(const HostLaunch& launch, const config::Launch& known);
/// The value of such an expression where a launch stands; throws Error where it is not known.
std::int64_t host_number(const LaunchSide& side, const HostLaunch* launch, const Node& node);

/// `given` is the grid that the user says the new kernel has.
LaunchComparison judge_launch(const LaunchSide& before, const LaunchSide& after,
                              const std::optional<Grid>& given);

}  // namespace heddle::kernel::triton
