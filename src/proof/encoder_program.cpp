// Programs: nodes, bound names and steps, turned into terms.
#include "proof/encoder.h"

namespace heddle::proof {

std::vector<Term> Encoder::block(const std::string& suffix) {
  launch_.clear();
  for (int axis = 0; axis < 3; ++axis) {
    if (axis >= shape_.launch_axes) {
      launch_.push_back(constant(0));
      continue;
    }
    Term index = variable(fmt::format("p{}{}", axis, suffix), 0, kInt32Max - 1);
    facts_.push_back(index.value < grid_extent(axis).value);
    index.role = {Role::Kind::launch, axis, -1, 0};
    launch_.push_back(index);
  }
  lines_.clear();
  suffix_ = suffix;
  variables_.assign(program_.variables.size(), std::nullopt);
  run(program_.steps, context_.bool_val(true));
  std::vector<Term> results;
  for (const int result : program_.results)
    results.push_back(*variables_[static_cast<std::size_t>(result)]);
  if (const auto line = as_line(results)) return {*line};
  return results;
}

z3::expr Encoder::inside(const std::vector<Term>& results) {
  z3::expr holds = context_.bool_val(true);
  if (results.size() == 1) return results[0].value >= number(0) && results[0].value < count_->value;
  for (std::size_t axis = 0; axis < results.size(); ++axis) {
    holds = holds && results[axis].value >= number(0) && results[axis].value < extents_[axis].value;
  }
  return holds;
}

Term Encoder::truth(const z3::expr& condition) {
  return {z3::ite(condition, number(1), number(0)), 0, 1};
}

z3::expr Encoder::condition(int index, const z3::expr& path) {
  const Node& node = program_.nodes[static_cast<std::size_t>(index)];
  if (node.kind == Node::Kind::binary && order::is_comparison(node.operation)) {
    const Term a = term(node.a, path);
    const Term b = term(node.b, path);
    switch (node.operation) {
      case Operation::less:
        return a.value < b.value;
      case Operation::less_equal:
        return a.value <= b.value;
      case Operation::greater:
        return a.value > b.value;
      case Operation::greater_equal:
        return a.value >= b.value;
      case Operation::equal:
        return a.value == b.value;
      default:
        return a.value != b.value;
    }
  }
  if (node.kind == Node::Kind::unary && node.operation == Operation::logical_not)
    return !condition(node.a, path);
  if (node.kind == Node::Kind::logical_and) {
    const z3::expr left = condition(node.a, path);
    return left && condition(node.b, node.eager ? path : path && left);
  }
  if (node.kind == Node::Kind::logical_or) {
    const z3::expr left = condition(node.a, path);
    return left || condition(node.b, node.eager ? path : path && !left);
  }
  return term(index, path).value != number(0);
}

Term Encoder::term(int index, const z3::expr& path) {
  const Node& node = program_.nodes[static_cast<std::size_t>(index)];
  const auto which = static_cast<std::size_t>(node.value);
  switch (node.kind) {
    case Node::Kind::constant:
      if (node.type == Type::u64 && node.value < 0) throw Unsupported{"a constant of 2^63 or more"};
      return constant(node.value);
    case Node::Kind::launch:
      return launch_[which];
    case Node::Kind::grid:
      return grid_extent(static_cast<int>(node.value));
    case Node::Kind::tile_extent:
      return tile_extent(static_cast<int>(node.value));
    case Node::Kind::name:
      return fit(named(program_.names[which], 0), node.type, path);
    case Node::Kind::variable:
      if (!variables_[which]) throw Unsupported{"a variable is not set on every path"};
      return *variables_[which];
    case Node::Kind::select: {
      const z3::expr chosen = condition(node.a, path);
      const Term then = term(node.b, node.eager ? path : path && chosen);
      return choose(chosen, then, term(node.c, node.eager ? path : path && !chosen));
    }
    case Node::Kind::cast:
      if (node.type == Type::boolean) return truth(condition(node.a, path));
      return fit(term(node.a, path), node.type, path);
    case Node::Kind::logical_and:
    case Node::Kind::logical_or:
      return truth(condition(index, path));
    case Node::Kind::unary:
      if (node.operation == Operation::logical_not) return truth(condition(index, path));
      return fit(unary(node, term(node.a, path)), node.type, path);
    case Node::Kind::binary:
      if (order::is_comparison(node.operation)) return truth(condition(index, path));
      return fit(binary(node, term(node.a, path), term(node.b, path), path), node.type, path);
  }
  throw Unsupported{"an unknown operation"};
}

Term Encoder::unary(const Node& node, const Term& a) {
  const Term minus = subtract(constant(0), a);
  if (node.operation == Operation::negate) return minus;
  if (node.operation == Operation::absolute) return choose(a.value >= number(0), a, minus);
  return subtract(minus, constant(1));  // ~a
}

Term Encoder::binary(const Node& node, const Term& a, const Term& b, const z3::expr& path) {
  switch (node.operation) {
    case Operation::add:
      return add(a, b);
    case Operation::subtract:
      return subtract(a, b);
    case Operation::multiply:
      return multiply(a, b);
    case Operation::divide:
    case Operation::remainder:
      return divide(node.operation, node.rounding, a, b, path);
    case Operation::minimum:
      return {z3::ite(b.value < a.value, b.value, a.value), std::min(a.low, b.low),
              std::min(a.high, b.high)};
    case Operation::maximum:
      return {z3::ite(b.value > a.value, b.value, a.value), std::max(a.low, b.low),
              std::max(a.high, b.high)};
    default:
      return bit_operation(node, a, b, path);
  }
}

Term Encoder::named(const std::string& name, int depth) {
  const order::ExpressionPtr expression = bindings_.expression(name);
  if (!expression || depth > 64) throw Unsupported{fmt::format("'{}' has no value", name)};
  return bound(*expression, depth);
}

Term Encoder::bound(const order::Expression& expression, int depth) {
  using Kind = order::Expression::Kind;
  const z3::expr always = context_.bool_val(true);
  if (expression.kind == Kind::number) return constant(expression.value);
  if (expression.kind == Kind::name) {
    const std::string& name = expression.text;
    const bool is_extent =
        name.size() == 2 && name[1] >= '0' && name[1] <= '2' && !bindings_.has(name);
    if (is_extent && name[0] == 'g') return grid_extent(name[1] - '0');
    if (is_extent && name[0] == 't') return tile_extent(name[1] - '0');
    return named(name, depth + 1);
  }
  if (expression.kind == Kind::binary && !order::is_comparison(expression.operation)) {
    Node node;
    node.operation = expression.operation;
    node.rounding = Rounding::floor;
    return binary(node, bound(*expression.arguments[0], depth),
                  bound(*expression.arguments[1], depth), always);
  }
  if (expression.kind == Kind::call && expression.arguments.size() == 2) {
    const Term a = bound(*expression.arguments[0], depth);
    const Term b = bound(*expression.arguments[1], depth);
    Node node;
    node.operation = expression.text == "min" ? Operation::minimum : Operation::maximum;
    if (expression.text == "min" || expression.text == "max") return binary(node, a, b, always);
    return divide(Operation::divide, Rounding::floor, subtract(add(a, b), constant(1)), b, always);
  }
  throw Unsupported{"a --let value is not encoded for all sizes"};
}

void Encoder::run(const std::vector<Step>& steps, const z3::expr& path) {
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::assign) {
      variables_[static_cast<std::size_t>(step.variable)] = term(step.node, path);
    } else if (step.kind == Step::Kind::branch) {
      branch(step, path);
    } else if (step.kind == Step::Kind::loop) {
      throw Unsupported{fmt::format("line {}: loops are not encoded for all sizes", step.at.line)};
    } else {
      throw Unsupported{fmt::format("line {}: blocks that do nothing are not encoded for all sizes",
                                    step.at.line)};
    }
  }
}

void Encoder::branch(const Step& step, const z3::expr& path) {
  const z3::expr chosen = condition(step.node, path);
  const auto before = variables_;
  run(step.body, path && chosen);
  const auto then = variables_;
  variables_ = before;
  run(step.otherwise, path && !chosen);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (!then[i] || !variables_[i]) {
      if (then[i]) variables_[i] = then[i];  // read only where it was set: lowering saw to that
      continue;
    }
    if (!z3::eq(then[i]->value, variables_[i]->value))
      variables_[i] = choose(chosen, *then[i], *variables_[i]);
  }
}

}  // namespace heddle::proof
