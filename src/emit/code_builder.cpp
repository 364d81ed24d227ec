#include "emit/code_builder.h"

namespace heddle::emit {

using order::Fault;
using order::Node;
using order::Operation;
using order::Outcome;
using order::Rounding;
using order::Type;

CodeBuilder::Key CodeBuilder::key_of(const CodeNode& n) {
  return {static_cast<int>(n.kind),
          static_cast<int>(n.operation),
          static_cast<int>(n.type),
          static_cast<int>(n.operand_type),
          static_cast<int>(n.rounding),
          n.a,
          n.b,
          n.c,
          n.value};
}

int CodeBuilder::find(const Key& key) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto known = scope->known.find(key);
    if (known != scope->known.end()) return known->second;
  }
  return kUnset;
}

int CodeBuilder::add(CodeNode node) {
  const Key key = key_of(node);
  const int known = find(key);
  if (known != kUnset) return known;
  const bool is_remainder =
      node.kind == CodeNode::Kind::binary && node.operation == Operation::remainder;
  if (is_remainder) {
    CodeNode quotient = node;
    quotient.operation = Operation::divide;
    node.quotient = add(std::move(quotient));
  }
  code_.nodes.push_back(std::move(node));
  const int index = static_cast<int>(code_.nodes.size()) - 1;
  const bool is_leaf = at(index).kind < CodeNode::Kind::unary;
  (is_leaf ? scopes_.front() : scopes_.back()).known[key] =
      index;  // leaves cost nothing: shared by all
  if (!is_leaf) {
    CodeLine line;
    line.node = index;
    if (scopes_.back().lines != nullptr) scopes_.back().lines->push_back(std::move(line));
  }
  return index;
}

int CodeBuilder::constant(std::int64_t value, Type type) {
  CodeNode node;
  node.value = value;
  node.type = type;
  return add(std::move(node));
}

Type CodeBuilder::plain_type(Type type) const {
  if (type == Type::boolean) return type;
  return plain_ || type == Type::constexpr_int ? Type::i32 : type;
}

int CodeBuilder::binary(const Node& source, int a, int b) {
  CodeNode node;
  node.kind = CodeNode::Kind::binary;
  node.operation = source.operation;
  node.type = plain_type(source.type);
  node.operand_type = plain_type(source.operand_type);
  node.rounding = source.rounding;
  node.a = a;
  node.b = b;
  if (is_constant(a) && is_constant(b)) {
    const Outcome outcome = order::apply(source.operation, source.operand_type, source.rounding,
                                         at(a).value, at(b).value);
    if (outcome.fault == Fault::none) return constant(outcome.value, node.type);
  }
  const int same = identity(node);
  return same != kUnset ? same : add(std::move(node));
}

int CodeBuilder::identity(const CodeNode& node) {
  switch (node.operation) {
    case Operation::add:
      if (is_value(node.a, 0)) return node.b;
      return is_value(node.b, 0) ? node.a : kUnset;
    case Operation::subtract:
    case Operation::shift_left:
    case Operation::shift_right:
      return is_value(node.b, 0) ? node.a : kUnset;
    case Operation::multiply:
      if (is_value(node.a, 0) || is_value(node.b, 0)) return constant(0, node.type);
      if (is_value(node.a, 1)) return node.b;
      return is_value(node.b, 1) ? node.a : kUnset;
    case Operation::divide:
      return is_value(node.b, 1) ? node.a : kUnset;
    case Operation::remainder:
      return is_value(node.b, 1) ? constant(0, node.type) : kUnset;
    case Operation::minimum:
    case Operation::maximum:
      return node.a == node.b ? node.a : kUnset;
    default:
      return kUnset;
  }
}

int CodeBuilder::convert(const Node& source, int a) {
  const Type type = plain_type(source.type);
  if (plain_type(source.operand_type) == type ||
      (plain_ && source.type != Type::boolean && at(a).type != Type::boolean))
    return a;
  if (is_constant(a)) {
    const Outcome outcome = order::convert(at(a).value, source.operand_type, source.type);
    if (outcome.fault == Fault::none) return constant(outcome.value, type);
  }
  CodeNode node;
  node.kind = CodeNode::Kind::cast;
  node.type = type;
  node.operand_type = plain_type(source.operand_type);
  node.a = a;
  return add(std::move(node));
}

