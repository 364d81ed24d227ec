#include "kernel/cxx/patch/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/cxx/patch/index_nodes.h"
#include "kernel/cxx/patch/likely.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kMostIndexPasses = 200;
constexpr int kMostIndexSteps = 100'000;

bool has_label(const CxxNode& node) {
  return node.is("LabelStmt") || std::any_of(node.children.begin(), node.children.end(), has_label);
}

}  // namespace

std::optional<IntegerType> integer_type(std::string type) {
  static const std::map<std::string_view, IntegerType> kTypes = {
      {"bool", {1, false}},
      {"signed char", {8, true}},
      {"unsigned char", {8, false}},
      {"short", {16, true}},
      {"unsigned short", {16, false}},
      {"int", {32, true}},
      {"unsigned int", {32, false}},
      {"long", {64, true}},
      {"unsigned long", {64, false}},
      {"long long", {64, true}},
      {"unsigned long long", {64, false}}};
  if (type.compare(0, 6, "const ") == 0) type.erase(0, 6);
  const auto found = kTypes.find(type);
  return found != kTypes.end() ? std::optional(found->second) : std::nullopt;
}

CxxIndex::CxxIndex(const CxxTree& tree) : tree_(tree) {
  // Guards and branches around all the rest, as far as they turn out to be index code.
  for (const int attempt : {0, 1, 2}) {
    takes_guards_ = attempt < 2;
    find_variables();
    find_statements(attempt == 0);
    lower_statements();
    find_dependences();
    if (!has_odd_guards()) return;
  }
}

// ---- which variables
// ------------------------------------------------------------------------------

/// `out`: variables that are used in another way than index code uses them.
void CxxIndex::find_uses(const Node& node, const Node* parent, const Node* self, bool in_lambda,
                         std::set<std::uint64_t>& out) {
  const bool is_variable = !in_lambda && (node.is("VarDecl") || node.is("DecompositionDecl"));
  if (is_variable &&
      (integer_type(node.type) || group_of(node.type) != nullptr || is_lambda(node.type)) &&
      !has_attribute(node, "storageClass") && !has_attribute(node, "tls")) {
    variables_.insert(node.id);
    for (const CxxNode& child : node.children)
      if (child.is("BindingDecl")) variables_.insert(child.id);
  }
  if (node.is("DeclRefExpr") && node.refers != 0) {
    const bool is_written = parent != nullptr && (is_assignment(*parent) || is_counting(*parent)) &&
                            &parent->children.front() == self;
    const bool is_handed = parent != nullptr && is_reference_argument(*parent, *self);
    const bool is_copied = parent != nullptr && group_of(node.type) != nullptr &&
                           (parent->is("BindingDecl") ||
                            (parent->is("CXXConstructExpr") && parent->children.size() == 1 &&
                             group_of(parent->type) == group_of(node.type)));
    const bool is_called =
        parent != nullptr && is_lambda(node.type) && parent->is("CXXOperatorCallExpr");
    const bool is_plain =
        is_handed || is_copied || is_called || (parent != nullptr && is_read(*parent));
    // Lambdas may read what they capture.
    const bool is_captured = parent != nullptr && (is_read(*parent) || parent->is("LambdaExpr"));
    if (in_lambda ? !is_captured : !is_plain && !is_written) out.insert(node.refers);
    if (is_written || is_handed) inputs_.erase(node.refers);
  }
  for (const CxxNode& child : node.children) {
    const bool is_choice = node.is("ConditionalOperator") && &child != &node.children.front();
    const bool is_member = is_member_of_group(node, child);
    const bool is_constant = is_lambda(node.type) && node.cast == "NoOp";
    const bool is_address = &without_address(node) == &child && parent != nullptr &&
                            parent->is("CallExpr");  // of a variable that it may write
    const bool is_same =
        node.is("ParenExpr") || is_choice || is_member || is_constant || is_address;
    find_uses(child, is_same ? parent : &node, is_member || is_address ? self : &child,
              in_lambda || node.is("LambdaExpr"), out);
  }
}

/// A variable that index code hands to a function that may write it.
bool CxxIndex::is_reference_argument(const Node& call, const Node& argument) {
  const CxxNode* const declared = called(call);
  if (declared == nullptr || !is_function(*declared)) return false;
  const IndexFunction& known = functions_[static_cast<std::size_t>(function(*declared))];
  for (std::size_t i = 1; i < call.children.size(); ++i)
    if (&call.children[i] == &argument)
      return i - 1 < known.is_reference.size() && known.is_reference[i - 1];
  return false;
}

