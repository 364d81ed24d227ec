// Element-wise arithmetic, matrix products and random numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

Term where(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId condition = builder.truth(lowering.value(call.need("condition")));
  const Term x = call.need("x");
  const Term y = call.need("y");
  const ValueId raw_x = lowering.value(x);
  const ValueId raw_y = lowering.value(y);
  if (builder.type(raw_x).pointer && builder.type(raw_y).pointer &&
      builder.type(raw_x).element == builder.type(raw_y).element)
    return lowering.runtime(builder.select(condition, raw_x, raw_y));
  const auto [a, b] = lowering.promoted_pair(x, y, false);
  return lowering.runtime(builder.select(condition, a, b));
}

/// Minimum, maximum and clamp make tensors of Python numbers first: these do not adapt.
Term pair(Lowering& lowering, const BoundCall& call, Opcode op) {
  Term x = call.need("x");
  Term y = call.need("y");
  if (op != Opcode::divide) {
    x = lowering.as_tensor(x);
    y = lowering.as_tensor(y);
  }
  const auto [a, b] = lowering.promoted_pair(x, y, op == Opcode::divide);
  Builder& builder = lowering.builder();
  DType type = builder.type(a).element;
  if (op == Opcode::divide && config::is_integer(type)) type = DType::float32;
  return lowering.runtime(builder.binary(op, a, b, type));
}

Term clamp(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const Term x = lowering.as_tensor(call.need("x"));
  const auto [a, low] = lowering.promoted_pair(x, lowering.as_tensor(call.need("min")), false);
  const ValueId raised = builder.binary(Opcode::maximum, a, low, builder.type(a).element);
  const auto [b, high] =
      lowering.promoted_pair(lowering.runtime(raised), lowering.as_tensor(call.need("max")), false);
  return lowering.runtime(builder.binary(Opcode::minimum, b, high, builder.type(b).element));
}

const std::map<std::string, MathFunction>& math_names() {
  using enum MathFunction;
  static const std::map<std::string, MathFunction> kNames = {
      {"exp", exp},         {"exp2", exp2},
      {"log", log},         {"log2", log2},
      {"log1p", log1p},     {"expm1", expm1},
      {"sqrt", sqrt},       {"sqrt_rn", sqrt},
      {"rsqrt", rsqrt},     {"sin", sin},
      {"cos", cos},         {"tan", tan},
      {"asin", asin},       {"acos", acos},
      {"atan", atan},       {"sinh", sinh},
      {"cosh", cosh},       {"tanh", tanh},
      {"erf", erf},         {"floor", floor},
      {"ceil", ceil},       {"round", round},
      {"rint", round},      {"nearbyint", round},
      {"trunc", truncate},  {"sigmoid", sigmoid},
      {"pow", power},       {"fmod", modulo},
      {"atan2", atan2},     {"fast_expf", exp},
      {"fast_logf", log},   {"isnan", is_nan},
      {"isinf", is_inf},    {"fast_tanhf", tanh},
      {"fast_sinf", sin},   {"fast_cosf", cos},
      {"fast_log2f", log2}, {"reciprocal", reciprocal}};
  return kNames;
}

/// Gives all operands the same rank; the shape they broadcast to.
std::vector<std::int64_t> matched_shape(Builder& builder, std::vector<ValueId>& operands) {
  std::vector<std::int64_t> shape;
  for (int round = 0; round < 2; ++round)  // the second brings the first ones to the longest rank
    for (std::size_t i = 1; i < operands.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) builder.match_ranks(operands[j], operands[i]);
  for (const ValueId operand : operands)
    shape = Builder::joint_shape(shape, builder.type(operand).shape);
  return shape;
}

/// A value heddle does not compute, in the shape the operands broadcast to.
Term unknown_of(Lowering& lowering, std::vector<ValueId> operands, DType type) {
  Builder& builder = lowering.builder();
  const std::vector<std::int64_t> shape = matched_shape(builder, operands);
  return lowering.runtime(builder.emit(Opcode::unknown, operands, Type{type, false, shape}));
}

/// What some functions of libdevice give, whatever they are given.
std::optional<DType> integer_result(const std::string& name) {
  for (const char* wide : {"llrint", "llround", "clzll", "ffsll", "popcll"})
    if (name == wide) return DType::int64;
  for (const char* narrow : {"ilogb", "clz", "ffs", "popc", "signbit", "finitef", "isfinited"})
    if (name == narrow) return DType::int32;
  return std::nullopt;
}

