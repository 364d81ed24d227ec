// Two blocks that compute one tile: whatever their work sees of the index is the same in both.
//
//   pid_m = pid % 5, pid_n = pid // 7 on 35 blocks:   blocks 0 and 5 have pid_m = 0, pid_n = 0
//
// Rules
//   1. Rows of one table are compared, that is blocks that get to the same store.
//   2. A number that was loaded is the same where the numbers are that it was loaded with. Where it
//      was loaded with none, as a counter that blocks draw from, nothing is said.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/index_probe.h"
#include "tiles/shown.h"

namespace heddle::tiles {

struct SameWork {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::string values;  ///< "pid_m = 0, pid_n = 0"; of numbers that have names
};

std::optional<SameWork> find_same_work(const kernel::IndexProbe& probe, const ShownRows& shown);

}  // namespace heddle::tiles
