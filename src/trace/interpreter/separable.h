// The algebra of separable integers and masks: operations that cost per axis, not per element.
//
//   x = 4096 + 128 i + j      [32, 128]
//   sum(x, y, 1)              4096 + y's base, strides added
//   compare(less, x, 5000)    undecided: two axes vary; false is returned and a dense way must do
//   it compare(less, 64 + i, 80) window [0, 16)
//
// Rules
//   1. Each function returns false where the result has no separable form within the type's range,
//      or finding it would cost per element of the block; the result register is undefined then.
//   2. What they return is exact: the same elements that `compute` and `compare` of integers.h give
//      (tests/trace/separable_test.cpp compares them).
//   3. Operands may be of fewer or smaller axes, as rule 2 of kernel/program.h has it.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/interpreter/value.h"

namespace heddle::trace::interpreter {

/// out = a + factor * b.
bool sum(const Value& a, const Value& b, std::int64_t factor, Value& out);

/// out = factor * a.
bool scale(const Value& a, std::int64_t factor, Value& out);

/// out = a, whose elements lie in the range of out's type. Separable forms and uniform reals.
void assign(const Value& a, Value& out);

/// The non-linear element-wise operations, where ranges show that the result is linear.
bool operate_by_range(Opcode op, const Value& a, const Value& b, Value& out);

/// Comparisons that ranges decide, or that one affine axis decides.
bool compare_by_range(Opcode op, const Value& a, const Value& b, Value& out);

/// Masks in separable form.
bool mask_and(const Value& a, const Value& b, Value& out);
bool mask_or(const Value& a, const Value& b, Value& out);
bool mask_not(const Value& a, Value& out);

/// Makes an axis' window from flags in out.axis_flags(axis); truth and other windows are untouched
/// unless no flag is set.
void set_window_from_flags(Value& out, int axis);
/// Makes an axis' term from the elements in out.axis_table(axis): affine where they are. Sets
/// base, low and high; the other terms must be zero.
void set_term_from_table(Value& out, int axis);

/// Result axis k is operand axis axis_of[k], or new; extents may differ where the operand's is 1.
/// Of a uniform operand axis_of may be empty.
/// Separable forms and uniform reals.
void rearrange(const Value& a, const std::vector<int>& axis_of, Value& out);

/// Affine without tables, and the strides allow it.
bool reshape_affine(const Value& a, Value& out);

/// Reversed along an axis; integers and masks in separable form.
bool reverse(const Value& a, int axis, Value& out);

}  // namespace heddle::trace::interpreter
