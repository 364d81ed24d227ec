#include <cmath>

#include "config/float_bits.h"
#include "config/rounding.h"
#include "trace/interpreter/access.h"
#include "trace/interpreter/lanes.h"
#include "trace/interpreter/operate.h"

namespace heddle::trace::interpreter {
namespace {

using kernel::AtomicFunction;

/// The elements of an access over a domain: where each is, and whether it is active.
struct Elements {
  Domain domain;
  const std::int64_t* addresses = nullptr;
  const std::uint8_t* active = nullptr;  ///< null: all
  int tensor = -1;                       ///< -1: each is looked up

  bool is_active(std::int64_t i) const { return active == nullptr || active[i] != 0; }
  int tensor_of(const TensorMemory& memory, std::int64_t i) const {
    return tensor >= 0 ? tensor : memory.find(addresses[i]);
  }
};

Elements elements_of(Context& context, const MemoryStep& memory, Domain domain, bool taken_out) {
  Elements elements;
  elements.domain = domain;
  elements.tensor = memory.pattern.tensor;
  elements.addresses = read_integers(context, *memory.pointer, *memory.shape, domain, kPointerSlot);
  if (taken_out) {
    elements.active = memory.pattern.active;  // over the whole block, and so is the domain
  } else if (memory.mask != nullptr) {
    elements.active = read_flags(context, *memory.mask, *memory.shape, domain, kMaskSlot);
  }
  return elements;
}

/// What memory.result becomes: the loaded elements, and `other` or 0 where inactive.
void fetch(Context& context, const MemoryStep& memory, const Elements& elements) {
  Value& out = *memory.result;
  const Domain domain = elements.domain;
  const auto fill = [&](auto* result, const auto* other, auto read) {
    for (std::int64_t i = 0; i < domain.size; ++i) {
      if (elements.is_active(i)) {
        result[i] = read(elements.tensor_of(context.memory, i), elements.addresses[i]);
      } else {
        result[i] = other == nullptr ? 0 : other[i];
      }
    }
  };
  const Value* other = memory.other;
  switch (out.type->family) {
    case Family::integer:
      fill(
          write_integers(context, out, domain),
          other ? read_integers(context, *other, *out.type, domain, kValueSlot) : nullptr,
          [&](int tensor, std::int64_t address) {
            return out.type->integers.wrap(context.memory.integer(tensor, address, memory.pointee));
          });
      return finish_integers(context, out, domain);
    case Family::boolean:
      fill(write_flags(context, out, domain),
           other ? read_flags(context, *other, *out.type, domain, kValueSlot) : nullptr,
           [&](int tensor, std::int64_t address) {
             const std::int64_t raw = context.memory.integer(tensor, address, memory.pointee);
             return static_cast<std::uint8_t>(raw != 0);
           });
      return finish_flags(context, out, domain);
    case Family::real:
      fill(write_reals(context, out, domain),
           other ? read_reals(context, *other, *out.type, domain, kValueSlot) : nullptr,
           [&](int tensor, std::int64_t address) {
             return context.memory.real(tensor, address, memory.pointee);
           });
      return finish_reals(context, out, domain);
  }
}

/// Whether writes of this access must be kept for later reads.
bool is_kept(const Context& context, const MemoryStep& memory) {
  if (!memory.pattern.scalar_active) return false;
  const int tensor = memory.pattern.tensor;
  return tensor < 0 ? context.memory.keeps_writes() : context.memory.keeps_writes(tensor);
}

/// Remembers memory.value where it was written, or that something unknown was.
void keep_written(Context& context, const MemoryStep& memory, bool taken_out) {
  const BlockType& shape = *memory.shape;
  const Domain domain =
      taken_out ? whole_of(shape) : domain_of(shape, {memory.pointer, memory.mask, memory.value});
  const Elements elements = elements_of(context, memory, domain, taken_out);
  const int bytes = config::byte_width(memory.pointee);
  const bool is_real = config::is_float(memory.pointee);
  const Value* value = memory.value;
  const std::int64_t* integers = value == nullptr || is_real
                                     ? nullptr
                                     : read_integers(context, *value, shape, domain, kValueSlot);
  const double* reals = value == nullptr || !is_real
                            ? nullptr
                            : read_reals(context, *value, shape, domain, kValueSlot);
  context.spend_elements(domain.size);
  for (std::int64_t i = 0; i < domain.size; ++i) {
    if (!elements.is_active(i)) continue;
    if (!context.memory.keeps_writes(elements.tensor_of(context.memory, i))) continue;
    if (value == nullptr) {
      context.memory.write_unknown(elements.addresses[i], bytes);
    } else {
      context.memory.write(elements.addresses[i],
                           is_real ? config::to_bits(memory.pointee, reals[i])
                                   : static_cast<std::uint64_t>(integers[i]),
                           bytes);
    }
  }
}

std::int64_t updated(AtomicFunction function, std::int64_t old, std::int64_t value,
                     std::int64_t compared, const IntegerType& type) {
  ArithmeticNote ignored;
  switch (function) {
    case AtomicFunction::add:
      return compute<Opcode::add>(old, value, type, ignored);
    case AtomicFunction::maximum:
      return compute<Opcode::maximum>(old, value, type, ignored);
    case AtomicFunction::minimum:
      return compute<Opcode::minimum>(old, value, type, ignored);
    case AtomicFunction::bit_and:
      return old & value;
    case AtomicFunction::bit_or:
      return old | value;
    case AtomicFunction::bit_xor:
      return old ^ value;
    case AtomicFunction::exchange:
      return value;
    case AtomicFunction::compare_exchange:
      return old == compared ? value : old;
  }
  return old;
}

double updated(AtomicFunction function, double old, double value, double compared) {
  switch (function) {
    case AtomicFunction::add:
      return old + value;
    case AtomicFunction::maximum:
      return std::fmax(old, value);
    case AtomicFunction::minimum:
      return std::fmin(old, value);
    case AtomicFunction::exchange:
      return value;
    case AtomicFunction::compare_exchange:
      return old <= compared && old >= compared ? value : old;
    default:
      throw Error("an atomic bit operation on floating values");
  }
}

/// Reads, changes and writes element after element; old values go to the result if there is one.
void update_integers(Context& context, const Step& step, const Elements& elements) {
  const MemoryStep& memory = *step.memory;
  const auto function = static_cast<AtomicFunction>(step.integers[1]);
  const Domain domain = elements.domain;
  const IntegerType type = integer_type(memory.pointee, false);
  const int bytes = config::byte_width(memory.pointee);
  const std::int64_t* values =
      read_integers(context, *memory.value, *memory.shape, domain, kValueSlot);
  const std::int64_t* compared =
      memory.compare ? read_integers(context, *memory.compare, *memory.shape, domain, kCompareSlot)
                     : values;
  std::int64_t* old = context.scratch.integers(kOldSlot, domain.size);
  for (std::int64_t i = 0; i < domain.size; ++i) {
    old[i] = 0;
    if (!elements.is_active(i)) continue;
    const std::int64_t address = elements.addresses[i];
    old[i] = context.memory.integer(elements.tensor_of(context.memory, i), address, memory.pointee);
    const std::int64_t changed = updated(function, old[i], values[i], compared[i], type);
    context.memory.write(address, static_cast<std::uint64_t>(changed), bytes);
  }
  if (memory.result == nullptr) return;
  Value& out = *memory.result;
  if (out.type->family == Family::boolean) {
    std::uint8_t* result = write_flags(context, out, domain);
    for (std::int64_t i = 0; i < domain.size; ++i) result[i] = old[i] != 0;
    return finish_flags(context, out, domain);
  }
  std::int64_t* result = write_integers(context, out, domain);
  for (std::int64_t i = 0; i < domain.size; ++i) result[i] = out.type->integers.wrap(old[i]);
  finish_integers(context, out, domain);
}

void update_reals(Context& context, const Step& step, const Elements& elements) {
  const MemoryStep& memory = *step.memory;
  const auto function = static_cast<AtomicFunction>(step.integers[1]);
  const Domain domain = elements.domain;
  const int bytes = config::byte_width(memory.pointee);
  const double* values = read_reals(context, *memory.value, *memory.shape, domain, kValueSlot);
  const double* compared =
      memory.compare ? read_reals(context, *memory.compare, *memory.shape, domain, kCompareSlot)
                     : values;
  double* old = context.scratch.reals(kOldSlot, domain.size);
  for (std::int64_t i = 0; i < domain.size; ++i) {
    old[i] = 0;
    if (!elements.is_active(i)) continue;
    const std::int64_t address = elements.addresses[i];
    old[i] = context.memory.real(elements.tensor_of(context.memory, i), address, memory.pointee);
    const double changed = updated(function, old[i], values[i], compared[i]);
    context.memory.write(address, config::to_bits(memory.pointee, changed), bytes);
  }
  if (memory.result == nullptr || memory.result->type->family != Family::real) return;
  std::copy_n(old, domain.size, write_reals(context, *memory.result, domain));
  finish_reals(context, *memory.result, domain);
}

}  // namespace

void load(Context& context, const Step& step) {
  MemoryStep& memory = *step.memory;
  const bool taken_out = touch(context, memory);
  if (memory.result == nullptr) return;
  const BlockType& shape = *memory.shape;
  Domain domain =
      taken_out ? whole_of(shape) : domain_of(shape, {memory.pointer, memory.mask, memory.other});
  if (memory.result->type->family == Family::real) domain = real_domain(shape, domain);
  fetch(context, memory, elements_of(context, memory, domain, taken_out));
}

void store(Context& context, const Step& step) {
  const bool taken_out = touch(context, *step.memory);
  if (is_kept(context, *step.memory)) keep_written(context, *step.memory, taken_out);
}

void atomic(Context& context, const Step& step) {
  MemoryStep& memory = *step.memory;
  const bool taken_out = touch(context, memory);
  if (memory.value == nullptr && memory.result == nullptr) {
    if (is_kept(context, memory)) keep_written(context, memory, taken_out);
    return;
  }
  // Every lane counts, also those of equal address and value.
  const Domain domain = whole_of(*memory.shape);
  if (memory.value == nullptr || !is_kept(context, memory)) {
    if (memory.result == nullptr) return;
    return fetch(context, memory, elements_of(context, memory, domain, taken_out));
  }
  context.spend_elements(domain.size);
  const Elements elements = elements_of(context, memory, domain, taken_out);
  if (config::is_float(memory.pointee)) {
    update_reals(context, step, elements);
  } else {
    update_integers(context, step, elements);
  }
}

}  // namespace heddle::trace::interpreter
