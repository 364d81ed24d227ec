// Values: names, operators, types and conversions. Calls stand in lower_call.cpp.
#include <fmt/format.h>

#include <functional>

#include "order/lowering.h"

namespace heddle::order {

int Lowering::add(Node node) {
  if (program_.nodes.size() >= kNodeLimit) {
    throw Error(fmt::format("the order has more than {} operations once its helpers are inlined",
                            kNodeLimit),
                "simplify it")
        .at({}, node.at);
  }
  program_.nodes.push_back(node);
  return static_cast<int>(program_.nodes.size()) - 1;
}

Value Lowering::leaf(Node::Kind kind, std::int64_t value, Type type, Position at) {
  Node node;
  node.kind = kind;
  node.value = value;
  node.type = type;
  node.at = at;
  return {add(node), type, kind == Node::Kind::constant || type == Type::constexpr_int};
}

Value Lowering::constant(std::int64_t value, Type type, Position at) {
  return leaf(Node::Kind::constant, value, type, at);
}

bool Lowering::is_constant(Value value) const {
  return program_.nodes[static_cast<std::size_t>(value.node)].kind == Node::Kind::constant;
}

Value Lowering::read(const Bound& bound, Position at) {
  return leaf(Node::Kind::variable, bound.variable, bound.type, at);
}

/// Writes a value into a fresh variable, so that later assignments do not change it.
Value Lowering::keep(Value value, const std::string& name, std::vector<Step>& steps, Position at) {
  const auto kind = program_.nodes[static_cast<std::size_t>(value.node)].kind;
  if (kind == Node::Kind::constant || kind == Node::Kind::launch || kind == Node::Kind::grid)
    return value;
  Step step;
  step.kind = Step::Kind::assign;
  step.variable = new_variable(name);
  step.node = value.node;
  step.at = at;
  steps.push_back(step);
  Value kept = leaf(Node::Kind::variable, step.variable, value.type, at);
  kept.fixed = value.fixed;
  return kept;
}

Value Lowering::convert_to(Value value, Type type, Position at) {
  if (value.type == type) return value;
  if (is_constant(value)) {
    const Outcome outcome =
        convert(program_.nodes[static_cast<std::size_t>(value.node)].value, value.type, type);
    if (outcome.fault == Fault::none) return constant(outcome.value, type, at);
  }
  Node node;
  node.kind = Node::Kind::cast;
  node.type = type;
  node.operand_type = value.type;
  node.a = value.node;
  node.at = at;
  const bool stays_fixed = type == Type::constexpr_int || type == Type::boolean;
  return {add(node), type, value.fixed && stays_fixed};
}

/// The type two operands meet in: C's usual conversions; Triton's where one is a constexpr.
Type Lowering::joint_type(Value left, Value right) const {
  const auto standing = [&](Value value) {
    if (value.type == Type::boolean) return Type::i32;
    if (value.type != Type::constexpr_int) return value.type;
    if (!is_constant(value)) return Type::i32;
    const std::int64_t number = program_.nodes[static_cast<std::size_t>(value.node)].value;
    if (number >= INT32_MIN && number <= INT32_MAX) return Type::i32;
    return number >= 0 && number <= UINT32_MAX ? Type::u32 : Type::i64;
  };
  const auto is_fixed = [](Value value) {
    return value.type == Type::constexpr_int || (value.type == Type::boolean && value.fixed);
  };
  const bool left_fixed = is_fixed(left);
  const bool right_fixed = is_fixed(right);
  if (left_fixed && right_fixed &&
      (left.type == Type::constexpr_int || right.type == Type::constexpr_int)) {
    return Type::constexpr_int;
  }
  return std::max(standing(left), standing(right));
}

Value Lowering::unary(Operation operation, Value operand, Position at) {
  if (operation == Operation::logical_not) {
    Node node;
    node.kind = Node::Kind::unary;
    node.operation = operation;
    node.type = Type::boolean;
    node.operand_type = operand.type;
    node.a = operand.node;
    node.at = at;
    return {add(node), Type::boolean, operand.fixed};
  }
  if (operand.type == Type::boolean) {
    const bool is_python = module_.language == Language::triton && operand.fixed;
    operand = convert_to(operand, is_python ? Type::constexpr_int : Type::i32, at);
  }
  if (is_constant(operand)) {
    const std::int64_t number = program_.nodes[static_cast<std::size_t>(operand.node)].value;
    const Outcome outcome = apply(operation, operand.type, Rounding::floor, number, 0);
    if (outcome.fault == Fault::none) return constant(outcome.value, operand.type, at);
  }
  Node node;
  node.kind = Node::Kind::unary;
  node.operation = operation;
  node.type = operand.type;
  node.operand_type = operand.type;
  node.a = operand.node;
  node.at = at;
  return {add(node), operand.type, operand.fixed};
}

Value Lowering::binary(Operation operation, Value left, Value right, Position at) {
  Type type = joint_type(left, right);
  const bool is_shift = operation == Operation::shift_left || operation == Operation::shift_right;
  if (is_shift && module_.language == Language::c_like) {  // C: the left operand alone decides
    type = left.type == Type::boolean ? Type::i32 : left.type;
    left = convert_to(left, type, at);
  } else {
    left = convert_to(left, type, at);
    right = convert_to(right, type, at);
  }
  Node node;
  node.kind = Node::Kind::binary;
  node.operation = operation;
  node.operand_type = type;
  node.type = is_comparison(operation) ? Type::boolean : type;
  node.rounding = type == Type::constexpr_int ? Rounding::floor : Rounding::truncate;
  node.a = left.node;
  node.b = right.node;
  node.at = at;
  if (is_constant(left) && is_constant(right)) {
    const Outcome outcome = apply(operation, type, node.rounding,
                                  program_.nodes[static_cast<std::size_t>(left.node)].value,
                                  program_.nodes[static_cast<std::size_t>(right.node)].value);
    if (outcome.fault == Fault::none) return constant(outcome.value, node.type, at);
  }
  return {add(node), node.type, left.fixed && right.fixed};
}

Value Lowering::select(Value condition, Value then, Value otherwise, Position at) {
  const Type type = then.type == otherwise.type ? then.type : joint_type(then, otherwise);
  then = convert_to(then, type, at);
  otherwise = convert_to(otherwise, type, at);
  if (type == Type::constexpr_int && !condition.fixed) {
    // Chosen at run time between two constants: a run-time value from here on.
    then = convert_to(then, Type::i32, at);
    otherwise = convert_to(otherwise, Type::i32, at);
  }
  Node node;
  node.kind = Node::Kind::select;
  node.type = program_.nodes[static_cast<std::size_t>(then.node)].type;
  node.a = condition.node;
  node.b = then.node;
  node.c = otherwise.node;
  node.at = at;
  return {add(node), node.type, condition.fixed && then.fixed && otherwise.fixed};
}

Value Lowering::lower_expression(const ExpressionPtr& expression, Environment& environment,
                                 std::vector<Step>& steps) {
  const std::vector<Value> values = lower_values(expression, environment, steps);
  if (values.size() != 1) {
    throw Error(fmt::format("{} values stand where one is needed", values.size()),
                "unpack the tuple first")
        .at({}, expression->at);
  }
  return values[0];
}

std::vector<Value> Lowering::lower_values(const ExpressionPtr& expression, Environment& environment,
                                          std::vector<Step>& steps) {
  const Expression& e = *expression;
  switch (e.kind) {
    case Expression::Kind::number:
      return {constant(e.value, e.type, e.at)};
    case Expression::Kind::name:
      return {lower_name(e, environment)};
    case Expression::Kind::call:
      return call(e, environment, steps);
    case Expression::Kind::unary:
      return {unary(e.operation, lower_expression(e.arguments[0], environment, steps), e.at)};
    case Expression::Kind::binary: {
      const Value left = lower_expression(e.arguments[0], environment, steps);
      const Value right = lower_expression(e.arguments[1], environment, steps);
      return {binary(e.operation, left, right, e.at)};
    }
    case Expression::Kind::logical_and:
    case Expression::Kind::logical_or:
      return {logical(e, environment, steps)};
    case Expression::Kind::conditional:
      return {conditional(e, environment, steps)};
    case Expression::Kind::cast:
      return {convert_to(lower_expression(e.arguments[0], environment, steps), e.type, e.at)};
    case Expression::Kind::tuple: {
      std::vector<Value> values;
      for (const ExpressionPtr& part : e.arguments)
        values.push_back(lower_expression(part, environment, steps));
      return values;
    }
  }
  throw Error("this expression is not read").at({}, e.at);
}

Value Lowering::logical(const Expression& expression, Environment& environment,
                        std::vector<Step>& steps) {
  std::vector<ExpressionPtr> parts;  // of a and b and c, which is read as (a and b) and c
  const std::function<void(const ExpressionPtr&)> flatten = [&](const ExpressionPtr& part) {
    if (part->kind != expression.kind) return parts.push_back(part);
    for (const ExpressionPtr& each : part->arguments) flatten(each);
  };
  for (const ExpressionPtr& each : expression.arguments) flatten(each);
  return logical_from(expression, parts, 0, {environment, steps});
}

/// The parts from one on. C computes a part only where it decides. So does Triton after a part that
/// is known before the launch; after others it computes all parts in every block.
Value Lowering::logical_from(const Expression& expression, const std::vector<ExpressionPtr>& parts,
                             std::size_t first, Path path) {
  const Position at = expression.at;
  const Value left = lower_expression(parts[first], path.environment, path.steps);
  if (first + 1 == parts.size()) return left;
  const bool is_and = expression.kind == Expression::Kind::logical_and;
  const bool is_eager = module_.language == Language::triton && !left.fixed;
  std::vector<Step> own_steps;
  std::vector<Step>& right_steps = is_eager ? path.steps : own_steps;
  const Value right = logical_from(expression, parts, first + 1, {path.environment, right_steps});
  if (!own_steps.empty()) {  // the right side calls a helper, which runs only where it decides
    const Value decided = constant(is_and ? 0 : 1, Type::boolean, at);
    const Value open = convert_to(right, Type::boolean, at);
    if (is_and) return choose(left, {open, std::move(own_steps)}, {decided, {}}, path.steps, at);
    return choose(left, {decided, {}}, {open, std::move(own_steps)}, path.steps, at);
  }
  if (left.type == Type::constexpr_int && right.type == Type::constexpr_int) {
    // Python gives back one of the operands.
    return is_and ? select(left, right, left, at) : select(left, left, right, at);
  }
  Node node;
  node.kind = is_and ? Node::Kind::logical_and : Node::Kind::logical_or;
  node.type = Type::boolean;
  node.eager = is_eager;
  node.a = left.node;
  node.b = right.node;
  node.at = at;
  return {add(node), Type::boolean, left.fixed && right.fixed};
}

Value Lowering::conditional(const Expression& expression, Environment& environment,
                            std::vector<Step>& steps) {
  const Value condition = lower_expression(expression.arguments[0], environment, steps);
  Side then;
  Side otherwise;
  then.value = lower_expression(expression.arguments[1], environment, then.steps);
  otherwise.value = lower_expression(expression.arguments[2], environment, otherwise.steps);
  if (then.steps.empty() && otherwise.steps.empty()) {
    return select(condition, then.value, otherwise.value, expression.at);
  }
  return choose(condition, std::move(then), std::move(otherwise), steps, expression.at);
}

/// As select, for sides that call helpers: each runs only where it is chosen.
Value Lowering::choose(Value condition, Side then, Side otherwise, std::vector<Step>& steps,
                       Position at) {
  const Type type = joined_type(then.value.type, otherwise.value.type, !condition.fixed);
  const int variable = new_variable("chosen");
  for (Side* side : {&then, &otherwise}) {
    const int node = convert_to(side->value, type, at).node;
    side->steps.push_back({.variable = variable, .node = node, .at = at});
  }
  Step branch;
  branch.kind = Step::Kind::branch;
  branch.node = condition.node;
  branch.at = at;
  branch.body = std::move(then.steps);
  branch.otherwise = std::move(otherwise.steps);
  steps.push_back(std::move(branch));
  return leaf(Node::Kind::variable, variable, type, at);
}

/// p0, g1, blockIdx.x, gridDim.y, hipBlockIdx_z, ...
std::optional<Value> Lowering::launch_name(const std::string& text, Position at) {
  const auto axis_of = [](char c) { return c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : -1; };
  if (text.size() == 2 && text[1] >= '0' && text[1] <= '2') {
    const int axis = text[1] - '0';
    if (text[0] == 'p') return leaf(Node::Kind::launch, axis, Type::i32, at);
    if (text[0] == 'g') return leaf(Node::Kind::grid, axis, Type::i32, at);
    if (text[0] == 't') return leaf(Node::Kind::tile_extent, axis, Type::i32, at);
  }
  const int axis = text.empty() ? -1 : axis_of(text.back());
  if (axis < 0) return std::nullopt;
  const std::string stem = text.substr(0, text.size() - 1);
  if (stem == "blockIdx." || stem == "hipBlockIdx_")
    return leaf(Node::Kind::launch, axis, Type::u32, at);
  if (stem == "gridDim." || stem == "hipGridDim_")
    return leaf(Node::Kind::grid, axis, Type::u32, at);
  return std::nullopt;
}

Value Lowering::lower_name(const Expression& expression, const Environment& environment) {
  const auto found = environment.find(expression.text);
  if (found != environment.end()) {
    if (found->second.maybe_unset) {
      throw Error(fmt::format("'{}' may be used before it is assigned", expression.text),
                  "assign it on every path")
          .at({}, expression.at);
    }
    return read(found->second, expression.at);
  }
  if (options_.bound.count(expression.text) == 0) {
    if (const auto launch = launch_name(expression.text, expression.at)) return *launch;
  }
  if (expression.text.find('.') != std::string::npos ||
      expression.text.find("::") != std::string::npos) {
    throw Error(
        fmt::format("'{}' is not known", expression.text),
        "heddle knows tl.program_id(k), tl.num_programs(k), blockIdx.x, gridDim.x and plain names")
        .at({}, expression.at);
  }
  auto& names = program_.names;
  std::size_t index = 0;
  while (index < names.size() && names[index] != expression.text) ++index;
  if (index == names.size()) names.push_back(expression.text);
  Type type = Type::i32;
  if (options_.wide.count(expression.text) > 0) type = Type::i64;
  if (options_.constexprs.count(expression.text) > 0) type = Type::constexpr_int;
  return leaf(Node::Kind::name, static_cast<std::int64_t>(index), type, expression.at);
}

}  // namespace heddle::order
