// Program ids, constants, hints and Python's own functions.
#include <fmt/format.h>

#include <cmath>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

Term program_index(Lowering& lowering, const BoundCall& call, Opcode op) {
  const Integer axis = lowering.integer(call.need("axis"), "the axis");
  if (axis < 0 || axis > 2) throw Error("a grid has axes 0, 1 and 2", "use one of them");
  return lowering.runtime(lowering.builder().emit(op, {}, Type{DType::int32, false, {}},
                                                  {static_cast<std::int64_t>(axis)}));
}

Term arange(Lowering& lowering, const BoundCall& call) {
  const Integer start = lowering.integer(call.need("start"), "the start of tl.arange");
  const Integer end = lowering.integer(call.need("end"), "the end of tl.arange");
  const Integer extent = end - start;
  if (extent < 1 || extent > (1 << 20) || (extent & (extent - 1)) != 0)
    throw Error(
        fmt::format("tl.arange({}, {}) is not possible", integer_text(start), integer_text(end)),
        "the length must be a power of two up to 1,048,576")
        .because({extent > (1 << 20) ? Cause::Kind::size : Cause::Kind::unknown});
  if (!fits(start, DType::int32) || !fits(end, DType::int32))
    throw Error("tl.arange beyond int32", "use smaller bounds");
  return lowering.runtime(lowering.builder().emit(
      Opcode::arange, {}, Type{DType::int32, false, {static_cast<std::int64_t>(extent)}},
      {static_cast<std::int64_t>(start), static_cast<std::int64_t>(end)}));
}

Term full(Lowering& lowering, const BoundCall& call) {
  const auto shape = lowering.shape(call.need("shape"), "the shape");
  const Term value = call.name() == "zeros" ? integer_term(0) : call.need("value");
  ValueId scalar = kNoValue;
  if (call.has("dtype"))
    scalar = lowering.value_as(value, lowering.type_of(call.get("dtype")).element);
  else
    scalar = lowering.value(value);
  return lowering.runtime(lowering.builder().broadcast(scalar, shape));
}

Term full_like(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const Type type = builder.type(lowering.value(call.need("input")));
  const Term value = call.name() == "zeros_like" ? integer_term(0) : call.need("value");
  const ValueId scalar = lowering.value_as(value, type.element);
  return lowering.runtime(type.shape.empty() ? scalar : builder.broadcast(scalar, type.shape));
}

Term cdiv(Lowering& lowering, const BoundCall& call) {
  const Term x = call.need("x");
  const Term divisor = call.need("div");
  const Term sum = lowering.binary("Add", x, lowering.binary("Sub", divisor, integer_term(1)));
  return lowering.binary("FloorDiv", sum, divisor);
}

Term static_assert_(Lowering& lowering, const BoundCall& call) {
  if (lowering.known_truth(call.need("cond")) == false) {
    const Term message = call.get("msg");
    throw Error(message.text() != nullptr && *message.text() != "..."
                    ? fmt::format("tl.static_assert does not hold: {}", *message.text())
                    : "tl.static_assert does not hold",
                "check the constexprs in the job");
  }
  return Term{None{}};
}

Term nothing(Lowering&, const BoundCall&) {
  return Term{None{}};
}
Term same(Lowering&, const BoundCall& call) {
  return call.need("input");
}

Term to_tensor(Lowering& lowering, const BoundCall& call) {
  return lowering.runtime(lowering.value(call.need("input")));
}

Term cast(Lowering& lowering, const BoundCall& call) {
  Builder& builder = lowering.builder();
  const ValueId value = lowering.value(call.need("input"));
  const Type to = lowering.type_of(call.need("dtype"));
  const Type from = builder.type(value);
  const bool bits = lowering.known_truth(call.get("bitcast")) == true;
  if (bits && !to.pointer && !from.pointer && to.element != from.element) {
    if (config::bit_width(to.element) != config::bit_width(from.element))
      throw Error("a bitcast keeps the number of bits", "use .to without bitcast");
    return lowering.runtime(
        builder.emit(Opcode::bitcast, {value}, Type{to.element, false, from.shape}));
  }
  return lowering.runtime(builder.cast(value, to));
}

Term python_extreme(Lowering& lowering, const BoundCall& call) {
  const bool is_min = call.name() == "min";
  const Term all = call.need("items");
  std::vector<Term> items = all.tuple()->items;
  if (items.size() == 1 && items[0].tuple() != nullptr) items = items[0].tuple()->items;
  if (items.empty()) throw Error("min or max of nothing", "give values");
  Term best = items[0];
  for (std::size_t i = 1; i < items.size(); ++i) {
    const auto less = python_compare("Lt", items[i], best);
    if (less && !items[i].is_runtime() && !best.is_runtime()) {
      lowering.note_decision(is_min ? Opcode::minimum : Opcode::maximum, best, items[i]);
      const bool take = is_min ? *less : python_compare("Gt", items[i], best).value_or(false);
      if (take) best = items[i];
      continue;
    }
    const auto [a, b] =
        lowering.promoted_pair(lowering.as_tensor(best), lowering.as_tensor(items[i]), false);
    Builder& builder = lowering.builder();
    best = lowering.runtime(
        builder.binary(is_min ? Opcode::minimum : Opcode::maximum, a, b, builder.type(a).element));
  }
  return best;
}

