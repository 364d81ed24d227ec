// Where two lists of texts differ: a longest common subsequence, as gaps.
//
//   gaps({"a", "b", "c"}, {"a", "x", "c"})     [1, 2) in the first, [1, 2) in the second
//
// Rules
//   1. Between gaps the lists are equal. Gaps are in order and not empty.
//   2. Beyond kMostCells the middle parts are one gap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::kernel {

struct Gap {
  std::size_t before_begin = 0;
  std::size_t before_end = 0;
  std::size_t after_begin = 0;
  std::size_t after_end = 0;
};

std::vector<Gap> gaps(const std::vector<std::string>& before,
                      const std::vector<std::string>& after);

}  // namespace heddle::kernel
