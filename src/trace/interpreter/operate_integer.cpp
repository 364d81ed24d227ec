#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"
#include "trace/interpreter/separable.h"

namespace heddle::trace::interpreter {
namespace {

/// a + factor * b for pointers: they wrap, and nobody is told.
std::int64_t moved(std::int64_t address, std::int64_t elements, std::int64_t bytes) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(address) +
                                   static_cast<std::uint64_t>(elements) *
                                       static_cast<std::uint64_t>(bytes));
}

/// Element by element, over what varies.
void by_lanes(Context& context, const Step& step) {
  Value& out = *step.out;
  const Domain domain = domain_of(*out.type, {step.a, step.b});
  const std::int64_t* a = read_integers(context, *step.a, *out.type, domain, 0);
  const std::int64_t* b =
      step.b == nullptr ? a : read_integers(context, *step.b, *out.type, domain, 1);
  std::int64_t* result = write_integers(context, out, domain);
  ArithmeticNote note;
  if (step.op == Opcode::add_pointer) {
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = moved(a[i], b[i], step.factor);
  } else {
    with_operation(step.op, [&](auto operation) {
      const IntegerType type = out.type->integers;
      for (std::int64_t i = 0; i < domain.size; ++i)
        result[i] = compute<operation.value>(a[i], b[i], type, note);
    });
  }
  const std::int32_t tensor = step.a->tensor;
  finish_integers(context, out, domain);
  if (step.op == Opcode::add_pointer) out.tensor = tensor;
  context.record(note);
}

/// Both operands are a single number: most of the index arithmetic of a kernel.
bool by_numbers(Context& context, const Step& step) {
  const Value& a = *step.a;
  const Value& b = step.b == nullptr ? a : *step.b;
  if (!a.is_uniform_integer() || !b.is_uniform_integer()) return false;
  const IntegerType& type = step.out->type->integers;
  ArithmeticNote note;
  std::int64_t result = 0;
  with_operation(step.op, [&](auto operation) {
    result = compute<operation.value>(a.base, b.base, type, note);
  });
  if (result < type.low) return false;  // a uint64 that only the dense form holds
  step.out->set_integer(result);
  context.record(note);
  return true;
}

}  // namespace

void copy(Context& context, const Step& step) {
  if (step.a->type->family == step.out->type->family)
    return copy_value(context, *step.a, *step.out);
  cast(context, step);
}

void integer_sum(Context& context, const Step& step) {
  if (step.a->is_separable() && step.b->is_separable() &&
      sum(*step.a, *step.b, step.factor, *step.out)) {
    return;
  }
  by_lanes(context, step);
}

void integer_multiply(Context& context, const Step& step) {
  const Value& a = *step.a;
  const Value& b = *step.b;
  if (a.is_separable() && b.is_uniform_integer() && scale(a, b.base, *step.out)) return;
  if (b.is_separable() && a.is_uniform_integer() && scale(b, a.base, *step.out)) return;
  by_lanes(context, step);
}

void integer_operate(Context& context, const Step& step) {
  const Value& a = *step.a;
  const Value& b = step.b == nullptr ? a : *step.b;
  if (a.is_separable() && b.is_separable()) {
    if (by_numbers(context, step)) return;
    if (step.op == Opcode::negate && scale(a, -1, *step.out)) return;
    if (operate_by_range(step.op, a, b, *step.out)) return;
  }
  by_lanes(context, step);
}

void integer_compare(Context& context, const Step& step) {
  Value& out = *step.out;
  if (step.a->is_separable() && step.b->is_separable() &&
      compare_by_range(step.op, *step.a, *step.b, out)) {
    return;
  }
  const Domain domain = domain_of(*out.type, {step.a, step.b});
  const std::int64_t* a = read_integers(context, *step.a, *out.type, domain, 0);
  const std::int64_t* b = read_integers(context, *step.b, *out.type, domain, 1);
  std::uint8_t* result = write_flags(context, out, domain);
  with_comparison(step.op, [&](auto comparison) {
    const IntegerType type = step.a->type->integers;
    for (std::int64_t i = 0; i < domain.size; ++i)
      result[i] = compare<comparison.value>(a[i], b[i], type);
  });
  finish_flags(context, out, domain);
}

void integer_fused(Context& context, const Step& step) {
  Value& out = *step.out;
  const Domain domain = domain_of(*out.type, {step.a, step.b, step.c});
  const std::int64_t* a = read_integers(context, *step.a, *out.type, domain, 0);
  const std::int64_t* b = read_integers(context, *step.b, *out.type, domain, 1);
  const std::int64_t* c = read_integers(context, *step.c, *out.type, domain, 2);
  std::int64_t* result = write_integers(context, out, domain);
  const IntegerType type = out.type->integers;
  ArithmeticNote note;
  for (std::int64_t i = 0; i < domain.size; ++i) {
    const std::int64_t product = compute<Opcode::multiply>(a[i], b[i], type, note);
    result[i] = compute<Opcode::add>(product, c[i], type, note);
  }
  finish_integers(context, out, domain);
  context.record(note);
}

void select(Context& context, const Step& step) {
  Value& out = *step.out;
  const Value& condition = *step.a;
  const bool all_true = is_all_true(condition);
  if (all_true || is_all_false(condition)) {
    const Value& chosen = all_true ? *step.b : *step.c;
    if (chosen.type->family == out.type->family) return copy_value(context, chosen, out);
  }
  Domain domain = domain_of(*out.type, {step.a, step.b, step.c});
  if (out.type->family == Family::real) domain = real_domain(*out.type, domain);
  const std::uint8_t* flags = read_flags(context, condition, *out.type, domain, 0);
  const auto choose = [&](const auto* then, const auto* otherwise, auto* result) {
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = flags[i] ? then[i] : otherwise[i];
  };
  switch (out.type->family) {
    case Family::integer:
      choose(read_integers(context, *step.b, *out.type, domain, 1),
             read_integers(context, *step.c, *out.type, domain, 2),
             write_integers(context, out, domain));
      finish_integers(context, out, domain);
      if (step.b->tensor == step.c->tensor) out.tensor = step.b->tensor;
      return;
    case Family::boolean:
      choose(read_flags(context, *step.b, *out.type, domain, 1),
             read_flags(context, *step.c, *out.type, domain, 2), write_flags(context, out, domain));
      return finish_flags(context, out, domain);
    case Family::real:
      choose(read_reals(context, *step.b, *out.type, domain, 1),
             read_reals(context, *step.c, *out.type, domain, 2), write_reals(context, out, domain));
      return finish_reals(context, out, domain);
  }
}

}  // namespace heddle::trace::interpreter
