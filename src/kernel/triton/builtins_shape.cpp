// Functions that move elements around.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

/// (4, 8) for f(x, 4, 8), f(x, (4, 8)) and f(x, [4, 8]).
Term flattened(const Term& rest) {
  if (rest.tuple() != nullptr && rest.tuple()->items.size() == 1 &&
      rest.tuple()->items[0].tuple() != nullptr)
    return rest.tuple()->items[0];
  return rest;
}

ValueId input(Lowering& lowering, const BoundCall& call, const char* name = "input") {
  return lowering.value(call.need(name));
}

int wrapped_axis(Lowering& lowering, const Term& term, std::size_t rank) {
  Integer axis = lowering.integer(term, "the axis");
  const auto extent = static_cast<Integer>(rank);
  if (axis < 0) axis += extent;
  if (axis < 0 || axis >= extent)
    throw Error(fmt::format("axis {} of a block of rank {}", describe(term), rank),
                "use an axis it has");
  return static_cast<int>(axis);
}

Term broadcast_to(Lowering& lowering, const BoundCall& call) {
  const auto shape = lowering.shape(flattened(call.need("shape")), "the shape");
  return lowering.runtime(lowering.builder().splat_or_broadcast(input(lowering, call), shape));
}

Term broadcast(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  ValueId a = input(lowering, call);
  ValueId b = input(lowering, call, "other");
  builder.match_ranks(a, b);
  const auto shape = builder.joint_shape(a, b);
  return tuple_term({lowering.runtime(builder.splat_or_broadcast(a, shape)),
                     lowering.runtime(builder.splat_or_broadcast(b, shape))});
}

Term expand_dims(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  ValueId value = input(lowering, call);
  std::vector<Term> axes = {call.need("axis")};
  if (axes[0].tuple() != nullptr) axes = std::vector<Term>(axes[0].tuple()->items);
  const auto rank = static_cast<Integer>(builder.type(value).shape.size() + axes.size());
  std::vector<Integer> sorted;
  for (const Term& axis : axes) {
    const Integer at = lowering.integer(axis, "the axis");
    sorted.push_back(at < 0 ? at + rank : at);
    if (sorted.back() < 0 || sorted.back() >= rank)
      throw Error(fmt::format("axis {} of a block of rank {}", describe(axis), integer_text(rank)),
                  "use an axis of the result");
  }
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw Error("tl.expand_dims names an axis twice", "name every axis once");
  for (const Integer axis : sorted) value = builder.expand(value, static_cast<int>(axis));
  return lowering.runtime(value);
}

/// A block of one element as a scalar.
Term item(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call);
  const Type type = builder.type(value);
  if (type.shape.empty()) return lowering.runtime(value);
  if (type.elements() != 1)
    throw Error("only a block of one element is a scalar", "reduce it first");
  return lowering.runtime(
      builder.emit(Opcode::reshape, {value}, Type{type.element, type.pointer, {}}));
}

Term reshape(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call);
  const Term wanted = flattened(call.has("shape") ? call.get("shape") : tuple_term({}));
  std::vector<Term> items =
      wanted.tuple() != nullptr ? wanted.tuple()->items : std::vector<Term>{wanted};
  Integer rest = builder.type(value).elements();
  for (const Term& item : items) {
    const Integer extent = lowering.integer(item, "an extent");
    if (extent > 0) rest /= extent;
  }
  for (Term& item : items)
    if (lowering.integer(item, "an extent") == -1) item = integer_term(rest);
  if (items.empty()) return item(lowering, call);
  return lowering.runtime(builder.reshape(value, lowering.shape(tuple_term(items), "the shape")));
}

Term squeeze(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call);
  std::vector<std::int64_t> shape = builder.type(value).shape;
  const int axis = wrapped_axis(lowering, call.need("dim"), shape.size());
  if (shape[static_cast<std::size_t>(axis)] != 1)
    throw Error("only an axis of extent 1 can be taken away", "use tl.reshape");
  shape.erase(shape.begin() + axis);
  return shape.empty() ? item(lowering, call) : lowering.runtime(builder.reshape(value, shape));
}

Term ravel(Lowering& lowering, const BoundCall& call) {
  const ValueId value = input(lowering, call);
  return lowering.runtime(
      lowering.builder().reshape(value, {lowering.builder().type(value).elements()}));
}

Term permute(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call);
  const std::size_t rank = builder.type(value).shape.size();
  std::vector<std::int64_t> order;
  if (call.has("dims")) {
    const Term dims = flattened(call.get("dims"));
    for (const Term& axis : dims.tuple()->items)
      order.push_back(wrapped_axis(lowering, axis, rank));
  } else {
    if (rank < 2) throw Error("a block of rank 1 cannot be transposed", "name the axes");
    for (std::size_t k = 0; k < rank; ++k) order.push_back(static_cast<std::int64_t>(k));
    std::swap(order[rank - 1], order[rank - 2]);
  }
  return lowering.runtime(builder.permute(value, order));
}

ValueId joined(Lowering& lowering, ValueId a, ValueId b) {
  Builder& builder = lowering.builder();
  builder.match_ranks(a, b);
  const auto shape = builder.joint_shape(a, b);
  if (builder.type(a).element != builder.type(b).element ||
      builder.type(a).pointer != builder.type(b).pointer)
    throw Error(
        fmt::format("{} and {} cannot be joined", builder.type(a).text(), builder.type(b).text()),
        "cast one to the type of the other");
  a = shape.empty() ? a : builder.splat_or_broadcast(a, shape);
  b = shape.empty() ? b : builder.splat_or_broadcast(b, shape);
  Type type = builder.type(a);
  type.shape.push_back(2);
  return builder.emit(Opcode::join, {a, b}, type);
}

