#include "trace/interpreter/lanes.h"

#include <algorithm>

#include "config/rounding.h"
#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

void widen(Domain& domain, int axis, const BlockType& out) {
  if (domain.axis == axis || domain.is_whole()) return;
  if (domain.axis != kNoAxis || axis == kSeveralAxes) {
    domain = {kSeveralAxes, out.elements};
  } else {
    domain = {axis, out.extents[axis]};
  }
}

/// An array over the domain from one that has an entry for every element of `value`.
template <class T>
const T* spread(const std::vector<T>& from, const Value& value, const BlockType& out, Domain domain,
                T* to) {
  if (value.type->elements == domain.size) return from.data();
  if (value.type->elements == 1) {
    std::fill_n(to, domain.size, from[0]);
  } else {
    gather(from.data(), out.shape, broadcast_strides(value.type->shape, out.shape), to);
  }
  return to;
}

// Unsigned: partial sums may pass the range of int64 on the way to an element within it.
std::int64_t add_wrapping(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void fill_axis(const Term& term, std::int64_t base, std::int64_t extent, std::int64_t* to) {
  for (std::int64_t i = 0; i < extent; ++i) to[i] = add_wrapping(base, term.at(i));
}

void fill_integers(const Value& value, const BlockType& out, Domain domain, std::int64_t* to) {
  if (domain.axis == kNoAxis || value.low == value.high) {
    std::fill_n(to, domain.size, value.base);
    return;
  }
  if (!domain.is_whole()) return fill_axis(value.terms[domain.axis], value.base, domain.size, to);
  // From the innermost axis outwards; each axis repeats what is there, the first copy last.
  fill_axis(value.terms[out.axes - 1], value.base, out.extents[out.axes - 1], to);
  std::int64_t block = out.extents[out.axes - 1];
  for (int axis = out.axes - 2; axis >= 0; --axis) {
    for (std::int64_t i = out.extents[axis] - 1; i >= 0; --i) {
      const std::int64_t offset = value.terms[axis].at(i);
      std::int64_t* row = to + i * block;
      for (std::int64_t j = 0; j < block; ++j) row[j] = add_wrapping(to[j], offset);
    }
    block *= out.extents[axis];
  }
}

Window window_over(const Value& value, const BlockType& out, int axis) {
  const std::int64_t extent = out.extents[axis];
  return value.type->extents[axis] == extent ? value.windows[axis] : Window{0, extent, nullptr};
}

void fill_flags(const Value& value, const BlockType& out, Domain domain, std::uint8_t* to) {
  if (!value.truth || domain.axis == kNoAxis || out.axes == 0) {
    std::fill_n(to, domain.size, static_cast<std::uint8_t>(value.truth));
    return;
  }
  const int inner = domain.is_whole() ? out.axes - 1 : domain.axis;
  const Window innermost = window_over(value, out, inner);
  for (std::int64_t i = 0; i < out.extents[inner]; ++i) to[i] = innermost.at(i);
  if (!domain.is_whole()) return;
  std::int64_t block = out.extents[inner];
  for (int axis = inner - 1; axis >= 0; --axis) {
    const Window window = window_over(value, out, axis);
    for (std::int64_t i = out.extents[axis] - 1; i >= 0; --i) {
      if (!window.at(i)) {
        std::fill_n(to + i * block, block, std::uint8_t{0});
      } else if (i > 0) {
        std::copy_n(to, block, to + i * block);
      }
    }
    block *= out.extents[axis];
  }
}

/// uint64 is held as int64 of the same bits.
double as_real(std::int64_t value, const IntegerType& type) {
  return type.is_wide_unsigned() ? static_cast<double>(static_cast<std::uint64_t>(value))
                                 : static_cast<double>(value);
}

}  // namespace

Domain domain_of(const BlockType& out, std::initializer_list<const Value*> operands) {
  Domain domain;
  for (const Value* value : operands) {
    if (value == nullptr) continue;
    const BlockType& type = *value->type;
    switch (value->form) {
      case Form::integer:
        for (int axis = 0; axis < type.axes; ++axis) {
          if (value->terms[axis].varies()) widen(domain, axis, out);
        }
        break;
      case Form::mask:
        for (int axis = 0; value->truth && axis < type.axes; ++axis) {
          if (!is_full(value->windows[axis], type.extents[axis])) widen(domain, axis, out);
        }
        break;
      case Form::dense_integer:
      case Form::dense_mask:
      case Form::dense_real:
        widen(domain, type.only_axis, out);
        break;
      case Form::real:
      case Form::unset:
        break;
    }
  }
  return domain;
}

Domain whole_of(const BlockType& out) {
  Domain domain;
  widen(domain, out.only_axis, out);
  return domain;
}

Domain real_domain(const BlockType& out, Domain domain) {
  return domain.axis == kNoAxis ? domain : whole_of(out);
}

const std::int64_t* read_integers(Context& context, const Value& value, const BlockType& out,
                                  Domain domain, int slot) {
  if (value.form == Form::dense_integer && value.type->elements == domain.size)
    return value.integers.data();
  std::int64_t* to = context.scratch.integers(slot, domain.size);
  switch (value.form) {
    case Form::dense_integer:
      return spread(value.integers, value, out, domain, to);
    case Form::integer:
      fill_integers(value, out, domain, to);
      break;
    case Form::mask:
    case Form::dense_mask: {
      const std::uint8_t* flags = read_flags(context, value, out, domain, slot);
      std::copy_n(flags, domain.size, to);
      break;
    }
    case Form::real:
    case Form::dense_real: {
      const double* reals = read_reals(context, value, out, domain, slot);
      std::transform(reals, reals + domain.size, to, config::truncate);
      break;
    }
    case Form::unset:
      std::fill_n(to, domain.size, std::int64_t{0});
      break;
  }
  return to;
}

