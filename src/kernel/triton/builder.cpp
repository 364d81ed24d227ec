#include "kernel/triton/builder.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "config/rounding.h"
#include "support/text.h"

namespace heddle::kernel::triton {

using config::bit_width;
using config::is_float;
using config::is_integer;
using config::is_signed;

bool fits(Integer value, DType type) {
  if (type == DType::boolean) return value == 0 || value == 1;
  const int bits = bit_width(type);
  if (is_signed(type))
    return value >= -(Integer{1} << (bits - 1)) && value < (Integer{1} << (bits - 1));
  return value >= 0 && value < (Integer{1} << bits);
}

Integer wrapped(Integer value, DType type) {
  if (type == DType::boolean) return value != 0 ? 1 : 0;
  const int bits = bit_width(type);
  const Integer modulus = Integer{1} << bits;
  Integer result = value % modulus;
  if (result < 0) result += modulus;
  if (is_signed(type) && result >= modulus / 2) result -= modulus;
  return result;
}

DType literal_type(Integer value) {
  if (fits(value, DType::int32)) return DType::int32;
  if (fits(value, DType::uint32)) return DType::uint32;
  return fits(value, DType::int64) ? DType::int64 : DType::uint64;
}

DType literal_type(double value) {
  const double size = std::fabs(value);
  const bool single =
      size == 0 || std::isnan(size) || std::isinf(size) ||
      (size >= std::numeric_limits<float>::min() && size <= std::numeric_limits<float>::max());
  return single ? DType::float32 : DType::float64;
}

namespace {

int kind_rank(DType type) {
  return type == DType::boolean ? 0 : (is_float(type) ? 2 : 1);
}

DType promoted_floats(DType a, DType b, bool division) {
  const auto either = [&](DType type) { return a == type || b == type; };
  if (either(DType::float64)) return DType::float64;
  if (division || either(DType::float32)) return DType::float32;
  if (either(DType::float16)) return DType::float16;
  if (either(DType::bfloat16)) return a == b ? DType::bfloat16 : DType::float32;
  return a == b ? a : DType::float16;  // fp8
}

DType promoted_integers(DType a, DType b) {
  const int wide_a = bit_width(a);
  const int wide_b = bit_width(b);
  if (is_signed(a) == is_signed(b)) return wide_a >= wide_b ? a : b;
  const DType with_sign = is_signed(a) ? a : b;
  const DType without = is_signed(a) ? b : a;
  return bit_width(without) >= bit_width(with_sign) ? without : with_sign;
}

}  // namespace

DType promoted(DType a, bool a_literal, DType b, bool b_literal, bool division) {
  if (a_literal != b_literal) {
    const DType literal = a_literal ? a : b;
    const DType other = a_literal ? b : a;
    if (kind_rank(literal) <= kind_rank(other)) a = b = other;
  }
  if (is_float(a) || is_float(b)) return promoted_floats(a, b, division);
  return promoted_integers(a, b);
}

BlockId Builder::new_block() {
  code_of(program_).blocks.emplace_back();
  return static_cast<BlockId>(code_of(program_).blocks.size() - 1);
}

void Builder::note_name(ValueId value, const std::string& name) {
  if (!type(value).shape.empty() || type(value).pointer) return;
  if (known_integers_.count(value) != 0 || known_reals_.count(value) != 0) return;
  code_of(program_).names.push_back({value, name, place_});
}

ValueId Builder::new_value(Type type) {
  if (code_of(program_).values.size() >= kValueLimit)
    throw Error(fmt::format("the kernel needs more than {} values after unrolling and inlining",
                            with_separators(kValueLimit)),
                "use tl.range instead of tl.static_range, and smaller functions");
  bool fits = type.shape.size() <= kRankLimit;
  std::int64_t elements = 1;
  for (const std::int64_t extent : type.shape) {
    elements = fits ? elements * extent : elements;
    fits = fits && extent >= 1 && extent <= kBlockElements && elements <= kBlockElements;
  }
  if (!fits)
    throw Error(fmt::format("a block of shape [{}] is not possible", fmt::join(type.shape, ", ")),
                fmt::format("a block has 1 to {} elements and at most {} axes",
                            with_separators(kBlockElements), kRankLimit))
        .because({elements > kBlockElements ? Cause::Kind::size : Cause::Kind::unknown});
  code_of(program_).values.push_back(std::move(type));
  return static_cast<ValueId>(code_of(program_).values.size() - 1);
}

ValueId Builder::constant(DType type, Integer value) {
  if (is_float(type)) return constant(type, static_cast<double>(value));
  const auto stored = static_cast<std::int64_t>(wrapped(value, type));
  const auto [entry, added] = integers_.try_emplace({type, stored}, kNoValue);
  if (!added) return entry->second;
  entry->second = new_value(Type{type, false, {}});
  Instruction instruction;
  instruction.op = Opcode::constant_int;
  instruction.place = place_;
  instruction.results = {entry->second};
  instruction.integers = {stored};
  constants_.push_back(std::move(instruction));
  known_integers_[entry->second] = wrapped(value, type);
  return entry->second;
}

ValueId Builder::constant(DType type, double value) {
  if (type == DType::boolean) return constant(type, Integer{value != 0 ? 1 : 0});
  if (!is_float(type)) {
    const double limit = 9.2e18;
    const double bounded = std::isnan(value) ? 0 : std::fmin(std::fmax(value, -limit), limit);
    return constant(type, Integer{static_cast<std::int64_t>(bounded)});
  }
  value = config::round_to(type, value);
  const auto [entry, added] =
      reals_.try_emplace({type, std::bit_cast<std::uint64_t>(value)}, kNoValue);
  if (!added) return entry->second;
  entry->second = new_value(Type{type, false, {}});
  Instruction instruction;
  instruction.op = Opcode::constant_float;
  instruction.place = place_;
  instruction.results = {entry->second};
  instruction.number = value;
  constants_.push_back(std::move(instruction));
  known_reals_[entry->second] = value;
  return entry->second;
}

std::optional<Integer> Builder::known_integer(ValueId value) const {
  const auto found = known_integers_.find(value);
  if (found == known_integers_.end()) return std::nullopt;
  return found->second;
}

std::optional<double> Builder::known_real(ValueId value) const {
  const auto found = known_reals_.find(value);
  if (found == known_reals_.end()) return std::nullopt;
  return found->second;
}

std::optional<Term> Builder::known(ValueId value) const {
  if (const auto integer = known_integer(value)) {
    if (type(value).element == DType::boolean) return Term{*integer != 0};
    return integer_term(*integer);
  }
  if (const auto real = known_real(value)) return Term{*real};
  return std::nullopt;
}

Instruction& Builder::emit_plain(Opcode op, std::vector<ValueId> operands,
                                 std::vector<std::int64_t> integers) {
  Instruction instruction;
  instruction.op = op;
  instruction.place = place_;
  instruction.operands = std::move(operands);
  instruction.integers = std::move(integers);
  if (++instructions_ > kInstructionLimit)
    throw Error(fmt::format("more than {} instructions after unrolling and inlining",
                            with_separators(kInstructionLimit)),
                "use tl.range instead of tl.static_range, and smaller functions");
  auto& code = code_of(program_).blocks[static_cast<std::size_t>(block_)].code;
  code.push_back(std::move(instruction));
  return code.back();
}

ValueId Builder::emit(Opcode op, std::vector<ValueId> operands, Type type,
                      std::vector<std::int64_t> integers) {
  const ValueId result = new_value(std::move(type));
  emit_plain(op, std::move(operands), std::move(integers)).results = {result};
  return result;
}

ValueId Builder::cast(ValueId value, DType element) {
  const Type& from = type(value);
  if (from.element == element && !from.pointer) return value;
  if (const auto integer = known_integer(value)) {
    if (element == DType::boolean || is_float(element) || fits(*integer, element) ||
        !is_signed(element))
      return constant(element, *integer);
  }
  if (const auto real = known_real(value))
    if (is_float(element)) return constant(element, *real);
  if (from.pointer && is_float(element))
    throw Error("a pointer cannot become a float", "load from it first");
  return emit(Opcode::cast, {value}, Type{element, false, from.shape});
}

ValueId Builder::cast(ValueId value, const Type& to) {
  const Type& from = type(value);
  if (!to.pointer) return cast(value, to.element);
  if (from.pointer && from.element == to.element) return value;
  return emit(Opcode::cast, {value}, Type{to.element, true, from.shape});
}

void Builder::match_ranks(ValueId& a, ValueId& b) {
  while (!type(a).shape.empty() && !type(b).shape.empty() &&
         type(a).shape.size() != type(b).shape.size()) {
    ValueId& shorter = type(a).shape.size() < type(b).shape.size() ? a : b;
    shorter = expand(shorter, 0);
  }
}

std::vector<std::int64_t> Builder::joint_shape(ValueId a, ValueId b) const {
  return joint_shape(type(a).shape, type(b).shape);
}

std::vector<std::int64_t> Builder::joint_shape(const std::vector<std::int64_t>& shape_a,
                                               const std::vector<std::int64_t>& shape_b) {
  if (shape_a.empty()) return shape_b;
  if (shape_b.empty()) return shape_a;
  std::vector<std::int64_t> shape = shape_a;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape_a[k] == 1) shape[k] = shape_b[k];
    if (shape_a[k] != 1 && shape_b[k] != 1 && shape_a[k] != shape_b[k])
      throw Error(fmt::format("blocks of shapes [{}] and [{}] do not fit each other",
                              fmt::join(shape_a, ", "), fmt::join(shape_b, ", ")),
                  "extents must be equal, or 1");
  }
  return shape;
}

