// Loads, stores, atomics; block pointers and tensor descriptors.
#include <fmt/format.h>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

std::string hint_text(const BoundCall& call) {
  std::string hint;
  for (const char* name : {"cache_modifier", "eviction_policy"})
    if (const Term term = call.get(name); term.text() != nullptr && !term.text()->empty())
      hint += (hint.empty() ? "" : " ") + *term.text();
  return hint;
}

std::vector<Term> items_of(const Term& term) {
  return term.tuple() != nullptr ? term.tuple()->items : std::vector<Term>{term};
}

/// 64-bit scalars, as block pointers compute with.
ValueId wide_scalar(Lowering& lowering, const Term& term) {
  if (const auto number = term.integer()) return lowering.builder().constant(DType::int64, *number);
  const Type type = lowering.builder().type(lowering.value(term));
  if (type.pointer || !config::is_integer(type.element) || !type.shape.empty())
    throw Error(fmt::format("shapes, strides and offsets are integer scalars, not {}", type.text()),
                "cast it, or take one element");
  return lowering.value_as(term, DType::int64);
}

std::vector<ValueId> wide_scalars(Lowering& lowering, const Term& list) {
  std::vector<ValueId> result;
  for (const Term& item : items_of(list)) result.push_back(wide_scalar(lowering, item));
  return result;
}

/// Pointers of a block, and which of them are inside where `checked` says to look.
struct Addresses {
  ValueId pointer = kNoValue;
  ValueId mask = kNoValue;
};

Addresses addresses(Lowering& lowering, const BlockPointer& place,
                    const std::vector<ValueId>& offsets, const std::vector<std::int64_t>& checked) {
  Builder& builder = lowering.builder();
  Addresses result;
  std::vector<ValueId> operands = {place.base};
  operands.insert(operands.end(), offsets.begin(), offsets.end());
  operands.insert(operands.end(), place.strides.begin(), place.strides.end());
  result.pointer = builder.emit(Opcode::block_pointer, operands,
                                Type{builder.type(place.base).element, true, place.block});
  bool any = false;
  for (const std::int64_t flag : checked) any = any || flag != 0;
  if (any) {
    std::vector<ValueId> bounds = offsets;
    bounds.insert(bounds.end(), place.sizes.begin(), place.sizes.end());
    result.mask = builder.emit(Opcode::bounds_mask, bounds,
                               Type{DType::boolean, false, place.block}, checked);
  }
  return result;
}

std::vector<std::int64_t> checked_axes(Lowering& lowering, const BoundCall& call,
                                       std::size_t rank) {
  std::vector<std::int64_t> checked(rank, 0);
  if (!call.has("boundary_check")) return checked;
  for (const Term& axis : items_of(call.get("boundary_check"))) {
    const Integer at = lowering.integer(axis, "an axis of boundary_check");
    if (at < 0 || at >= static_cast<Integer>(rank))
      throw Error("boundary_check names an axis the block does not have", "check it");
    checked[static_cast<std::size_t>(at)] = 1;
  }
  return checked;
}

/// One address has one value and one mask.
void refuse_block(Lowering& lowering, ValueId pointer, ValueId value, const char* what) {
  Builder& builder = lowering.builder();
  if (builder.type(pointer).shape.empty() && !builder.type(value).shape.empty())
    throw Error(fmt::format("the {} is a block, but the pointer is a scalar", what),
                "add a block of offsets to the pointer");
}

/// Pointer and mask with the shape both broadcast to.
Addresses plain_addresses(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  Addresses result;
  const Term pointer = call.need("pointer");
  if (const auto* block = pointer.block_pointer())
    return addresses(lowering, *block, block->offsets,
                     checked_axes(lowering, call, block->block.size()));
  if (!pointer.is_runtime() || !builder.type(lowering.value(pointer)).pointer)
    throw Error(fmt::format("{} is not a pointer", describe(pointer)),
                "is the parameter a tensor in the job?")
        .because(Lowering::cause_of({pointer}));
  result.pointer = lowering.value(pointer);
  if (!call.has("mask")) return result;
  result.mask = builder.truth(lowering.value(call.get("mask")));
  if (builder.known_integer(result.mask) == Integer{1}) {
    result.mask = kNoValue;
    return result;
  }
  refuse_block(lowering, result.pointer, result.mask, "mask");
  builder.match_ranks(result.pointer, result.mask);
  const auto shape = builder.joint_shape(result.pointer, result.mask);
  if (!shape.empty()) result.pointer = builder.splat_or_broadcast(result.pointer, shape);
  return result;
}

