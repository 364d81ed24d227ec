#include "trace/interpreter/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heddle::trace::interpreter {
namespace {

using Shape = std::vector<std::int64_t>;

const Shape& shape_of(const Value* value) {
  return value->type->shape;
}

bool fits_into(const Shape& shape, const Shape& result) {
  if (shape.empty()) return true;
  if (shape.size() != result.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1 && shape[axis] != result[axis]) return false;
  }
  return true;
}

std::size_t checked_axis(std::int64_t axis, std::size_t rank) {
  require(axis >= 0 && static_cast<std::size_t>(axis) < rank, "no such axis");
  return static_cast<std::size_t>(axis);
}

Shape without(const Shape& shape, std::size_t axis) {
  Shape result = shape;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
  return result;
}

void require_elementwise(const Step& step) {
  for (const Value* operand : step.operands) {
    require(fits_into(shape_of(operand), shape_of(step.out)),
            "an operand has another shape than the result");
  }
}

std::vector<int> same_axes(const Shape& from, const Shape& to) {
  std::vector<int> axes(to.size(), kNoAxis);
  if (!from.empty()) std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Where both shapes are the same but for extents of 1: the axes of the others.
std::vector<int> axes_but_ones(const Shape& from, const Shape& to) {
  std::vector<int> axes(to.size(), kNoAxis);
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis] == 1) continue;
    while (next < from.size() && from[next] == 1) ++next;
    if (next == from.size() || from[next] != to[axis]) return {};
    axes[axis] = static_cast<int>(next++);
  }
  return axes;
}

void resolve_expand_dims(Step& step) {
  const Shape& from = shape_of(step.a);
  const Shape& to = shape_of(step.out);
  const std::size_t at = checked_axis(step.integers[0], to.size());
  require(to[at] == 1 && without(to, at) == from, "expand_dims to another shape");
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    const int source = static_cast<int>(axis) - (axis > at ? 1 : 0);
    step.axis_of.push_back(axis == at ? kNoAxis : source);
  }
}

void resolve_permute(Step& step) {
  const Shape& from = shape_of(step.a);
  const Shape& to = shape_of(step.out);
  require(step.integers.size() == to.size() && from.size() == to.size(), "permute of other axes");
  std::vector<bool> seen(from.size(), false);
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    const std::size_t source = checked_axis(step.integers[axis], from.size());
    require(!seen[source] && from[source] == to[axis], "permute to another shape");
    seen[source] = true;
    step.axis_of.push_back(static_cast<int>(source));
  }
}

void resolve_concatenate(const Step& step) {
  const Shape& a = shape_of(step.a);
  const Shape& b = shape_of(step.b);
  const Shape& to = shape_of(step.out);
  const std::size_t axis = checked_axis(step.integers[0], to.size());
  require(a.size() == to.size() && b.size() == to.size() && without(a, axis) == without(to, axis) &&
              without(b, axis) == without(to, axis) && a[axis] + b[axis] == to[axis],
          "concatenate to another shape");
}

void resolve_dot(const Step& step) {
  const Shape& a = shape_of(step.a);
  const Shape& b = shape_of(step.b);
  const Shape& to = shape_of(step.out);
  const std::size_t rank = to.size();
  require(rank >= 2 && a.size() == rank && b.size() == rank, "dot of other axes");
  const bool fits =
      a[rank - 2] == to[rank - 2] && b[rank - 1] == to[rank - 1] && a[rank - 1] == b[rank - 2];
  require(fits && std::equal(to.begin(), to.end() - 2, a.begin()) &&
              std::equal(to.begin(), to.end() - 2, b.begin()),
          "dot to another shape");
  if (step.c != nullptr) require(fits_into(shape_of(step.c), to), "dot with another accumulator");
}

bool is_arg_reduction(const Step& step) {
  const auto reduction = static_cast<kernel::Reduction>(step.integers[0]);
  return reduction == kernel::Reduction::arg_minimum || reduction == kernel::Reduction::arg_maximum;
}

void resolve_across(const Step& step) {
  const Shape& from = shape_of(step.a);
  const Shape& to = shape_of(step.out);
  switch (step.op) {
    case Opcode::reduce:
      require(!is_arg_reduction(step) || step.out->type->family == Family::integer,
              "an index is an integer");
      return require(without(from, checked_axis(step.integers[1], from.size())) == to,
                     "reduce to another shape");
    case Opcode::scan:
      checked_axis(step.integers[1], from.size());
      return require(from == to, "scan to another shape");
    case Opcode::sort:
    case Opcode::flip:
      checked_axis(step.integers[0], from.size());
      return require(from == to, "sort or flip to another shape");
    case Opcode::gather: {
      const std::size_t axis = checked_axis(step.integers[0], from.size());
      return require(from.size() == to.size() && without(from, axis) == without(to, axis) &&
                         fits_into(shape_of(step.b), to),
                     "gather to another shape");
    }
    case Opcode::histogram:
      require(step.out->type->family == Family::integer && to.size() == 1,
              "a histogram is a row of integers");
      if (step.b != nullptr) require(fits_into(shape_of(step.b), from), "another mask");
      return;
    default:
      return resolve_dot(step);
  }
}

