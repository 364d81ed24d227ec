#include "trace/interpreter/separable.h"

#include <algorithm>
#include <cstring>

namespace heddle::trace::interpreter {
namespace {

bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_add_overflow(a, b, &result);
}
bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return __builtin_mul_overflow(a, b, &result);
}

/// The range of x + factor * y, whatever their elements are; false where int64 does not hold it.
bool sum_range(const Term& x, const Term& y, std::int64_t factor, Term& z) {
  std::int64_t one_end = 0;
  std::int64_t other_end = 0;
  if (multiply_overflows(y.low, factor, one_end) || multiply_overflows(y.high, factor, other_end))
    return false;
  return !add_overflows(x.low, std::min(one_end, other_end), z.low) &&
         !add_overflows(x.high, std::max(one_end, other_end), z.high);
}

/// terms[axis] = x + factor * y where one of them is a table; moves a constant sum into base.
bool sum_tables(const Term& x, const Term& y, std::int64_t factor, Value& out, int axis,
                std::int64_t& base) {
  Term z;
  if (!sum_range(x, y, factor, z)) return false;
  std::int64_t* table = out.axis_table(axis);
  const std::int64_t extent = out.type->extents[axis];
  if (x.varies() && y.varies()) {
    for (std::int64_t i = 0; i < extent; ++i) table[i] = x.at(i) + factor * y.at(i);
    const auto [low, high] = std::minmax_element(table, table + extent);
    z.low = *low;
    z.high = *high;
  } else if (x.varies()) {
    std::copy_n(x.table, extent, table);
  } else {
    for (std::int64_t i = 0; i < extent; ++i) table[i] = factor * y.table[i];
  }
  z.table = table;
  const bool constant = z.low == z.high;
  out.terms[axis] = constant ? Term{} : z;
  return !constant || !add_overflows(base, z.low, base);
}

}  // namespace

bool sum(const Value& a, const Value& b, std::int64_t factor, Value& out) {
  const BlockType& type = *out.type;
  std::int64_t product = 0;
  std::int64_t base = 0;
  std::int64_t low_sum = 0;
  std::int64_t high_sum = 0;
  bool overflows = multiply_overflows(b.base, factor, product);
  overflows |= add_overflows(a.base, product, base);
  for (int axis = 0; axis < type.axes; ++axis) {
    const Term& x = a.terms[axis];
    const Term& y = b.terms[axis];
    Term& z = out.terms[axis];
    if (x.table == nullptr && y.table == nullptr) {
      std::int64_t span = 0;
      overflows |= multiply_overflows(y.stride, factor, product);
      overflows |= add_overflows(x.stride, product, z.stride);
      overflows |= multiply_overflows(z.stride, type.extents[axis] - 1, span);
      z.table = nullptr;
      z.low = std::min<std::int64_t>(span, 0);
      z.high = std::max<std::int64_t>(span, 0);
    } else if (!sum_tables(x, y, factor, out, axis, base)) {
      return false;
    }
    overflows |= add_overflows(low_sum, z.low, low_sum);
    overflows |= add_overflows(high_sum, z.high, high_sum);
  }
  overflows |= add_overflows(base, low_sum, out.low);
  overflows |= add_overflows(base, high_sum, out.high);
  out.base = base;
  out.form = Form::integer;
  out.tensor = a.tensor;
  return !overflows && out.low >= type.integers.low && out.high <= type.integers.high;
}

bool scale(const Value& a, std::int64_t factor, Value& out) {
  static const BlockType kScalar;
  static StorageBudget no_storage(0);
  static const Value kZero(kScalar, no_storage);
  return sum(kZero, a, factor, out);
}

