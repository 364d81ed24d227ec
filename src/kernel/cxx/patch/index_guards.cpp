// Guards: branches that let blocks return before they do anything.
#include <algorithm>
#include <set>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {
namespace {

/// An if without else or declarations.
bool is_plain_branch(const CxxNode& node) {
  return node.is("IfStmt") && node.children.size() == 2 && !has_attribute(node, "hasInit") &&
         !has_attribute(node, "hasVar") && !has_attribute(node, "isConst");
}

/// if (...) return;
bool is_return_branch(const CxxNode& node) {
  if (!is_plain_branch(node)) return false;
  const CxxNode& body = node.children.back();
  const CxxNode& inner =
      body.is("CompoundStmt") && body.children.size() == 1 ? body.children.front() : body;
  return inner.is("ReturnStmt") && inner.children.empty();
}

/// threadIdx.x and its like.
bool is_own_index(const CxxTree& tree, const CxxNode& node) {
  const CxxNode* object = &node;
  while (!object->is("DeclRefExpr") && !object->children.empty())
    object = &object->children.front();
  return object->is("DeclRefExpr") && object->refers != 0 &&
         tree.declaration(object->refers) == nullptr;
}

bool is_plain_value(const CxxTree& tree, const CxxNode& node) {
  static const std::set<std::string_view> kKinds = {
      "IntegerLiteral", "FloatingLiteral", "CXXBoolLiteralExpr", "DeclRefExpr",
      "ParenExpr",      "ConstantExpr",    "ImplicitCastExpr",   "CStyleCastExpr",
      "BinaryOperator", "UnaryOperator",   "CXXStaticCastExpr",  "SubstNonTypeTemplateParmExpr"};
  if (node.is("PseudoObjectExpr")) return is_own_index(tree, node);
  if (node.is("NonTypeTemplateParmDecl")) return true;
  if (kKinds.count(node.kind) == 0 || is_assignment(node) || is_counting(node) ||
      (node.is("UnaryOperator") && node.opcode == "*") ||
      node.type.find("volatile") != std::string::npos)
    return false;
  return std::ranges::all_of(node.children,
                             [&](const CxxNode& one) { return is_plain_value(tree, one); });
}

/// A declaration that touches no memory and calls nothing.
bool has_no_effect(const CxxTree& tree, const CxxNode& node) {
  if (node.is("NullStmt")) return true;
  return node.is("DeclStmt") && std::ranges::all_of(node.children, [&](const CxxNode& one) {
           return one.is("TypedefDecl") || one.is("TypeAliasDecl") || one.is("StaticAssertDecl") ||
                  (one.is("VarDecl") && one.type.find("volatile") == std::string::npos &&
                   std::ranges::all_of(one.children, [&](const CxxNode& part) {
                     return part.kind.ends_with("Attr") || is_plain_value(tree, part);
                   }));
         });
}

}  // namespace

/// What stands in a last branch without else counts as if it stood behind it.
void CxxIndex::find_statements(bool looks_into_branches) {
  statements_.clear();
  const CxxNode& body = *body_of(tree_.kernel());
  for (const CxxNode& child : body.children) statements_.push_back({&child, -1, {}});
  if (!looks_into_branches || body.children.empty()) return;
  const CxxNode& last = body.children.back();
  if (!is_plain_branch(last) || !last.children.back().is("CompoundStmt") || is_return_branch(last))
    return;
  statements_.back().is_around = true;
  for (const CxxNode& child : last.children.back().children)
    statements_.push_back({&child, -1, {}});
}

/// A guard that no block's index decides, or a branch around work that is none.
bool CxxIndex::has_odd_guards() const {
  return std::ranges::any_of(statements_, [this](const Statement& one) {
    if (one.step < 0) return one.is_around;
    const IndexStep& step = steps_[static_cast<std::size_t>(one.step)];
    const bool is_guard = step.op == IndexOp::branch && step.parts.size() == 2 &&
                          steps_[static_cast<std::size_t>(step.parts[1])].op == IndexOp::idle;
    return is_guard ? (sees(step.parts[0]) & kSeesBlock) == 0 : one.is_around;
  });
}

/// Lowers a statement at the outermost level; `is_idle`: nothing has happened before it.
void CxxIndex::lower(Statement& one, bool& is_idle) {
  const bool is_guard = one.is_around || is_return_branch(*one.node);
  one.step = is_guard && is_idle ? guard(*one.node, one.is_around) : statement(*one.node);
  one.is_late_guard = is_guard && one.step < 0 && value(one.node->children.front()) >= 0;
  is_idle = is_idle && (one.step >= 0 || has_no_effect(tree_, *one.node));
}

/// `is_around`: blocks that do not come to the branch's body are idle.
int CxxIndex::guard(const Node& node, bool is_around) {
  int asked = value(node.children.front());
  if (asked < 0) return -1;
  if (is_around) asked = add({IndexOp::logical_not, {1, false}, 0, {asked}});
  const int idle = add({IndexOp::idle, {}, 0, {}});
  return add({IndexOp::branch, {}, 0, {asked, idle}});
}

}  // namespace heddle::kernel::cxx
