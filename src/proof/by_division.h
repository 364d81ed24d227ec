// All sizes by division with remainder: index lines that split a launch id into digits, or walk a
// plane in bands, are a permutation whatever their names stand for.
//
//   pid_m = pid // num_pid_n                      digits: pid_m, then num_pid_n of pid_n
//   pid_n = pid % num_pid_n
//
//   first = pid // (G * num_pid_n) * G            bands of G rows, the last one shorter
//   height = min(num_pid_m - first, G)
//   pid_m = first + pid % (G * num_pid_n) % height
//   pid_n = pid % (G * num_pid_n) // height
//
// Rules
//   1. Digits: every id below a * b is one pair (id // b, id % b) and the other way round. The
//      slowest digit has whatever the launch has left; a digit d of n may be counted backwards,
//      n - 1 - d.
//   2. Bands: the bands before `first` hold first * columns ids, all of full height. The ids of the
//      last one are height * columns, so that dividing by height leaves a column. The row inside a
//      band may also be id % height: within a column that is a rotation.
//   3. Free names are positive. Values are whole numbers: `limits` lists the products that must stay
//      below 2^31 besides the number of blocks. A block's number times a literal one is not read, but
//      behind a division by as much.
//   4. Nothing is sampled. What fits neither is not proved, which says nothing against it.
#pragma once

#include <string>
#include <vector>

#include "order/program.h"

namespace heddle::proof {

/// The tiles along one result.
struct DivisionExtent {
  std::string text;                ///< "num_pid_n", "cdiv(N, 64)"; empty: what the launch has left
  std::vector<std::string> sizes;  ///< names that it is made of: N for cdiv(N, B), else its own
  std::string tile;                ///< B for cdiv(N, B)
  bool is_sum = false;             ///< of numbers and names, as of one tile too many
};

struct DivisionProof {
  bool is_proved = false;
  std::string reason;                   ///< why not
  std::string walk;                     ///< "row by row", "bands of GROUP_SIZE_M along pid_m"
  std::vector<DivisionExtent> extents;  ///< per result of the program
  std::vector<std::string> names;       ///< free names that it holds for every positive value of
  std::vector<std::string> limits;
};

/// Of a program on a line or, with results of one axis each, on several axes. `tiles` is a name of the
/// text that holds the number of ids on a line; empty: whatever the extents make.
DivisionProof prove_by_division(const order::Program& program, const std::string& tiles = {});

}  // namespace heddle::proof
