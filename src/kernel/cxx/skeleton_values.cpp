// The values of a skeleton: expressions, calls, assignments.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernel/cxx/patch/index_nodes.h"
#include "kernel/cxx/skeleton.h"
#include "kernel/cxx/skeleton_types.h"
#include "kernel/index_probe.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr int kMostNesting = 400;
constexpr std::size_t kMostCalls = 40;

std::optional<Opcode> opcode_of(std::string_view text) {
  static const std::map<std::string_view, Opcode> kOpcodes = {
      {"+", Opcode::add},          {"-", Opcode::subtract},       {"*", Opcode::multiply},
      {"/", Opcode::divide},       {"%", Opcode::remainder},      {"&", Opcode::bit_and},
      {"|", Opcode::bit_or},       {"^", Opcode::bit_xor},        {"<<", Opcode::shift_left},
      {">>", Opcode::shift_right}, {"<", Opcode::less},           {"<=", Opcode::less_equal},
      {">", Opcode::greater},      {">=", Opcode::greater_equal}, {"==", Opcode::equal},
      {"!=", Opcode::not_equal},   {"&&", Opcode::bit_and},       {"||", Opcode::bit_or}};
  const auto found = kOpcodes.find(text);
  return found != kOpcodes.end() ? std::optional(found->second) : std::nullopt;
}

/// The variable behind an address or an element: its type tells a pointer from an array.
const CxxNode* root_of(const CxxNode& node) {
  const CxxNode* now = &node;
  while (!now->is("DeclRefExpr")) {
    if (now->children.empty()) return nullptr;
    now = &now->children.front();
  }
  return now;
}

/// The pointer is used as *pointer, and in no other way.
bool is_only_dereferenced(const CxxNode& node, std::uint64_t pointer) {
  if (const CxxNode* const known = dereferenced(node))
    if (known->refers == pointer) return true;
  if (node.is("DeclRefExpr") && node.refers == pointer) return false;
  return std::ranges::all_of(
      node.children, [&](const CxxNode& child) { return is_only_dereferenced(child, pointer); });
}

/// A variable that is a lambda without captures.
bool is_plain_lambda(const CxxNode& variable) {
  const CxxNode* node = &variable;
  while (!node->is("LambdaExpr")) {
    if (node->children.empty()) return false;
    node = &node->children.front();
  }
  const CxxNode& record = node->children.front();
  return record.is("CXXRecordDecl") &&
         std::none_of(record.children.begin(), record.children.end(),
                      [](const CxxNode& child) { return child.is("FieldDecl"); });
}

const CxxNode* callee_of(const CxxNode& call) {
  const CxxNode* callee = call.children.empty() ? nullptr : &call.children.front();
  while (callee != nullptr && !callee->is("DeclRefExpr")) {
    const bool is_argument = callee->is("SubstNonTypeTemplateParmExpr");  // of a template
    callee = callee->children.size() == 1 || (is_argument && !callee->children.empty())
                 ? &callee->children.back()
                 : nullptr;
  }
  return callee;
}

}  // namespace

void Skeleton::take(const Value& value) {
  if (value.is_number()) {
    auto& values = code_of(program_).values;
    const ValueId element = emit(Opcode::broadcast, {value.id}, type(value.id));
    values[static_cast<std::size_t>(element)].shape = {2};
  }
  for (const Value& one : value.members) take(one);
}

/// Work is told apart by what it is made of.
void Skeleton::mark(const Node& node) {
  const std::size_t what = std::hash<std::string>{}(node.kind + node.opcode + node.value);
  take({constant(DType::int64, static_cast<std::int64_t>(what >> 1U))});
}

Skeleton::Value Skeleton::opaque(const Node& node) {
  mark(node);
  for (const CxxNode& child : node.children)
    if (!child.is_declaration()) take(value(child));
  return {};
}

