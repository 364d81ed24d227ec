// Functions of index code, and calls of them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {

/// The function of the user's that is called; null: it is another, or not known.
const CxxNode* CxxIndex::called(const Node& call) const {
  if (!call.is("CallExpr") || call.children.empty()) return nullptr;
  const CxxNode* callee = &call.children.front();
  while (!callee->is("DeclRefExpr") && callee->children.size() == 1)
    callee = &callee->children.front();
  return callee->is("DeclRefExpr") ? tree_.declaration(callee->refers) : nullptr;
}

int CxxIndex::full_value(const Node& node) {
  const CxxNode* inner = &node;
  while ((inner->is("ParenExpr") || inner->is("ImplicitCastExpr")) && inner->children.size() == 1)
    inner = &inner->children.front();
  full_calls_.insert(inner);
  return value(node);
}

/// The step of an argument, or of the variable that a reference is bound to.
int CxxIndex::make_argument(const Node& node, bool is_reference) {
  if (!is_reference) return value(node);
  const CxxNode& target = without_address(node);
  const auto type = integer_type(target.type);
  const int slot = variable(target);
  return slot < 0 || !type ? -1 : add({IndexOp::variable, *type, slot, {}});
}

int CxxIndex::make_call(const Node& node, int field) {
  const CxxNode* callee = node.children.empty() ? &node : &node.children.front();
  while (!callee->is("DeclRefExpr") && callee->children.size() == 1)
    callee = &callee->children.front();
  if (!callee->is("DeclRefExpr") || callee->refers == 0)
    return refuse(node, "a call through a pointer or of a member");
  const std::string name = name_in(callee->refers_to);
  const CxxNode* const declared = tree_.declaration(callee->refers);
  const std::size_t first = node.is("CXXOperatorCallExpr") ? 2 : 1;  // argument
  const CxxNode* const lambda = called_lambda(node);
  if (first == 2 && lambda == nullptr) return refuse(node, fmt::format("a call of {}", name));
  const std::vector<int> captured =
      lambda == nullptr ? std::vector<int>{} : captures_[lambda->refers];
  IndexStep step{IndexOp::call, integer_type(node.type).value_or(IntegerType{}), 0, {}};
  step.field = field;
  if (const IntegerGroup* const group = group_of(node.type))
    step.type = group->types[static_cast<std::size_t>(field)];
  std::vector<bool> is_reference(node.children.size(), false);
  if (declared != nullptr) {
    step.value = function(*declared);
    if (step.value < 0) return refuse(node, fmt::format("a call of {}", name));
    const IndexFunction& known = functions_[static_cast<std::size_t>(step.value)];
    if (node.children.size() + captured.size() !=
        static_cast<std::size_t>(known.parameters) + first)
      return refuse(node, fmt::format("a call of {}", name));
    is_reference = known.is_reference;
    const bool writes =
        std::find(is_reference.begin(), is_reference.end(), true) != is_reference.end();
    if (writes && (full_calls_.count(&node) == 0 || group_of(node.type) != nullptr))
      return refuse(node, fmt::format("a call of {}, which writes, within an expression", name));
  } else {
    // "int (int, int)"
    const std::string result = callee->type.substr(0, callee->type.find(" ("));
    const bool is_known = (name == "min" || name == "max") &&
                          callee->type == fmt::format("{0} ({0}, {0})", result) &&
                          integer_type(result) && node.children.size() == 3;
    if (!is_known) return refuse(node, fmt::format("a call of {}", name));
    step.op = name == "min" ? IndexOp::minimum : IndexOp::maximum;
  }
  for (std::size_t i = first; i < node.children.size(); ++i) {
    step.parts.push_back(make_argument(node.children[i], is_reference[i - first]));
    if (step.parts.back() < 0) return -1;
  }
  step.parts.insert(step.parts.end(), captured.begin(), captured.end());
  return add(std::move(step));
}

// ---- functions
// ------------------------------------------------------------------------------------

/// `captured`: variables of the kernel that a lambda reads; they are its last parameters.
int CxxIndex::function(const Node& declaration, const std::vector<std::uint64_t>& captured) {
  const auto known = function_of_.find(declaration.id);
  if (known != function_of_.end()) return known->second;
  function_of_[declaration.id] = -1;  // while it is read: no recursion
  const CxxNode* const body = body_of(declaration);
  const std::size_t open = declaration.type.find(" (");
  const bool is_method = declaration.is("CXXMethodDecl") && declaration.name == "operator()";
  if ((!declaration.is("FunctionDecl") && !is_method) || body == nullptr ||
      open == std::string::npos)
    return -1;
  const std::string result = declaration.type.substr(0, open);
  if (!integer_type(result) && result != "void" && group_of(result) == nullptr) return -1;
  const Frame frame = std::exchange(frame_, {});
  IndexFunction made;
  made.name = declaration.name;
  made.is_void = result == "void";
  bool is_plain = true;
  for (const CxxNode& child : declaration.children) {
    if (child.is("ParmVarDecl")) {
      const std::string given = written_through(child.type);
      const bool is_reference = !given.empty();
      const std::string& type = is_reference ? given : child.type;
      is_plain = is_plain && integer_type(type) && child.children.empty();
      made.is_reference.push_back(is_reference);
      slot_of(child.id);
      ++made.parameters;
    } else if (&child != body && !child.is("AlwaysInlineAttr") && !child.is("TemplateArgument")) {
      is_plain = false;  // an attribute may do anything
    }
  }
  for (const std::uint64_t id : captured) {
    made.is_reference.push_back(false);
    slot_of(id);
    ++made.parameters;
  }
  made.body = is_plain ? statement(*body) : -1;
  made.slots = static_cast<int>(frame_.slots.size());
  frame_ = frame;
  if (made.body < 0) return -1;
  made.sees = sees(made.body, true);
  functions_.push_back(made);
  return function_of_[declaration.id] = static_cast<int>(functions_.size()) - 1;
}

bool CxxIndex::is_function(const Node& declaration) {
  const IndexRefusal refusal = refusal_;
  const bool is_index = function(declaration) >= 0;
  refusal_ = refusal;
  return is_index;
}

unsigned CxxIndex::function_sees(const Node& declaration) {
  const int known = is_function(declaration) ? function(declaration) : -1;
  return known < 0 ? 0 : functions_[static_cast<std::size_t>(known)].sees;
}

}  // namespace heddle::kernel::cxx
