// The functions that kernels written by PyTorch's compiler import
// (torch._inductor.runtime.triton_helpers). They are no part of Triton; the file they live in is
// not at hand, so they are known here by name.
#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

/// Values that only reach arithmetic, with the shapes and types of the operands.
Term unknown_like(Lowering& lowering, const Term& term) {
  Builder& builder = lowering.builder();
  const ValueId value = lowering.value(term);
  return lowering.runtime(builder.emit(Opcode::unknown, {value}, builder.type(value)));
}

Term unknown_reduced(Lowering& lowering, const Term& term, const Term& axis) {
  Builder& builder = lowering.builder();
  const ValueId value = lowering.value(term);
  Type type = builder.type(value);
  Integer at = lowering.integer(axis, "the axis");
  const auto rank = static_cast<Integer>(type.shape.size());
  if (at < 0) at += rank;
  if (at < 0 || at >= rank) throw Error("an axis the block does not have", "check it");
  type.shape.erase(type.shape.begin() + static_cast<std::ptrdiff_t>(at));
  return lowering.runtime(builder.emit(Opcode::unknown, {value}, type));
}

Term promote_to_tensor(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = lowering.value(call.need("x"));
  if (!builder.type(value).shape.empty()) return lowering.runtime(value);
  return lowering.runtime(builder.broadcast(value, {1}));
}

Term reduced(Lowering& lowering, const BoundCall& call, const char* function) {
  return lowering.call_external(std::string("triton.language.") + function,
                                {call.need("a"), call.need("dim")}, {}, call.node());
}

/// Python's rounding: the quotient is one less where the signs differ and it is not exact.
Term floor_parts(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const auto [a, b] = lowering.promoted_pair(call.need("a"), call.need("b"), true);
  const DType type = builder.type(a).element;
  const ValueId zero = builder.constant(type, Integer{0});
  const ValueId quotient = builder.binary(Opcode::divide, a, b, type);
  const ValueId rest = builder.binary(Opcode::remainder, a, b, type);
  const ValueId differs = builder.compare(Opcode::not_equal, builder.compare(Opcode::less, a, zero),
                                          builder.compare(Opcode::less, b, zero));
  const ValueId inexact = builder.compare(Opcode::not_equal, rest, zero);
  const ValueId adjust = builder.binary(Opcode::bit_and, differs, inexact, DType::boolean);
  if (call.name() == "div_floor_integer") {
    const ValueId less =
        builder.binary(Opcode::subtract, quotient, builder.constant(type, Integer{1}), type);
    return lowering.runtime(builder.select(adjust, less, quotient));
  }
  return lowering.runtime(builder.select(adjust, builder.binary(Opcode::add, rest, b, type), rest));
}

Term is_floating(Lowering& lowering, const BoundCall& call) {
  return Term{config::is_float(lowering.builder().type(lowering.value(call.need("x"))).element)};
}

Term same_values(Lowering& lowering, const BoundCall& call) {
  std::vector<Term> results;
  for (const char* name : {"a", "b", "c"})
    if (call.has(name)) results.push_back(unknown_like(lowering, call.get(name)));
  return tuple_term(std::move(results));
}

Term welford_reduce(Lowering& lowering, const BoundCall& call) {
  return tuple_term({unknown_like(lowering, call.need("mean")),
                     unknown_like(lowering, call.need("m2")),
                     unknown_like(lowering, call.need("weight"))});
}

template <int count>
Term reduced_values(Lowering& lowering, const BoundCall& call) {
  std::vector<Term> results;
  const Term axis = call.need("dim");
  for (const char* name : {"a", "b", "c"})
    if (call.has(name) && static_cast<int>(results.size()) < count)
      results.push_back(unknown_reduced(lowering, call.get(name), axis));
  return tuple_term(std::move(results));
}

Term sort_with_index(Lowering& lowering, const BoundCall& call) {
  return tuple_term(
      {unknown_like(lowering, call.need("x")), unknown_like(lowering, call.need("idx"))});
}

/// The one value of a row whose mask is set, whatever it is.
Term select_one(Lowering& lowering, const BoundCall& call) {
  const Term result = unknown_reduced(lowering, call.need("x"), call.need("dim"));
  if (lowering.known_truth(call.get("keep_dims")) != true) return result;
  const Integer axis = lowering.integer(call.need("dim"), "the axis");
  return lowering.runtime(
      lowering.builder().expand(lowering.value(result), static_cast<int>(axis)));
}

Term assert_then(Lowering&, const BoundCall& call) {
  return call.need("r");
}

Term random_in_range(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId offset = lowering.value(call.need("offset"));
  return lowering.runtime(builder.emit(Opcode::unknown, {offset},
                                       Type{DType::int64, false, builder.type(offset).shape}));
}

}  // namespace

std::vector<Builtin> inductor_builtins() {
  return {
      {"promote_to_tensor", "x", promote_to_tensor},
      {"max2", "a dim", [](Lowering& l, const BoundCall& c) { return reduced(l, c, "max"); }},
      {"min2", "a dim", [](Lowering& l, const BoundCall& c) { return reduced(l, c, "min"); }},
      {"prod", "a dim",
       [](Lowering& l, const BoundCall& c) {
         return unknown_reduced(l, c.need("a"), c.need("dim"));
       }},
      {"any", "a dim", [](Lowering& l, const BoundCall& c) { return reduced(l, c, "reduce_or"); }},
      {"div_floor_integer", "a b", floor_parts},
      {"remainder_integer", "a b", floor_parts},
      {"is_floating", "x", is_floating},
      {"maximum_with_index", "a b c d",
       [](Lowering& l, const BoundCall& c) {
         return tuple_term({unknown_like(l, c.need("a")), unknown_like(l, c.need("b"))});
       }},
      {"minimum_with_index", "a b c d",
       [](Lowering& l, const BoundCall& c) {
         return tuple_term({unknown_like(l, c.need("a")), unknown_like(l, c.need("b"))});
       }},
      {"max_with_index", "a b dim", reduced_values<2>},
      {"min_with_index", "a b dim", reduced_values<2>},
      {"welford", "a b c dim", reduced_values<3>},
      {"welford_reduce", "value mean m2 weight first_iteration", welford_reduce},
      {"welford_combine", "a b c mean_2 m2_2 weight_2", same_values},
      {"online_softmax_combine", "a b rhs_max use_fast_math", same_values},
      {"online_softmax_reduce", "a b dim use_fast_math", reduced_values<2>},
      {"sort_with_index", "x idx rnumel dim stable descending", sort_with_index},
      {"select_one", "x mask dim keep_dims", select_one},
      {"device_assert_then", "cond msg r", assert_then},
      {"randint64", "seed offset low high", random_in_range},
  };
}

}  // namespace heddle::kernel::triton