Skeleton::Value Skeleton::value(const Node& node) {
  struct Level {
    int& depth;
    explicit Level(int& now) : depth(now) { ++depth; }
    ~Level() { --depth; }
  } level(nesting_);
  if (nesting_ > kMostNesting) throw Error("the kernel's expressions are nested too deeply", "");
  place_ = place(node);
  const auto of = number_type(node.type);
  const bool is_wrapper = node.is("ParenExpr") || node.is("ConstantExpr") ||
                          node.is("ExprWithCleanups") || node.is("MaterializeTemporaryExpr") ||
                          node.is("CXXConstructExpr") || node.is("CXXBindTemporaryExpr");
  const bool is_made = node.is("CXXConstructExpr") || node.is("CXXTemporaryObjectExpr");
  if (is_made && plain_type(node.type) == kDim3 && !node.children.empty() &&
      number_type(node.children.front().type))
    return extents(node);
  if (is_wrapper && node.children.size() == 1) return value(node.children.front());
  if (node.is("SubstNonTypeTemplateParmExpr") && !node.children.empty())
    return value(node.children.back());
  if (node.is("IntegerLiteral") && of) {
    const auto number = parse_integer(node.value);
    return number ? Value{constant(*of, *number)} : Value{};
  }
  if (node.is("CXXBoolLiteralExpr"))
    return {constant(DType::boolean, node.value == "true" ? 1 : 0)};
  if (node.is("DeclRefExpr")) return read(node);
  if (node.is("PseudoObjectExpr")) return axis(node);
  if (is_assignment(node)) return assignment(node);
  if (is_counting(node)) return counting(node);
  if (!node.cast.empty()) return converted(node);
  if (node.is("UnaryOperator")) return unary(node);
  if (node.is("BinaryOperator")) return binary(node);
  if (node.is("ConditionalOperator") && node.children.size() == 3) return conditional(node);
  if (node.is("MemberExpr")) return member(node);
  if (node.is("InitListExpr")) return list(node);
  if (node.is("CallExpr")) return call(node);
  if (node.is("CXXOperatorCallExpr")) return lambda_call(node);
  if (node.is("LambdaExpr")) return {};
  return opaque(node);
}

Skeleton::Value Skeleton::read(const Node& node) {
  if (const VariablePtr known = variable(node)) return known->value;
  const CxxNode* const declared = tree_.declaration(node.refers);
  const auto of = number_type(node.type);
  const bool is_constant = declared != nullptr && of && declared->is("VarDecl") &&
                           declared->type.compare(0, 6, "const ") == 0 &&
                           declared->children.size() == 1;
  if (!is_constant) return {};
  const Value made = value(declared->children.front());
  return made.is_number() ? Value{cast(made.id, *of)} : Value{};
}

Skeleton::Value Skeleton::converted(const Node& node) {
  if (node.children.empty()) return {};
  const Value inner = value(node.children.back());
  if (node.cast == "LValueToRValue" || node.cast == "NoOp") return inner;
  const auto of = number_type(node.type);
  const bool is_number = node.cast == "IntegralCast" || node.cast == "IntegralToBoolean";
  if (is_number && of && inner.is_number()) {
    if (node.cast == "IntegralCast") return {cast(inner.id, *of)};
    const ValueId zero = constant(type(inner.id), 0);
    return {emit(Opcode::not_equal, {inner.id, zero}, DType::boolean)};
  }
  take(inner);
  return {};
}

Skeleton::Value Skeleton::axis(const Node& node) {
  const CxxNode* const object = root_of(node);
  const CxxNode* member = &node;
  while (!member->is("MemberExpr") && !member->children.empty()) member = &member->children.back();
  const bool is_axis = object != nullptr && member->is("MemberExpr") && member->name.size() == 5 &&
                       member->name.compare(0, 4, "get_") == 0;
  if (!is_axis) return opaque(node);
  const int axis = member->name[4] - 'x';
  if (axis < 0 || axis > 2) return {};
  const std::string& of = object->refers_to;
  if (of.find("heddle_device::BlockIndex") != std::string::npos) {
    const ValueId made = emit(Opcode::program_id, {}, DType::uint32, {axis});
    name(made, fmt::format("blockIdx.{}", member->name[4]), false);
    return {made};
  }
  if (of.find("heddle_device::GridExtent") != std::string::npos)
    return {emit(Opcode::num_programs, {}, DType::uint32, {axis})};
  if (of.find("heddle_device::BlockExtent") != std::string::npos)
    return {constant(DType::uint32, launch_.threads[static_cast<std::size_t>(axis)])};
  return {};
}

Skeleton::Value Skeleton::unary(const Node& node) {
  if (node.children.size() != 1) return opaque(node);
  if (const VariablePtr own = variable(node)) return own->value;
  if (node.opcode == "&" || node.opcode == "*") return opaque(node);
  const Value inner = value(node.children.front());
  const auto of = number_type(node.type);
  if (inner.is_number() && of) {
    if (node.opcode == "+") return inner;
    if (node.opcode == "-") return {emit(Opcode::negate, {inner.id}, *of)};
    if (node.opcode == "~") return {emit(Opcode::bit_not, {inner.id}, *of)};
    if (node.opcode == "!" && type(inner.id) == DType::boolean)
      return {emit(Opcode::bit_not, {inner.id}, DType::boolean)};
  }
  take(inner);
  return {};
}

