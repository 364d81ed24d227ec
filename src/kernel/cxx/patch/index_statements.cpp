// The statements of index code.
#include <fmt/format.h>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {
namespace {

IntegerType promoted(IntegerType type) {
  return type.bits < 32 ? IntegerType{32, true} : type;
}

}  // namespace

int CxxIndex::slot_of(std::uint64_t id) {
  return frame_.slots.emplace(id, static_cast<int>(frame_.slots.size())).first->second;
}

/// The slot of a variable that a statement writes.
int CxxIndex::variable(const Node& node) {
  const CxxNode& target = without_parentheses(node);
  if (target.is("MemberExpr") && integer_type(target.type)) {
    const int member = member_slot(target);
    return member >= 0 ? member : refuse(node, "a write to a member");
  }
  if (const CxxNode* const pointer = dereferenced(target);
      pointer != nullptr && !frame_.is_kernel) {
    const auto slot = frame_.slots.find(pointer->refers);
    if (slot != frame_.slots.end()) return slot->second;
  }
  if (!target.is("DeclRefExpr") || !integer_type(target.type) ||
      (frame_.is_kernel && variables_.count(target.refers) == 0))
    return refuse(node, target.is("DeclRefExpr")
                            ? fmt::format("a write to '{}'", name_in(target.refers_to))
                            : construct_name(target));
  const auto slot = frame_.slots.find(target.refers);
  return slot != frame_.slots.end()
             ? slot->second
             : refuse(node, fmt::format("a write to '{}'", name_in(target.refers_to)));
}

int CxxIndex::statement(const Node& node) {
  if (node.is("DeclStmt")) return declaration(node);
  if (is_assignment(node)) return assignment(node);
  if (is_counting(node)) return counting(node);
  if (node.is("IfStmt")) return branch(node);
  if (node.is("ForStmt") || node.is("WhileStmt") || node.is("DoStmt")) return loop(node);
  if (node.is("SwitchStmt")) return choice(node);
  if (node.is("CallExpr")) return full_value(node);
  if (node.is("NullStmt")) return add({IndexOp::sequence, {}, 0, {}});
  if (node.is("AttributedStmt") && node.children.size() == 2 &&
      (node.children.front().is("LoopHintAttr") || node.children.front().is("FallThroughAttr")))
    return statement(node.children.back());
  if (node.is("CompoundStmt")) {
    IndexStep step{IndexOp::sequence, {}, 0, {}};
    for (const CxxNode& child : node.children) {
      step.parts.push_back(statement(child));
      if (step.parts.back() < 0) return -1;
    }
    return add(std::move(step));
  }
  if (node.is("ReturnStmt") && !frame_.is_kernel && node.children.size() <= 1) {
    if (node.children.empty()) return add({IndexOp::result, {}, 0, {}});
    if (group_of(node.children.front().type) != nullptr) {
      IndexStep step{IndexOp::result, {}, 0, {}};
      return group_value(node.children.front(), step.parts) ? add(std::move(step)) : -1;
    }
    const int made = full_value(node.children.front());
    return made < 0 ? -1 : add({IndexOp::result, {}, 0, {made}});
  }
  if (node.is("BreakStmt") && frame_.breakable > 0) return add({IndexOp::leave, {}, 0, {}});
  if (node.is("ContinueStmt") && frame_.loops > 0) return add({IndexOp::next, {}, 0, {}});
  return refuse(node, construct_name(node));
}

int CxxIndex::declaration(const Node& node) {
  IndexStep step{IndexOp::sequence, {}, 0, {}};
  for (const CxxNode& child : node.children) {
    if (const IntegerGroup* const group = group_of(child.type)) {
      step.parts.push_back(declare_group(child, *group));
      if (step.parts.back() < 0) return -1;
      continue;
    }
    if (is_lambda(child.type)) {
      step.parts.push_back(declare_lambda(child));
      if (step.parts.back() < 0) return -1;
      continue;
    }
    const auto type = integer_type(child.type);
    if (!child.is("VarDecl") || !type || has_attribute(child, "storageClass") ||
        (frame_.is_kernel && variables_.count(child.id) == 0))
      return refuse(child, fmt::format("'{}' of type {}", child.name, child.type));
    int made = -1;
    if (!child.children.empty()) {
      if (child.children.size() != 1)
        return refuse(child, fmt::format("the initialiser of '{}'", child.name));
      made = full_value(child.children.front());
      if (made < 0) return -1;
      made = cast(made, *type);
    }
    const int slot = slot_of(child.id);
    step.parts.push_back(made < 0 ? add({IndexOp::undefine, *type, slot, {}})
                                  : add({IndexOp::assign, *type, slot, {made}}));
  }
  return add(std::move(step));
}

int CxxIndex::assignment(const Node& node) {
  const int slot = variable(node.children.front());
  const auto type = integer_type(node.children.front().type);
  const bool is_plain = !node.is("CompoundAssignOperator");
  int made = slot < 0   ? -1
             : is_plain ? full_value(node.children.back())
                        : value(node.children.back());
  if (made < 0) return -1;
  if (node.is("CompoundAssignOperator")) {
    const auto left = integer_type(attribute_type(node, "computeLHSType"));
    const auto result = integer_type(attribute_type(node, "computeResultType"));
    const auto known =
        kOperators.find(std::string_view(node.opcode).substr(0, node.opcode.size() - 1));
    if (!left || !result || known == kOperators.end())
      return refuse(node, fmt::format("'{}'", node.opcode));
    const int old = cast(add({IndexOp::variable, *type, slot, {}}), *left);
    made = add({known->second, *result, 0, {old, made}});
  }
  return add({IndexOp::assign, *type, slot, {cast(made, *type)}});
}