Term join(Lowering& lowering, const BoundCall& call) {
  return lowering.runtime(joined(lowering, input(lowering, call, "a"), input(lowering, call, "b")));
}

Term interleave(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId both = joined(lowering, input(lowering, call, "a"), input(lowering, call, "b"));
  std::vector<std::int64_t> shape = builder.type(both).shape;
  shape.pop_back();
  if (shape.empty()) return lowering.runtime(both);
  shape.back() *= 2;
  return lowering.runtime(builder.reshape(both, shape));
}

Term split_(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call, "a");
  Type type = builder.type(value);
  if (type.shape.empty() || type.shape.back() != 2)
    throw Error("tl.split needs a last axis of extent 2", "reshape the block first");
  type.shape.pop_back();
  const ValueId first = builder.new_value(type);
  const ValueId second = builder.new_value(type);
  builder.emit_plain(Opcode::split, {value}).results = {first, second};
  return tuple_term({lowering.runtime(first), lowering.runtime(second)});
}

Term concatenate(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const auto [a, b] = lowering.promoted_pair(call.need("input"), call.need("other"), false);
  Type type = builder.type(a);
  if (type.shape.empty()) throw Error("tl.cat needs blocks", "use tl.join");
  const int axis = call.has("dim") ? wrapped_axis(lowering, call.get("dim"), type.shape.size()) : 0;
  const auto along = static_cast<std::size_t>(axis);
  std::vector<std::int64_t> other = builder.type(b).shape;
  if (other.size() == type.shape.size()) {
    const std::int64_t extent = other[along];
    other[along] = type.shape[along];
    if (other == type.shape) other[along] += extent;
  }
  if (other.size() != type.shape.size() || other[along] == type.shape[along])
    throw Error(fmt::format("{} and {} cannot be put one behind the other", type.text(),
                            builder.type(b).text()),
                "give both the same extents");
  type.shape = other;
  return lowering.runtime(builder.emit(Opcode::concatenate, {a, b}, type, {axis}));
}

Term flip(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = input(lowering, call);
  const Type type = builder.type(value);
  if (type.shape.empty()) throw Error("only a block can be flipped", "give a block");
  const int axis = call.has("dim") ? wrapped_axis(lowering, call.get("dim"), type.shape.size())
                                   : static_cast<int>(type.shape.size()) - 1;
  return lowering.runtime(builder.emit(Opcode::flip, {value}, type, {axis}));
}

Term gather(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId source = input(lowering, call, "src");
  const ValueId index = input(lowering, call, "index");
  Type type = builder.type(source);
  const int axis = wrapped_axis(lowering, call.need("axis"), type.shape.size());
  const Type indices = builder.type(index);
  bool fitting = indices.shape.size() == type.shape.size() && !indices.pointer &&
                 config::is_integer(indices.element);
  for (std::size_t k = 0; fitting && k < type.shape.size(); ++k)
    fitting = static_cast<int>(k) == axis || indices.shape[k] == type.shape[k];
  if (!fitting)
    throw Error(fmt::format("tl.gather of {} by {} is not possible", type.text(), indices.text()),
                "the index is a block of integers that differs along the axis only");
  type.shape = indices.shape;
  return lowering.runtime(builder.emit(Opcode::gather, {source, index}, type, {axis}));
}

/// Triton's own: columns of a group of rows first.
Term swizzle2d(Lowering& lowering, const BoundCall& call) {
  const Term i = call.need("i");
  const Term j = call.need("j");
  const Term size_i = call.need("size_i");
  const Term size_j = call.need("size_j");
  const Term size_g = call.need("size_g");
  Lowering& l = lowering;
  const Term ij = l.binary("Add", l.binary("Mult", i, size_j), j);
  const Term size_gj = l.binary("Mult", size_g, size_j);
  const Term group = l.binary("FloorDiv", ij, size_gj);
  const Term first = l.binary("Mult", group, size_g);
  const Term rest = l.binary("Sub", size_i, first);
  const auto [a, b] = l.promoted_pair(rest, size_g, false);
  const Term rows =
      l.runtime(l.builder().binary(Opcode::minimum, a, b, l.builder().type(a).element));
  const Term inside = l.binary("Mod", ij, size_gj);
  return tuple_term(
      {l.binary("Add", first, l.binary("Mod", inside, rows)), l.binary("FloorDiv", inside, rows)});
}

}  // namespace

std::vector<Builtin> shape_builtins() {
  return {
      {"broadcast_to", "input *shape", broadcast_to},
      {"broadcast", "input other", broadcast},
      {"expand_dims", "input axis", expand_dims},
      {"reshape", "input *shape can_reorder", reshape},
      {"view", "input *shape", reshape},
      {"ravel", "input can_reorder", ravel},
      {"trans", "input *dims", permute},
      {"permute", "input *dims", permute},
      {"join", "a b", join},
      {"interleave", "a b", interleave},
      {"split", "a", split_},
      {"cat", "input other can_reorder dim", concatenate},
      {"flip", "input dim", flip},
      {"gather", "src index axis", gather},
      {"swizzle2d", "i j size_i size_j size_g", swizzle2d},
      {"squeeze", "input dim", squeeze},
      {"unsqueeze", "input axis", expand_dims},
      {"item", "input", item},
      {"_unsplat", "input", item},
  };
}

}  // namespace heddle::kernel::triton
