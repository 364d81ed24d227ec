// Floating values. They reach an address rarely, so everything is computed in double, lane by lane,
// and rounded to the type of the result.
#include <fmt/format.h>

#include <cmath>

#include "config/rounding.h"
#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"

namespace heddle::trace::interpreter {
namespace {

using kernel::MathFunction;

double rounded(const BlockType& type, double value) {
  if (type.element == DType::float32) return static_cast<double>(static_cast<float>(value));
  return config::round_to(type.element, value);
}

[[noreturn]] void not_computed(const char* what) {
  throw Error(
      fmt::format("an address, mask or bound depends on {}, which heddle does not compute", what),
      "write the kernel so that addresses do not depend on it");
}

double operate(Opcode op, double a, double b, double c) {
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::subtract:
      return a - b;
    case Opcode::multiply:
      return a * b;
    case Opcode::divide:
      return a / b;
    case Opcode::remainder:
      return std::fmod(a, b);
    case Opcode::minimum:
      return std::fmin(a, b);
    case Opcode::maximum:
      return std::fmax(a, b);
    case Opcode::negate:
      return -a;
    case Opcode::absolute:
      return std::abs(a);
    case Opcode::fused_multiply_add:
      return std::fma(a, b, c);
    default:
      not_computed("bit operations on floating values");
  }
}

bool compare_reals(Opcode op, double a, double b) {
  switch (op) {
    case Opcode::equal:
      return a <= b && a >= b;
    case Opcode::not_equal:
      return !(a <= b && a >= b);
    case Opcode::less:
      return a < b;
    case Opcode::less_equal:
      return a <= b;
    case Opcode::greater:
      return a > b;
    default:
      return a >= b;
  }
}

double trigonometric(MathFunction function, double x) {
  switch (function) {
    case MathFunction::sin:
      return std::sin(x);
    case MathFunction::cos:
      return std::cos(x);
    case MathFunction::tan:
      return std::tan(x);
    case MathFunction::asin:
      return std::asin(x);
    case MathFunction::acos:
      return std::acos(x);
    case MathFunction::atan:
      return std::atan(x);
    case MathFunction::sinh:
      return std::sinh(x);
    case MathFunction::cosh:
      return std::cosh(x);
    case MathFunction::tanh:
      return std::tanh(x);
    default:
      not_computed("this mathematical function");
  }
}

double evaluate(MathFunction function, double x, double y) {
  switch (function) {
    case MathFunction::exp:
      return std::exp(x);
    case MathFunction::exp2:
      return std::exp2(x);
    case MathFunction::log:
      return std::log(x);
    case MathFunction::log2:
      return std::log2(x);
    case MathFunction::log1p:
      return std::log1p(x);
    case MathFunction::expm1:
      return std::expm1(x);
    case MathFunction::sqrt:
      return std::sqrt(x);
    case MathFunction::rsqrt:
      return 1 / std::sqrt(x);
    case MathFunction::erf:
      return std::erf(x);
    case MathFunction::floor:
      return std::floor(x);
    case MathFunction::ceil:
      return std::ceil(x);
    case MathFunction::round:
      return std::nearbyint(x);
    case MathFunction::truncate:
      return std::trunc(x);
    case MathFunction::sigmoid:
      return 1 / (1 + std::exp(-x));
    case MathFunction::power:
      return std::pow(x, y);
    case MathFunction::modulo:
      return std::fmod(x, y);
    case MathFunction::atan2:
      return std::atan2(x, y);
    case MathFunction::reciprocal:
      return 1 / x;
    case MathFunction::is_nan:
      return std::isnan(x) ? 1 : 0;
    case MathFunction::is_inf:
      return std::isinf(x) ? 1 : 0;
    default:
      return trigonometric(function, x);
  }
}

/// Calls function(i) for the lanes of a real or boolean result and stores what it returns.
template <class Function>
void store_lanes(Context& context, Value& out, Domain domain, Function function) {
  switch (out.type->family) {
    case Family::real: {
      double* result = write_reals(context, out, domain);
      for (std::int64_t i = 0; i < domain.size; ++i) result[i] = rounded(*out.type, function(i));
      return finish_reals(context, out, domain);
    }
    case Family::boolean: {
      std::uint8_t* result = write_flags(context, out, domain);
      for (std::int64_t i = 0; i < domain.size; ++i) result[i] = function(i) > 0;
      return finish_flags(context, out, domain);
    }
    case Family::integer: {
      std::int64_t* result = write_integers(context, out, domain);
      const IntegerType& type = out.type->integers;
      for (std::int64_t i = 0; i < domain.size; ++i)
        result[i] = type.wrap(config::truncate(function(i)));
      return finish_integers(context, out, domain);
    }
  }
}

}  // namespace

void real_operate(Context& context, const Step& step) {
  Value& out = *step.out;
  const Domain domain = real_domain(*out.type, domain_of(*out.type, {step.a, step.b, step.c}));
  const double* a = read_reals(context, *step.a, *out.type, domain, 0);
  const double* b = step.b == nullptr ? a : read_reals(context, *step.b, *out.type, domain, 1);
  const double* c = step.c == nullptr ? a : read_reals(context, *step.c, *out.type, domain, 2);
  store_lanes(context, out, domain,
              [&](std::int64_t i) { return operate(step.op, a[i], b[i], c[i]); });
}

void real_compare(Context& context, const Step& step) {
  Value& out = *step.out;
  const Domain domain = real_domain(*out.type, domain_of(*out.type, {step.a, step.b}));
  const double* a = read_reals(context, *step.a, *out.type, domain, 0);
  const double* b = read_reals(context, *step.b, *out.type, domain, 1);
  std::uint8_t* result = write_flags(context, out, domain);
  for (std::int64_t i = 0; i < domain.size; ++i) result[i] = compare_reals(step.op, a[i], b[i]);
  finish_flags(context, out, domain);
}

void math(Context& context, const Step& step) {
  Value& out = *step.out;
  const auto function = static_cast<MathFunction>(step.integers[0]);
  const Domain domain = real_domain(*out.type, domain_of(*out.type, {step.a, step.b}));
  const double* a = read_reals(context, *step.a, *out.type, domain, 0);
  const double* b = step.b == nullptr ? a : read_reals(context, *step.b, *out.type, domain, 1);
  store_lanes(context, out, domain, [&](std::int64_t i) { return evaluate(function, a[i], b[i]); });
}

}  // namespace heddle::trace::interpreter