int CxxIndex::counting(const Node& node) {
  const int slot = variable(node.children.front());
  const auto type = integer_type(node.children.front().type);
  if (slot < 0 || type->bits == 1) return refuse(node, "'++' of a bool");
  const IntegerType wide = promoted(*type);
  const int old = cast(add({IndexOp::variable, *type, slot, {}}), wide);
  const int one = add({IndexOp::constant, wide, 1, {}});
  const int sum =
      add({node.opcode == "++" ? IndexOp::add : IndexOp::subtract, wide, 0, {old, one}});
  return add({IndexOp::assign, *type, slot, {cast(sum, *type)}});
}

int CxxIndex::branch(const Node& node) {
  if (has_attribute(node, "hasInit") || has_attribute(node, "hasVar") ||
      has_attribute(node, "isConst") || node.children.size() < 2 || node.children.size() > 3)
    return refuse(node, "an if with a declaration, or if constexpr");
  IndexStep step{IndexOp::branch, {}, 0, {value(node.children.front())}};
  if (step.parts.back() < 0) return -1;
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    step.parts.push_back(statement(node.children[i]));
    if (step.parts.back() < 0) return -1;
  }
  return add(std::move(step));
}

/// `case 2: case 3: statement`, or a statement behind them.
bool CxxIndex::add_case(const Node& node, const Node& condition, IndexStep& labels,
                        IndexStep& body) {
  const bool is_default = node.is("DefaultStmt") && node.children.size() == 1;
  const bool is_case = node.is("CaseStmt") && node.children.size() == 2;
  if (!is_default && !is_case) {
    // What is declared here would be there without its value.
    const int made =
        node.is("DeclStmt") ? refuse(node, "a declaration in a switch") : statement(node);
    body.parts.push_back(made);
    return made >= 0;
  }
  int met = -1;
  if (is_case) {
    const int asked = value(condition);
    const int number = asked < 0 ? -1 : value(node.children.front());
    if (number < 0) return false;
    if (steps_[static_cast<std::size_t>(asked)].type !=
        steps_[static_cast<std::size_t>(number)].type)
      return refuse(node, "a case of another type") >= 0;
    met = add({IndexOp::equal, {1, false}, 0, {asked, number}});
  }
  const auto place = static_cast<std::int64_t>(body.parts.size());
  labels.parts.push_back(met);
  labels.parts.push_back(add({IndexOp::constant, {64, true}, place, {}}));
  return add_case(node.children.back(), condition, labels, body);
}

int CxxIndex::choice(const Node& node) {
  if (node.children.size() != 2 || has_attribute(node, "hasInit") ||
      has_attribute(node, "hasVar") || !node.children.back().is("CompoundStmt"))
    return refuse(node, "a switch with a declaration");
  IndexStep labels{IndexOp::choose, {}, 0, {}};
  IndexStep body;
  ++frame_.breakable;
  bool is_index = true;
  for (const CxxNode& child : node.children.back().children)
    is_index = is_index && add_case(child, node.children.front(), labels, body);
  --frame_.breakable;
  if (!is_index) return -1;
  if (labels.parts.empty()) return refuse(node, "a switch without a case");
  labels.value = static_cast<std::int64_t>(labels.parts.size() / 2);
  labels.parts.insert(labels.parts.end(), body.parts.begin(), body.parts.end());
  return add(std::move(labels));
}

int CxxIndex::loop(const Node& node) {
  const bool is_for = node.is("ForStmt");
  if (node.children.size() != (is_for ? 5U : 2U) || (is_for && !node.children[1].kind.empty()))
    return refuse(node, "a loop with a declaration in its condition");
  const CxxNode& condition = is_for ? node.children[2] : node.children[node.is("DoStmt") ? 1 : 0];
  const CxxNode& body = node.is("DoStmt") ? node.children.front() : node.children.back();
  IndexStep all{IndexOp::sequence, {}, 0, {}};
  if (is_for && !node.children[0].kind.empty()) {
    all.parts.push_back(statement(node.children[0]));
    if (all.parts.back() < 0) return -1;
  }
  IndexStep step{node.is("DoStmt") ? IndexOp::do_loop : IndexOp::loop, {}, 0, {-1, -1, -1}};
  if (!condition.kind.empty() && (step.parts[0] = value(condition)) < 0) return -1;
  if (is_for && !node.children[3].kind.empty() && (step.parts[1] = statement(node.children[3])) < 0)
    return -1;
  ++frame_.loops;
  ++frame_.breakable;
  step.parts[2] = statement(body);
  --frame_.loops;
  --frame_.breakable;
  if (step.parts[2] < 0) return -1;
  all.parts.push_back(add(std::move(step)));
  return add(std::move(all));
}

}  // namespace heddle::kernel::cxx