/// The value in the shape of what is accessed: as it is, or a scalar, or broadcast.
ValueId in_shape_of(Lowering& lowering, Addresses& at, ValueId value, const char* what) {
  Builder& builder = lowering.builder();
  refuse_block(lowering, at.pointer, value, what);
  builder.match_ranks(at.pointer, value);
  const auto shape = builder.joint_shape(at.pointer, value);
  if (shape.empty()) return value;
  at.pointer = builder.splat_or_broadcast(at.pointer, shape);
  if (at.mask != kNoValue) builder.match_ranks(at.mask, at.pointer);
  return value;
}

Term emit_load(Lowering& lowering, Addresses from, const Term& other, const Node& node,
               std::string hint) {
  Builder& builder = lowering.builder();
  ValueId rest = kNoValue;
  if (!other.is_none())
    rest = in_shape_of(lowering, from, lowering.value_as(other, builder.type(from.pointer).element),
                       "other");
  const Type pointer = builder.type(from.pointer);
  const Type type{pointer.element, false, pointer.shape};
  const std::size_t site =
      lowering.add_site(MemoryKind::read, node, type.element, type.shape, std::move(hint));
  return lowering.runtime(builder.emit(Opcode::load, {from.pointer, from.mask, rest}, type,
                                       {static_cast<std::int64_t>(site)}));
}

void emit_store(Lowering& lowering, Addresses to, const Term& what, const Node& node,
                std::string hint) {
  Builder& builder = lowering.builder();
  const DType element = builder.type(to.pointer).element;
  const ValueId stored = in_shape_of(lowering, to, lowering.value_as(what, element), "value");
  const std::size_t site = lowering.add_site(MemoryKind::write, node, element,
                                             builder.type(to.pointer).shape, std::move(hint));
  builder.emit_plain(Opcode::store, {to.pointer, stored, to.mask},
                     {static_cast<std::int64_t>(site)});
}

Term load(Lowering& lowering, const BoundCall& call) {
  return emit_load(lowering, plain_addresses(lowering, call), call.get("other"), call.node(),
                   hint_text(call));
}

Term store(Lowering& lowering, const BoundCall& call) {
  emit_store(lowering, plain_addresses(lowering, call), call.need("value"), call.node(),
             hint_text(call));
  return Term{None{}};
}

AtomicFunction atomic_function(const std::string& name) {
  if (name == "atomic_max") return AtomicFunction::maximum;
  if (name == "atomic_min") return AtomicFunction::minimum;
  if (name == "atomic_and") return AtomicFunction::bit_and;
  if (name == "atomic_or") return AtomicFunction::bit_or;
  if (name == "atomic_xor") return AtomicFunction::bit_xor;
  if (name == "atomic_xchg") return AtomicFunction::exchange;
  if (name == "atomic_cas") return AtomicFunction::compare_exchange;
  return AtomicFunction::add;
}

Term emit_atomic(Lowering& lowering, Addresses at, const Term& what, const Term& compare,
                 const std::string& name, const Node& node) {
  Builder& builder = lowering.builder();
  const DType element = builder.type(at.pointer).element;
  const AtomicFunction function = atomic_function(name);
  const ValueId operand = in_shape_of(lowering, at, lowering.value_as(what, element), "value");
  ValueId expected = kNoValue;
  if (!compare.is_none())
    expected = in_shape_of(lowering, at, lowering.value_as(compare, element), "value to compare");
  const Type type{element, false, builder.type(at.pointer).shape};
  const std::size_t site =
      lowering.add_site(MemoryKind::atomic, node, type.element, type.shape, name);
  return lowering.runtime(
      builder.emit(Opcode::atomic, {at.pointer, operand, at.mask, expected}, type,
                   {static_cast<std::int64_t>(site), static_cast<std::int64_t>(function)}));
}

Term atomic(Lowering& lowering, const BoundCall& call) {
  return emit_atomic(lowering, plain_addresses(lowering, call), call.need("val"), call.get("cmp"),
                     call.name(), call.node());
}