int CodeBuilder::select(int condition, int then, int otherwise, Type type) {
  if (is_constant(condition)) return at(condition).value != 0 ? then : otherwise;
  if (then == otherwise) return then;
  CodeNode node;
  node.kind = CodeNode::Kind::select;
  node.type = plain_type(type);
  node.a = condition;
  node.b = then;
  node.c = otherwise;
  return add(std::move(node));
}

int CodeBuilder::build(int index) {
  const Node& source = program_.nodes[static_cast<std::size_t>(index)];
  CodeNode node;
  node.type = plain_type(source.type);
  node.operand_type = plain_type(source.operand_type);
  node.operation = source.operation;
  node.value = source.value;
  switch (source.kind) {
    case Node::Kind::constant:
      return constant(source.value, plain_type(source.type));
    case Node::Kind::launch:
      node.kind = CodeNode::Kind::launch;
      return add(std::move(node));
    case Node::Kind::grid:
      node.kind = CodeNode::Kind::grid;
      return add(std::move(node));
    case Node::Kind::tile_extent:
      node.kind = CodeNode::Kind::tile_extent;
      return add(std::move(node));
    case Node::Kind::name:
      node.kind = CodeNode::Kind::name;
      return add(std::move(node));
    case Node::Kind::variable:
      return environment_[static_cast<std::size_t>(source.value)];
    case Node::Kind::cast:
      return convert(source, build(source.a));
    case Node::Kind::binary: {
      const int a = build(source.a);
      return binary(source, a, build(source.b));
    }
    case Node::Kind::unary: {
      node.kind = CodeNode::Kind::unary;
      node.a = build(source.a);
      if (is_constant(node.a)) {
        const Outcome outcome = order::apply(source.operation, source.operand_type, Rounding::floor,
                                             at(node.a).value, 0);
        if (outcome.fault == Fault::none) return constant(outcome.value, node.type);
      }
      return add(std::move(node));
    }
    case Node::Kind::logical_and:
    case Node::Kind::logical_or:
      return logical(source, std::move(node));
    case Node::Kind::select:
      return choice(source);
  }
  return kUnset;
}

int CodeBuilder::logical(const Node& source, CodeNode node) {
  const bool is_and = source.kind == Node::Kind::logical_and;
  node.kind = is_and ? CodeNode::Kind::logical_and : CodeNode::Kind::logical_or;
  node.a = build(source.a);
  if (is_constant(node.a)) {
    if ((at(node.a).value != 0) != is_and) return constant(is_and ? 0 : 1, Type::boolean);
  }
  node.b = guarded([&] { return build(source.b); });
  return add(std::move(node));
}

int CodeBuilder::choice(const Node& source) {
  const int condition = build(source.a);
  if (is_constant(condition)) return build(at(condition).value != 0 ? source.b : source.c);
  share_sides(source);
  const int then = guarded([&] { return build(source.b); });
  const int otherwise = guarded([&] { return build(source.c); });
  return select(condition, then, otherwise, source.type);
}

void CodeBuilder::share_sides(const Node& source) {
  for (int round = 0; round < 8; ++round) {
    const auto first = static_cast<int>(code_.nodes.size());
    const auto left = made_by(source.b);
    const auto right = made_by(source.c);
    std::vector<CodeNode> common;
    for (const auto& [key, index] : left) {
      const CodeNode& node = code_.nodes[static_cast<std::size_t>(index)];
      const bool ready = node.a < first && node.b < first && node.c < first;
      const bool lazy = node.kind == CodeNode::Kind::select ||
                        node.kind == CodeNode::Kind::logical_and ||
                        node.kind == CodeNode::Kind::logical_or;
      if (ready && !lazy && right.count(key) > 0) common.push_back(node);
    }
    if (common.empty()) return;
    for (CodeNode& node : common) {
      node.inline_only = false;
      node.quotient = kUnset;
      add(std::move(node));
    }
  }
}

std::map<CodeBuilder::Key, int> CodeBuilder::made_by(int expression) {
  scopes_.emplace_back();
  build(expression);
  std::map<Key, int> known = std::move(scopes_.back().known);
  scopes_.pop_back();
  return known;
}

int CodeBuilder::guarded(const std::function<int()>& make) {
  const std::size_t before = code_.nodes.size();
  scopes_.emplace_back();
  const int node = make();
  scopes_.pop_back();
  for (std::size_t i = before; i < code_.nodes.size(); ++i) code_.nodes[i].inline_only = true;
  return node;
}

}  // namespace heddle::emit