void CxxIndex::find_variables() {
  variables_.clear();
  find_inputs();
  std::set<std::uint64_t> out;
  const CxxNode* const body = body_of(tree_.kernel());
  find_uses(*body, nullptr, body, false, out);
  if (has_label(*body_of(tree_.kernel()))) variables_.clear();  // statements may run again
  for (const std::uint64_t id : out) {
    variables_.erase(id);
    inputs_.erase(id);
  }
}

namespace {

/// Local variables that a statement declares or writes. False: it does more than that.
bool find_written(const CxxTree& tree, const CxxNode& node, std::set<std::uint64_t>& written) {
  bool is_integer = true;
  if (node.is("CallExpr"))  // through references
    for (const CxxNode& child : node.children)
      if (const CxxNode& given = without_address(child); given.is("DeclRefExpr"))
        written.insert(given.refers);
  if (node.is("VarDecl") || node.is("DecompositionDecl")) {
    written.insert(node.id);
    for (const CxxNode& child : node.children)
      if (child.is("BindingDecl")) written.insert(child.id);
    is_integer = is_of_integers(tree, node.type);
  }
  if ((is_assignment(node) || is_counting(node)) && !node.children.empty()) {
    const CxxNode* target = &without_parentheses(node.children.front());
    is_integer = integer_type(target->type).has_value();
    if (target->is("MemberExpr") && member_variable(*target) != nullptr)
      target = member_variable(*target);
    if (target->is("DeclRefExpr")) written.insert(target->refers);
    is_integer = is_integer && target->refers_to.compare(0, 8, "VarDecl ") == 0;
  }
  for (const CxxNode& child : node.children)
    is_integer = find_written(tree, child, written) && is_integer;
  return is_integer;
}

/// Memory, threads, calls with effects: what index arithmetic never has.
bool touches_memory(const CxxTree& tree, const CxxNode& node) {
  static const std::set<std::string_view> kKinds = {
      "ArraySubscriptExpr", "ReturnStmt",    "GCCAsmStmt", "FloatingLiteral", "CXXNewExpr",
      "CXXThisExpr",        "StringLiteral", "LambdaExpr", "AtomicExpr",      "CXXDeleteExpr"};
  if (node.is("PseudoObjectExpr")) {  // threadIdx.x and its like
    const CxxNode* object = &node;
    while (!object->children.empty()) object = &object->children.front();
    return object->refers_to.find("ThreadIndex") != std::string::npos;
  }
  if (kKinds.count(node.kind) != 0 || (node.is("UnaryOperator") && node.opcode == "*") ||
      (node.is("UnaryOperator") && node.opcode == "&") ||
      (node.is("MemberExpr") && member_variable(node) == nullptr) ||
      (node.is("DeclRefExpr") && node.refers_to.find("ThreadIndex") != std::string::npos))
    return true;
  if (node.type == "void") {
    const CxxNode* callee = &node;
    while (node.is("CallExpr") && !callee->is("DeclRefExpr") && !callee->children.empty())
      callee = &callee->children.front();
    const CxxNode* const declared = tree.declaration(callee->refers);
    if (declared == nullptr || !may_be_index(tree, *declared)) return true;
  }
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const CxxNode& child) { return touches_memory(tree, child); });
}

}  // namespace

void CxxIndex::lower_statements() {
  bool is_shrinking = true;
  for (int pass = 0; is_shrinking; ++pass) {
    is_shrinking = false;
    if (pass == kMostIndexPasses) variables_.clear();
    steps_.clear();
    functions_.clear();
    function_of_.clear();
    captures_.clear();
    memo_.clear();
    writers_.clear();
    slot_sees_.clear();
    frame_ = {};
    frame_.is_kernel = true;
    bool is_idle = takes_guards_;  // so far
    for (Statement& one : statements_) {
      refusal_ = {};
      lower(one, is_idle);
      if (one.refusal.what.empty()) {
        one.refusal = refusal_;
        one.refusal.pass = pass;
      }
      if (one.step >= 0) continue;
      is_shrinking = strike_whole_uses(*one.node) || is_shrinking;
      std::set<std::uint64_t> written;
      one.is_integer = find_written(tree_, *one.node, written) && !written.empty() &&
                       !touches_memory(tree_, *one.node);
      for (const std::uint64_t id : written)
        is_shrinking = variables_.erase(id) > 0 || is_shrinking;
    }
  }
  // A variable is known from its declaration on, wherever it is read.
  memo_.clear();
  kernel_slots_ = static_cast<int>(frame_.slots.size());
}

// ---- values
// ---------------------------------------------------------------------------------------

int CxxIndex::add(IndexStep step) {
  if (static_cast<int>(steps_.size()) >= kMostIndexSteps)
    throw Error("the kernel has too much index code to be compared", "make it simpler");
  step.line = line_;
  steps_.push_back(std::move(step));
  return static_cast<int>(steps_.size()) - 1;
}

