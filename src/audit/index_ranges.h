// The new index lines as an order, checked on every grid of a range: sizes between those that
// `shapes` tries.
//
//   num_pid_m = tl.cdiv(M, BLOCK_M) ...      M = 64 t0, N = 64 t1, every grid of 1..40x1..40 tiles
//
// Rules
//   1. Lines that the reader of orders does not know, or whose tile space is not clear, say nothing.
//   2. PROVED speaks of whole tiles: M = 64 t0. A failure is a hint: the launch must be tried.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/other_sizes.h"
#include "results/check.h"

namespace heddle::audit {

/// A size of the job, and the axis of the launch that it makes longer.
struct SizeOfAxis {
  config::VaryingSize size;
  int axis = 0;
};

struct IndexRange {
  Verdict verdict = Verdict::unknown;
  std::string text;                      ///< "every grid of 1..40x1..40 tiles"
  std::vector<std::int64_t> tiles = {};  ///< of the first failure, along each size
};

/// `numbers` are "NAME=VALUE" for whatever else the lines name.
IndexRange check_index_lines(const std::string& lines, const std::vector<SizeOfAxis>& sizes,
                             int launch_axes, std::vector<std::string> numbers);

}  // namespace heddle::audit