namespace {

/// The elements lie in the range of the type afterwards; base need not, where there are tables.
bool assign_moved(const Value& a, std::int64_t distance, Value& out) {
  assign(a, out);
  out.low += distance;
  out.high += distance;
  return !add_overflows(a.base, distance, out.base);
}

/// a is not negative anywhere, divisor positive.
bool divide_by(const Value& a, std::int64_t divisor, Value& out) {
  if (divisor == 1) return assign_moved(a, 0, out);
  if (a.low / divisor == a.high / divisor) {
    out.set_integer(a.low / divisor);
    return true;
  }
  for (int axis = 0; axis < out.type->axes; ++axis) {
    if (a.terms[axis].table != nullptr || a.terms[axis].stride % divisor != 0) return false;
  }
  // Every stride is a multiple of the divisor, so that the rounding is that of the base alone; and
  // without tables the base is an element, hence not negative.
  assign(a, out);
  out.base = a.base / divisor;
  out.low = out.high = out.base;
  for (int axis = 0; axis < out.type->axes; ++axis) {
    Term& term = out.terms[axis];
    term.stride /= divisor;
    term.low /= divisor;
    term.high /= divisor;
    out.low += term.low;
    out.high += term.high;
  }
  return true;
}

bool remainder_by(const Value& a, std::int64_t divisor, Value& out) {
  const std::int64_t quotient = a.low / divisor;
  return quotient == a.high / divisor && assign_moved(a, -quotient * divisor, out);
}

}  // namespace

bool operate_by_range(Opcode op, const Value& a, const Value& b, Value& out) {
  const bool a_is_lower = a.high <= b.low;
  const bool b_is_lower = b.high <= a.low;
  if (op == Opcode::minimum && (a_is_lower || b_is_lower))
    return assign_moved(a_is_lower ? a : b, 0, out);
  if (op == Opcode::maximum && (a_is_lower || b_is_lower))
    return assign_moved(a_is_lower ? b : a, 0, out);
  if (op == Opcode::absolute && a.low >= 0) return assign_moved(a, 0, out);
  if (b.low != b.high) return false;
  const std::int64_t constant = b.base;
  if (op == Opcode::shift_left && constant >= 0 && constant < out.type->integers.bits - 1)
    return scale(a, std::int64_t{1} << constant, out);
  if (a.low < 0 || constant < 0) return false;
  switch (op) {
    case Opcode::divide:
      return constant > 0 && divide_by(a, constant, out);
    case Opcode::remainder:
      return constant > 0 && remainder_by(a, constant, out);
    case Opcode::shift_right:
      return constant < 63 && divide_by(a, std::int64_t{1} << constant, out);
    case Opcode::bit_and:
      // 0..01..1 keeps the remainder of a power of two.
      return constant < INT64_MAX && (constant & (constant + 1)) == 0 &&
             remainder_by(a, constant + 1, out);
    default:
      return false;
  }
}

