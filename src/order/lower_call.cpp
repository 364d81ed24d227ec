// Calls: the functions every order may use, and the ones it defines.
#include <fmt/format.h>

#include <set>

#include "order/lowering.h"

namespace heddle::order {
namespace {

using Names = std::set<std::string_view>;
const Names kMinimum = {"min", "tl.minimum", "tl.math.min", "std::min", "minimum"};
const Names kMaximum = {"max", "tl.maximum", "tl.math.max", "std::max", "maximum"};
const Names kAbsolute = {"abs", "tl.abs", "std::abs"};
const Names kCeilingDivision = {
    "tl.cdiv",           "triton.cdiv", "cdiv",  "ceil_div",    "ceildiv",  "ceilDiv",
    "cutlass::ceil_div", "div_up",      "divUp", "ceil_divide", "CEIL_DIV", "DIV_UP"};
const Names kLaunch = {"tl.program_id", "program_id", "get_group_id"};
const Names kGrid = {"tl.num_programs", "num_programs", "get_num_groups"};
const Names kWhere = {"tl.where", "where"};
const Names kInteger = {"int", "tl.constexpr", "constexpr"};

}  // namespace

std::vector<Value> Lowering::call(const Expression& expression, Environment& environment,
                                  std::vector<Step>& steps) {
  const auto function = functions_.find(expression.text);
  if (function != functions_.end())
    return inline_function(*function->second.statement, expression, environment, steps);
  if (kLaunch.count(expression.text) > 0 || kGrid.count(expression.text) > 0) {
    const bool is_launch = kLaunch.count(expression.text) > 0;
    const Type type = expression.text.rfind("get_", 0) == 0 ? Type::u64 : Type::i32;
    return {leaf(is_launch ? Node::Kind::launch : Node::Kind::grid, axis_argument(expression), type,
                 expression.at)};
  }
  std::vector<Value> arguments;
  for (const ExpressionPtr& argument : expression.arguments) {
    arguments.push_back(lower_expression(argument, environment, steps));
  }
  if (expression.text == "tl.swizzle2d" && arguments.size() == 5) {
    return swizzle2d(arguments, expression.at, steps);
  }
  if (expression.text == "divmod" && arguments.size() == 2) {
    return {binary(Operation::divide, arguments[0], arguments[1], expression.at),
            binary(Operation::remainder, arguments[0], arguments[1], expression.at)};
  }
  if (kWhere.count(expression.text) > 0 && arguments.size() == 3) {
    const Value chosen = select(arguments[0], arguments[1], arguments[2], expression.at);
    program_.nodes[static_cast<std::size_t>(chosen.node)].eager = true;
    return {chosen};
  }
  if (const auto value = builtin(expression, arguments)) return {*value};
  if (expression.text.rfind("tl.", 0) == 0) {
    throw Error(fmt::format("'{}' is not part of an order", expression.text),
                "give only the lines that compute the tile index from the program ids")
        .at({}, expression.at);
  }
  const bool is_c = module_.language == Language::c_like;
  throw Error(
      fmt::format("'{}' with {} argument{} is not known", expression.text, arguments.size(),
                  arguments.size() == 1 ? "" : "s"),
      is_c ? "define it as a function (macros with arguments are not read), or use min max abs "
             "get_group_id get_num_groups"
           : "define it with 'def', or use min max abs divmod tl.program_id tl.num_programs "
             "tl.cdiv triton.cdiv tl.where tl.minimum tl.maximum tl.swizzle2d")
      .at({}, expression.at);
}

int Lowering::axis_argument(const Expression& expression) const {
  if (expression.arguments.size() == 1) {
    const Expression& given = *expression.arguments[0];
    const bool is_named = given.kind == Expression::Kind::tuple && given.text == "axis";
    const Expression& argument = is_named ? *given.arguments[0] : given;
    if (argument.kind == Expression::Kind::number && argument.value >= 0 && argument.value <= 2) {
      return static_cast<int>(argument.value);
    }
  }
  throw Error(fmt::format("the axis of {} is not 0, 1 or 2", expression.text),
              "write the axis as a number")
      .at({}, expression.at);
}

std::optional<Value> Lowering::builtin(const Expression& expression,
                                       const std::vector<Value>& arguments) {
  const std::string& name = expression.text;
  const Position at = expression.at;
  const std::size_t count = arguments.size();
  if ((kMinimum.count(name) > 0 || kMaximum.count(name) > 0) && count >= 2) {
    const Operation operation = kMinimum.count(name) > 0 ? Operation::minimum : Operation::maximum;
    Value result = arguments[0];
    for (std::size_t i = 1; i < count; ++i) result = binary(operation, result, arguments[i], at);
    return result;
  }
  if (kAbsolute.count(name) > 0 && count == 1) return unary(Operation::absolute, arguments[0], at);
  if (kInteger.count(name) > 0 && count == 1) return arguments[0];
  if (kCeilingDivision.count(name) > 0 && count == 2) {
    const Type one = module_.language == Language::triton ? Type::constexpr_int : Type::i32;
    const Value sum = binary(Operation::add, arguments[0], arguments[1], at);
    const Value raised = binary(Operation::subtract, sum, constant(1, one, at), at);
    return binary(Operation::divide, raised, arguments[1], at);
  }
  return std::nullopt;
}

/// tl.swizzle2d(i, j, size_i, size_j, size_g): the row-major grid walked in groups of size_g rows.
std::vector<Value> Lowering::swizzle2d(const std::vector<Value>& arguments, Position at,
                                       std::vector<Step>& steps) {
  const auto op = [&](Operation operation, Value left, Value right) {
    return binary(operation, left, right, at);
  };
  const Value size_i = keep(arguments[2], "size_i", steps, at);
  const Value size_j = keep(arguments[3], "size_j", steps, at);
  const Value size_g = keep(arguments[4], "size_g", steps, at);
  const Value linear =
      keep(op(Operation::add, op(Operation::multiply, arguments[0], size_j), arguments[1]),
           "linear", steps, at);
  const Value per_group = keep(op(Operation::multiply, size_g, size_j), "per_group", steps, at);
  const Value first =
      keep(op(Operation::multiply, op(Operation::divide, linear, per_group), size_g), "first",
           steps, at);
  const Value height = keep(op(Operation::minimum, op(Operation::subtract, size_i, first), size_g),
                            "height", steps, at);
  const Value inside = keep(op(Operation::remainder, linear, per_group), "inside", steps, at);
  return {op(Operation::add, first, op(Operation::remainder, inside, height)),
          op(Operation::divide, inside, height)};
}

}  // namespace heddle::order
