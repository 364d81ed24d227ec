#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/float_bits.h"
#include "config/rounding.h"
#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

/// Toward zero, then to the nearest number that the type holds, as GPUs convert.
std::int64_t saturated(double value, const IntegerType& type) {
  if (type.is_wide_unsigned()) {
    constexpr double kHalf = 0x1p63;
    if (!(value > 0)) return 0;
    if (value >= 2 * kHalf) return -1;
    if (value < kHalf) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
  return std::clamp(config::truncate(value), type.low, type.high);
}

void cast_to_integer(Context& context, const Value& a, Value& out) {
  const IntegerType& type = out.type->integers;
  const bool same_kind = a.type->pointer == out.type->pointer;
  if (a.is_separable() && a.low >= type.low && a.high <= type.high) {
    assign(a, out);
    if (!same_kind) out.tensor = -1;
    return;
  }
  const Domain domain = domain_of(*out.type, {&a});
  std::int64_t* result = write_integers(context, out, domain);
  if (a.type->family == Family::real) {
    const double* reals = read_reals(context, a, *out.type, domain, 0);
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = saturated(reals[i], type);
  } else {
    const std::int64_t* integers = read_integers(context, a, *out.type, domain, 0);
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = type.wrap(integers[i]);
  }
  finish_integers(context, out, domain);
  if (same_kind) out.tensor = a.tensor;
}

void cast_to_boolean(Context& context, const Value& a, Value& out) {
  const Domain domain = domain_of(*out.type, {&a});
  const std::uint8_t* flags = read_flags(context, a, *out.type, domain, 0);
  std::copy_n(flags, domain.size, write_flags(context, out, domain));
  finish_flags(context, out, domain);
}

void cast_to_real(Context& context, const Value& a, Value& out) {
  const Domain domain = real_domain(*out.type, domain_of(*out.type, {&a}));
  const double* reals = read_reals(context, a, *out.type, domain, 0);
  double* result = write_reals(context, out, domain);
  for (std::int64_t i = 0; i < domain.size; ++i)
    result[i] = config::round_to(out.type->element, reals[i]);
  finish_reals(context, out, domain);
}

int width_of(const BlockType& type) {
  constexpr int kPointerBytes = 8;
  return type.pointer ? kPointerBytes : type.element_bytes();
}

}  // namespace

void cast(Context& context, const Step& step) {
  switch (step.out->type->family) {
    case Family::integer:
      return cast_to_integer(context, *step.a, *step.out);
    case Family::boolean:
      return step.a->type->family == Family::boolean ? copy_value(context, *step.a, *step.out)
                                                     : cast_to_boolean(context, *step.a, *step.out);
    case Family::real:
      return cast_to_real(context, *step.a, *step.out);
  }
}

void bitcast(Context& context, const Step& step) {
  const Value& a = *step.a;
  Value& out = *step.out;
  const bool from_real = a.type->family == Family::real;
  const bool to_real = out.type->family == Family::real;
  if (width_of(*a.type) != width_of(*out.type)) {
    throw Error(fmt::format("a bitcast from {} to {} bytes an element", width_of(*a.type),
                            width_of(*out.type)),
                "bitcast between types of the same width");
  }
  if (!from_real && !to_real) return cast(context, step);
  const Domain domain = real_domain(*out.type, domain_of(*out.type, {&a}));
  std::int64_t* bits = context.scratch.integers(3, domain.size);
  if (from_real) {
    const double* reals = read_reals(context, a, *out.type, domain, 0);
    for (std::int64_t i = 0; i < domain.size; ++i)
      bits[i] = static_cast<std::int64_t>(config::to_bits(a.type->element, reals[i]));
  } else {
    const std::int64_t* integers = read_integers(context, a, *out.type, domain, 0);
    std::copy_n(integers, domain.size, bits);
  }
  if (to_real) {
    double* result = write_reals(context, out, domain);
    for (std::int64_t i = 0; i < domain.size; ++i)
      result[i] = config::from_bits(out.type->element, static_cast<std::uint64_t>(bits[i]));
    finish_reals(context, out, domain);
  } else if (out.type->family == Family::boolean) {
    std::uint8_t* result = write_flags(context, out, domain);
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = bits[i] != 0;
    finish_flags(context, out, domain);
  } else {
    std::int64_t* result = write_integers(context, out, domain);
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = out.type->integers.wrap(bits[i]);
    finish_integers(context, out, domain);
  }
}

}  // namespace heddle::trace::interpreter
