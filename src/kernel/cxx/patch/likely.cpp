#include "kernel/cxx/patch/likely.h"

#include <algorithm>
#include <set>

#include "kernel/cxx/clang.h"
#include "kernel/cxx/patch/index.h"

namespace heddle::kernel::cxx {
namespace {

/// Floating numbers, pointers and arrays.
bool is_of_work(std::string_view type) {
  for (const std::string_view word :
       {"float", "double", "half", "_Float16", "bf16", "*", "[", "volatile"})
    if (type.find(word) != std::string_view::npos) return true;
  return false;
}

bool is_likely_declaration(const CxxTree& tree, const CxxNode& node) {
  static const std::set<std::string_view> kKinds = {
      "FunctionDecl", "FunctionTemplateDecl", "EnumDecl",         "CXXRecordDecl",
      "VarDecl",      "TypedefDecl",          "StaticAssertDecl", "TypeAliasDecl"};
  if (kKinds.count(node.kind) == 0) return false;
  if (node.is("VarDecl") && !node.type.starts_with("const ")) return false;
  return may_be_index(tree, node);
}

void find_declarations(const CxxNode& node, std::vector<const CxxNode*>& found) {
  for (const CxxNode& child : node.children) {
    if (child.is("NamespaceDecl") || child.is("LinkageSpecDecl"))
      find_declarations(child, found);
    else if (child.is_declaration())
      found.push_back(&child);
  }
}

std::vector<const CxxNode*> declarations_of(const CxxTree& tree) {
  std::vector<const CxxNode*> found;
  for (const CxxNode& one : tree.declarations()) {
    if (one.is("NamespaceDecl") || one.is("LinkageSpecDecl"))
      find_declarations(one, found);
    else if (one.is_declaration())
      found.push_back(&one);
  }
  return found;
}

}  // namespace

bool may_be_index(const CxxTree& tree, const CxxNode& node) {
  static const std::set<std::string_view> kWork = {
      "ArraySubscriptExpr", "GCCAsmStmt", "FloatingLiteral", "CXXNewExpr",
      "CXXDeleteExpr",      "AtomicExpr", "StringLiteral",   "FileScopeAsmDecl"};
  if (kWork.count(node.kind) != 0 || node.kind.ends_with("Attr")) {
    if (!node.is("AlwaysInlineAttr")) return false;
  }
  if (node.is("CXXThisExpr")) return true;  // of a struct that is looked at with its functions
  if (node.cast != "FunctionToPointerDecay" && !node.is("PseudoObjectExpr") &&
      is_of_work(node.type))
    return false;
  if (node.is("PseudoObjectExpr")) return true;
  if (node.is("CallExpr") && node.type == "void") {
    const CxxNode* callee = &node;
    while (!callee->is("DeclRefExpr") && !callee->children.empty())
      callee = &callee->children.front();
    if (tree.declaration(callee->refers) == nullptr) return false;  // a barrier, for one
  }
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](const CxxNode& child) { return may_be_index(tree, child); });
}

bool is_of_integers(const CxxTree& tree, const std::string& type) {
  std::string plain = type.starts_with("const ") ? type.substr(6) : type;
  if (plain.ends_with(" &")) plain.erase(plain.size() - 2);
  if (integer_type(plain) || plain == "dim3" || plain == "(lambda)") return true;
  constexpr std::string_view kVector = "heddle_device::Vector";  // int2 and its like
  if (plain.starts_with(kVector) && plain.size() > kVector.size() + 3)
    return integer_type(plain.substr(kVector.size() + 2, plain.size() - kVector.size() - 3))
        .has_value();
  for (const CxxNode* const one : declarations_of(tree))
    if ((one->is("CXXRecordDecl") || one->is("EnumDecl")) && one->name == plain &&
        is_likely_declaration(tree, *one))
      return true;
  return false;
}

const CxxNode* member_variable(const CxxNode& member) {
  const CxxNode* inner = &member;
  while ((inner->is("MemberExpr") || inner->is("ImplicitCastExpr")) &&
         inner->children.size() == 1 && inner->text.find("isArrow=true") == std::string::npos &&
         inner->cast != "LValueToRValue")
    inner = &inner->children.front();
  return inner->is("DeclRefExpr") && inner->refers_to.starts_with("VarDecl ") ? inner : nullptr;
}

std::vector<CxxLikely> likely_index(const CxxTree& tree) {
  std::vector<CxxLikely> result;
  for (const CxxNode* const one : declarations_of(tree)) {
    const std::size_t first = tree.first_token(*one);
    const std::size_t behind = tree.last_token(*one);
    if (one == &tree.kernel() || behind <= first || behind > tree.tokens().size() ||
        tree.file(first) != kMainFile || !is_likely_declaration(tree, *one))
      continue;
    result.push_back(
        {one->name, tree.tokens()[first].position.line, tree.tokens()[behind - 1].position.line});
  }
  return result;
}

bool is_likely(const CxxTree& tree, std::size_t first, std::size_t last) {
  bool is_any = false;
  for (const CxxNode* const one : declarations_of(tree)) {
    if (tree.first_token(*one) > last || tree.last_token(*one) <= first) continue;
    if (!is_likely_declaration(tree, *one)) return false;
    is_any = true;
  }
  return is_any;
}

}  // namespace heddle::kernel::cxx