bool is_scalar_pointer(Lowering& lowering, ValueId value) {
  const Type& type = lowering.builder().type(value);
  return type.pointer && type.shape.empty();
}

Term make_block_ptr(Lowering& lowering, const BoundCall& call) {
  BlockPointer pointer;
  pointer.base = lowering.value(call.need("base"));
  if (!is_scalar_pointer(lowering, pointer.base))
    throw Error("the base of a block pointer must be a pointer", "is it a tensor in the job?");
  pointer.sizes = wide_scalars(lowering, call.need("shape"));
  pointer.strides = wide_scalars(lowering, call.need("strides"));
  pointer.offsets = wide_scalars(lowering, call.need("offsets"));
  pointer.block = lowering.shape(call.need("block_shape"), "block_shape");
  const std::size_t rank = pointer.block.size();
  if (pointer.sizes.size() != rank || pointer.strides.size() != rank ||
      pointer.offsets.size() != rank)
    throw Error("shape, strides, offsets and block_shape differ in length",
                "give one entry per axis");
  return Term{std::make_shared<const BlockPointer>(std::move(pointer))};
}

Term advance(Lowering& lowering, const BoundCall& call) {
  const Term base = call.need("base");
  if (base.block_pointer() == nullptr)
    throw Error("tl.advance moves block pointers", "add to the pointer");
  BlockPointer pointer = *base.block_pointer();
  const std::vector<ValueId> steps = wide_scalars(lowering, call.need("offsets"));
  if (steps.size() != pointer.offsets.size())
    throw Error("tl.advance needs one offset per axis", "check it");
  for (std::size_t k = 0; k < steps.size(); ++k)
    pointer.offsets[k] =
        lowering.builder().binary(Opcode::add, pointer.offsets[k], steps[k], DType::int64);
  return Term{std::make_shared<const BlockPointer>(std::move(pointer))};
}

Term make_descriptor(Lowering& lowering, const BoundCall& call) {
  BlockPointer place;
  place.base = lowering.value(call.need("base"));
  if (!is_scalar_pointer(lowering, place.base))
    throw Error("the base of a descriptor must be a pointer", "is it a tensor in the job?");
  place.sizes = wide_scalars(lowering, call.need("shape"));
  place.strides = wide_scalars(lowering, call.need("strides"));
  place.block = lowering.shape(call.need("block_shape"), "block_shape");
  if (place.sizes.size() != place.block.size() || place.strides.size() != place.block.size())
    throw Error("shape, strides and block_shape differ in length", "give one entry per axis");
  return Term{std::make_shared<const Descriptor>(Descriptor{std::move(place)})};
}

const Descriptor& need_descriptor(const Term& term) {
  if (term.descriptor() == nullptr)
    throw Error(fmt::format("{} is not a tensor descriptor", describe(term)),
                "give the tensor a 'block' in the job");
  return *term.descriptor();
}

Term descriptor_load(Lowering& lowering, const BoundCall& call) {
  return descriptor_method(lowering, need_descriptor(call.need("desc")), "load",
                           {call.need("offsets")}, {}, call.node());
}

Term descriptor_store(Lowering& lowering, const BoundCall& call) {
  // The experimental form has the value before the offsets.
  Term value = call.need("value");
  Term offsets = call.need("offsets");
  if (offsets.is_runtime()) std::swap(value, offsets);
  return descriptor_method(lowering, need_descriptor(call.need("desc")), "store", {offsets, value},
                           {}, call.node());
}

