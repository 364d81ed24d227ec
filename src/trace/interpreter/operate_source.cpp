// Where values come from: constants, parameters, the tile, block pointers, random numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/rounding.h"
#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/philox.h"

namespace heddle::trace::interpreter {
namespace {

/// Every element is this number, whatever the family of the register.
void set_number(Context& context, Value& out, std::int64_t value) {
  switch (out.type->family) {
    case Family::integer: {
      const Domain one;
      *write_integers(context, out, one) = out.type->integers.wrap(value);
      return finish_integers(context, out, one);
    }
    case Family::boolean:
      return out.set_truth(value != 0);
    case Family::real:
      return out.set_real(config::round_to(out.type->element, static_cast<double>(value)));
  }
}

void set_number(Context& context, Value& out, double value) {
  if (out.type->family != Family::real) return set_number(context, out, config::truncate(value));
  out.set_real(config::round_to(out.type->element, value));
}

/// A scalar operand of a block pointer.
std::int64_t scalar(const Value& value) {
  if (!value.is_uniform_integer())
    throw Error("an offset, size or stride of a block pointer is not a single integer");
  return value.base;
}

}  // namespace

void constant_integer(Context& context, const Step& step) {
  set_number(context, *step.out, step.integers[0]);
}

void constant_real(Context& context, const Step& step) {
  set_number(context, *step.out, step.number);
}

void parameter(Context& context, const Step& step) {
  const kernel::Parameter& described =
      context.program.parameters[static_cast<std::size_t>(step.integers[0])];
  const config::Value* value = parameter_value(described, context.launch);
  if (value == nullptr) {
    throw Error(fmt::format("the job gives no value for parameter '{}'", described.name),
                "list it under scalars, constexprs or tensors");
  }
  Value& out = *step.out;
  if (const auto* flag = std::get_if<bool>(&value->data)) {
    set_number(context, out, std::int64_t{*flag});
  } else if (const auto* integer = std::get_if<std::int64_t>(&value->data)) {
    set_number(context, out, *integer);
  } else if (const auto* real = std::get_if<double>(&value->data)) {
    set_number(context, out, *real);
  } else if (std::holds_alternative<std::monostate>(value->data)) {
    out.set_zero();
  } else if (const auto* tensor = std::get_if<config::TensorReference>(&value->data);
             tensor != nullptr && tensor->index < context.launch.tensors.size()) {
    const config::Tensor& described_tensor = context.launch.tensors[tensor->index];
    set_number(context, out, static_cast<std::int64_t>(described_tensor.address));
    if (out.type->pointer) out.tensor = static_cast<std::int32_t>(tensor->index);
  } else {
    throw Error(
        fmt::format("the value of parameter '{}' is neither a number nor a tensor", described.name),
        "texts and lists are constexprs");
  }
}

void program_id(Context& context, const Step& step) {
  set_number(context, *step.out, context.tile[static_cast<std::size_t>(step.integers[0])]);
}

void number_of_programs(Context& context, const Step& step) {
  set_number(context, *step.out, context.launch.grid.extent(static_cast<int>(step.integers[0])));
}

void arange(Context&, const Step& step) {
  Value& out = *step.out;
  out.set_integer(step.integers[0]);
  const std::int64_t span = out.type->elements - 1;
  out.high += span;
  if (span > 0) out.terms[0] = {1, nullptr, 0, span};
}

void block_pointer(Context& context, const Step& step) {
  Value& out = *step.out;
  const Value& start = *step.operands[0];
  const int rank = out.type->axes;
  const auto operand = [&](int index) {
    return scalar(*step.operands[static_cast<std::size_t>(index)]);
  };
  const std::int64_t bytes = out.type->element_bytes();
  std::int64_t base = scalar(start);
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool overflows = false;
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t stride = 0;
    std::int64_t distance = 0;
    std::int64_t span = 0;
    overflows |= __builtin_mul_overflow(operand(1 + rank + axis), bytes, &stride);
    overflows |= __builtin_mul_overflow(operand(1 + axis), stride, &distance);
    overflows |= __builtin_add_overflow(base, distance, &base);
    overflows |= __builtin_mul_overflow(stride, out.type->extents[axis] - 1, &span);
    out.terms[axis] = {span == 0 ? 0 : stride, nullptr, std::min<std::int64_t>(span, 0),
                       std::max<std::int64_t>(span, 0)};
    overflows |= __builtin_add_overflow(low, out.terms[axis].low, &low);
    overflows |= __builtin_add_overflow(high, out.terms[axis].high, &high);
  }
  overflows |= __builtin_add_overflow(base, low, &low);
  overflows |= __builtin_add_overflow(base, high, &high);
  if (overflows) {
    context.record(Fault::Kind::overflow,
                   [] { return "an address of more than 64 bits, taken as 0"; });
    return out.set_zero();
  }
  out.form = Form::integer;
  out.tensor = start.tensor;
  out.base = base;
  out.low = low;
  out.high = high;
}

