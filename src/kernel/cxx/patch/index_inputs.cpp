// What index code may read of a kernel's parameters.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kDeepestReading = 8;  ///< calls

/// The variable that a member is of, at any depth; null: it is of something else.
const CxxNode* object_of(const CxxNode& member) {
  const CxxNode* inner = &member;
  while (inner->is("MemberExpr") && inner->children.size() == 1 &&
         !has_attribute(*inner, "isArrow=true"))
    inner = &without_parentheses(inner->children.front());
  return inner->is("DeclRefExpr") ? inner : nullptr;
}

}  // namespace

/// Integers, and structs of which the kernel reads members and does nothing else.
void CxxIndex::find_inputs() {
  inputs_.clear();
  structs_.clear();
  parameters_.clear();
  const CxxNode& body = *body_of(tree_.kernel());
  for (const CxxNode& child : tree_.kernel().children) {
    if (!child.is("ParmVarDecl")) continue;
    const bool is_value = child.type.find_first_of("*&") == std::string::npos;
    if (integer_type(child.type))
      inputs_.emplace(child.id, static_cast<int>(parameters_.size()));
    else if (is_value && only_reads(body, nullptr, child.id, 0))
      structs_.insert(child.id);
    parameters_.push_back(child.name);
  }
}

/// Every use of the object reads a member, or hands it to a function that does no more, as const&.
bool CxxIndex::only_reads(const Node& node, const Node* parent, std::uint64_t object,
                          int depth) const {
  if (node.is("DeclRefExpr") && node.refers == object)
    return parent != nullptr && is_read(*parent) && parent->children.size() == 1;
  if (node.is("CallExpr") && depth < kDeepestReading) {
    const CxxNode* const declared = called(node);
    std::vector<const CxxNode*> parameters;
    if (declared != nullptr)
      for (const CxxNode& child : declared->children)
        if (child.is("ParmVarDecl")) parameters.push_back(&child);
    const CxxNode* const body = declared == nullptr ? nullptr : body_of(*declared);
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const CxxNode* given = &without_parentheses(node.children[i]);
      while (given->cast == "NoOp" && given->children.size() == 1)
        given = &without_parentheses(given->children.front());
      if (!given->is("DeclRefExpr") || given->refers != object) {
        if (!only_reads(node.children[i], &node, object, depth)) return false;
        continue;
      }
      const bool is_read_there = body != nullptr && i >= 1 && i - 1 < parameters.size() &&
                                 parameters[i - 1]->type.starts_with("const ") &&
                                 parameters[i - 1]->type.ends_with(" &") &&
                                 only_reads(*body, nullptr, parameters[i - 1]->id, depth + 1);
      if (!is_read_there) return false;
    }
    return true;
  }
  for (const CxxNode& child : node.children) {
    const bool is_inside = node.is("ParenExpr") || object_of(node) != nullptr;
    if (!only_reads(child, is_inside ? parent : &node, object, depth)) return false;
  }
  return true;
}

/// An integer member of a parameter: "box.nx", as a job names it; -1: it is none.
int CxxIndex::member_input(const Node& node) {
  const CxxNode* const object = object_of(node);
  const auto type = integer_type(node.type);
  if (object == nullptr || !type || !frame_.is_kernel || structs_.count(object->refers) == 0)
    return -1;
  std::string name;
  for (const CxxNode* inner = &node; inner != object;
       inner = &without_parentheses(inner->children.front())) {
    const CxxNode* const declared = tree_.declaration(inner->refers);
    if (inner->name.empty() || declared == nullptr || !declared->is("FieldDecl") ||
        has_attribute(*declared, "isBitfield") || has_attribute(*declared, "mutable") ||
        declared->type.find_first_of("&*[") != std::string::npos)
      return -1;
    name = "." + inner->name + name;
  }
  const CxxNode* const parameter = tree_.declaration(object->refers);
  if (parameter == nullptr) return -1;
  const auto place_of = [&](const std::string& wanted) {
    return std::find(parameters_.begin(), parameters_.end(), wanted) - parameters_.begin();
  };
  const std::string whole = parameter->name + name;
  const auto place = place_of(whole);
  if (place == std::ssize(parameters_)) parameters_.push_back(whole);
  // Both sides number the kernel's own parameters alike, and members as they meet them.
  return add(
      {IndexOp::parameter, *type, place, {}, fmt::format("{}{}", place_of(parameter->name), name)});
}

}  // namespace heddle::kernel::cxx