Term python_abs(Lowering& lowering, const BoundCall& call) {
  const Term x = call.need("x");
  if (const auto integer = x.integer()) return integer_term(*integer < 0 ? -*integer : *integer);
  if (const auto real = x.real()) return Term{std::fabs(*real)};
  return lowering.runtime(lowering.builder().unary(Opcode::absolute, lowering.value(x)));
}

Term python_len(Lowering&, const BoundCall& call) {
  const Term x = call.need("x");
  if (x.tuple() != nullptr) return integer_term(static_cast<Integer>(x.tuple()->items.size()));
  if (x.text() != nullptr) return integer_term(static_cast<Integer>(x.text()->size()));
  throw Error(fmt::format("{} has no length", describe(x)), "use a tuple");
}

Term python_number(Lowering& lowering, const BoundCall& call) {
  const Term x = call.need("x");
  const std::string& name = call.name();
  if (const auto* text = x.text(); text != nullptr && name == "float") {
    if (*text == "inf" || *text == "+inf") return Term{static_cast<double>(INFINITY)};
    if (*text == "-inf") return Term{static_cast<double>(-INFINITY)};
    if (*text == "nan") return Term{static_cast<double>(NAN)};
    char* end = nullptr;
    const double number = std::strtod(text->c_str(), &end);
    const bool is_decimal = text->find_first_not_of("0123456789+-.eE") == std::string::npos;
    if (is_decimal && !text->empty() && end == text->c_str() + text->size()) return Term{number};
  }
  if (name == "bool") {
    if (const auto truth = lowering.known_truth(x)) return Term{*truth};
    return lowering.runtime(lowering.builder().truth(lowering.value(x)));
  }
  if (const auto number = known_number(x)) {
    if (name == "float") return Term{config::python_float(*number)};
    return integer_term(config::python_integer(*number, config::Toward::zero, config::k100Bits));
  }
  if (x.is_runtime())
    return lowering.runtime(lowering.builder().cast(
        lowering.value(x), name == "float" ? DType::float32 : DType::int32));
  throw Error(fmt::format("{}({}) is not possible", name, describe(x)), "give a number");
}

Term python_range(Lowering& lowering, const BoundCall& call) {
  std::vector<Integer> bounds;
  const Term all = call.need("bounds");
  for (const Term& bound : all.tuple()->items) bounds.push_back(lowering.integer(bound, "a bound"));
  if (bounds.size() == 1) bounds.insert(bounds.begin(), 0);
  if (bounds.size() == 2) bounds.push_back(1);
  if (bounds.size() != 3 || bounds[2] == 0)
    throw Error("range takes bounds and a step", "check it");
  std::vector<Term> items;
  for (Integer i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
    if (items.size() > 65536)
      throw Error("a range of more than 65,536 known numbers", "use tl.range");
    items.push_back(integer_term(i));
  }
  return tuple_term(std::move(items));
}

Term next_power_of_2(Lowering& lowering, const BoundCall& call) {
  const Integer n = lowering.integer(call.need("n"), "the argument of next_power_of_2");
  Integer power = 1;
  while (power < n && power < (Integer{1} << 62)) power *= 2;
  return integer_term(power);
}

Term python_tuple(Lowering&, const BoundCall& call) {
  const Term x = call.get("x");
  return x.is_none() ? tuple_term({}) : x;
}

Term python_any_all(Lowering& lowering, const BoundCall& call) {
  const bool any = call.name() == "any";
  const Term x = call.need("x");
  if (x.tuple() == nullptr) throw Error("any and all take a tuple", "use tl.max or tl.min");
  for (const Term& item : x.tuple()->items)
    if (lowering.known_truth(item).value_or(any) == any) return Term{any};
  return Term{!any};
}

Term python_zip(Lowering&, const BoundCall& call) {
  const Term all = call.need("lists");
  std::vector<Term> rows;
  std::size_t shortest = SIZE_MAX;
  const auto& lists = all.tuple()->items;
  for (const Term& list : lists) {
    if (list.tuple() == nullptr) throw Error("zip takes tuples", "list the items");
    shortest = std::min(shortest, list.tuple()->items.size());
  }
  for (std::size_t i = 0; i < shortest; ++i) {
    std::vector<Term> row;
    for (const Term& list : lists) row.push_back(list.tuple()->items[i]);
    rows.push_back(tuple_term(std::move(row)));
  }
  return tuple_term(std::move(rows));
}

Term python_enumerate(Lowering&, const BoundCall& call) {
  const Term list = call.need("x");
  if (list.tuple() == nullptr) throw Error("enumerate takes a tuple", "list the items");
  std::vector<Term> rows;
  for (const Term& item : list.tuple()->items)
    rows.push_back(tuple_term({integer_term(static_cast<Integer>(rows.size())), item}));
  return tuple_term(std::move(rows));
}