ValueId Builder::binary(Opcode op, ValueId a, ValueId b, DType element) {
  a = cast(a, element);
  b = cast(b, element);
  if (const auto folded = fold_binary(op, a, b, element)) return *folded;
  match_ranks(a, b);
  return emit(op, {a, b}, Type{element, false, joint_shape(a, b)});
}

ValueId Builder::compare(Opcode op, ValueId a, ValueId b) {
  if (const auto folded = fold_compare(op, a, b)) return *folded;
  match_ranks(a, b);
  return emit(op, {a, b}, Type{DType::boolean, false, joint_shape(a, b)});
}

ValueId Builder::unary(Opcode op, ValueId a) {
  const Type& of = type(a);
  if (of.pointer || (op == Opcode::bit_not && is_float(of.element)))
    throw Error(fmt::format("this operator does not work on {}", of.text()),
                of.pointer ? "load from the pointer first" : "cast it to an integer");
  if (const auto integer = known_integer(a)) {
    if (op == Opcode::negate && fits(-*integer, of.element)) return constant(of.element, -*integer);
    if (op == Opcode::absolute && fits(-*integer, of.element))
      return constant(of.element, *integer < 0 ? -*integer : *integer);
    if (op == Opcode::bit_not)
      return constant(of.element,
                      of.element == DType::boolean ? Integer{*integer == 0 ? 1 : 0} : ~*integer);
  }
  if (const auto real = known_real(a)) {
    if (op == Opcode::negate) return constant(of.element, -*real);
    if (op == Opcode::absolute) return constant(of.element, std::fabs(*real));
  }
  return emit(op, {a}, Type{of.element, false, of.shape});
}

