// Reductions, scans and sorts.
#include <fmt/format.h>

#include <optional>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

/// What Triton widens before it combines: bf16 always; for sums narrow integers of either sign
/// (booleans count as unsigned); for extremes everything narrow, to fp32 or int32.
enum class Widening { floats, sums, extremes };
ValueId widened(Lowering& lowering, ValueId value, Widening widening) {
  Builder& builder = lowering.builder();
  const DType type = builder.type(value).element;
  const bool narrow = config::bit_width(type) < 32;
  if (type == DType::bfloat16) return builder.cast(value, DType::float32);
  if (!narrow || widening == Widening::floats) return value;
  if (widening == Widening::extremes)
    return builder.cast(value, config::is_float(type) ? DType::float32 : DType::int32);
  if (config::is_float(type)) return value;
  return builder.cast(value, config::is_signed(type) ? DType::int32 : DType::uint32);
}

Widening widening_of(Reduction kind, bool with_index) {
  switch (kind) {
    case Reduction::sum:
      return Widening::sums;
    case Reduction::maximum:
    case Reduction::minimum:
      return with_index ? Widening::floats : Widening::extremes;
    default:
      return Widening::floats;
  }
}

/// The block and the axis to reduce; without an axis the block is flattened.
std::pair<ValueId, std::int64_t> prepared(Lowering& lowering, ValueId value, const Term& axis) {
  Builder& builder = lowering.builder();
  const auto rank = static_cast<Integer>(builder.type(value).shape.size());
  if (axis.is_none()) {
    if (rank == 1) return {value, 0};
    return {builder.reshape(value, {builder.type(value).elements()}), 0};
  }
  Integer at = lowering.integer(axis, "the axis");
  if (at < 0) at += rank;
  if (at < 0 || at >= rank)
    throw Error(fmt::format("axis {} of a block of rank {}", describe(axis), integer_text(rank)),
                "use an axis it has");
  return {value, static_cast<std::int64_t>(at)};
}

Type reduced_type(const Type& type, std::int64_t axis) {
  Type result = type;
  result.shape.erase(result.shape.begin() + axis);
  return result;
}

Term with_kept_axis(Lowering& lowering, ValueId value, const Term& axis, const BoundCall& call,
                    std::size_t rank) {
  Builder& builder = lowering.builder();
  if (lowering.known_truth(call.get("keep_dims")) != true) return lowering.runtime(value);
  if (axis.is_none()) {
    return lowering.runtime(builder.broadcast(value, std::vector<std::int64_t>(rank, 1)));
  }
  Integer at = lowering.integer(axis, "the axis");
  if (at < 0) at += static_cast<Integer>(rank);
  return lowering.runtime(builder.expand(value, static_cast<int>(at)));
}

Term reduction(Lowering& lowering, const BoundCall& call, Reduction kind) {
  Builder& builder = lowering.builder();
  ValueId raw = lowering.plain_value(call.need("input"));
  const bool with_index = lowering.known_truth(call.get("return_indices")) == true;
  if (call.has("dtype"))
    raw = builder.cast(raw, lowering.type_of(call.get("dtype")).element);
  else
    raw = widened(lowering, raw, widening_of(kind, with_index));
  const std::size_t rank = builder.type(raw).shape.size();
  if (rank == 0) return lowering.runtime(raw);
  const Term axis = call.get("axis");
  const auto [value, at] = prepared(lowering, raw, axis);
  Type type = reduced_type(builder.type(value), at);
  const bool index = kind == Reduction::arg_maximum || kind == Reduction::arg_minimum;
  if (index) type.element = DType::int32;
  const ValueId result =
      builder.emit(Opcode::reduce, {value}, type, {static_cast<std::int64_t>(kind), at});
  const Term first = with_kept_axis(lowering, result, axis, call, rank);
  if (!with_index) return first;
  const Reduction which =
      kind == Reduction::maximum ? Reduction::arg_maximum : Reduction::arg_minimum;
  type.element = DType::int32;
  const ValueId place =
      builder.emit(Opcode::reduce, {value}, type, {static_cast<std::int64_t>(which), at});
  return tuple_term({first, with_kept_axis(lowering, place, axis, call, rank)});
}

template <Reduction kind>
Term reduction_of(Lowering& lowering, const BoundCall& call) {
  return reduction(lowering, call, kind);
}