Term python_isinstance(Lowering&, const BoundCall& call) {
  const Term x = call.need("x");
  const Term type = call.need("type");
  const auto* external = type.as<ExternalTerm>();
  const std::string path = external != nullptr ? external->path : "";
  if (path == "builtins.int") return Term{x.as<Integer>() != nullptr};
  if (path == "builtins.float") return Term{x.as<double>() != nullptr};
  if (path == "builtins.bool") return Term{x.as<bool>() != nullptr};
  if (path == "builtins.str") return Term{x.text() != nullptr};
  if (path.size() > 6 && path.substr(path.size() - 6) == "tensor") return Term{x.is_runtime()};
  if (path.find("descriptor") != std::string::npos) return Term{x.descriptor() != nullptr};
  if (path.find("constexpr") != std::string::npos)
    return Term{x.is_number() || x.text() != nullptr || x.is_none()};
  if (path.find("tuple") != std::string::npos) return Term{x.tuple() != nullptr};
  return Term{false};
}

Term pointer_type(Lowering& lowering, const BoundCall& call) {
  Type type = lowering.type_of(call.need("element_ty"));
  type.pointer = true;
  return Term{TypeTerm{type}};
}

Term int_dtype(Lowering& lowering, const BoundCall& call) {
  const Integer bits = lowering.integer(call.need("bitwidth"), "the bit width");
  const bool with_sign = lowering.known_truth(call.need("signed")).value_or(true);
  const auto type = config::dtype_from_text((with_sign ? "int" : "uint") + integer_text(bits));
  if (!type)
    throw Error(fmt::format("there is no integer of {} bits", integer_text(bits)), "use 8 to 64");
  return Term{TypeTerm{Type{*type, false, {}}}};
}

/// triton.Config: the constexprs and launch values of an autotuner's choice, as a dict.
Term config_entry(Lowering&, const BoundCall& call) {
  const Term kwargs = call.need("kwargs");
  NamedTerms items;
  if (kwargs.dict() != nullptr) items = kwargs.dict()->items;
  for (const char* name : {"num_warps", "num_stages", "num_ctas", "maxnreg"})
    if (call.has(name)) items.emplace_back(name, call.get(name));
  return dict_term(std::move(items));
}

}  // namespace

std::vector<Builtin> basic_builtins() {
  return {
      {"program_id", "axis",
       [](Lowering& l, const BoundCall& c) { return program_index(l, c, Opcode::program_id); }},
      {"num_programs", "axis",
       [](Lowering& l, const BoundCall& c) { return program_index(l, c, Opcode::num_programs); }},
      {"arange", "start end", arange},
      {"zeros", "shape dtype", full},
      {"full", "shape value dtype", full},
      {"zeros_like", "input", full_like},
      {"full_like", "input value", full_like},
      {"cdiv", "x div", cdiv},
      {"static_assert", "cond msg", static_assert_},
      {"static_print", "*values **", nothing},
      {"device_print", "prefix *values **", nothing},
      {"device_assert", "cond msg mask", nothing},
      {"debug_barrier", "", nothing},
      {"tensor", "handle type",
       [](Lowering&, const BoundCall& call) { return call.get("handle"); }},
      {"gdc_wait", "", nothing},
      {"gdc_launch_dependents", "", nothing},
      {"assume", "cond", nothing},
      {"condition", "arg1 disable_licm",
       [](Lowering&, const BoundCall& call) { return call.need("arg1"); }},
      {"multiple_of", "input values", same},
      {"max_contiguous", "input values", same},
      {"max_constancy", "input values", same},
      {"constexpr", "input", same},
      {"_unwrap_if_constexpr", "input", same},
      {"to_tensor", "input", to_tensor},
      {"cast", "input dtype fp_downcast_rounding bitcast", cast},
      {"pointer_type", "element_ty address_space const", pointer_type},
      {"get_int_dtype", "bitwidth signed", int_dtype},
      {"next_power_of_2", "n", next_power_of_2},
      {"Config", "kwargs num_warps num_stages num_ctas maxnreg pre_hook **", config_entry},
      {"static_range", "*bounds", python_range},
      {"range", "*bounds", python_range},
      {"tuple", "x", python_tuple},
      {"builtins.min", "*items", python_extreme},
      {"builtins.max", "*items", python_extreme},
      {"builtins.abs", "x", python_abs},
      {"builtins.len", "x", python_len},
      {"builtins.range", "*bounds", python_range},
      {"builtins.int", "x", python_number},
      {"builtins.float", "x", python_number},
      {"builtins.bool", "x", python_number},
      {"builtins.tuple", "x", python_tuple},
      {"builtins.list", "x", python_tuple},
      {"builtins.print", "*values **", nothing},
      {"builtins.any", "x", python_any_all},
      {"builtins.all", "x", python_any_all},
      {"builtins.zip", "*lists", python_zip},
      {"builtins.enumerate", "x", python_enumerate},
      {"builtins.isinstance", "x type", python_isinstance},
  };
}

}  // namespace heddle::kernel::triton