Skeleton::Value Skeleton::binary(const Node& node) {
  if (node.children.size() != 2) return opaque(node);
  if (node.opcode == ",") {
    take(value(node.children.front()));
    return value(node.children.back());
  }
  const Value left = value(node.children.front());
  const Value right = value(node.children.back());
  const auto of = number_type(node.type);
  const auto op = opcode_of(node.opcode);
  if (left.is_number() && right.is_number() && of && op)
    return {emit(*op, {left.id, cast(right.id, type(left.id))}, *of)};
  take(left);
  take(right);
  mark(node);
  return {};
}

Skeleton::Value Skeleton::conditional(const Node& node) {
  std::vector<Value> parts;
  for (const CxxNode& child : node.children) parts.push_back(value(child));
  const auto of = number_type(node.type);
  if (of && std::all_of(parts.begin(), parts.end(), [](const Value& v) { return v.is_number(); }))
    return {
        emit(Opcode::select, {parts[0].id, cast(parts[1].id, *of), cast(parts[2].id, *of)}, *of)};
  for (const Value& one : parts) take(one);
  return {};
}

Skeleton::Value Skeleton::member(const Node& node) {
  if (node.children.empty()) return {};
  const VariablePtr owner = variable(node.children.front());
  if (owner != nullptr) {
    std::string field = node.name;
    while (!field.empty() && (field.front() == '.' || field.front() == '>' || field.front() == '-'))
      field.erase(0, 1);
    for (std::size_t i = 0; i < owner->fields.size(); ++i)
      if (owner->fields[i] == field && i < owner->value.members.size())
        return owner->value.members[i];
    return {};
  }
  return opaque(node);
}

Skeleton::Value Skeleton::list(const Node& node) {
  Value result;
  for (const CxxNode& child : node.children) result.members.push_back(value(child));
  if (number_type(node.type) && result.members.size() == 1) return result.members.front();
  return result;
}

/// dim3(a, b): what is not given is 1.
Skeleton::Value Skeleton::extents(const Node& node) {
  Value result;
  for (const CxxNode& child : node.children)
    result.members.push_back(child.is("CXXDefaultArgExpr") ? Value{constant(DType::uint32, 1)}
                                                           : value(child));
  while (result.members.size() < 3) result.members.push_back({constant(DType::uint32, 1)});
  return result;
}

// ---- calls and writes -------------------------------------------------------------------------

Skeleton::Value Skeleton::call(const Node& node) {
  const CxxNode* const callee = callee_of(node);
  if (callee == nullptr) return opaque(node);
  const std::string called = name_in(callee->refers_to);
  const CxxNode* const declared = tree_.declaration(callee->refers);
  if (declared != nullptr && body_of(*declared) != nullptr && calls_.size() < kMostCalls)
    return inlined(*declared, node, 1);
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < node.children.size(); ++i)
    arguments.push_back(value(node.children[i]));
  const auto of = number_type(node.type);
  const bool is_pair =
      arguments.size() == 2 && arguments[0].is_number() && arguments[1].is_number();
  if (of && is_pair && (called == "min" || called == "max"))
    return {emit(called == "min" ? Opcode::minimum : Opcode::maximum,
                 {cast(arguments[0].id, *of), cast(arguments[1].id, *of)}, *of)};
  for (const Value& one : arguments) take(one);
  take({constant(DType::int64, static_cast<std::int64_t>(std::hash<std::string>{}(called) >> 1U))});
  if (called.compare(0, 6, "atomic") == 0) anchor(node, true);
  return {};
}

/// A lambda that captures nothing; what others capture may have changed since.
Skeleton::Value Skeleton::lambda_call(const Node& node) {
  const CxxNode* const callee = callee_of(node);
  const CxxNode* const declared = callee != nullptr ? tree_.declaration(callee->refers) : nullptr;
  const CxxNode* const object = node.children.size() > 1 ? root_of(node.children[1]) : nullptr;
  const CxxNode* const variable = object != nullptr ? tree_.declaration(object->refers) : nullptr;
  const bool is_followed = declared != nullptr && body_of(*declared) != nullptr &&
                           variable != nullptr && calls_.size() < kMostCalls &&
                           is_plain_lambda(*variable);
  return is_followed ? inlined(*declared, node, 2) : opaque(node);
}

/// The caller's variable that a reference or a pointer is to; null: none that is followed.
Skeleton::VariablePtr Skeleton::passed(const Node& function, const Node& parameter,
                                       const Node& given) const {
  if (parameter.type.find('&') != std::string::npos) return variable(given);
  const CxxNode& address = without_parentheses(given);
  const bool is_address =
      address.is("UnaryOperator") && address.opcode == "&" && address.children.size() == 1;
  if (!is_address || !is_only_dereferenced(*body_of(function), parameter.id)) return nullptr;
  return variable(address.children.front());
}

