// Masks of separable.h, and what only moves axes.
#include <algorithm>
#include <cstring>

#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

/// A window of an operand as the result sees it: an extent of 1 stands for any extent.
Window window_of(const Value& mask, const Value& out, int axis) {
  const std::int64_t extent = out.type->extents[axis];
  return mask.type->extents[axis] == extent ? mask.windows[axis] : Window{0, extent, nullptr};
}

/// The one axis along which a or b is neither full nor absent.
int common_axis(const Value& a, const Value& b, const Value& out) {
  int result = kNoAxis;
  for (int axis = 0; axis < out.type->axes; ++axis) {
    const std::int64_t extent = out.type->extents[axis];
    if (is_full(window_of(a, out, axis), extent) && is_full(window_of(b, out, axis), extent))
      continue;
    if (result != kNoAxis) return kSeveralAxes;
    result = axis;
  }
  return result;
}

void copy_window(const Window& from, Value& out, int axis) {
  out.windows[axis] = from;
  if (from.flags == nullptr) return;
  std::uint8_t* flags = out.axis_flags(axis);
  std::copy_n(from.flags, out.type->extents[axis], flags);
  out.windows[axis].flags = flags;
}

void copy_term(const Term& from, Value& out, int axis) {
  out.terms[axis] = from;
  if (from.table == nullptr) return;
  std::int64_t* table = out.axis_table(axis);
  std::copy_n(from.table, out.type->extents[axis], table);
  out.terms[axis].table = table;
}

/// Everything but terms and windows.
void copy_scalars(const Value& a, Value& out) {
  out.form = a.form;
  out.tensor = a.tensor;
  out.base = a.base;
  out.low = a.low;
  out.high = a.high;
  out.truth = a.truth;
  out.real = a.real;
}

}  // namespace

void assign(const Value& a, Value& out) {
  copy_scalars(a, out);
  for (int axis = 0; axis < out.type->axes; ++axis) {
    if (a.form == Form::integer) {
      copy_term(a.terms[axis], out, axis);
    } else if (a.form == Form::mask) {
      copy_window(window_of(a, out, axis), out, axis);
    }
  }
}

void set_window_from_flags(Value& out, int axis) {
  std::uint8_t* flags = out.axis_flags(axis);
  const std::int64_t extent = out.type->extents[axis];
  std::int64_t first = 0;
  while (first < extent && flags[first] == 0) ++first;
  if (first == extent) return out.set_truth(false);
  std::int64_t last = extent;
  while (flags[last - 1] == 0) --last;
  const bool has_holes =
      std::memchr(flags + first, 0, static_cast<std::size_t>(last - first)) != nullptr;
  out.windows[axis] = {first, last, has_holes ? flags : nullptr};
}

void set_term_from_table(Value& out, int axis) {
  std::int64_t* table = out.axis_table(axis);
  const std::int64_t extent = out.type->extents[axis];
  const auto [low, high] = std::minmax_element(table, table + extent);
  out.low = *low;
  out.high = *high;
  out.base = 0;
  out.terms[axis] = {0, table, out.low, out.high};
  std::int64_t stride = 0;
  if (extent > 1 && __builtin_sub_overflow(table[1], table[0], &stride)) return;
  for (std::int64_t i = 1; i < extent; ++i) {
    std::int64_t step = 0;
    if (__builtin_sub_overflow(table[i], table[i - 1], &step) || step != stride) return;
  }
  std::int64_t span = 0;
  if (__builtin_mul_overflow(stride, extent - 1, &span)) return;
  out.base = table[0];
  out.terms[axis] = {stride, nullptr, std::min<std::int64_t>(span, 0),
                     std::max<std::int64_t>(span, 0)};
}

bool mask_and(const Value& a, const Value& b, Value& out) {
  out.form = Form::mask;
  out.truth = a.truth && b.truth;
  if (!out.truth) {
    out.set_truth(false);
    return true;
  }
  for (int axis = 0; axis < out.type->axes; ++axis) {
    const Window x = window_of(a, out, axis);
    const Window y = window_of(b, out, axis);
    if (x.flags == nullptr && y.flags == nullptr) {
      out.windows[axis] = {std::max(x.first, y.first), std::min(x.last, y.last), nullptr};
      if (out.windows[axis].first >= out.windows[axis].last) {
        out.set_truth(false);
        return true;
      }
      continue;
    }
    std::uint8_t* flags = out.axis_flags(axis);
    for (std::int64_t i = 0; i < out.type->extents[axis]; ++i) flags[i] = x.at(i) && y.at(i);
    set_window_from_flags(out, axis);
    if (!out.truth) return true;
  }
  return true;
}

