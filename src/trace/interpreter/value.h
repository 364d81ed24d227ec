// What a register holds while a tile runs.
//
//   offs_m[:, None] * 8192 + offs_n[None, :]  integer: base 524288, terms {8192} {1}
//   offs_m < M                                mask: window [0, 100) of 128
//   columns loaded from memory                integer: one term with a table
//   a 2-D product of two varying blocks       dense
//
// Rules
//   1. integer (also pointers): element (i, j, ...) is base + terms[0].at(i) + terms[1].at(j) +
//   ...;
//      low and high are the smallest and largest element, exactly, and lie within the type's range.
//   2. A term that does not vary is all zero (no stride, no table); so low == high means that every
//      element is `base`. Terms past the axes of the type are always zero.
//   3. mask (booleans): true where `truth` and, on every axis, first <= i < last and flags[i].
//      Flags are there only where a window has holes; a mask that is false everywhere has
//      truth == false.
//   4. real: every element is `real`. dense_*: one entry per element, row-major, in the storage.
//   5. The storage belongs to the register and is kept when the form changes: no allocation in
//      steady state. Tables of axis k start at type->table_at[k].
//   6. `tensor` says which tensor a pointer was made from, -1 where that is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/interpreter/block_type.h"

namespace heddle::trace::interpreter {

enum class Form : std::uint8_t {
  unset,
  integer,
  dense_integer,
  mask,
  dense_mask,
  real,
  dense_real,
};

struct Term {
  std::int64_t stride = 0;
  const std::int64_t* table = nullptr;
  std::int64_t low = 0;
  std::int64_t high = 0;

  std::int64_t at(std::int64_t i) const { return table != nullptr ? table[i] : stride * i; }
  bool varies() const { return low != high; }
};

struct Window {
  std::int64_t first = 0;
  std::int64_t last = 1;
  const std::uint8_t* flags = nullptr;

  bool at(std::int64_t i) const {
    return i >= first && i < last && (flags == nullptr || flags[i] != 0);
  }
};

/// Bytes that registers and scratch memory may still take.
class StorageBudget {
 public:
  explicit StorageBudget(std::int64_t bytes) : left_(bytes) {}
  /// Throws Error where there is no room left.
  void take(std::int64_t bytes);

 private:
  std::int64_t left_;
};

struct Value {
  Value(const BlockType& block_type, StorageBudget& storage_budget)
      : type(&block_type), budget(&storage_budget) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  const BlockType* type;
  Form form = Form::unset;
  bool truth = false;
  std::int32_t tensor = -1;
  std::int64_t base = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double real = 0;
  PerAxis<Term> terms;
  PerAxis<Window> windows;
  std::vector<std::int64_t> integers;
  std::vector<std::uint8_t> flags;
  std::vector<double> reals;
  StorageBudget* budget;

  bool is_separable() const { return form == Form::integer; }
  bool is_uniform_integer() const { return form == Form::integer && low == high; }

  void set_integer(std::int64_t value);  ///< every element; within the range of the type
  void set_truth(bool value);
  void set_real(double value);
  void set_zero();  ///< of whatever family the type is

  /// Room for one entry per element of the axis, or of the block.
  std::int64_t* axis_table(int axis);
  std::uint8_t* axis_flags(int axis);
  std::int64_t* dense_integers();
  std::uint8_t* dense_flags();
  double* dense_reals();
};

inline bool is_full(const Window& window, std::int64_t extent) {
  return window.first == 0 && window.last == extent && window.flags == nullptr;
}

/// True everywhere, as far as the form tells.
bool is_all_true(const Value& mask);
/// False everywhere, as far as the form tells.
inline bool is_all_false(const Value& mask) {
  return mask.form == Form::mask && !mask.truth;
}
inline bool is_uniform_mask(const Value& mask) {
  return is_all_false(mask) || is_all_true(mask);
}

}  // namespace heddle::trace::interpreter
