// Operations that move elements without changing them. In separable form they move terms.
#include <algorithm>

#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

bool is_dense(const Value& value) {
  return value.form == Form::dense_integer || value.form == Form::dense_mask ||
         value.form == Form::dense_real;
}

bool is_uniform(const Value& value) {
  switch (value.form) {
    case Form::integer:
      return value.low == value.high;
    case Form::mask:
      return is_uniform_mask(value);
    default:
      return value.form == Form::real;
  }
}

/// Calls move(from, to) with the elements of `a`, row-major, and room for those of `out`; then
/// makes out's form. move is generic in the element type.
template <class Move>
void move_elements(Context& context, const Value& a, Value& out, Move move) {
  const Domain from = whole_of(*a.type);
  const Domain to = whole_of(*out.type);
  context.spend_elements(from.size);
  switch (out.type->family) {
    case Family::integer:
      move(read_integers(context, a, *a.type, from, 0), write_integers(context, out, to));
      finish_integers(context, out, to);
      out.tensor = a.tensor;
      return;
    case Family::boolean:
      move(read_flags(context, a, *a.type, from, 0), write_flags(context, out, to));
      return finish_flags(context, out, to);
    case Family::real:
      move(read_reals(context, a, *a.type, from, 0), write_reals(context, out, to));
      return finish_reals(context, out, to);
  }
}

/// The same for two operands of one type.
template <class Move>
void move_two(Context& context, const Step& step, Move move) {
  Value& out = *step.out;
  const Value& a = *step.a;
  const Value& b = *step.b;
  const Domain to = whole_of(*out.type);
  switch (out.type->family) {
    case Family::integer:
      move(read_integers(context, a, *a.type, whole_of(*a.type), 0),
           read_integers(context, b, *b.type, whole_of(*b.type), 1),
           write_integers(context, out, to));
      finish_integers(context, out, to);
      if (a.tensor == b.tensor) out.tensor = a.tensor;
      return;
    case Family::boolean:
      move(read_flags(context, a, *a.type, whole_of(*a.type), 0),
           read_flags(context, b, *b.type, whole_of(*b.type), 1), write_flags(context, out, to));
      return finish_flags(context, out, to);
    case Family::real:
      move(read_reals(context, a, *a.type, whole_of(*a.type), 0),
           read_reals(context, b, *b.type, whole_of(*b.type), 1), write_reals(context, out, to));
      return finish_reals(context, out, to);
  }
}

}  // namespace

void rearrange_axes(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  // Terms cannot be moved into or out of a block of more axes than terms.
  const bool has_terms = out.type->axes == static_cast<int>(out.type->shape.size());
  if (is_uniform(a) || (!is_dense(a) && has_terms)) return rearrange(a, step.axis_of, out);
  const std::vector<std::int64_t> own = row_major_strides(a.type->shape);
  std::vector<std::int64_t> strides(out.type->shape.size(), 0);
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    const int from = step.axis_of[axis];
    if (from != kNoAxis && a.type->shape[static_cast<std::size_t>(from)] > 1)
      strides[axis] = own[static_cast<std::size_t>(from)];
  }
  move_elements(context, a, out,
                [&](const auto* from, auto* to) { gather(from, out.type->shape, strides, to); });
}

void reshape(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  if (!step.axis_of.empty() || is_uniform(a)) return rearrange_axes(context, step);
  if (a.is_separable() && out.type->axes > 0 && reshape_affine(a, out)) return;
  move_elements(context, a, out,
                [&](const auto* from, auto* to) { std::copy_n(from, out.type->elements, to); });
}

void join(Context& context, const Step& step) {
  move_two(context, step, [&](const auto* a, const auto* b, auto* to) {
    for (std::int64_t i = 0; i < step.a->type->elements; ++i) {
      to[2 * i] = a[i];
      to[2 * i + 1] = b[i];
    }
  });
}

void split(Context& context, const Step& step) {
  for (std::size_t which = 0; which < step.results.size(); ++which) {
    if (step.results[which] == nullptr) continue;
    Value& out = *step.results[which];
    move_elements(context, *step.a, out, [&](const auto* from, auto* to) {
      for (std::int64_t i = 0; i < out.type->elements; ++i)
        to[i] = from[2 * i + static_cast<std::int64_t>(which)];
    });
  }
}

void concatenate(Context& context, const Step& step) {
  const auto axis = static_cast<std::size_t>(step.integers[0]);
  const std::vector<std::int64_t>& shape = step.out->type->shape;
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  const std::int64_t piece_a = inner * step.a->type->shape[axis];
  const std::int64_t piece_b = inner * step.b->type->shape[axis];
  const std::int64_t pieces = step.a->type->elements / piece_a;
  move_two(context, step, [&](const auto* a, const auto* b, auto* to) {
    for (std::int64_t i = 0; i < pieces; ++i) {
      to = std::copy_n(a + i * piece_a, piece_a, to);
      to = std::copy_n(b + i * piece_b, piece_b, to);
    }
  });
}

void flip(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  const auto axis = static_cast<std::size_t>(step.integers[0]);
  if (is_uniform(a)) return copy_value(context, a, out);
  if (!is_dense(a) && reverse(a, static_cast<int>(axis), out)) return;
  std::vector<std::int64_t> strides = row_major_strides(a.type->shape);
  const std::int64_t start = strides[axis] * (a.type->shape[axis] - 1);
  strides[axis] = -strides[axis];
  move_elements(context, a, out, [&](const auto* from, auto* to) {
    gather(from + start, out.type->shape, strides, to);
  });
}

}  // namespace heddle::trace::interpreter
