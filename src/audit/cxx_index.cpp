#include "audit/cxx_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/text.h"

namespace heddle::audit {
namespace {

using kernel::cxx::CxxNode;

constexpr int kMostPasses = 200;
constexpr int kMostSteps = 100'000;
constexpr int kDeepest = 2000;  ///< chains of variables

bool is_read(const CxxNode& node) {
  return node.is("ImplicitCastExpr") && node.cast == "LValueToRValue";
}

const CxxNode& without_parentheses(const CxxNode& node) {
  const CxxNode* inner = &node;
  while (inner->is("ParenExpr") && inner->children.size() == 1) inner = &inner->children.front();
  return *inner;
}

bool is_assignment(const CxxNode& node) {
  return node.is("CompoundAssignOperator") || (node.is("BinaryOperator") && node.opcode == "=");
}
bool is_counting(const CxxNode& node) {
  return node.is("UnaryOperator") && (node.opcode == "++" || node.opcode == "--");
}

/// What a person would call it.
std::string construct_name(const CxxNode& node) {
  static const std::map<std::string_view, std::string_view> kNames = {
      {"ArraySubscriptExpr", "a memory access"}, {"SwitchStmt", "a switch"},
      {"GotoStmt", "a goto"},                    {"LambdaExpr", "a lambda"},
      {"GCCAsmStmt", "inline assembly"},         {"UnaryExprOrTypeTraitExpr", "sizeof"},
      {"FloatingLiteral", "a floating number"},  {"ReturnStmt", "a return"},
      {"CXXNewExpr", "new"},                     {"StmtExpr", "a statement expression"}};
  const auto found = kNames.find(node.kind);
  return found != kNames.end() ? std::string(found->second) : node.kind;
}

std::string name_in(const std::string& refers_to) {
  const std::size_t space = refers_to.find(' ');
  return space == std::string::npos ? refers_to
                                    : refers_to.substr(space + 1, refers_to.find(' ', space + 1) -
                                                                      space - 1);
}

/// "computeLHSType" of a compound assignment.
std::string attribute_type(const CxxNode& node, std::string_view name) {
  const std::size_t at = node.text.find(name);
  const std::size_t open = node.text.find('"', at);
  if (at == std::string::npos || open == std::string::npos) return {};
  return node.text.substr(open + 1, node.text.find('"', open + 1) - open - 1);
}

bool has_attribute(const CxxNode& node, std::string_view name) {
  return node.text.find(name) != std::string::npos;
}

IntegerType promoted(IntegerType type) {
  return type.bits < 32 ? IntegerType{32, true} : type;
}

const CxxNode* body_of(const CxxNode& function) {
  for (const CxxNode& child : function.children)
    if (child.is("CompoundStmt")) return &child;
  return nullptr;
}

}  // namespace

std::optional<IntegerType> integer_type(std::string type) {
  static const std::map<std::string_view, IntegerType> kTypes = {
      {"bool", {1, false}},          {"signed char", {8, true}},
      {"unsigned char", {8, false}}, {"short", {16, true}},
      {"unsigned short", {16, false}}, {"int", {32, true}},
      {"unsigned int", {32, false}}, {"long", {64, true}},
      {"unsigned long", {64, false}}, {"long long", {64, true}},
      {"unsigned long long", {64, false}}};
  if (type.compare(0, 6, "const ") == 0) type.erase(0, 6);
  const auto found = kTypes.find(type);
  return found != kTypes.end() ? std::optional(found->second) : std::nullopt;
}

CxxIndex::CxxIndex(const kernel::cxx::CxxTree& tree) : tree_(tree) {
  find_variables();
  const CxxNode* const body = body_of(tree.kernel());
  for (const CxxNode& child : body->children) statements_.push_back({&child, -1, {}, false});
  lower_statements();
  find_dependences();
}

// ---- which variables ------------------------------------------------------------------------------

/// `out`: variables that are used in another way than index code uses them.
void CxxIndex::find_uses(const Node& node, const Node* parent, bool in_lambda,
                         std::set<std::uint64_t>& out) {
  if (node.is("VarDecl") && integer_type(node.type) && !has_attribute(node, "storageClass") &&
      !has_attribute(node, "tls"))
    variables_.insert(node.id);
  if (node.is("DeclRefExpr") && node.refers != 0) {
    const bool is_written = parent != nullptr && (is_assignment(*parent) || is_counting(*parent)) &&
                            &parent->children.front() == &node;
    const bool is_plain = parent != nullptr && is_read(*parent);
    if (in_lambda || (!is_plain && !is_written)) out.insert(node.refers);
    if (is_written) inputs_.erase(node.refers);
  }
  for (const CxxNode& child : node.children)
    find_uses(child, node.is("ParenExpr") ? parent : &node, in_lambda || node.is("LambdaExpr"),
              out);
}

void CxxIndex::find_variables() {
  for (const CxxNode& child : tree_.kernel().children) {
    if (!child.is("ParmVarDecl")) continue;
    if (integer_type(child.type))
      inputs_.emplace(child.id, static_cast<int>(parameters_.size()));
    parameters_.push_back(child.name);
  }
  std::set<std::uint64_t> out;
  find_uses(*body_of(tree_.kernel()), nullptr, false, out);
  for (const std::uint64_t id : out) {
    variables_.erase(id);
    inputs_.erase(id);
  }
}

namespace {

/// Local variables that a statement declares or writes. False: it does more than that.
bool find_written(const CxxNode& node, std::set<std::uint64_t>& written) {
  bool is_integer = true;
  if (node.is("VarDecl")) {
    written.insert(node.id);
    is_integer = integer_type(node.type).has_value();
  }
  if ((is_assignment(node) || is_counting(node)) && !node.children.empty()) {
    const CxxNode& target = without_parentheses(node.children.front());
    if (target.is("DeclRefExpr"))
      written.insert(target.refers);
    is_integer = target.is("DeclRefExpr") && integer_type(target.type).has_value();
  }
  for (const CxxNode& child : node.children) is_integer = find_written(child, written) && is_integer;
  return is_integer;
}

/// Memory, threads, calls with effects: what index arithmetic never has.
bool touches_memory(const CxxNode& node) {
  static const std::set<std::string_view> kKinds = {
      "ArraySubscriptExpr", "ReturnStmt", "GCCAsmStmt",     "FloatingLiteral",
      "CXXNewExpr",         "MemberExpr", "CXXThisExpr",    "StringLiteral",
      "LambdaExpr",         "AtomicExpr", "CXXDeleteExpr"};
  if (node.is("PseudoObjectExpr")) {  // threadIdx.x and its like
    const CxxNode* object = &node;
    while (!object->children.empty()) object = &object->children.front();
    return object->refers_to.find("ThreadIndex") != std::string::npos;
  }
  if (kKinds.count(node.kind) != 0 || (node.is("UnaryOperator") && node.opcode == "*") ||
      (node.is("UnaryOperator") && node.opcode == "&") || node.type == "void")
    return true;
  return std::any_of(node.children.begin(), node.children.end(), touches_memory);
}

}  // namespace

void CxxIndex::lower_statements() {
  bool is_shrinking = true;
  for (int pass = 0; is_shrinking; ++pass) {
    is_shrinking = false;
    if (pass == kMostPasses) variables_.clear();
    steps_.clear();
    functions_.clear();
    function_of_.clear();
    memo_.clear();
    frame_ = {};
    frame_.is_kernel = true;
    for (Statement& one : statements_) {
      refusal_ = {};
      one.step = statement(*one.node);
      one.refusal = refusal_;
      if (one.step >= 0) continue;
      std::set<std::uint64_t> written;
      one.is_integer = find_written(*one.node, written) && !written.empty() &&
                       !touches_memory(*one.node);
      for (const std::uint64_t id : written) is_shrinking = variables_.erase(id) > 0 || is_shrinking;
    }
  }
  // A variable is known from its declaration on, wherever it is read.
  memo_.clear();
  kernel_slots_ = static_cast<int>(frame_.slots.size());
}

// ---- values ---------------------------------------------------------------------------------------

int CxxIndex::add(IndexStep step) {
  if (static_cast<int>(steps_.size()) >= kMostSteps)
    throw Error("the kernel has too much index code to be compared", "make it simpler");
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
  if ((node.is("ParenExpr") || node.is("ConstantExpr")) && node.children.size() == 1)
    return value(node.children.front());
  if (node.is("SubstNonTypeTemplateParmExpr") && !node.children.empty()) {
    const int made = value(node.children.back());
    if (made >= 0) steps_[static_cast<std::size_t>(made)].name = node.children.front().name;
    return made;
  }
  const auto type = integer_type(node.type);
  if (!type) return refuse(node, fmt::format("a value of type {}", node.type));
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
  if (node.is("CallExpr")) return make_call(node);
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

/// A variable that is read.
int CxxIndex::make_read(const Node& node) {
  const auto type = integer_type(node.type);
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
  const bool is_known = node.cast == "IntegralCast" || node.cast == "NoOp" ||
                        node.cast == "IntegralToBoolean";
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
  const int made = node.children.size() == 1 && !is_counting(node) && node.opcode != "&" &&
                           node.opcode != "*"
                       ? value(node.children.front())
                       : refuse(node, fmt::format("'{}' within an expression", node.opcode));
  if (made < 0) return -1;
  if (node.opcode == "+") return made;
  if (node.opcode == "-") return add({IndexOp::negate, *type, 0, {made}});
  if (node.opcode == "~") return add({IndexOp::complement, *type, 0, {made}});
  if (node.opcode == "!") return add({IndexOp::logical_not, *type, 0, {made}});
  return refuse(node, fmt::format("'{}'", node.opcode));
}

namespace {

const std::map<std::string_view, IndexOp> kOperators = {
    {"+", IndexOp::add},           {"-", IndexOp::subtract},  {"*", IndexOp::multiply},
    {"/", IndexOp::divide},        {"%", IndexOp::remainder}, {"&", IndexOp::bit_and},
    {"|", IndexOp::bit_or},        {"^", IndexOp::bit_xor},   {"<<", IndexOp::shift_left},
    {">>", IndexOp::shift_right},  {"<", IndexOp::less},      {"<=", IndexOp::less_equal},
    {">", IndexOp::greater},       {">=", IndexOp::greater_equal},
    {"==", IndexOp::equal},        {"!=", IndexOp::not_equal},
    {"&&", IndexOp::logical_and},  {"||", IndexOp::logical_or}};

}  // namespace

int CxxIndex::make_binary(const Node& node) {
  const auto known = kOperators.find(node.opcode);
  if (known == kOperators.end() || node.children.size() != 2)
    return refuse(node, fmt::format("'{}' within an expression", node.opcode));
  const int left = value(node.children.front());
  const int right = left < 0 ? -1 : value(node.children.back());
  if (right < 0) return -1;
  return add({known->second, *integer_type(node.type), 0, {left, right}});
}

int CxxIndex::make_call(const Node& node) {
  const CxxNode* callee = node.children.empty() ? &node : &node.children.front();
  while (!callee->is("DeclRefExpr") && callee->children.size() == 1)
    callee = &callee->children.front();
  if (!callee->is("DeclRefExpr") || callee->refers == 0)
    return refuse(node, "a call through a pointer or of a member");
  const std::string name = name_in(callee->refers_to);
  const CxxNode* const declared = tree_.declaration(callee->refers);
  IndexStep step{IndexOp::call, *integer_type(node.type), 0, {}};
  if (declared != nullptr) {
    step.value = function(*declared);
    if (step.value < 0) return refuse(node, fmt::format("a call of {}", name));
  } else {
    // "int (int, int)"
    const std::string result = callee->type.substr(0, callee->type.find(" ("));
    const bool is_known = (name == "min" || name == "max") &&
                          callee->type == fmt::format("{0} ({0}, {0})", result) &&
                          integer_type(result) && node.children.size() == 3;
    if (!is_known) return refuse(node, fmt::format("a call of {}", name));
    step.op = name == "min" ? IndexOp::minimum : IndexOp::maximum;
  }
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    step.parts.push_back(value(node.children[i]));
    if (step.parts.back() < 0) return -1;
  }
  if (step.op == IndexOp::call &&
      step.parts.size() !=
          static_cast<std::size_t>(functions_[static_cast<std::size_t>(step.value)].parameters))
    return refuse(node, fmt::format("a call of {}", name));
  return add(std::move(step));
}

// ---- functions ------------------------------------------------------------------------------------

int CxxIndex::function(const Node& declaration) {
  const auto known = function_of_.find(declaration.id);
  if (known != function_of_.end()) return known->second;
  function_of_[declaration.id] = -1;  // while it is read: no recursion
  const CxxNode* const body = body_of(declaration);
  const std::size_t open = declaration.type.find(" (");
  if (!declaration.is("FunctionDecl") || body == nullptr || open == std::string::npos ||
      !integer_type(declaration.type.substr(0, open)))
    return -1;
  const Frame frame = std::exchange(frame_, {});
  IndexFunction made;
  made.name = declaration.name;
  bool is_plain = true;
  for (const CxxNode& child : declaration.children) {
    if (child.is("ParmVarDecl")) {
      is_plain = is_plain && integer_type(child.type) && child.children.empty();
      slot_of(child.id);
      ++made.parameters;
    } else if (&child != body && !child.is("AlwaysInlineAttr") && !child.is("TemplateArgument")) {
      is_plain = false;  // an attribute may do anything
    }
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

// ---- statements -----------------------------------------------------------------------------------

int CxxIndex::slot_of(std::uint64_t id) {
  return frame_.slots.emplace(id, static_cast<int>(frame_.slots.size())).first->second;
}

/// The slot of a variable that a statement writes.
int CxxIndex::variable(const Node& node) {
  const CxxNode& target = without_parentheses(node);
  if (!target.is("DeclRefExpr") || !integer_type(target.type) ||
      (frame_.is_kernel && variables_.count(target.refers) == 0))
    return refuse(node, target.is("DeclRefExpr")
                            ? fmt::format("a write to '{}'", name_in(target.refers_to))
                            : construct_name(target));
  const auto slot = frame_.slots.find(target.refers);
  return slot != frame_.slots.end() ? slot->second
                                    : refuse(node, fmt::format("a write to '{}'",
                                                               name_in(target.refers_to)));
}

int CxxIndex::statement(const Node& node) {
  if (node.is("DeclStmt")) return declaration(node);
  if (is_assignment(node)) return assignment(node);
  if (is_counting(node)) return counting(node);
  if (node.is("IfStmt")) return branch(node);
  if (node.is("ForStmt") || node.is("WhileStmt") || node.is("DoStmt")) return loop(node);
  if (node.is("NullStmt")) return add({IndexOp::sequence, {}, 0, {}});
  if (node.is("AttributedStmt") && node.children.size() == 2 &&
      node.children.front().is("LoopHintAttr"))
    return statement(node.children.back());
  if (node.is("CompoundStmt")) {
    IndexStep step{IndexOp::sequence, {}, 0, {}};
    for (const CxxNode& child : node.children) {
      step.parts.push_back(statement(child));
      if (step.parts.back() < 0) return -1;
    }
    return add(std::move(step));
  }
  if (node.is("ReturnStmt") && !frame_.is_kernel && node.children.size() == 1) {
    const int made = value(node.children.front());
    return made < 0 ? -1 : add({IndexOp::result, {}, 0, {made}});
  }
  if (node.is("BreakStmt") && frame_.loops > 0) return add({IndexOp::leave, {}, 0, {}});
  if (node.is("ContinueStmt") && frame_.loops > 0) return add({IndexOp::next, {}, 0, {}});
  return refuse(node, construct_name(node));
}

int CxxIndex::declaration(const Node& node) {
  IndexStep step{IndexOp::sequence, {}, 0, {}};
  for (const CxxNode& child : node.children) {
    const auto type = integer_type(child.type);
    if (!child.is("VarDecl") || !type || has_attribute(child, "storageClass") ||
        (frame_.is_kernel && variables_.count(child.id) == 0))
      return refuse(child, fmt::format("'{}' of type {}", child.name, child.type));
    int made = -1;
    if (!child.children.empty()) {
      if (child.children.size() != 1 || has_attribute(child, "init=\"list\""))
        return refuse(child, fmt::format("the initialiser of '{}'", child.name));
      made = value(child.children.front());
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
  int made = slot < 0 ? -1 : value(node.children.back());
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

int CxxIndex::loop(const Node& node) {
  const bool is_for = node.is("ForStmt");
  if (node.children.size() != (is_for ? 5U : 2U) || (is_for && !node.children[1].kind.empty()))
    return refuse(node, "a loop with a declaration in its condition");
  const CxxNode& condition =
      is_for ? node.children[2] : node.children[node.is("DoStmt") ? 1 : 0];
  const CxxNode& body = node.is("DoStmt") ? node.children.front() : node.children.back();
  IndexStep all{IndexOp::sequence, {}, 0, {}};
  if (is_for && !node.children[0].kind.empty()) {
    all.parts.push_back(statement(node.children[0]));
    if (all.parts.back() < 0) return -1;
  }
  IndexStep step{node.is("DoStmt") ? IndexOp::do_loop : IndexOp::loop, {}, 0, {-1, -1, -1}};
  if (!condition.kind.empty() && (step.parts[0] = value(condition)) < 0) return -1;
  if (is_for && !node.children[3].kind.empty() &&
      (step.parts[1] = statement(node.children[3])) < 0)
    return -1;
  ++frame_.loops;
  step.parts[2] = statement(body);
  --frame_.loops;
  if (step.parts[2] < 0) return -1;
  all.parts.push_back(add(std::move(step)));
  return add(std::move(all));
}

// ---- what values depend on ------------------------------------------------------------------------

unsigned CxxIndex::sees(int step, bool in_function) const {
  if (step < 0) return 0;
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  unsigned seen = one.op == IndexOp::block ? kSeesBlock : 0;
  if (one.op == IndexOp::grid || one.op == IndexOp::threads) seen = kSeesLaunch;
  if (one.op == IndexOp::call) seen |= functions_[static_cast<std::size_t>(one.value)].sees;
  if (one.op == IndexOp::variable && !in_function)
    if (const auto known = slot_sees_.find(one.value); known != slot_sees_.end())
      seen |= known->second;
  for (const int part : one.parts) seen |= sees(part, in_function);
  return seen;
}

/// Notes what the kernel's variables see; true if one sees more than was known.
bool CxxIndex::mark(int step, unsigned control) {
  if (step < 0) return false;
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  bool is_more = false;
  if (one.op == IndexOp::assign || one.op == IndexOp::undefine) {
    unsigned& known = slot_sees_[one.value];
    const unsigned seen = known | control | (one.parts.empty() ? 0 : sees(one.parts.front()));
    is_more = seen != known;
    known = seen;
    return is_more;
  }
  if (one.op == IndexOp::branch || one.op == IndexOp::loop || one.op == IndexOp::do_loop)
    control |= sees(one.parts.front());
  for (const int part : one.parts) is_more = mark(part, control) || is_more;
  return is_more;
}

namespace {

void find_assignments(const std::vector<IndexStep>& steps, int step, int top,
                      std::map<std::int64_t, std::vector<int>>& writers) {
  if (step < 0) return;
  const IndexStep& one = steps[static_cast<std::size_t>(step)];
  if (one.op == IndexOp::assign || one.op == IndexOp::undefine)
    writers[one.value].push_back(one.op == IndexOp::assign && top == step ? step : -1 - top);
  const bool is_plain = one.op == IndexOp::sequence && top == step;
  for (const int part : one.parts) find_assignments(steps, part, is_plain ? part : top, writers);
}

}  // namespace

void CxxIndex::find_dependences() {
  for (const Statement& one : statements_)
    find_assignments(steps_, one.step, one.step, writers_);
  bool is_more = true;
  for (int pass = 0; is_more && pass < kMostPasses; ++pass) {
    is_more = false;
    for (const Statement& one : statements_) is_more = mark(one.step, 0) || is_more;
  }
  if (is_more)
    for (auto& [slot, seen] : slot_sees_) seen = kSeesBlock | kSeesLaunch;
}

// ---- texts ----------------------------------------------------------------------------------------

std::string CxxIndex::text(int step) const {
  Texts texts;
  const std::string value = text(step, texts);
  return value + texts.definitions;
}

std::string CxxIndex::text(int step, Texts& texts) const {
  if (step < 0) return "_";
  if (++texts.steps > kMostSteps || texts.depth > kDeepest)
    throw Error("the index code is too long to be compared", "compute it in fewer steps");
  ++texts.depth;
  const std::string result = step_text(step, texts);
  --texts.depth;
  return result;
}

std::string CxxIndex::step_text(int step, Texts& texts) const {
  const IndexStep& one = steps_[static_cast<std::size_t>(step)];
  const bool has_slot = one.op == IndexOp::variable || one.op == IndexOp::assign ||
                        one.op == IndexOp::undefine;
  std::string name = fmt::format("{}{}", one.value, one.name);
  if (has_slot) {
    const auto writers = texts.in_function ? writers_.end() : writers_.find(one.value);
    const bool is_defined = writers != writers_.end();
    if (is_defined && one.op == IndexOp::variable && writers->second.size() == 1 &&
        writers->second.front() >= 0)
      return text(steps_[static_cast<std::size_t>(writers->second.front())].parts.front(), texts);
    const auto [known, is_new] =
        texts.named.emplace(one.value, static_cast<int>(texts.named.size()));
    name = fmt::format("v{}", known->second);
    if (is_new && is_defined)
      for (const int writer : writers->second) {
        const std::string defined = text(writer >= 0 ? writer : -1 - writer, texts);
        texts.definitions += " ; " + defined;
      }
  } else if (one.op == IndexOp::call) {
    name = function_text(static_cast<int>(one.value), texts);
  }
  std::string result = fmt::format("({}:{}{} {}", static_cast<int>(one.op),
                                   one.type.is_signed ? 'i' : 'u', one.type.bits, name);
  for (const int part : one.parts) result += " " + text(part, texts);
  return result + ")";
}

std::string CxxIndex::function_text(int function, Texts& texts) const {
  const IndexFunction& one = functions_[static_cast<std::size_t>(function)];
  Texts own;
  own.in_function = true;
  own.steps = texts.steps;
  own.depth = texts.depth;
  for (int i = 0; i < one.parameters; ++i) own.named.emplace(i, i);
  const std::string body = text(one.body, own);
  texts.steps = own.steps;
  return "{" + body + "}";
}

}  // namespace heddle::audit