namespace {

/// Where base + stride * i < 0, for 0 <= i < extent; stride is not 0.
Window negative_window(std::int64_t base, std::int64_t stride, std::int64_t extent) {
  if (stride > 0) {
    // i < -base / stride, rounded up; -(base + 1) cannot overflow.
    if (base >= 0) return {0, 0, nullptr};
    const std::int64_t before_last = -(base + 1) / stride;
    return {0, before_last < extent ? before_last + 1 : extent, nullptr};
  }
  // i > base / -stride: the smallest such i. -(stride + 1) cannot overflow.
  const auto step = static_cast<std::uint64_t>(-(stride + 1)) + 1;
  const std::uint64_t first = base < 0 ? 0 : static_cast<std::uint64_t>(base) / step + 1;
  const auto bound = static_cast<std::uint64_t>(extent);
  return {static_cast<std::int64_t>(std::min(first, bound)), extent, nullptr};
}

void set_single_window(Value& out, int axis, Window window) {
  out.set_truth(window.first < window.last);
  if (out.truth) out.windows[axis] = window;
}

/// Where base + stride * i == 0; `wanted` false: where it is not.
void set_zero_window(Value& out, int axis, std::int64_t base, std::int64_t stride, bool wanted) {
  const std::int64_t extent = out.type->extents[axis];
  std::int64_t at = -1;
  // -1 is kept apart: INT64_MIN / -1 does not exist.
  if (stride == -1) {
    if (base >= 0 && base < extent) at = base;
  } else if (base % stride == 0) {
    const std::int64_t quotient = base / stride;
    if (quotient <= 0 && quotient > -extent) at = -quotient;
  }
  if (at < 0) return out.set_truth(!wanted);
  if (wanted) return set_single_window(out, axis, {at, at + 1, nullptr});
  if (at == 0) return set_single_window(out, axis, {1, extent, nullptr});
  if (at == extent - 1) return set_single_window(out, axis, {0, at, nullptr});
  out.set_truth(true);
  std::uint8_t* flags = out.axis_flags(axis);
  std::memset(flags, 1, static_cast<std::size_t>(extent));
  flags[at] = 0;
  out.windows[axis].flags = flags;
}

/// The one axis along which a or b varies.
int common_axis(const Value& a, const Value& b, int axes) {
  int result = kNoAxis;
  for (int axis = 0; axis < axes; ++axis) {
    if (!a.terms[axis].varies() && !b.terms[axis].varies()) continue;
    if (result != kNoAxis) return kSeveralAxes;
    result = axis;
  }
  return result;
}

bool compare_on_axis(Opcode op, const Value& a, const Value& b, Value& out) {
  const int axis = common_axis(a, b, out.type->axes);
  if (axis < 0 || a.terms[axis].table != nullptr || b.terms[axis].table != nullptr) return false;
  // base + stride * i is a - b, or b - a where that must be negative.
  const bool swapped = op == Opcode::greater || op == Opcode::greater_equal;
  const Value& x = swapped ? b : a;
  const Value& y = swapped ? a : b;
  std::int64_t base = 0;
  std::int64_t stride = 0;
  if (__builtin_sub_overflow(x.base, y.base, &base) ||
      __builtin_sub_overflow(x.terms[axis].stride, y.terms[axis].stride, &stride)) {
    return false;
  }
  const bool or_equal = op == Opcode::less_equal || op == Opcode::greater_equal;
  if (or_equal && __builtin_sub_overflow(base, 1, &base)) return false;
  if (op == Opcode::equal || op == Opcode::not_equal) {
    const bool wanted = op == Opcode::equal;
    if (stride == 0) {
      out.set_truth((base == 0) == wanted);
    } else {
      set_zero_window(out, axis, base, stride, wanted);
    }
    return true;
  }
  if (stride == 0) {
    out.set_truth(base < 0);
  } else {
    set_single_window(out, axis, negative_window(base, stride, out.type->extents[axis]));
  }
  return true;
}

}  // namespace

bool compare_by_range(Opcode op, const Value& a, const Value& b, Value& out) {
  bool is_true = false;
  bool is_false = false;
  const bool same = a.low == a.high && b.low == b.high && a.low == b.low;
  const bool apart = a.high < b.low || b.high < a.low;
  switch (op) {
    case Opcode::less:
      is_true = a.high < b.low;
      is_false = a.low >= b.high;
      break;
    case Opcode::less_equal:
      is_true = a.high <= b.low;
      is_false = a.low > b.high;
      break;
    case Opcode::greater:
      is_true = a.low > b.high;
      is_false = a.high <= b.low;
      break;
    case Opcode::greater_equal:
      is_true = a.low >= b.high;
      is_false = a.high < b.low;
      break;
    case Opcode::equal:
      is_true = same;
      is_false = apart;
      break;
    case Opcode::not_equal:
      is_true = apart;
      is_false = same;
      break;
    default:
      return false;
  }
  if (is_true || is_false) {
    out.set_truth(is_true);
    return true;
  }
  return compare_on_axis(op, a, b, out);
}

}  // namespace heddle::trace::interpreter
