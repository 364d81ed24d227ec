#include "trace/interpreter/block_type.h"

#include <fmt/format.h>

#include <limits>

#include "support/text.h"

namespace heddle::trace::interpreter {

IntegerType integer_type(DType element, bool pointer) {
  using Limits = std::numeric_limits<std::int64_t>;
  IntegerType type;
  if (pointer || config::is_float(element)) {
    type.bits = 64;
    type.reports = false;
    type.low = Limits::min();
    type.high = Limits::max();
    return type;
  }
  type.bits = config::bit_width(element);
  type.is_signed = config::is_signed(element);
  type.reports = type.is_signed;
  if (type.is_signed) {
    type.high = Limits::max() >> (64 - type.bits);
    type.low = -type.high - 1;
  } else {
    type.high = type.bits == 64 ? Limits::max() : (std::int64_t{1} << type.bits) - 1;
  }
  return type;
}

BlockType make_block_type(const kernel::Type& type, std::int64_t element_limit) {
  BlockType result;
  result.element = type.element;
  result.pointer = type.pointer;
  if (!type.pointer && type.element == DType::boolean) result.family = Family::boolean;
  if (!type.pointer && config::is_float(type.element)) result.family = Family::real;
  result.integers = integer_type(type.element, type.pointer);
  result.shape = type.shape;
  for (const std::int64_t extent : type.shape) {
    if (extent < 1) throw Error(fmt::format("a block has an extent of {}", extent));
    if (__builtin_mul_overflow(result.elements, extent, &result.elements) ||
        result.elements > element_limit) {
      throw Error(fmt::format("a block has more than {} elements", with_separators(element_limit)),
                  "Triton refuses such a block as well; make it smaller");
    }
  }
  const int rank = static_cast<int>(type.shape.size());
  result.axes = rank <= kMaxAxes ? rank : 0;
  for (int axis = 0; axis < kMaxAxes; ++axis) result.extents[axis] = 1;
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = type.shape[static_cast<std::size_t>(axis)];
    if (extent > 1) result.only_axis = result.only_axis == kNoAxis ? axis : kSeveralAxes;
    if (axis >= result.axes) continue;
    result.extents[axis] = extent;
    result.table_at[axis] = result.table_elements;
    result.table_elements += extent;
  }
  if (rank > kMaxAxes && result.elements > 1) result.only_axis = kSeveralAxes;
  return result;
}

}  // namespace heddle::trace::interpreter