bool mask_or(const Value& a, const Value& b, Value& out) {
  if (is_all_true(a) || is_all_true(b)) {
    out.set_truth(true);
    return true;
  }
  if (!a.truth || !b.truth) {
    assign(a.truth ? a : b, out);
    return true;
  }
  const int axis = common_axis(a, b, out);
  if (axis < 0) return false;
  out.set_truth(true);
  const Window x = window_of(a, out, axis);
  const Window y = window_of(b, out, axis);
  std::uint8_t* flags = out.axis_flags(axis);
  for (std::int64_t i = 0; i < out.type->extents[axis]; ++i) flags[i] = x.at(i) || y.at(i);
  set_window_from_flags(out, axis);
  return true;
}

bool mask_not(const Value& a, Value& out) {
  const int axis = a.truth ? common_axis(a, a, out) : kNoAxis;
  if (axis == kSeveralAxes) return false;
  out.set_truth(!a.truth);
  if (axis == kNoAxis) return true;
  out.truth = true;
  const Window x = window_of(a, out, axis);
  const std::int64_t extent = out.type->extents[axis];
  if (x.flags == nullptr && x.first == 0) {
    out.windows[axis] = {x.last, extent, nullptr};
  } else if (x.flags == nullptr && x.last == extent) {
    out.windows[axis] = {0, x.first, nullptr};
  } else {
    std::uint8_t* flags = out.axis_flags(axis);
    for (std::int64_t i = 0; i < extent; ++i) flags[i] = !x.at(i);
    set_window_from_flags(out, axis);
  }
  return true;
}

void rearrange(const Value& a, const std::vector<int>& axis_of, Value& out) {
  copy_scalars(a, out);
  const bool has_axes = a.type->axes > 0 && !axis_of.empty();
  for (int axis = 0; axis < out.type->axes; ++axis) {
    const int from = has_axes ? axis_of[static_cast<std::size_t>(axis)] : kNoAxis;
    if (a.form == Form::integer) {
      copy_term(from == kNoAxis ? Term{} : a.terms[from], out, axis);
    } else if (a.form == Form::mask) {
      const std::int64_t extent = out.type->extents[axis];
      const bool keeps = from != kNoAxis && a.type->extents[from] == extent;
      copy_window(keeps ? a.windows[from] : Window{0, extent, nullptr}, out, axis);
    }
  }
}

bool reshape_affine(const Value& a, Value& out) {
  PerAxis<std::int64_t> extents;  // of a, without the ones, innermost last
  PerAxis<std::int64_t> strides;
  int count = 0;
  for (int axis = 0; axis < a.type->axes; ++axis) {
    if (a.terms[axis].table != nullptr) return false;
    if (a.type->extents[axis] == 1) continue;
    extents[count] = a.type->extents[axis];
    strides[count++] = a.terms[axis].stride;
  }
  // From the innermost axis outwards: each result axis takes its elements from the operand axes.
  int from = count - 1;
  std::int64_t taken = 1;  // elements of operand axis `from` that are used up
  for (int axis = out.type->axes - 1; axis >= 0; --axis) {
    Term& term = out.terms[axis];
    term = {};
    std::int64_t left = out.type->extents[axis];
    if (left == 1) continue;
    if (from >= 0 && taken == extents[from]) {
      --from;
      taken = 1;
    }
    if (from < 0) return false;
    term.stride = strides[from] * taken;
    const std::int64_t extent = left;
    while (left > 1) {
      const std::int64_t room = extents[from] / taken;
      if (left <= room) {
        if (room % left != 0) return false;
        taken *= left;
        left = 1;
      } else {
        // The next operand axis must go on where this one ends.
        if (left % room != 0 || from == 0) return false;
        if (strides[from - 1] != strides[from] * extents[from]) return false;
        left /= room;
        --from;
        taken = 1;
      }
    }
    const std::int64_t span = term.stride * (extent - 1);
    term.low = std::min<std::int64_t>(span, 0);
    term.high = std::max<std::int64_t>(span, 0);
  }
  out.form = Form::integer;
  out.tensor = a.tensor;
  out.base = a.base;
  out.low = a.low;
  out.high = a.high;
  return true;
}

bool reverse(const Value& a, int axis, Value& out) {
  const std::int64_t extent = out.type->extents[axis];
  assign(a, out);
  if (a.form == Form::mask) {
    Window& window = out.windows[axis];
    window = {extent - window.last, extent - window.first, window.flags};
    if (window.flags == nullptr) return true;
    std::uint8_t* flags = out.axis_flags(axis);
    std::reverse(flags, flags + extent);
    return true;
  }
  Term& term = out.terms[axis];
  if (term.table != nullptr) {
    std::int64_t* table = out.axis_table(axis);
    std::reverse(table, table + extent);
    return true;
  }
  std::int64_t stride = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (__builtin_sub_overflow(0, term.stride, &stride) ||
      __builtin_sub_overflow(0, term.high, &low) || __builtin_sub_overflow(0, term.low, &high) ||
      __builtin_add_overflow(out.base, term.stride * (extent - 1), &out.base)) {
    return false;
  }
  term = {stride, nullptr, low, high};
  return true;
}

}  // namespace heddle::trace::interpreter
