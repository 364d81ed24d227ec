// Whether a kernel's blocks compute its tiles, each once.
//
//   check_kernel({.job_path = "gemm.toml"})      its launch, other sizes, all sizes
//   check_kernel({.kernel_path = "gemm.py"})     ranges and all sizes, from its index lines
//
// Rules
//   1. A launch is PROVED if every block runs, no element is written by two blocks, and all elements
//      are written; or if the blocks fill a box of tiles (tiles/find.h), each of them writes, and all
//      rows and columns are written. Where blocks return and elements are missing it is UNKNOWN,
//      unless what blocks load decides that. Atomics may meet one another, but no other block's
//      store: which of them comes first is not seen here, and the launch is UNKNOWN.
//   2. A launch is REFUTED if something is not written, and two blocks store one element or a block
//      has nothing to write; or if two blocks have the same index values wherever work sees them.
//      One that is too large to look at each element is PROVED if its blocks fill a box and launches
//      with other sizes are PROVED.
//   3. Other sizes have whole tiles (size_check.h). Index lines say what holds beyond them
//      (kernel_lines.h).
//   4. Where a persistent kernel is wrong for some number of blocks, and right for multiples of a
//      number that its index code divides by, as the job's is, the range is of those multiples.
//   5. A size that the job's grid does not follow is doubled; of a launch with a tile a block the
//      grid then is, too, along any axis.
//   6. Without a job, lines that cannot be read are an Error that says what to give.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "results/kernel_check.h"

namespace heddle::audit {

struct KernelCheckRequest {
  std::string job_path;                  ///< empty: no launch is known
  std::string kernel_path;               ///< instead of the job's; one of both must be there
  std::optional<std::string> text = {};  ///< what the kernel's file holds, where it is another
  std::string function;
  std::vector<std::string> overrides;
  std::vector<std::string> lets;     ///< values of names of the index lines
  std::vector<std::string> results;  ///< names of the coordinates; empty: found
  bool launch_only = false;
};

KernelCheck check_kernel(const KernelCheckRequest& request);

}  // namespace heddle::audit