/// exp(x), pow(x, y), and what libdevice has besides.
Term math(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const auto found = math_names().find(call.name());
  const MathFunction function = found == math_names().end() ? MathFunction::other : found->second;
  std::vector<ValueId> operands;
  DType type = DType::boolean;
  for (const char* name : {"x", "y", "z"}) {
    if (!call.has(name)) continue;
    operands.push_back(lowering.plain_value(call.get(name)));
    type = promoted(type, false, builder.type(operands.back()).element, false, false);
  }
  if (operands.empty()) throw Error(fmt::format("{} needs an argument", call.name()), "give it");
  const auto given = integer_result(call.name());
  if (given || operands.size() > 2) return unknown_of(lowering, operands, given.value_or(type));
  if (config::is_integer(type)) type = DType::float32;
  for (ValueId& operand : operands) operand = builder.cast(operand, type);
  Type result{type, false, matched_shape(builder, operands)};
  if (function == MathFunction::is_nan || function == MathFunction::is_inf)
    result.element = DType::boolean;
  return lowering.runtime(
      builder.emit(Opcode::math, operands, result, {static_cast<std::int64_t>(function)}));
}

Term absolute(Lowering& lowering, const BoundCall& call) {
  const Term x = call.need("x");
  if (const auto integer = x.integer()) return integer_term(*integer < 0 ? -*integer : *integer);
  return lowering.runtime(lowering.builder().unary(Opcode::absolute, lowering.value(x)));
}

Term fma(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const auto [x, y] = lowering.promoted_pair(call.need("x"), call.need("y"), false);
  const DType type = builder.type(x).element;
  std::vector<ValueId> operands = {x, y, lowering.value_as(call.need("z"), type)};
  const std::vector<std::int64_t> shape = matched_shape(builder, operands);
  return lowering.runtime(
      builder.emit(Opcode::fused_multiply_add, operands, Type{type, false, shape}));
}

Term multiply_high(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  auto [x, y] = lowering.promoted_pair(call.need("x"), call.need("y"), false);
  builder.match_ranks(x, y);
  return lowering.runtime(
      builder.emit(Opcode::multiply_high, {x, y},
                   Type{builder.type(x).element, false, builder.joint_shape(x, y)}));
}

Term softmax(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId x = lowering.plain_value(call.need("x"));
  return lowering.runtime(builder.emit(Opcode::math, {x}, builder.type(x),
                                       {static_cast<std::int64_t>(MathFunction::other)}));
}

/// The shape of a matrix product; the inner extents must agree up to packing.
std::vector<std::int64_t> product_shape(const Type& a, const Type& b) {
  if (a.shape.size() < 2 || a.shape.size() != b.shape.size())
    throw Error(fmt::format("a matrix product of {} and {} is not possible", a.text(), b.text()),
                "both must be matrices, or stacks of them");
  std::vector<std::int64_t> shape = a.shape;
  for (std::size_t k = 0; k + 2 < shape.size(); ++k)
    if (b.shape[k] != shape[k])
      throw Error(
          fmt::format("a matrix product of {} and {}: the stacks differ", a.text(), b.text()),
          "give both the same leading extents");
  shape.back() = b.shape.back();
  return shape;
}

Term dot(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  // Triton before 2.1 had trans_a and trans_b.
  const auto operand = [&](const char* name, const char* is_transposed) {
    const ValueId value = lowering.plain_value(call.need(name));
    const bool turn =
        call.has(is_transposed) && lowering.known_truth(call.get(is_transposed)) == true;
    return turn ? builder.permute(value, {1, 0}) : value;
  };
  const ValueId a = operand("input", "trans_a");
  const ValueId b = operand("other", "trans_b");
  const Type type_a = builder.type(a);
  const Type type_b = builder.type(b);
  Type result{DType::float32, false, product_shape(type_a, type_b)};
  const std::size_t rank = type_a.shape.size();
  if (type_a.shape[rank - 1] != type_b.shape[rank - 2])
    throw Error(
        fmt::format("tl.dot of {} and {}: the inner extents differ", type_a.text(), type_b.text()),
        "transpose or reshape one of them");
  if (config::is_integer(type_a.element))
    result.element = DType::int32;
  else if (type_a.element == DType::float64)
    result.element = DType::float64;
  else if (call.has("out_dtype"))
    result.element = lowering.type_of(call.get("out_dtype")).element;
  std::vector<ValueId> operands = {a, b};
  if (call.has("acc")) {
    operands.push_back(lowering.plain_value(call.get("acc")));
    const Type& sum = builder.type(operands.back());
    if (!sum.shape.empty() && sum.shape != result.shape)
      throw Error(fmt::format("tl.dot gives [{}], but acc is {}", fmt::join(result.shape, ", "),
                              sum.text()),
                  "give acc the shape of the product");
    result.element = sum.element;
  }
  return lowering.runtime(builder.emit(Opcode::dot, operands, result));
}