int CxxIndex::refuse(const Node& node, const std::string& what) {
  if (refusal_.what.empty()) refusal_ = {what, tree_.line(node)};
  return -1;
}

int CxxIndex::value(const Node& node) {
  if (!frame_.is_kernel) return make_value(node);
  const auto known = memo_.find(&node);
  if (known != memo_.end()) return known->second;
  const int made = make_value(node);
  memo_.emplace(&node, made);
  return made;
}

int CxxIndex::make_value(const Node& node) {
  if (node.end > node.begin) line_ = tree_.line(node);
  const bool is_around = node.is("ParenExpr") || node.is("ConstantExpr") ||
                         node.is("ExprWithCleanups");  // of a group, whose member is the value
  if (is_around && node.children.size() == 1) return value(node.children.front());
  if (node.is("SubstNonTypeTemplateParmExpr") && !node.children.empty()) {
    const int made = value(node.children.back());
    if (made >= 0) steps_[static_cast<std::size_t>(made)].name = node.children.front().name;
    return made;
  }
  const auto type = integer_type(node.type);
  if (!type && node.is("CallExpr") && full_calls_.count(&node) != 0) return make_call(node);
  if (!type) return refuse(node, fmt::format("a value of type {}", node.type));
  if (node.is("InitListExpr") && node.children.size() <= 1)
    return node.children.empty() ? add({IndexOp::constant, *type, 0, {}})
                                 : value(node.children.front());
  if (node.is("IntegerLiteral")) {
    const auto number = parse_integer(node.value);
    if (!number) return refuse(node, "a number of more than 64 bits");
    return add({IndexOp::constant, *type, *number, {}});
  }
  if (node.is("CXXBoolLiteralExpr"))
    return add({IndexOp::constant, *type, node.value == "true" ? 1 : 0, {}});
  if (is_read(node) && node.children.size() == 1)
    return make_read(without_parentheses(node.children.front()));
  if (!node.cast.empty()) return make_cast(node);
  if (node.is("PseudoObjectExpr")) return make_axis(node);
  if (node.is("UnaryOperator")) return make_unary(node);
  if (node.is("BinaryOperator")) return make_binary(node);
  if (node.is("CallExpr") || node.is("CXXOperatorCallExpr")) return make_call(node);
  if (node.is("ConditionalOperator") && node.children.size() == 3) {
    IndexStep step{IndexOp::select, *type, 0, {}};
    for (const CxxNode& child : node.children) {
      step.parts.push_back(value(child));
      if (step.parts.back() < 0) return -1;
    }
    return add(std::move(step));
  }
  return refuse(node, construct_name(node));
}

/// A variable that is read, or one of two.
int CxxIndex::make_read(const Node& node) {
  const auto chosen = integer_type(node.type);
  if (node.is("ConditionalOperator") && node.children.size() == 3 && chosen) {
    IndexStep step{IndexOp::select, *chosen, 0, {}};
    step.parts.push_back(value(node.children[0]));
    for (const std::size_t side : {1U, 2U})
      step.parts.push_back(make_read(without_parentheses(node.children[side])));
    for (const int part : step.parts)
      if (part < 0) return -1;
    return add(std::move(step));
  }
  const auto type = integer_type(node.type);
  if (node.is("MemberExpr") && type) {
    const int input = member_input(node);
    return input >= 0 ? input : member(node);
  }
  if (dereferenced(node) != nullptr && type) {
    const int slot = variable(node);
    return slot < 0 ? -1 : add({IndexOp::variable, *type, slot, {}});
  }
  if (!node.is("DeclRefExpr") || !type) return refuse(node, construct_name(node));
  if (const auto local = frame_.slots.find(node.refers); local != frame_.slots.end())
    if (!frame_.is_kernel || variables_.count(node.refers) != 0)
      return add({IndexOp::variable, *type, local->second, {}});
  if (const auto input = inputs_.find(node.refers); frame_.is_kernel && input != inputs_.end())
    return add({IndexOp::parameter, *type, input->second, {}});
  const CxxNode* const declared = tree_.declaration(node.refers);
  if (declared != nullptr && is_constant(*declared)) {
    const Frame frame = std::exchange(frame_, {});
    const int made = value(declared->children.front());
    frame_ = frame;
    return made < 0 ? made : cast(made, *type);
  }
  return refuse(node, fmt::format("'{}'", name_in(node.refers_to)));
}

bool CxxIndex::is_constant(const Node& variable) {
  if (!variable.is("VarDecl") || variable.type.compare(0, 6, "const ") != 0 ||
      !integer_type(variable.type) || variable.children.size() != 1 ||
      (!has_attribute(variable, "init=\"c\"") && !has_attribute(variable, "init=\"call\"")))
    return false;
  const Frame frame = std::exchange(frame_, {});
  const IndexRefusal refusal = refusal_;
  const int made = value(variable.children.front());
  frame_ = frame;
  refusal_ = refusal;
  // Steps that see a block are no constants.
  return made >= 0 && sees(made) == 0;
}

