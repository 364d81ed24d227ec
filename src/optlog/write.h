// Writes attempts as a log of the shape that read.h reads.
//
// Sample
//   Iteration 1:
//   Swizzling formula:
//   pid = tl.program_id(0)
//
//   --- PROFILING ITERATION 1 ---
//   Hit rate increased from 29.7% to 67.6%. Achieved 1.15x speedup with execution time reduced
//   from 0.18ms to 0.16ms (15.0% faster).                               (on one line)
//
// Rules
//   1. read_log(write_log(attempts)) gives back iteration, formula and claim, to the last digit.
//      Blank lines at either end of a formula and carriage returns at line ends are not kept.
//   2. A speedup under 1 is written as a slowdown where that reads back as the same number, else
//      as "0.93612x speedup".
//   3. Remarks and formula_line are not written. No attempts give an empty text.
//   4. What could not be read back is an Error: an iteration number under 0 or too large, a
//      claimed figure that is negative or not finite, a speedup of 0, a line of a formula that is
//      a heading of the log.
#pragma once

#include <string>
#include <vector>

#include "results/attempt.h"

namespace heddle::optlog {

std::string write_log(const std::vector<Attempt>& attempts);

}  // namespace heddle::optlog