/// `return a + b` and its like, with the function's two parameters.
std::optional<Reduction> known_combination(const Term& function) {
  const auto* own = function.as<FunctionTerm>();
  if (own == nullptr) return std::nullopt;
  const auto parameters = signature(*own->definition);
  const auto& body = own->definition->list("body");
  if (parameters.size() != 2 || body.empty() || !body.back().is("Return") ||
      !body.back().has("value"))
    return std::nullopt;
  const Node* value = &body.back().at("value");
  const auto is_parameter = [&](const Node& node, std::size_t which) {
    return node.is("Name") && node.text == parameters[which].name;
  };
  if (body.size() == 2 && body[0].is("Assign") && value->is("Name") &&
      body[0].list("targets").size() == 1 && body[0].list("targets")[0].text == value->text)
    value = &body[0].at("value");
  else if (body.size() != 1)
    return std::nullopt;
  if (value->is("BinOp") && is_parameter(value->at("left"), 0) &&
      is_parameter(value->at("right"), 1)) {
    if (value->text == "Add") return Reduction::sum;
    if (value->text == "Mult") return Reduction::product;
    if (value->text == "BitAnd") return Reduction::bit_and;
    if (value->text == "BitOr") return Reduction::bit_or;
    if (value->text == "BitXor") return Reduction::bit_xor;
  }
  if (value->is("Call") && value->list("args").size() == 2 &&
      is_parameter(value->list("args")[0], 0) && is_parameter(value->list("args")[1], 1)) {
    const std::string& name = value->at("func").text;
    if (name == "maximum") return Reduction::maximum;
    if (name == "minimum") return Reduction::minimum;
  }
  return std::nullopt;
}

/// tl.reduce and tl.associative_scan with a function of the kernel's own.
Term combined(Lowering& lowering, const BoundCall& call, bool scan) {
  Builder& builder = lowering.builder();
  const Term input = call.need("input");
  const std::vector<Term> inputs =
      input.tuple() != nullptr ? input.tuple()->items : std::vector<Term>{input};
  const auto kind = known_combination(call.need("combine_fn"));
  const Term axis = call.get("axis");
  std::vector<Term> results;
  for (const Term& item : inputs) {
    const ValueId raw = lowering.plain_value(item);
    const std::size_t rank = builder.type(raw).shape.size();
    const auto [value, at] = prepared(lowering, raw, axis);
    const Type type = scan ? builder.type(value) : reduced_type(builder.type(value), at);
    const bool known = kind && inputs.size() == 1;
    std::vector<std::int64_t> integers = {static_cast<std::int64_t>(kind.value_or(Reduction::sum)),
                                          at};
    if (scan) integers.push_back(lowering.known_truth(call.get("reverse")) == true ? 1 : 0);
    const Opcode op = !known ? Opcode::unknown : (scan ? Opcode::scan : Opcode::reduce);
    const ValueId result = builder.emit(op, {value}, type, integers);
    results.push_back(scan ? lowering.runtime(result)
                           : with_kept_axis(lowering, result, axis, call, rank));
  }
  return input.tuple() != nullptr ? tuple_term(std::move(results)) : results[0];
}

Term cumulative(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const bool product = call.name() == "cumprod";
  ValueId raw = lowering.plain_value(call.need("input"));
  raw = widened(lowering, raw, product ? Widening::floats : Widening::sums);
  if (call.has("dtype")) raw = builder.cast(raw, lowering.type_of(call.get("dtype")).element);
  const auto [value, at] =
      prepared(lowering, raw, call.has("axis") ? call.get("axis") : integer_term(0));
  const Reduction kind = product ? Reduction::product : Reduction::sum;
  const std::int64_t reverse = lowering.known_truth(call.get("reverse")) == true ? 1 : 0;
  return lowering.runtime(builder.emit(Opcode::scan, {value}, builder.type(value),
                                       {static_cast<std::int64_t>(kind), at, reverse}));
}