int CxxIndex::make_cast(const Node& node) {
  const auto type = integer_type(node.type);
  const CxxNode& inner = without_parentheses(node.children.empty() ? node : node.children.front());
  if (node.cast == "IntegralCast" && inner.is("DeclRefExpr") && !integer_type(inner.type))
    return make_enumerator(inner, *type);
  const bool is_known =
      node.cast == "IntegralCast" || node.cast == "NoOp" || node.cast == "IntegralToBoolean";
  if (!is_known || node.children.size() != 1)
    return refuse(node, fmt::format("a conversion ({})", node.cast));
  const int made = value(node.children.front());
  if (made < 0) return -1;
  if (node.cast == "IntegralToBoolean") {
    const int zero = add({IndexOp::constant, steps_[static_cast<std::size_t>(made)].type, 0, {}});
    return add({IndexOp::not_equal, *type, 0, {made, zero}});
  }
  return cast(made, *type);
}

/// A constant of an enumeration of the user's, if the text gives its value.
int CxxIndex::make_enumerator(const Node& node, IntegerType type) {
  const CxxNode* const declared = tree_.declaration(node.refers);
  if (declared == nullptr || !is_enumerator(*declared))
    return refuse(node, fmt::format("'{}'", name_in(node.refers_to)));
  const Frame frame = std::exchange(frame_, {});
  const int made = value(declared->children.front());
  frame_ = frame;
  return cast(cast(made, {64, true}), type);
}

bool CxxIndex::is_enumerator(const Node& constant) {
  if (!constant.is("EnumConstantDecl") || constant.children.size() != 1) return false;
  const Frame frame = std::exchange(frame_, {});
  const IndexRefusal refusal = refusal_;
  const int made = value(constant.children.front());
  frame_ = frame;
  refusal_ = refusal;
  return made >= 0 && sees(made) == 0;
}

int CxxIndex::cast(int step, IntegerType type) {
  if (steps_[static_cast<std::size_t>(step)].type == type) return step;
  return add({IndexOp::cast, type, 0, {step}});
}

int CxxIndex::make_axis(const Node& node) {
  static const std::map<std::string_view, IndexOp> kObjects = {
      {"VarDecl blockIdx const heddle_device::BlockIndex", IndexOp::block},
      {"VarDecl gridDim const heddle_device::GridExtent", IndexOp::grid},
      {"VarDecl blockDim const heddle_device::BlockExtent", IndexOp::threads}};
  const CxxNode* object = &node;
  while (!object->is("DeclRefExpr") && !object->children.empty())
    object = &object->children.front();
  const CxxNode* member = &node;
  while (!member->is("MemberExpr") && !member->children.empty()) member = &member->children.back();
  const auto known = kObjects.find(object->refers_to);
  const bool is_axis = member->is("MemberExpr") && member->name.size() == 5 &&
                       member->name.compare(0, 4, "get_") == 0 && member->name[4] >= 'x' &&
                       member->name[4] <= 'z';
  if (known == kObjects.end() || !is_axis || tree_.declaration(object->refers) != nullptr)
    return refuse(node, fmt::format("'{}'", name_in(object->refers_to)));
  return add({known->second, {32, false}, member->name[4] - 'x', {}});
}

int CxxIndex::make_unary(const Node& node) {
  const auto type = integer_type(node.type);
  const int made =
      node.children.size() == 1 && !is_counting(node) && node.opcode != "&" && node.opcode != "*"
          ? value(node.children.front())
          : refuse(node, fmt::format("'{}' within an expression", node.opcode));
  if (made < 0) return -1;
  if (node.opcode == "+") return made;
  if (node.opcode == "-") return add({IndexOp::negate, *type, 0, {made}});
  if (node.opcode == "~") return add({IndexOp::complement, *type, 0, {made}});
  if (node.opcode == "!") return add({IndexOp::logical_not, *type, 0, {made}});
  return refuse(node, fmt::format("'{}'", node.opcode));
}

int CxxIndex::make_binary(const Node& node) {
  const auto known = kOperators.find(node.opcode);
  if (known == kOperators.end() || node.children.size() != 2)
    return refuse(node, fmt::format("'{}' within an expression", node.opcode));
  const int left = value(node.children.front());
  const int right = left < 0 ? -1 : value(node.children.back());
  if (right < 0) return -1;
  return add({known->second, *integer_type(node.type), 0, {left, right}});
}

}  // namespace heddle::kernel::cxx