/// Rows chosen by a block of indices, columns from `column` on.
Addresses row_addresses(Lowering& lowering, const BlockPointer& place, const Term& rows,
                        const Term& column) {
  Builder& builder = lowering.builder();
  if (place.block.size() != 2)
    throw Error("gather and scatter need a descriptor of rank 2", "check it");
  const std::int64_t columns = place.block[1];
  const Type indices = builder.type(lowering.value(rows));
  if (indices.pointer || indices.shape.size() != 1 || !config::is_integer(indices.element))
    throw Error("the rows of gather and scatter are a block of integers of rank 1", "check them");
  ValueId row = builder.cast(builder.expand(lowering.value(rows), 1), DType::int64);
  ValueId offset =
      builder.emit(Opcode::arange, {}, Type{DType::int32, false, {columns}}, {0, columns});
  offset = builder.expand(builder.cast(offset, DType::int64), 0);
  offset = builder.binary(Opcode::add, offset, wide_scalar(lowering, column), DType::int64);
  const auto inside = [&](ValueId index, ValueId size) {
    const ValueId low =
        builder.compare(Opcode::greater_equal, index, builder.constant(DType::int64, Integer{0}));
    return builder.binary(Opcode::bit_and, low, builder.compare(Opcode::less, index, size),
                          DType::boolean);
  };
  Addresses result;
  result.mask = builder.binary(Opcode::bit_and, inside(row, place.sizes[0]),
                               inside(offset, place.sizes[1]), DType::boolean);
  row = builder.binary(Opcode::multiply, row, place.strides[0], DType::int64);
  offset = builder.binary(Opcode::multiply, offset, place.strides[1], DType::int64);
  result.pointer =
      builder.add_pointer(place.base, builder.binary(Opcode::add, row, offset, DType::int64));
  return result;
}

}  // namespace

Term descriptor_method(Lowering& lowering, const Descriptor& descriptor, const std::string& name,
                       std::vector<Term> positional, NamedTerms keywords, const Node& node) {
  const BlockPointer& place = descriptor.place;
  const bool rows = name == "gather" || name == "scatter";
  const bool known = rows || name == "load" || name == "store" || name == "atomic_add" ||
                     name == "atomic_min" || name == "atomic_max" || name == "atomic_and" ||
                     name == "atomic_or" || name == "atomic_xor";
  if (!known)
    throw Error(fmt::format("a tensor descriptor has no '{}'", name),
                "use load, store, gather, scatter or an atomic");
  const char* parameters = "offsets value";
  if (name == "load") parameters = "offsets cache_modifier eviction_policy";
  if (name == "gather") parameters = "x_offsets y_offset";
  if (name == "scatter") parameters = "value x_offsets y_offset";
  const BoundCall call(node, name, parameters, std::move(positional), std::move(keywords));
  Addresses at;
  if (rows) {
    at = row_addresses(lowering, place, call.need("x_offsets"), call.need("y_offset"));
  } else {
    const std::vector<ValueId> offsets = wide_scalars(lowering, call.need("offsets"));
    if (offsets.size() != place.block.size())
      throw Error("a descriptor needs one offset per axis", "check it");
    at = addresses(lowering, place, offsets, std::vector<std::int64_t>(offsets.size(), 1));
  }
  if (name == "load" || name == "gather")
    return emit_load(lowering, at, Term{None{}}, node, "descriptor");
  const Term value = call.need("value");
  if (name == "store" || name == "scatter") {
    emit_store(lowering, at, value, node, "descriptor");
    return Term{None{}};
  }
  emit_atomic(lowering, at, value, Term{None{}}, name, node);
  return Term{None{}};
}

std::vector<Builtin> memory_builtins() {
  constexpr const char* kAtomic = "pointer val mask sem scope";
  return {
      {"load",
       "pointer mask other boundary_check padding_option cache_modifier eviction_policy volatile",
       load},
      {"store", "pointer value mask boundary_check cache_modifier eviction_policy", store},
      {"make_block_ptr", "base shape strides offsets block_shape order", make_block_ptr},
      {"advance", "base offsets", advance},
      {"make_tensor_descriptor", "base shape strides block_shape padding_option", make_descriptor},
      {"_experimental_make_tensor_descriptor", "base shape strides block_shape", make_descriptor},
      {"load_tensor_descriptor", "desc offsets", descriptor_load},
      {"store_tensor_descriptor", "desc offsets value", descriptor_store},
      {"_experimental_descriptor_load", "desc offsets shape dtype", descriptor_load},
      {"_experimental_descriptor_store", "desc value offsets", descriptor_store},
      {"atomic_add", kAtomic, atomic},
      {"atomic_max", kAtomic, atomic},
      {"atomic_min", kAtomic, atomic},
      {"atomic_and", kAtomic, atomic},
      {"atomic_or", kAtomic, atomic},
      {"atomic_xor", kAtomic, atomic},
      {"atomic_xchg", kAtomic, atomic},
      {"atomic_cas", "pointer cmp val sem scope", atomic},
  };
}

}  // namespace heddle::kernel::triton