const std::uint8_t* read_flags(Context& context, const Value& value, const BlockType& out,
                               Domain domain, int slot) {
  if (value.form == Form::dense_mask && value.type->elements == domain.size)
    return value.flags.data();
  std::uint8_t* to = context.scratch.flags(slot, domain.size);
  switch (value.form) {
    case Form::dense_mask:
      return spread(value.flags, value, out, domain, to);
    case Form::mask:
      fill_flags(value, out, domain, to);
      break;
    case Form::integer:
    case Form::dense_integer: {
      const std::int64_t* integers = read_integers(context, value, out, domain, slot);
      for (std::int64_t i = 0; i < domain.size; ++i) to[i] = integers[i] != 0;
      break;
    }
    case Form::real:
    case Form::dense_real: {
      const double* reals = read_reals(context, value, out, domain, slot);
      for (std::int64_t i = 0; i < domain.size; ++i) to[i] = reals[i] < 0 || !(reals[i] <= 0);
      break;
    }
    case Form::unset:
      std::fill_n(to, domain.size, std::uint8_t{0});
      break;
  }
  return to;
}

const double* read_reals(Context& context, const Value& value, const BlockType& out, Domain domain,
                         int slot) {
  if (value.form == Form::dense_real && value.type->elements == domain.size)
    return value.reals.data();
  double* to = context.scratch.reals(slot, domain.size);
  switch (value.form) {
    case Form::dense_real:
      return spread(value.reals, value, out, domain, to);
    case Form::real:
      std::fill_n(to, domain.size, value.real);
      break;
    case Form::integer:
    case Form::dense_integer: {
      const std::int64_t* integers = read_integers(context, value, out, domain, slot);
      const IntegerType& type = value.type->integers;
      for (std::int64_t i = 0; i < domain.size; ++i) to[i] = as_real(integers[i], type);
      break;
    }
    case Form::mask:
    case Form::dense_mask: {
      const std::uint8_t* flags = read_flags(context, value, out, domain, slot);
      std::copy_n(flags, domain.size, to);
      break;
    }
    case Form::unset:
      std::fill_n(to, domain.size, 0.0);
      break;
  }
  return to;
}

std::int64_t* write_integers(Context& context, Value& out, Domain domain) {
  context.spend_elements(domain.size);
  if (domain.axis == kNoAxis) return context.scratch.integers(kResultSlot, 1);
  return domain.is_whole() ? out.dense_integers() : out.axis_table(domain.axis);
}

std::uint8_t* write_flags(Context& context, Value& out, Domain domain) {
  context.spend_elements(domain.size);
  if (domain.axis == kNoAxis) return context.scratch.flags(kResultSlot, 1);
  return domain.is_whole() ? out.dense_flags() : out.axis_flags(domain.axis);
}

double* write_reals(Context& context, Value& out, Domain domain) {
  context.spend_elements(domain.size);
  return domain.axis == kNoAxis ? context.scratch.reals(kResultSlot, 1) : out.dense_reals();
}

void finish_integers(Context& context, Value& out, Domain domain) {
  out.tensor = -1;
  if (domain.is_whole()) {
    out.form = Form::dense_integer;
    return;
  }
  if (domain.axis == kNoAxis) {
    out.set_integer(context.scratch.integers(kResultSlot, 1)[0]);
  } else {
    out.set_integer(0);
    set_term_from_table(out, domain.axis);
  }
  if (out.low >= out.type->integers.low) return;
  // A uint64 of 2^63 or more: only the dense form holds it.
  std::int64_t* copy = context.scratch.integers(kResultSlot, out.type->elements);
  fill_integers(out, *out.type, whole_of(*out.type), copy);
  std::copy_n(copy, out.type->elements, out.dense_integers());
  out.form = Form::dense_integer;
}

void finish_flags(Context& context, Value& out, Domain domain) {
  if (domain.is_whole()) {
    out.form = Form::dense_mask;
    return;
  }
  if (domain.axis == kNoAxis) {
    out.set_truth(context.scratch.flags(kResultSlot, 1)[0] != 0);
    return;
  }
  out.set_truth(true);
  set_window_from_flags(out, domain.axis);
}

void finish_reals(Context& context, Value& out, Domain domain) {
  if (domain.axis == kNoAxis) {
    out.set_real(context.scratch.reals(kResultSlot, 1)[0]);
  } else {
    out.form = Form::dense_real;
  }
}

void copy_value(Context& context, const Value& value, Value& out) {
  const Domain whole = whole_of(*out.type);
  switch (value.form) {
    case Form::integer:
    case Form::mask:
    case Form::real:
      return assign(value, out);
    case Form::dense_integer:
      std::copy_n(read_integers(context, value, *out.type, whole, 0), whole.size,
                  out.dense_integers());
      context.spend_elements(whole.size);
      break;
    case Form::dense_mask:
      std::copy_n(read_flags(context, value, *out.type, whole, 0), whole.size, out.dense_flags());
      context.spend_elements(whole.size);
      break;
    case Form::dense_real:
      std::copy_n(read_reals(context, value, *out.type, whole, 0), whole.size, out.dense_reals());
      context.spend_elements(whole.size);
      break;
    case Form::unset:
      out.set_zero();
      return;
  }
  out.form = value.form;
  out.tensor = value.tensor;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

std::vector<std::int64_t> broadcast_strides(const std::vector<std::int64_t>& shape,
                                            const std::vector<std::int64_t>& seen_as) {
  std::vector<std::int64_t> strides(seen_as.size(), 0);
  const std::vector<std::int64_t> own = row_major_strides(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1) strides[axis] = own[axis];
  }
  return strides;
}

}  // namespace heddle::trace::interpreter
