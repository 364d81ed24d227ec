// The type of a register, with everything resolved that its operations ask for.
//
//   int32[128, 1]   rank 2, 128 elements, varies along axis 0 only, values -2^31 .. 2^31 - 1
//
// Rules
//   1. extents, table_at and the terms of a value have kMaxAxes entries; those past the rank are 1
//      (0 for table_at). A block of more than kMaxAxes axes has `axes` 0: it is uniform or dense.
//   2. `low` and `high` bound what a separable value may hold. A uint64 of 2^63 or more is held as
//      a negative int64 of the same bits, and only in dense form.
//   3. Pointers are signed 64-bit integers whose wrapping nobody reports.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/tile_program.h"
#include "trace/pattern.h"

namespace heddle::trace::interpreter {

using config::DType;
using kernel::Opcode;

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 WideUnsigned;

/// One entry per axis; indexed by int, as axes are everywhere.
template <class T>
struct PerAxis {
  T items[kMaxAxes]{};
  T& operator[](int axis) { return items[axis]; }
  const T& operator[](int axis) const { return items[axis]; }
};

inline constexpr int kNoAxis = -1;
inline constexpr int kSeveralAxes = -2;

/// How integers of a type behave.
struct IntegerType {
  int bits = 32;
  bool is_signed = true;
  bool reports = true;  ///< leaving the range is a fault
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool is_wide_unsigned() const { return bits == 64 && !is_signed; }
  /// The low bits, read by the signedness of the type.
  std::int64_t wrap(std::int64_t value) const {
    const int spare = 64 - bits;
    const std::uint64_t raised = static_cast<std::uint64_t>(value) << spare;
    return is_signed ? static_cast<std::int64_t>(raised) >> spare
                     : static_cast<std::int64_t>(raised >> spare);
  }
};

IntegerType integer_type(DType element, bool pointer);

enum class Family : std::uint8_t { integer, boolean, real };

struct BlockType {
  DType element = DType::int32;
  bool pointer = false;
  Family family = Family::integer;
  IntegerType integers;
  std::vector<std::int64_t> shape;
  std::int64_t elements = 1;
  int axes = 0;
  int only_axis = kNoAxis;  ///< the one axis of more than one element, kNoAxis or kSeveralAxes
  PerAxis<std::int64_t> extents;
  PerAxis<std::int64_t> table_at;  ///< where an axis' table stands in a register's storage
  std::int64_t table_elements = 0;

  int element_bytes() const { return config::byte_width(element); }
};

/// Throws Error if an extent is below 1 or there are more elements than the limit.
BlockType make_block_type(const kernel::Type& type, std::int64_t element_limit);

}  // namespace heddle::trace::interpreter