void resolve_source(const Step& step) {
  const BlockType& type = *step.out->type;
  switch (step.op) {
    case Opcode::arange: {
      const std::int64_t first = step.integers[0];
      std::int64_t count = 0;
      require(!__builtin_sub_overflow(step.integers[1], first, &count) && type.axes == 1 &&
                  type.elements == count && type.family == Family::integer,
              "an arange of another shape");
      return require(first >= type.integers.low && step.integers[1] - 1 <= type.integers.high,
                     "an arange beyond the range of its type");
    }
    case Opcode::block_pointer:
      return require(type.pointer && type.shape.size() <= kMaxAxes &&
                         step.operands.size() == 1 + 2 * type.shape.size(),
                     "a block pointer of other axes");
    case Opcode::bounds_mask:
      return require(type.family == Family::boolean && type.shape.size() <= kMaxAxes &&
                         step.operands.size() == 2 * type.shape.size(),
                     "a bounds mask of other axes");
    case Opcode::random:
      for (const Value* result : step.results) {
        require(result == nullptr || result->type->family != Family::boolean, "random booleans");
        require(result == nullptr || (fits_into(shape_of(step.a), shape_of(result)) &&
                                      fits_into(shape_of(step.b), shape_of(result))),
                "random numbers of another shape");
      }
      return;
    default:
      return;
  }
}

void resolve_pieces(const Step& step) {
  if (step.op == Opcode::join) {
    Shape joined = shape_of(step.a);
    joined.push_back(2);
    return require(shape_of(step.a) == shape_of(step.b) && shape_of(step.out) == joined,
                   "join to another shape");
  }
  const Shape& from = shape_of(step.a);
  require(!from.empty() && from.back() == 2, "split of an axis that is not 2 long");
  for (const Value* result : step.results) {
    require(result == nullptr || shape_of(result) == without(from, from.size() - 1),
            "split to another shape");
  }
}

bool is_comparison(Opcode op) {
  return op >= Opcode::equal && op <= Opcode::greater_equal;
}

}  // namespace

void require(bool holds, const char* what) {
  if (!holds) throw Error(fmt::format("the program cannot be run: {}", what));
}

std::vector<std::int64_t> broadcast_shape(const std::vector<std::int64_t>& a,
                                          const std::vector<std::int64_t>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  require(a.size() == b.size(), "operands of different ranks");
  Shape result = a;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    require(a[axis] == b[axis] || a[axis] == 1 || b[axis] == 1, "operands of different shapes");
    result[axis] = std::max(a[axis], b[axis]);
  }
  return result;
}

void resolve_shapes(Step& step) {
  switch (step.op) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::atomic:
    case Opcode::unknown:
    case Opcode::while_loop:
    case Opcode::if_else:
    case Opcode::scope:
    case Opcode::leave:
      return;
    case Opcode::for_range:
      return require(step.out == nullptr || step.out->type->family == Family::integer,
                     "a loop counts in integers");
    default:
      break;
  }
  const bool has_result =
      std::ranges::any_of(step.results, [](const Value* value) { return value != nullptr; });
  require(has_result, "a result is missing");
  if (step.op == Opcode::split || step.op == Opcode::join) return resolve_pieces(step);
  if (step.op == Opcode::random) return resolve_source(step);
  require(step.out != nullptr, "a result is missing");
  if (step.op <= Opcode::arange || step.op == Opcode::block_pointer ||
      step.op == Opcode::bounds_mask) {
    return resolve_source(step);
  }
  if (step.op <= Opcode::broadcast) {
    require_elementwise(step);
    if (is_comparison(step.op))
      require(step.out->type->family == Family::boolean, "a comparison gives booleans");
    if (step.op == Opcode::broadcast)
      step.axis_of = same_axes(shape_of(step.a), shape_of(step.out));
    return;
  }
  switch (step.op) {
    case Opcode::expand_dims:
      return resolve_expand_dims(step);
    case Opcode::permute:
      return resolve_permute(step);
    case Opcode::reshape:
      require(step.a->type->elements == step.out->type->elements, "reshape of other elements");
      step.axis_of = axes_but_ones(shape_of(step.a), shape_of(step.out));
      return;
    case Opcode::concatenate:
      return resolve_concatenate(step);
    default:
      return resolve_across(step);
  }
}

}  // namespace heddle::trace::interpreter