void bounds_mask(Context&, const Step& step) {
  Value& out = *step.out;
  const int rank = out.type->axes;
  out.set_truth(true);
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (at >= step.integers.size() || step.integers[at] == 0) continue;
    const Wide extent = out.type->extents[axis];
    const Wide offset = scalar(*step.operands[at]);
    const Wide size = scalar(*step.operands[at + static_cast<std::size_t>(rank)]);
    const Wide first = std::clamp<Wide>(-offset, 0, extent);
    const Wide last = std::clamp<Wide>(size - offset, 0, extent);
    if (first >= last) return out.set_truth(false);
    out.windows[axis] = {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last),
                         nullptr};
  }
}

void random(Context& context, const Step& step) {
  const auto function = static_cast<kernel::RandomFunction>(step.integers[0]);
  const Value& seed = *step.a;
  const Value& offset = *step.b;
  const bool is_wide = offset.type->integers.bits == 64;
  // One of the four numbers by its own instruction, or all of them by one.
  const auto first = static_cast<std::size_t>(step.integers.size() > 1 ? step.integers[1] : 0);
  for (std::size_t result = 0; result < step.results.size(); ++result) {
    if (step.results[result] == nullptr) continue;
    Value& out = *step.results[result];
    const std::size_t which = (first + result) % 4;
    Domain domain = domain_of(*out.type, {&seed, &offset});
    const bool is_real = out.type->family == Family::real;
    if (is_real) domain = real_domain(*out.type, domain);
    const std::int64_t* seeds = read_integers(context, seed, *out.type, domain, 0);
    const std::int64_t* offsets = read_integers(context, offset, *out.type, domain, 1);
    std::int64_t* integers = is_real ? nullptr : write_integers(context, out, domain);
    double* reals = is_real ? write_reals(context, out, domain) : nullptr;
    for (std::int64_t i = 0; i < domain.size; ++i) {
      const auto numbers = random_integers(static_cast<std::uint64_t>(seeds[i]),
                                           static_cast<std::uint64_t>(offsets[i]), is_wide);
      if (!is_real) {
        integers[i] = out.type->integers.wrap(static_cast<std::int64_t>(numbers[which]));
      } else if (function == kernel::RandomFunction::normal) {
        reals[i] = normal_real(numbers, which);
      } else {
        reals[i] = uniform_real(numbers[which]);
      }
      if (is_real) reals[i] = config::round_to(out.type->element, reals[i]);
    }
    if (is_real) {
      finish_reals(context, out, domain);
    } else {
      finish_integers(context, out, domain);
    }
  }
}

void unknown(Context&, const Step&) {
  throw Error("a value that heddle does not compute reaches an address, mask, bound or branch",
              "give the access a mask or address that does not depend on it");
}

}  // namespace heddle::trace::interpreter