ValueId Builder::select(ValueId condition, ValueId a, ValueId b) {
  // A side that is not chosen is computed all the same, and may fail: only constants are dropped.
  const auto known_condition = known_integer(condition);
  if (known_condition && known(a) && known(b)) {
    const ValueId chosen = *known_condition != 0 ? a : b;
    match_ranks(a, b);
    const auto shape = joint_shape(a, b);
    return shape.empty() ? chosen : splat_or_broadcast(chosen, shape);
  }
  match_ranks(a, b);
  match_ranks(condition, a);
  match_ranks(condition, b);
  match_ranks(a, b);
  Type result{type(a).element, type(a).pointer, joint_shape(a, b)};
  result.shape = joint_shape(type(condition).shape, result.shape);
  return emit(Opcode::select, {condition, a, b}, std::move(result));
}

ValueId Builder::add_pointer(ValueId pointer, ValueId offset) {
  if (known_integer(offset) == Integer{0}) return pointer;
  match_ranks(pointer, offset);
  return emit(Opcode::add_pointer, {pointer, offset},
              Type{type(pointer).element, true, joint_shape(pointer, offset)});
}

ValueId Builder::expand(ValueId value, int axis) {
  Type result = type(value);
  if (axis < 0) axis += static_cast<int>(result.shape.size()) + 1;
  if (axis < 0 || axis > static_cast<int>(result.shape.size()))
    throw Error(fmt::format("axis {} of a block of rank {}", axis, result.shape.size()),
                "use an axis of the block");
  result.shape.insert(result.shape.begin() + axis, 1);
  if (type(value).shape.empty()) return emit(Opcode::broadcast, {value}, std::move(result));
  return emit(Opcode::expand_dims, {value}, std::move(result), {axis});
}

