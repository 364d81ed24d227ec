// Terms as program values, types and shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {

using config::is_float;

void Lowering::fail(const Node& node, const std::string& what, const std::string& hint) {
  throw Error(what, hint).at(frame_ != nullptr ? frame_->module->path : std::string(), node.begin);
}

Builder& Lowering::builder() {
  if (builder_ == nullptr)
    throw Error("this expression is not known before the launch",
                "set the name it belongs to in the job");
  return *builder_;
}

std::int32_t Lowering::place(const Node& node) {
  const std::string& function = frame_->function;
  const auto key =
      std::tuple(node.begin.line, node.begin.column, node.end.line, node.end.column, function);
  const auto [entry, added] = places_.try_emplace(key, 0);
  if (added) {
    auto& places = builder().program().places;
    entry->second = static_cast<std::int32_t>(places.size());
    places.push_back({node.begin, function, node.end});
  }
  return entry->second;
}

ValueId Lowering::value(const Term& term) {
  if (const auto* run_time = term.as<RuntimeValue>()) return run_time->id;
  if (const auto* flag = term.as<bool>()) return builder().constant(DType::boolean, Integer{*flag});
  if (const auto* integer = term.as<Integer>()) {
    const DType type = literal_type(*integer);
    if (!fits(*integer, type))
      throw Error(fmt::format("{} does not fit 64 bits", integer_text(*integer)),
                  "use a smaller number");
    return builder().constant(type, *integer);
  }
  if (const auto* real = term.as<double>()) return builder().constant(literal_type(*real), *real);
  throw Error(fmt::format("{} cannot be used as a number or a block", describe(term)),
              "give a number, a scalar or a block")
      .because(cause_of({term}));
}

ValueId Lowering::value_as(const Term& term, DType type) {
  if (const auto integer = term.integer(); integer && !is_float(type))
    return builder().constant(type, *integer);
  if (const auto real = term.real()) return builder().constant(type, *real);
  return builder().cast(value(term), type);
}

ValueId Lowering::plain_value(const Term& term) {
  const ValueId result = value(term);
  if (builder().type(result).pointer)
    throw Error("a pointer cannot take part in this operation", "load from it first");
  return result;
}

Term Lowering::as_tensor(const Term& term) {
  const ValueId result = plain_value(term);
  const bool is_bfloat = builder().type(result).element == DType::bfloat16;
  return runtime(is_bfloat ? builder().cast(result, DType::float32) : result);
}

ValueId Lowering::scalar_condition(const Term& term) {
  const ValueId condition = builder().truth(value(term));
  if (builder().type(condition).shape.empty()) return condition;
  if (builder().type(condition).elements() == 1)
    return builder().emit(Opcode::reshape, {condition}, Type{DType::boolean, false, {}});
  throw Error("a block cannot decide a branch", "reduce it to a scalar, e.g. with tl.max");
}

Integer Lowering::integer(const Term& term, const char* what) {
  if (const auto integer = term.integer()) return *integer;
  if (const auto* run_time = term.as<RuntimeValue>())
    if (const auto known = builder().known_integer(run_time->id)) return *known;
  constexpr double kMostExact = 9007199254740992.0;  // 2^53
  if (const auto real = term.real();
      real && std::fabs(*real) <= kMostExact && *real == std::trunc(*real))
    return static_cast<std::int64_t>(*real);
  throw Error(fmt::format("{} must be a known integer, not {}", what, describe(term)),
              "make it a tl.constexpr");
}

std::vector<std::int64_t> Lowering::shape(const Term& term, const char* what) {
  std::vector<Term> items;
  if (const auto* tuple = term.tuple())
    items = tuple->items;
  else
    items = {term};
  std::vector<std::int64_t> result;
  Integer elements = 1;
  for (const Term& item : items) {
    const Integer extent = integer(item, what);
    elements *= extent > kBlockElements ? kBlockElements + 1 : extent;
    if (extent < 1 || elements > kBlockElements)
      throw Error(fmt::format("{} {} is not possible", what, describe(term)),
                  "a block has 1 to 1,048,576 elements")
          .because({extent < 1 ? Cause::Kind::unknown : Cause::Kind::size});
    result.push_back(static_cast<std::int64_t>(extent));
  }
  return result;
}

Type Lowering::type_of(const Term& term) {
  if (const auto* type = term.as<TypeTerm>()) return type->type;
  if (const auto* text = term.text()) {
    const std::string name = text->rfind("tl.", 0) == 0 ? text->substr(3) : *text;
    if (const auto type = config::dtype_from_text(name)) return Type{*type, false, {}};
  }
  throw Error(fmt::format("{} is not a dtype", describe(term)), "use one such as tl.float16");
}