/// The arguments of `call` are its children from `argument` on.
Skeleton::Value Skeleton::inlined(const Node& function, const Node& call, std::size_t argument) {
  std::vector<std::pair<std::uint64_t, VariablePtr>> bound;
  for (const CxxNode& parameter : function.children) {
    if (!parameter.is("ParmVarDecl") || argument >= call.children.size()) continue;
    const CxxNode& given = call.children[argument++];
    if (const VariablePtr own = passed(function, parameter, given)) {
      if (parameter.type.find('&') != std::string::npos)
        bound.emplace_back(parameter.id, own);
      else
        pointees_[parameter.id] = own;
      continue;
    }
    pointees_.erase(parameter.id);
    const Value passed = value(given);
    auto made = std::make_shared<Variable>();
    made->declaration = parameter.id;
    made->name = parameter.name;
    made->depth = depth_ + 1;
    made->region = region_;
    made->value = passed;
    made->fields = fields(parameter.type);
    bound.emplace_back(parameter.id, made);
  }
  for (const auto& [id, own] : bound) variables_[id] = own;
  std::string result_type = function.type.substr(0, function.type.find(" ("));
  if (result_type == "auto") result_type = call.type;
  Call open;
  open.scopes = scopes_.size();
  open.place = place(call);
  if (const auto of = number_type(result_type)) open.result.id = new_value(*of);
  for (const std::string& field : fields(result_type)) {
    const auto of = number_type(type_of_field(result_type, field));
    open.result.members.push_back(of ? Value{new_value(*of)} : Value{});
  }
  const BlockId outside = block_;
  block_ = new_block();
  const BlockId body = block_;
  scopes_.push_back(Scope::function);
  calls_.push_back(open);
  ++depth_;
  statement(*body_of(function));
  --depth_;
  const Value result = calls_.back().result;
  calls_.pop_back();
  scopes_.pop_back();
  block_ = outside;
  add(Opcode::scope, {}).body = body;
  return result;
}

Skeleton::Value Skeleton::assignment(const Node& node) {
  const CxxNode& target = without_parentheses(node.children.front());
  const VariablePtr own = variable(target);
  if (own != nullptr) {
    Value made = value(node.children.back());
    const auto of = number_type(plain_type(target.type));
    if (node.is("CompoundAssignOperator") && of) {
      const auto wide = number_type(attribute_type(node, "computeLHSType"));
      const auto op = opcode_of(std::string_view(node.opcode).substr(0, node.opcode.size() - 1));
      if (made.is_number() && own->value.is_number() && wide && op) {
        made = {emit(*op, {cast(own->value.id, *wide), cast(made.id, *wide)}, *wide)};
      } else {
        take(made);
        made = {};
      }
    }
    if (!of) take(made);
    set(*own, made, target.type);
    return own->value;
  }
  take(value(node.children.back()));
  const bool is_element = target.is("ArraySubscriptExpr") || target.is("MemberExpr") ||
                          (target.is("UnaryOperator") && target.opcode == "*") ||
                          target.is("CXXOperatorCallExpr");
  opaque(target);
  if (!is_element) return {};
  const CxxNode* const root = root_of(target);
  anchor(node, root != nullptr && root->type.find('*') != std::string::npos);
  return {};
}

Skeleton::Value Skeleton::counting(const Node& node) {
  const VariablePtr own = variable(node.children.front());
  if (own == nullptr || !own->value.is_number()) return opaque(node);
  const DType of = type(own->value.id);
  const ValueId before = emit(Opcode::copy, {own->value.id}, of);
  const ValueId sum =
      emit(node.opcode == "++" ? Opcode::add : Opcode::subtract, {before, constant(of, 1)}, of);
  set(*own, {sum}, node.children.front().type);
  return {before};
}

/// `is_outside`: not an array of the block's own.
void Skeleton::anchor(const Node& node, bool is_outside) {
  place_ = place(node);
  const ValueId nowhere = constant(DType::int64, 0);
  ValueId pointer = emit(Opcode::cast, {nowhere}, DType::int8);
  code_of(program_).values[static_cast<std::size_t>(pointer)].pointer = true;
  Site site;
  site.kind = MemoryKind::write;
  site.element = DType::int8;
  site.place = place_;
  if (is_outside) site.shape = {2};
  if (!is_outside) site.hint = kLocalHint;
  const auto number = static_cast<std::int64_t>(program_.sites.size());
  program_.sites.push_back(std::move(site));
  Instruction& store = add(Opcode::store, {pointer, kNoValue, kNoValue});
  store.integers = {number};
}

}  // namespace heddle::kernel::cxx