ValueId Builder::broadcast(ValueId value, const std::vector<std::int64_t>& shape) {
  const std::vector<std::int64_t> from = type(value).shape;
  if (from == shape) return value;
  while (!type(value).shape.empty() && type(value).shape.size() < shape.size())
    value = expand(value, 0);
  const auto& now = type(value).shape;
  bool fitting = now.empty() || now.size() == shape.size();
  for (std::size_t k = 0; fitting && k < now.size(); ++k)
    fitting = now[k] == 1 || now[k] == shape[k];
  if (!fitting)
    throw Error(fmt::format("a block of shape [{}] cannot be broadcast to [{}]",
                            fmt::join(from, ", "), fmt::join(shape, ", ")),
                "extents must be equal, or 1");
  Type result = type(value);
  result.shape = shape;
  return emit(Opcode::broadcast, {value}, std::move(result));
}

ValueId Builder::permute(ValueId value, const std::vector<std::int64_t>& order) {
  Type result = type(value);
  std::vector<bool> seen(order.size(), false);
  if (order.size() != result.shape.size())
    throw Error(
        fmt::format("{} axes given for a block of rank {}", order.size(), result.shape.size()),
        "name every axis once");
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int64_t axis = order[k];
    if (axis < 0 || axis >= static_cast<std::int64_t>(order.size()) ||
        seen[static_cast<std::size_t>(axis)])
      throw Error(fmt::format("({}) is not an order of the axes", fmt::join(order, ", ")),
                  "name every axis once");
    seen[static_cast<std::size_t>(axis)] = true;
    result.shape[k] = type(value).shape[static_cast<std::size_t>(axis)];
  }
  return emit(Opcode::permute, {value}, std::move(result), order);
}

ValueId Builder::reshape(ValueId value, std::vector<std::int64_t> shape) {
  const Type from = type(value);
  if (from.shape == shape) return value;
  Type result{from.element, from.pointer, std::move(shape)};
  if (result.elements() != from.elements())
    throw Error(fmt::format("a block of {} elements cannot get the shape [{}]", from.elements(),
                            fmt::join(result.shape, ", ")),
                "keep the number of elements");
  if (from.shape.empty()) return emit(Opcode::broadcast, {value}, std::move(result));
  return emit(Opcode::reshape, {value}, std::move(result));
}

ValueId Builder::truth(ValueId value) {
  const Type& of = type(value);
  if (of.element == DType::boolean && !of.pointer) return value;
  if (of.pointer)
    return compare(Opcode::not_equal, cast(value, DType::int64),
                   constant(DType::int64, Integer{0}));
  return compare(Opcode::not_equal, value, constant(of.element, Integer{0}));
}

void Builder::finish() {
  auto& entry = code_of(program_).blocks[0].code;
  entry.insert(entry.begin(), constants_.begin(), constants_.end());
  constants_.clear();
}

std::string Builder::floating_tensor(ValueId value) const {
  std::map<ValueId, const Instruction*> made;
  for (const Block& block : code_of(program_).blocks)
    for (const Instruction& one : block.code)
      for (const ValueId result : one.results) made.try_emplace(result, &one);
  std::vector<ValueId> open = {value};
  std::set<ValueId> seen;
  bool is_address = false;
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    const auto found = made.find(id);
    if (!seen.insert(id).second || found == made.end()) continue;
    const Instruction& one = *found->second;
    if (one.op == Opcode::parameter && is_address)
      return program_.parameters[static_cast<std::size_t>(one.integers[0])].name;
    if (one.op == Opcode::load && !is_address) {
      if (!config::is_float(type(one.results[0]).element)) continue;
      is_address = true;  // from here on the way to the pointer's parameter
      open = {one.operands[0]};
      continue;
    }
    for (const ValueId operand : one.operands)
      if (operand >= 0 && (!is_address || type(operand).pointer)) open.push_back(operand);
  }
  return {};
}

}  // namespace heddle::kernel::triton
