// Clang's nodes, as index code looks at them: questions that its files share.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernel/cxx/patch/index.h"

namespace heddle::kernel::cxx {

inline bool is_read(const CxxNode& node) {
  return node.is("ImplicitCastExpr") && node.cast == "LValueToRValue";
}

inline const CxxNode& without_parentheses(const CxxNode& node) {
  const CxxNode* inner = &node;
  while (inner->is("ParenExpr") && inner->children.size() == 1) inner = &inner->children.front();
  return *inner;
}

/// The pointer of *pointer, a variable; else null.
inline const CxxNode* dereferenced(const CxxNode& node) {
  if (!node.is("UnaryOperator") || node.opcode != "*" || node.children.size() != 1) return nullptr;
  const CxxNode* inner = &without_parentheses(node.children.front());
  if (is_read(*inner) && inner->children.size() == 1)
    inner = &without_parentheses(inner->children.front());
  return inner->is("DeclRefExpr") ? inner : nullptr;
}

/// The variable of &variable; else the node itself.
inline const CxxNode& without_address(const CxxNode& node) {
  const CxxNode& inner = without_parentheses(node);
  const bool is_address =
      inner.is("UnaryOperator") && inner.opcode == "&" && inner.children.size() == 1;
  return is_address ? without_parentheses(inner.children.front()) : inner;
}

/// "int" of the types "int &" and "int *", through which a function may write; else "".
inline std::string written_through(std::string type) {
  for (const std::string_view word : {"const", "__restrict", "__restrict__"})
    if (type.ends_with(word)) type.erase(type.size() - word.size());
  while (type.ends_with(' ')) type.pop_back();
  const bool is_written = type.ends_with(" &") || type.ends_with(" *");
  return is_written && !type.starts_with("const ") ? type.substr(0, type.size() - 2) : "";
}

inline bool is_assignment(const CxxNode& node) {
  return node.is("CompoundAssignOperator") || (node.is("BinaryOperator") && node.opcode == "=");
}
inline bool is_counting(const CxxNode& node) {
  return node.is("UnaryOperator") && (node.opcode == "++" || node.opcode == "--");
}

inline bool is_lambda(const std::string& type) {
  return type == "(lambda)" || type == "const (lambda)";
}

/// The member of a variable, or of one of its members without a name.
inline bool is_member_of_group(const CxxNode& node, const CxxNode& object) {
  return node.is("MemberExpr") && node.text.find("isArrow=true") == std::string::npos &&
         (object.is("DeclRefExpr") || (object.is("MemberExpr") && object.name.empty()));
}

/// What a person would call it.
inline std::string construct_name(const CxxNode& node) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"ArraySubscriptExpr", "a memory access"},
      {"SwitchStmt", "a switch"},
      {"GotoStmt", "a goto"},
      {"LambdaExpr", "a lambda"},
      {"GCCAsmStmt", "inline assembly"},
      {"UnaryExprOrTypeTraitExpr", "sizeof"},
      {"FloatingLiteral", "a floating number"},
      {"ReturnStmt", "a return"},
      {"CXXNewExpr", "new"},
      {"StmtExpr", "a statement expression"}};
  const auto found = kNames.find(node.kind);
  return found != kNames.end() ? std::string(found->second) : node.kind;
}

inline std::string name_in(const std::string& refers_to) {
  const std::size_t space = refers_to.find(' ');
  return space == std::string::npos
             ? refers_to
             : refers_to.substr(space + 1, refers_to.find(' ', space + 1) - space - 1);
}

/// "computeLHSType" of a compound assignment.
inline std::string attribute_type(const CxxNode& node, std::string_view name) {
  const std::size_t at = node.text.find(name);
  const std::size_t open = node.text.find('"', at);
  if (at == std::string::npos || open == std::string::npos) return {};
  return node.text.substr(open + 1, node.text.find('"', open + 1) - open - 1);
}

inline bool has_attribute(const CxxNode& node, std::string_view name) {
  return node.text.find(name) != std::string::npos;
}

inline const CxxNode* body_of(const CxxNode& function) {
  for (const CxxNode& child : function.children)
    if (child.is("CompoundStmt")) return &child;
  return nullptr;
}

inline const std::map<std::string_view, IndexOp> kOperators = {
    {"+", IndexOp::add},          {"-", IndexOp::subtract},       {"*", IndexOp::multiply},
    {"/", IndexOp::divide},       {"%", IndexOp::remainder},      {"&", IndexOp::bit_and},
    {"|", IndexOp::bit_or},       {"^", IndexOp::bit_xor},        {"<<", IndexOp::shift_left},
    {">>", IndexOp::shift_right}, {"<", IndexOp::less},           {"<=", IndexOp::less_equal},
    {">", IndexOp::greater},      {">=", IndexOp::greater_equal}, {"==", IndexOp::equal},
    {"!=", IndexOp::not_equal},   {"&&", IndexOp::logical_and},   {"||", IndexOp::logical_or}};

}  // namespace heddle::kernel::cxx