Term sort(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = lowering.plain_value(call.need("x"));
  Type type = builder.type(value);
  const auto last = static_cast<Integer>(type.shape.size()) - 1;
  if (last < 0) throw Error("only a block can be sorted", "give a block");
  const Integer axis = call.has("dim") ? lowering.integer(call.get("dim"), "the axis") : last;
  if (axis != last && axis != -1)
    throw Error("only the last axis can be sorted", "permute the block");
  const bool top = call.name() == "topk";
  const bool descending =
      call.has("descending") ? lowering.known_truth(call.get("descending")) == true : top;
  const ValueId sorted = builder.emit(Opcode::sort, {value}, type,
                                      {static_cast<std::int64_t>(last), descending ? 1 : 0});
  if (!top) return lowering.runtime(sorted);
  // The first k of every row.
  const Integer k = lowering.integer(call.need("k"), "k of tl.topk");
  const std::int64_t extent = type.shape.back();
  if (k < 1 || k > extent || extent % static_cast<std::int64_t>(k) != 0)
    throw Error("k of tl.topk must divide the extent", "use a power of two");
  const auto count = static_cast<std::int64_t>(k);
  std::vector<std::int64_t> index_shape = type.shape;
  index_shape.back() = count;
  ValueId index = builder.emit(Opcode::arange, {}, Type{DType::int32, false, {count}}, {0, count});
  index = builder.broadcast(index, index_shape);
  type.shape = index_shape;
  return lowering.runtime(
      builder.emit(Opcode::gather, {sorted, index}, type, {static_cast<std::int64_t>(last)}));
}

Term histogram(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  std::vector<ValueId> operands = {lowering.plain_value(call.need("input"))};
  const Type& type = builder.type(operands[0]);
  if (type.shape.size() != 1 || !config::is_integer(type.element))
    throw lowering.not_integer("tl.histogram takes a block of integers of rank 1",
                               "reshape or cast it", operands);
  if (call.has("mask")) {
    const auto shape = type.shape;
    const ValueId mask = builder.truth(lowering.plain_value(call.get("mask")));
    operands.push_back(builder.splat_or_broadcast(mask, shape));
  }
  const auto shape = lowering.shape(call.need("num_bins"), "num_bins");
  return lowering.runtime(
      builder.emit(Opcode::histogram, operands, Type{DType::int32, false, shape}));
}

Term max_or_pair(Lowering& lowering, const BoundCall& call, Reduction kind) {
  // tl.math.max(a, b): two blocks. tl.max(x, 1): an axis.
  const Term second = call.get("axis");
  if (second.is_runtime() && !lowering.builder().known(second.as<RuntimeValue>()->id)) {
    const auto [a, b] = lowering.promoted_pair(lowering.as_tensor(call.need("input")),
                                               lowering.as_tensor(second), false);
    Builder& builder = lowering.builder();
    return lowering.runtime(
        builder.binary(kind == Reduction::maximum ? Opcode::maximum : Opcode::minimum, a, b,
                       builder.type(a).element));
  }
  return reduction(lowering, call, kind);
}

}  // namespace

std::vector<Builtin> reduce_builtins() {
  constexpr const char* kExtreme =
      "input axis return_indices return_indices_tie_break_left keep_dims reduction_ordering";
  return {
      {"sum", "input axis keep_dims dtype reduction_ordering", reduction_of<Reduction::sum>},
      {"max", kExtreme,
       [](Lowering& l, const BoundCall& c) { return max_or_pair(l, c, Reduction::maximum); }},
      {"min", kExtreme,
       [](Lowering& l, const BoundCall& c) { return max_or_pair(l, c, Reduction::minimum); }},
      {"argmax", "input axis tie_break_left keep_dims reduction_ordering",
       reduction_of<Reduction::arg_maximum>},
      {"argmin", "input axis tie_break_left keep_dims reduction_ordering",
       reduction_of<Reduction::arg_minimum>},
      {"xor_sum", "input axis keep_dims", reduction_of<Reduction::bit_xor>},
      {"reduce_or", "input axis keep_dims", reduction_of<Reduction::bit_or>},
      {"reduce", "input axis combine_fn keep_dims reduction_ordering",
       [](Lowering& l, const BoundCall& c) { return combined(l, c, false); }},
      {"associative_scan", "input axis combine_fn reverse",
       [](Lowering& l, const BoundCall& c) { return combined(l, c, true); }},
      {"cumsum", "input axis reverse dtype", cumulative},
      {"cumprod", "input axis reverse", cumulative},
      {"sort", "x dim descending", sort},
      {"topk", "x k dim descending", sort},
      {"histogram", "input num_bins mask", histogram},
  };
}

}  // namespace heddle::kernel::triton