Term dot_scaled(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId a = lowering.plain_value(call.need("lhs"));
  const ValueId b = lowering.plain_value(call.need("rhs"));
  Type result{DType::float32, false, product_shape(builder.type(a), builder.type(b))};
  if (call.has("out_dtype")) result.element = lowering.type_of(call.get("out_dtype")).element;
  std::vector<ValueId> operands = {a, b};
  if (call.has("acc")) operands.push_back(lowering.plain_value(call.get("acc")));
  return lowering.runtime(builder.emit(Opcode::dot, operands, result));
}

Term random(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId seed = lowering.plain_value(call.need("seed"));
  const ValueId offset = lowering.plain_value(call.need("offset"));
  if (!builder.type(seed).shape.empty() || config::is_float(builder.type(offset).element))
    throw Error("random numbers need a scalar as seed and integers as offsets", "check them");
  const std::string& name = call.name();
  Type type{DType::float32, false, builder.type(offset).shape};
  RandomFunction function = RandomFunction::uniform;
  if (name.rfind("randn", 0) == 0) function = RandomFunction::normal;
  if (name.rfind("randint", 0) == 0 || name == "philox") {
    function = RandomFunction::integer;
    type.element = DType::uint32;
  }
  const auto draw = [&](std::int64_t which) {
    return lowering.runtime(builder.emit(Opcode::random, {seed, offset}, type,
                                         {static_cast<std::int64_t>(function), which}));
  };
  if (name == "philox") return tuple_term({draw(0), draw(1), draw(2), draw(3)});
  if (name.size() < 2 || name.substr(name.size() - 2) != "4x") return draw(0);
  return tuple_term({draw(0), draw(1), draw(2), draw(3)});
}

/// tl.bitonic_merge: sorts two sorted halves; nothing known makes an address of it.
Term merged_runs(Lowering& lowering, const BoundCall& call) {
  const ValueId x = lowering.value(call.need("x"));
  return unknown_of(lowering, {x}, lowering.builder().type(x).element);
}

/// An instruction of PTX or of AMD's assembly that accesses global memory, or calls what may; or "".
std::string memory_instruction(const std::string& assembly) {
  static const std::set<std::string_view> kPtx = {"ld",    "ldu",  "st",       "atom",     "red",
                                                  "cp",    "tex",  "tld4",     "suld",     "sust",
                                                  "sured", "call", "multimem", "tensormap"};
  static const std::vector<std::string_view> kAmd = {
      "global_",  "flat_",     "buffer_", "scratch_", "s_load",   "s_store", "s_buffer",
      "s_atomic", "s_scratch", "image_",  "tbuffer_", "s_swappc", "s_setpc", "s_call"};
  const auto is_part = [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_' || one == '.' ||
           one == ':';
  };
  for (std::size_t begin = 0; begin < assembly.size();) {
    std::size_t end = begin;
    while (end < assembly.size() && is_part(assembly[end])) ++end;
    const std::string_view word = std::string_view(assembly).substr(begin, end - begin);
    begin = end + 1;
    if (word.find(".shared") != std::string_view::npos && !word.starts_with("cp")) continue;
    if (kPtx.count(word.substr(0, word.find('.'))) > 0 ||
        std::ranges::any_of(kAmd, [&](std::string_view one) { return word.starts_with(one); }))
      return std::string(word);
  }
  return {};
}

/// Its values are not known; those of a text that reads the block's number depend on it.
/// What asks for the block's index depends on it.
void add_block_ids(Lowering& lowering, const std::string& code, std::vector<ValueId>& operands) {
  for (const char* name : {"ctaid", "workgroup_id", "workgroup.id", "ttmp", "clusterid"})
    if (code.find(name) != std::string::npos)
      for (const std::int64_t axis : {0, 1, 2})
        operands.push_back(
            lowering.builder().emit(Opcode::program_id, {}, Type{DType::int32, false, {}}, {axis}));
}

Term inline_assembly(Lowering& lowering, const BoundCall& call) {
  const Term text = call.need("asm");
  const std::string* assembly = text.text();
  if (assembly == nullptr)
    lowering.fail(call.node(), "the text of this assembly is not known", "write it as a text");
  if (const std::string word = memory_instruction(*assembly); !word.empty())
    lowering.fail(call.node(),
                  fmt::format("assembly that accesses memory is not followed: '{}'", word),
                  "use tl.load, tl.store or an atomic");
  std::vector<ValueId> operands;
  add_block_ids(lowering, *assembly, operands);
  const Term arguments = call.need("args");
  if (arguments.tuple() != nullptr)
    for (const Term& item : arguments.tuple()->items) operands.push_back(lowering.value(item));
  const Term types = call.need("dtype");
  if (types.tuple() == nullptr)
    return unknown_of(lowering, operands, lowering.type_of(types).element);
  std::vector<Term> results;
  for (const Term& type : types.tuple()->items)
    results.push_back(unknown_of(lowering, operands, lowering.type_of(type).element));
  return tuple_term(std::move(results));
}

