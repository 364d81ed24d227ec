// A kernel's index lines as an order: for ranges of tile counts and for all sizes.
//
//   pid_m = pid // num_pid_n      all sizes PROVED: digits of the launch id, pid_n fastest
//   pid_n = pid % num_pid_m       REFUTED on 1 x 2 tiles: launch ids 0 and 1 both compute tile 0
//
// Rules
//   1. All sizes are proved for every positive value of free names (proof/by_division.h), or with
//      the values that the file or the caller gives them (proof/check.h).
//   2. The tiles along a coordinate are those that its name or the size of its tile says:
//      cdiv(N, BLOCK_N) for pid_n, or for what is multiplied by BLOCK_N. A text that divides by
//      another axis' tiles is not proved.
//   3. REFUTED rests on a tile space that the text counts (order/tile_reading.h). Where that is not
//      clear, nothing is claimed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kernel/index_lines.h"
#include "results/check.h"

namespace heddle::audit {

struct LinesRequest {
  std::string path;               ///< of the kernel: for messages
  std::vector<std::string> lets;  ///< "NAME=VALUE": names that have one value
  std::vector<std::string> results;
  bool is_c = false;
  std::chrono::seconds time_limit{2};
};

struct LinesCheck {
  std::optional<CheckResult> all_sizes;
  std::optional<CheckResult> range;
  std::string tiles;   ///< "num_pid_m x num_pid_n (pid_m x pid_n)"
  std::string reason;  ///< why neither is there
};

LinesCheck check_lines(const kernel::IndexLines& lines, const LinesRequest& request);

}  // namespace heddle::audit
