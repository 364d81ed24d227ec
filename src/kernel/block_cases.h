// Cases of index code that may differ from block to block. Arithmetic can choose as `if` does:
//
//   min(pid, cap)      one case for each of both that is less; a cap that no block met is lonely
//   pid % 1048576      does nothing, or something: a case that never does anything is lonely
//   c and d            holds, or not
//   a if c else b      one of both; where they are equal, neither was met
//   pid >= num_tiles   no case: the bound is the launch's own number of blocks; where the same number
//                      stands for something else, other launches say so
#pragma once

#include <cstdint>

#include "config/launch.h"

namespace heddle::kernel {

enum class CaseKind {
  none,
  lesser,      ///< min(a, b)
  greater,     ///< max(a, b)
  comparison,  ///< a < b
  product,
  quotient,
  remainder,
  mask,         ///< a & b
  toggle,       ///< a ^ b, a | b
  shift_right,  ///< a >> b
  truth,        ///< c and d
  choice,       ///< a if c else b
};

/// One operation, in some blocks of a launch.
class BlockCase {
 public:
  void note(CaseKind kind, std::int64_t a, std::int64_t b, std::int64_t result);

  /// Ways in which it came out: 1: the first, or nothing happened; 2: the other; 3: both; 0: none, or
  /// it is no case.
  unsigned outcomes(const Grid& grid) const;
  bool is_of_truths() const { return is_of_truths_; }
  std::int64_t a() const { return a_.last; }
  std::int64_t b() const { return b_.last; }

 private:
  struct Operand {
    std::int64_t last = 0;
    bool is_known = false;
    bool varies = false;

    void note(std::int64_t value);
    bool is_bound(const Grid& grid) const;
  };
  Operand a_;
  Operand b_;
  unsigned outcomes_ = 0;
  bool is_compared_ = false;
  bool is_of_truths_ = false;
};

/// Some launch ids, the first and the last of them: `visit(id)`.
template <class Visit>
void for_some_blocks(const Grid& grid, Visit visit) {
  constexpr std::int64_t kSome = 16;
  const std::int64_t count = grid.count();
  const std::int64_t some = count < kSome ? count : kSome;
  for (std::int64_t i = 0; i < some; ++i)
    visit(count / some * i + (i > some / 2 ? count % some : 0));
  if (count > some) visit(count - 1);
}

}  // namespace heddle::kernel
