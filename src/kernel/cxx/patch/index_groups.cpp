// Groups of integers, member by member.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernel/cxx/patch/index.h"
#include "kernel/cxx/patch/index_nodes.h"

namespace heddle::kernel::cxx {
namespace {

const std::vector<std::string> kAxes = {"x", "y", "z", "w"};

std::string without_const(const std::string& type) {
  return type.starts_with("const ") ? type.substr(6) : type;
}

IntegerGroup axes(std::size_t count, IntegerType type) {
  return {{kAxes.begin(), kAxes.begin() + static_cast<std::ptrdiff_t>(count)},
          std::vector<IntegerType>(count, type)};
}

/// heddle_device::Vector2<int>
std::optional<IntegerGroup> vector_group(const std::string& type) {
  constexpr std::string_view kVector = "heddle_device::Vector";
  if (!type.starts_with(kVector) || type.size() < kVector.size() + 4 || !type.ends_with('>'))
    return std::nullopt;
  const char count = type[kVector.size()];
  const auto element =
      integer_type(type.substr(kVector.size() + 2, type.size() - kVector.size() - 3));
  if (count < '1' || count > '4' || type[kVector.size() + 1] != '<' || !element)
    return std::nullopt;
  return axes(static_cast<std::size_t>(count - '0'), *element);
}

/// int2, where a function's type says so.
std::optional<IntegerGroup> named_vector(const std::string& type) {
  static const std::map<std::string_view, IntegerType> kElements = {
      {"short", {16, true}},    {"ushort", {16, false}},   {"int", {32, true}},
      {"uint", {32, false}},    {"long", {64, true}},      {"ulong", {64, false}},
      {"longlong", {64, true}}, {"ulonglong", {64, false}}};
  if (type.size() < 2 || type.back() < '1' || type.back() > '4') return std::nullopt;
  const auto found = kElements.find(std::string_view(type).substr(0, type.size() - 1));
  if (found == kElements.end()) return std::nullopt;
  return axes(static_cast<std::size_t>(type.back() - '0'), found->second);
}

/// Definitions of structs of that name, wherever they stand.
void find_records(const CxxNode& node, const std::string& name,
                  std::vector<const CxxNode*>& found) {
  if (node.is("CXXRecordDecl") && node.name == name &&
      node.text.find("completeDefinition=true") != std::string::npos)
    found.push_back(&node);
  for (const CxxNode& child : node.children) find_records(child, name, found);
}

/// Anything else in it, a constructor or an initial value for one, may do more than hold numbers.
std::optional<IntegerGroup> record_group(const CxxNode& record) {
  if (record.text.find("tagUsed=\"struct\"") == std::string::npos ||
      record.text.find("bases=") != std::string::npos)
    return std::nullopt;
  IntegerGroup group;
  group.is_braced = true;
  for (const CxxNode& child : record.children) {
    if (child.text.find("isImplicit=true") != std::string::npos) continue;
    const auto type = integer_type(child.type);
    const bool is_plain = child.is("FieldDecl") && type && child.children.empty() &&
                          child.text.find("isBitfield") == std::string::npos &&
                          child.text.find("mutable") == std::string::npos &&
                          child.text.find("hasInClassInitializer") == std::string::npos;
    if (!is_plain) return std::nullopt;
    group.names.push_back(child.name);
    group.types.push_back(*type);
  }
  return group.names.empty() ? std::nullopt : std::optional(std::move(group));
}

/// What a variable of a group is known by, member by member.
std::uint64_t member_id(std::uint64_t id, std::size_t member) {
  return std::uint64_t{1} << 63 | id << 3 | member;
}

constexpr std::size_t kMostMembers = 8;

/// The name of the member, and the value that it is of.
struct Access {
  std::string name;
  const CxxNode* object = nullptr;
};

Access access_of(const CxxNode& node) {
  Access access{node.name, &node};
  while (access.object->is("MemberExpr")) {
    const bool is_inner = access.object != &node;
    if (access.object->children.size() != 1 || has_attribute(*access.object, "isArrow=true") ||
        (is_inner && !access.object->name.empty()))
      return {};
    access.object = &without_parentheses(access.object->children.front());
  }
  return access;
}

std::optional<std::size_t> place_of(const IntegerGroup& group, const std::string& name) {
  const auto found = std::find(group.names.begin(), group.names.end(), name);
  if (found == group.names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - group.names.begin());
}

}  // namespace

const IntegerGroup* CxxIndex::group_of(const std::string& type) const {
  const std::string plain = without_const(type);
  const auto [known, is_new] = groups_.try_emplace(plain);
  if (is_new) {
    std::vector<const CxxNode*> records;
    const bool is_name =
        !plain.empty() &&
        plain.find_first_not_of(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    if (is_name && !integer_type(plain))
      for (const CxxNode& node : tree_.declarations()) find_records(node, plain, records);
    if (records.size() == 1)
      known->second = record_group(*records.front());
    else if (records.empty() && plain == "dim3")
      known->second = axes(3, {32, false});
    else if (records.empty())
      known->second = is_name ? named_vector(plain) : vector_group(plain);
    if (known->second && known->second->names.size() > kMostMembers) known->second.reset();
  }
  return known->second ? &*known->second : nullptr;
}

/// The slot of a variable's member; -1: it is none.
int CxxIndex::member_slot(const Node& node) {
  const Access access = access_of(node);
  if (access.object == nullptr || !access.object->is("DeclRefExpr")) return -1;
  const IntegerGroup* const group = group_of(access.object->type);
  const auto place = group == nullptr ? std::nullopt : place_of(*group, access.name);
  if (!place || (frame_.is_kernel && variables_.count(access.object->refers) == 0)) return -1;
  const auto slot = frame_.slots.find(member_id(access.object->refers, *place));
  return slot != frame_.slots.end() ? slot->second : -1;
}

/// A member that is read, of a variable or of what a function gives.
int CxxIndex::member(const Node& node) {
  const auto type = integer_type(node.type);
  if (const int slot = member_slot(node); slot >= 0)
    return add({IndexOp::variable, *type, slot, {}});
  const Access access = access_of(node);
  if (access.object == nullptr || access.object->is("DeclRefExpr"))
    return refuse(node, fmt::format("a member '{}'", node.name));
  const IntegerGroup* const group = group_of(access.object->type);
  const auto place = group == nullptr ? std::nullopt : place_of(*group, access.name);
  std::vector<int> parts;
  if (!place || !group_value(*access.object, parts))
    return refuse(node, fmt::format("a member '{}'", node.name));
  return parts[*place];
}

/// A step for each member.
bool CxxIndex::group_value(const Node& node, std::vector<int>& parts) {
  static const std::set<std::string_view> kWrappers = {
      "ParenExpr",        "ConstantExpr",          "ExprWithCleanups", "MaterializeTemporaryExpr",
      "ImplicitCastExpr", "CXXFunctionalCastExpr", "CXXStaticCastExpr"};
  const IntegerGroup* const group = group_of(node.type);
  const auto no = [&] { return refuse(node, fmt::format("a value of type {}", node.type)) >= 0; };
  if (group == nullptr) return no();
  if (kWrappers.count(node.kind) != 0) {
    const bool is_same =
        node.children.size() == 1 && group_of(node.children.front().type) != nullptr &&
        without_const(node.children.front().type) == without_const(node.type) &&
        (node.cast.empty() || node.cast == "NoOp" || node.cast == "ConstructorConversion");
    return is_same ? group_value(node.children.front(), parts) : no();
  }
  if (node.is("DeclRefExpr")) {
    for (std::size_t i = 0; i < group->names.size(); ++i) {
      const auto slot = frame_.slots.find(member_id(node.refers, i));
      if (slot == frame_.slots.end() || (frame_.is_kernel && variables_.count(node.refers) == 0))
        return no();
      parts.push_back(add({IndexOp::variable, group->types[i], slot->second, {}}));
    }
    return true;
  }
  if (node.is("ConditionalOperator") && node.children.size() == 3) {
    std::vector<int> first;
    std::vector<int> second;
    const int asked = value(node.children[0]);
    if (asked < 0 || !group_value(node.children[1], first) ||
        !group_value(node.children[2], second))
      return no();
    for (std::size_t i = 0; i < first.size(); ++i)
      parts.push_back(add({IndexOp::select, group->types[i], 0, {asked, first[i], second[i]}}));
    return true;
  }
  if (node.is("CallExpr") && called(node) != nullptr) {
    for (std::size_t i = 0; i < group->names.size(); ++i) {
      parts.push_back(make_call(node, static_cast<int>(i)));
      if (parts.back() < 0) return false;
    }
    return true;
  }
  return construct_group(node, *group, parts) || no();
}

/// {a, b}, dim3(a, b), make_int2(a, b), a copy
bool CxxIndex::construct_group(const Node& node, const IntegerGroup& group,
                               std::vector<int>& parts) {
  const bool is_constructor = node.is("CXXConstructExpr") || node.is("CXXTemporaryObjectExpr");
  if (is_constructor && node.children.size() == 1 &&
      without_const(node.children.front().type) == without_const(node.type))
    return group_value(node.children.front(), parts);
  const bool is_list = node.is("InitListExpr") && group.is_braced;
  const bool is_of_header = is_constructor && !group.is_braced;
  const bool is_made = node.is("CallExpr") && !group.is_braced && !node.children.empty();
  const std::size_t skipped = is_made ? 1 : 0;
  if (!(is_list || is_of_header || is_made) || node.children.size() != group.names.size() + skipped)
    return false;
  if (is_made) {
    const CxxNode* callee = &node.children.front();
    while (!callee->is("DeclRefExpr") && callee->children.size() == 1)
      callee = &callee->children.front();
    if (!callee->is("DeclRefExpr") || !name_in(callee->refers_to).starts_with("make_"))
      return false;
  }
  for (std::size_t i = 0; i < group.names.size(); ++i) {
    const CxxNode& part = node.children[i + skipped];
    // The header's: dim3 has 1 for what is left out.
    const bool is_default = part.is("CXXDefaultArgExpr") && is_of_header;
    const bool is_zero = part.is("ImplicitValueInitExpr") && is_list;
    const int made = is_default || is_zero
                         ? add({IndexOp::constant, group.types[i], is_default ? 1 : 0, {}})
                         : value(part);
    if (made < 0) return false;
    parts.push_back(cast(made, group.types[i]));
  }
  return true;
}

/// Groups and lambdas that work uses as a whole, and what a lambda of the work captures by reference,
/// are no index variables: such a lambda sees what they are when it is called. True if some were.
bool CxxIndex::strike_whole_uses(const Node& node) {
  if (value(node) >= 0) return false;
  bool is_struck = false;
  if (node.is("DeclRefExpr") && !integer_type(node.type))
    is_struck = variables_.erase(node.refers) > 0;
  if (node.is("LambdaExpr"))
    for (const CxxNode& child : node.children) {
      const CxxNode& captured = without_parentheses(child);  // by value, it would be a cast
      if (captured.is("DeclRefExpr"))
        is_struck =
            variables_.erase(captured.refers) + inputs_.erase(captured.refers) > 0 || is_struck;
    }
  for (const CxxNode& child : node.children) is_struck = strike_whole_uses(child) || is_struck;
  return is_struck;
}

/// A variable for each member; names of a structured binding are the members.
int CxxIndex::declare_group(const Node& node, const IntegerGroup& group) {
  const bool is_taken_apart = node.is("DecompositionDecl");
  if ((!node.is("VarDecl") && !is_taken_apart) || has_attribute(node, "storageClass") ||
      (frame_.is_kernel && variables_.count(node.id) == 0))
    return refuse(node, fmt::format("'{}' of type {}", node.name, node.type));
  const CxxNode* initial = nullptr;
  std::vector<const CxxNode*> bindings;
  for (const CxxNode& child : node.children) {
    if (child.is("BindingDecl"))
      bindings.push_back(&child);
    else if (initial == nullptr)
      initial = &child;
    else
      return refuse(node, fmt::format("the initialiser of '{}'", node.name));
  }
  const bool is_open =
      initial == nullptr || (initial->is("CXXConstructExpr") && initial->children.empty());
  std::vector<int> parts;
  if (!is_open && !group_value(*initial, parts)) return -1;
  if (is_taken_apart && bindings.size() != group.names.size())
    return refuse(node, "a structured binding");
  IndexStep all{IndexOp::sequence, {}, 0, {}};
  for (std::size_t i = 0; i < group.names.size(); ++i) {
    const int slot = slot_of(member_id(node.id, i));
    all.parts.push_back(is_open ? add({IndexOp::undefine, group.types[i], slot, {}})
                                : add({IndexOp::assign, group.types[i], slot, {parts[i]}}));
    if (!is_taken_apart) continue;
    const CxxNode& binding = *bindings[i];
    const bool is_member = binding.children.size() == 1 &&
                           binding.children.front().is("MemberExpr") &&
                           binding.children.front().name == group.names[i];
    if (!is_member || (frame_.is_kernel && variables_.count(binding.id) == 0))
      return refuse(node, "a structured binding");
    frame_.slots[binding.id] = slot;
  }
  return add(std::move(all));
}

}  // namespace heddle::kernel::cxx
