// Lambdas of the kernel: functions that are also given what they capture.
#include <fmt/format.h>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {
namespace {

/// What a lambda keeps of a variable that it captures by value.
std::uint64_t kept_id(std::uint64_t lambda, std::size_t capture) {
  return std::uint64_t{1} << 63 | lambda << 3 | capture;
}

constexpr std::size_t kMostCaptures = 8;

const CxxNode& without_no_op(const CxxNode& node) {
  const CxxNode* inner = &without_parentheses(node);
  while (inner->cast == "NoOp" && inner->children.size() == 1)
    inner = &without_parentheses(inner->children.front());
  return *inner;
}

}  // namespace

/// The lambda of an index variable; null: it is another call.
const CxxNode* CxxIndex::called_lambda(const Node& call) const {
  if (!call.is("CXXOperatorCallExpr") || call.children.size() < 2) return nullptr;
  const CxxNode& object = without_no_op(call.children[1]);
  const bool is_known = object.is("DeclRefExpr") && is_lambda(object.type) && frame_.is_kernel &&
                        variables_.count(object.refers) != 0;
  return is_known ? &object : nullptr;
}

int CxxIndex::declare_lambda(const Node& node) {
  const CxxNode& inner = node.children.size() == 1 ? without_no_op(node.children.front()) : node;
  const bool is_known = node.is("VarDecl") && inner.is("LambdaExpr") && frame_.is_kernel &&
                        variables_.count(node.id) != 0 && inner.children.size() >= 2;
  if (!is_known) return refuse(node, "a lambda");
  const CxxNode* method = nullptr;
  std::vector<const CxxNode*> fields;
  for (const CxxNode& child : inner.children.front().children) {
    if (child.is("FieldDecl")) fields.push_back(&child);
    if (child.is("CXXMethodDecl") && child.name == "operator()") method = &child;
  }
  // The class, a value for each of its fields, the body.
  if (fields.size() > kMostCaptures || inner.children.size() != fields.size() + 2)
    return refuse(node, "what a lambda captures");
  IndexStep all{IndexOp::sequence, {}, 0, {}};
  std::vector<std::uint64_t> captured;
  captures_[node.id].clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!add_capture(node, *fields[i], inner.children[i + 1], all))
      return refuse(node, "what a lambda captures");
    const CxxNode& from = inner.children[i + 1];
    captured.push_back((is_read(from) ? from.children.front() : from).refers);
  }
  if (method == nullptr || function(*method, captured) < 0) return refuse(node, "a lambda");
  return add(std::move(all));
}

/// By value: the variable's value now. By reference: its value at each call, as the body only reads.
bool CxxIndex::add_capture(const Node& lambda, const Node& field, const Node& initial,
                           IndexStep& all) {
  const bool is_reference = field.type.ends_with(" &");
  const CxxNode& variable = is_read(initial) ? initial.children.front() : initial;
  const auto type = integer_type(variable.type);
  if (!variable.is("DeclRefExpr") || !type || is_read(initial) == is_reference ||
      (!is_reference && integer_type(field.type) != type))
    return false;
  const int now = make_read(variable);
  if (now < 0) return false;
  std::vector<int>& handed = captures_[lambda.id];
  if (is_reference) {
    handed.push_back(now);
    return true;
  }
  const int slot = slot_of(kept_id(lambda.id, handed.size()));
  all.parts.push_back(add({IndexOp::assign, *type, slot, {now}}));
  handed.push_back(add({IndexOp::variable, *type, slot, {}}));
  return true;
}

}  // namespace heddle::kernel::cxx
