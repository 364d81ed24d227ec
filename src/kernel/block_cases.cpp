#include "kernel/block_cases.h"

namespace heddle::kernel {
namespace {

constexpr unsigned kFirst = 1;
constexpr unsigned kOther = 2;
constexpr unsigned kBoth = 3;

unsigned if_effective(bool is_effective) {
  return is_effective ? kBoth : kFirst;
}

unsigned outcomes_of(CaseKind kind, std::int64_t a, std::int64_t b, std::int64_t result) {
  switch (kind) {
    case CaseKind::lesser:
    case CaseKind::greater:
      // Where both are equal neither was met: a cap is met where it is passed.
      return a == b ? 0 : result == a ? kFirst : kOther;
    case CaseKind::choice:
      return a == b ? 0 : result == 0 ? kFirst : kOther;
    case CaseKind::comparison:
    case CaseKind::truth:
      return result == 0 ? kFirst : kOther;
    case CaseKind::remainder:
      return if_effective(result != a);
    case CaseKind::mask:
      return if_effective(result != a && result != b);
    case CaseKind::toggle:
      return if_effective(a != 0 && b != 0);
    case CaseKind::product:
    case CaseKind::quotient:
    case CaseKind::shift_right:
      return if_effective(result != 0);
    case CaseKind::none:
      break;
  }
  return kBoth;
}

}  // namespace

void BlockCase::Operand::note(std::int64_t value) {
  varies = varies || (is_known && value != last);
  is_known = true;
  last = value;
}

/// The same in all blocks: how many there are, or the last of them. 0 and 1 may be anything.
bool BlockCase::Operand::is_bound(const Grid& grid) const {
  if (varies || last <= 1) return false;
  if (last == grid.count() || last == grid.count() - 1) return true;
  for (int axis = 0; axis < grid.axes(); ++axis)
    if (last == grid.extent(axis) || last == grid.extent(axis) - 1) return true;
  return false;
}

void BlockCase::note(CaseKind kind, std::int64_t a, std::int64_t b, std::int64_t result) {
  a_.note(a);
  b_.note(b);
  outcomes_ |= outcomes_of(kind, a, b, result);
  is_of_truths_ = kind == CaseKind::truth;
  is_compared_ =
      kind == CaseKind::lesser || kind == CaseKind::greater || kind == CaseKind::comparison;
}

unsigned BlockCase::outcomes(const Grid& grid) const {
  return is_compared_ && (a_.is_bound(grid) || b_.is_bound(grid)) ? 0 : outcomes_;
}

}  // namespace heddle::kernel