std::pair<ValueId, ValueId> Lowering::promoted_pair(const Term& a, const Term& b, bool division) {
  const ValueId value_a = value(a);
  const ValueId value_b = value(b);
  const Type& type_a = builder().type(value_a);
  const Type& type_b = builder().type(value_b);
  if (type_a.pointer || type_b.pointer)
    throw Error("a pointer cannot take part in this operation", "load from it first");
  const DType type =
      promoted(type_a.element, a.is_number(), type_b.element, b.is_number(), division);
  for (const Term* term : {&a, &b})
    if (const auto literal = term->integer(); literal && !is_float(type) && !fits(*literal, type))
      throw Error(
          fmt::format("{} does not fit the {} it meets", describe(*term), config::dtype_text(type)),
          "cast one of the two, e.g. with .to(tl.int64)")
          .because({Cause::Kind::size});
  return {value_as(a, type), value_as(b, type)};
}

Term Lowering::sanitized(const Term& term) {
  if (builder_ == nullptr) return term;
  if (term.is_number()) return runtime(value(term));
  if (const auto* tuple = term.tuple()) {
    std::vector<Term> items;
    for (const Term& item : tuple->items) items.push_back(sanitized(item));
    return tuple_term(std::move(items), tuple->names);
  }
  return term;
}

std::vector<ValueId> Lowering::leaves(const Term& term) {
  if (const auto* run_time = term.as<RuntimeValue>()) return {run_time->id};
  if (term.is_number()) return {value(term)};
  std::vector<ValueId> result;
  if (const auto* tuple = term.tuple())
    for (const Term& item : tuple->items)
      for (const ValueId leaf : leaves(item)) result.push_back(leaf);
  const BlockPointer* pointer = term.block_pointer();
  if (const auto* descriptor = term.descriptor()) pointer = &descriptor->place;
  if (pointer != nullptr) {
    result.push_back(pointer->base);
    for (const auto* part : {&pointer->sizes, &pointer->strides, &pointer->offsets})
      result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

namespace {

Term replaced(const Term& term, const std::vector<ValueId>& values, std::size_t& next) {
  if (term.is_runtime() || term.is_number()) return Term{RuntimeValue{values[next++]}};
  if (const auto* tuple = term.tuple()) {
    std::vector<Term> items;
    for (const Term& item : tuple->items) items.push_back(replaced(item, values, next));
    return tuple_term(std::move(items), tuple->names);
  }
  const auto take = [&](BlockPointer place) {
    place.base = values[next++];
    for (auto* part : {&place.sizes, &place.strides, &place.offsets})
      for (ValueId& id : *part) id = values[next++];
    return place;
  };
  if (const auto* pointer = term.block_pointer())
    return Term{std::make_shared<const BlockPointer>(take(*pointer))};
  if (const auto* descriptor = term.descriptor())
    return Term{std::make_shared<const Descriptor>(Descriptor{take(descriptor->place)})};
  return term;
}

}  // namespace

Term Lowering::with_leaves(const Term& term, const std::vector<ValueId>& values) {
  std::size_t next = 0;
  return replaced(term, values, next);
}

std::size_t Lowering::add_site(MemoryKind kind, const Node& node, DType element,
                               std::vector<std::int64_t> shape, std::string hint) {
  Site site;
  site.kind = kind;
  site.place = place(node);
  site.element = element;
  site.shape = std::move(shape);
  site.hint = std::move(hint);
  builder().program().sites.push_back(std::move(site));
  return builder().program().sites.size() - 1;
}

Cause Lowering::cause_of(const std::vector<Term>& terms) {
  const bool is_missing =
      std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.is_none(); });
  return {is_missing ? Cause::Kind::missing : Cause::Kind::unknown};
}

Error Lowering::not_integer(const std::string& what, const std::string& hint,
                            const std::vector<ValueId>& values) {
  for (const ValueId id : values) {
    const std::string tensor = builder().floating_tensor(id);
    if (tensor.empty()) continue;
    return Error(
               fmt::format("{}: this was loaded from '{}', which holds floating numbers in the job",
                           what, tensor),
               fmt::format("write dtype = \"int32\" under [tensors.{}], or cast it in the kernel",
                           tensor))
        .because({Cause::Kind::integers, tensor});
  }
  return Error(what, hint);
}

}  // namespace heddle::kernel::triton