/// extern_elementwise(library, path, [x], {(types): (symbol, type)}): code of another file.
Term external_code(Lowering& lowering, const BoundCall& call) {
  const Term given = call.need("args");
  const Term table = call.need("arg_type_symbol_dict");
  if (table.dict() == nullptr || given.tuple() == nullptr)
    throw Error("the types of this external function are not known", "write them as a dict");
  std::vector<ValueId> operands;
  std::vector<Term> types;
  bool has_pointer = false;
  for (const Term& item : given.tuple()->items) {
    operands.push_back(lowering.value(item));
    const Type& type = lowering.builder().type(operands.back());
    has_pointer = has_pointer || type.pointer;
    types.push_back(Term{TypeTerm{Type{type.element, type.pointer, {}}}});
  }
  const auto& entries = table.dict()->items;
  const std::string wanted = describe(tuple_term(types));
  auto found = std::ranges::find_if(entries, [&](const auto& one) { return one.first == wanted; });
  if (found == entries.end() && entries.size() == 1) found = entries.begin();
  const TupleTerm* made = found == entries.end() ? nullptr : found->second.tuple();
  if (made == nullptr || made->items.size() != 2)
    throw Error(fmt::format("no external function takes {}", wanted), "check the types");
  if (has_pointer)
    throw Error(fmt::format("external code that gets a pointer is not followed: {}",
                            describe(made->items[0])),
                "use tl.load, tl.store or an atomic");
  add_block_ids(lowering, describe(made->items[0]), operands);
  return unknown_of(lowering, operands, lowering.type_of(made->items[1]).element);
}

/// Hardware counters and ids: nothing that depends on them is known.
Term hardware_number(Lowering& lowering, const BoundCall& call) {
  const bool wide = call.name() == "globaltimer";
  return unknown_of(lowering, {}, wide ? DType::int64 : DType::int32);
}

template <Opcode op>
Term pair_of(Lowering& lowering, const BoundCall& call) {
  return pair(lowering, call, op);
}

}  // namespace

bool is_math_function(const std::string& name) {
  return math_names().count(name) != 0;
}

std::vector<Builtin> math_builtins() {
  std::vector<Builtin> list = {
      {"where", "condition x y", where},
      {"minimum", "x y propagate_nan", pair_of<Opcode::minimum>},
      {"maximum", "x y propagate_nan", pair_of<Opcode::maximum>},
      {"fdiv", "x y ieee_rounding", pair_of<Opcode::divide>},
      {"div_rn", "x y", pair_of<Opcode::divide>},
      {"add", "x y sanitize_overflow",
       [](Lowering& l, const BoundCall& c) { return l.binary("Add", c.need("x"), c.need("y")); }},
      {"sub", "x y sanitize_overflow",
       [](Lowering& l, const BoundCall& c) { return l.binary("Sub", c.need("x"), c.need("y")); }},
      {"mul", "x y sanitize_overflow",
       [](Lowering& l, const BoundCall& c) { return l.binary("Mult", c.need("x"), c.need("y")); }},
      {"clamp", "x min max propagate_nan", clamp},
      {"abs", "x", absolute},
      {"fabs", "x", absolute},
      {"fma", "x y z", fma},
      {"umulhi", "x y", multiply_high},
      {"softmax", "x dim keep_dims ieee_rounding", softmax},
      {"dot",
       "input other acc input_precision allow_tf32 max_num_imprecise_acc out_dtype trans_a trans_b",
       dot},
      {"dot_scaled",
       "lhs lhs_scale lhs_format rhs rhs_scale rhs_format acc fast_math lhs_k_pack "
       "rhs_k_pack out_dtype",
       dot_scaled},
      {"bitonic_merge", "x dim descending", merged_runs},
      {"inline_asm_elementwise", "asm constraints args dtype is_pure pack", inline_assembly},
      {"extern_elementwise", "lib_name lib_path args arg_type_symbol_dict is_pure", external_code},
      {"globaltimer", "", hardware_number},
      {"smid", "", hardware_number},
      {"libdevice", "x y z", math},
  };
  for (const char* name : {"rand", "randn", "randint", "rand4x", "randn4x", "randint4x"})
    list.push_back({name, "seed offset n_rounds", random});
  list.push_back({"philox", "seed offset c1 c2 c3 n_rounds", random});
  for (const auto& [name, function] : math_names()) list.push_back({name.c_str(), "x y z", math});
  return list;
}

}  // namespace heddle::kernel::triton
