#include "kernel/cxx/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "kernel/cxx/patch/index_nodes.h"
#include "kernel/cxx/skeleton_types.h"
#include "kernel/index_probe.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kMostValues = 100'000;
constexpr int kMostRestarts = 200;

}  // namespace

std::optional<DType> number_type(const std::string& type) {
  const auto known = integer_type(type);
  if (!known) return std::nullopt;
  switch (known->bits) {
    case 1:
      return DType::boolean;
    case 8:
      return known->is_signed ? DType::int8 : DType::uint8;
    case 16:
      return known->is_signed ? DType::int16 : DType::uint16;
    case 32:
      return known->is_signed ? DType::int32 : DType::uint32;
    default:
      return known->is_signed ? DType::int64 : DType::uint64;
  }
}

/// "const Tile &" -> "Tile".
std::string plain_type(std::string type) {
  if (type.compare(0, 6, "const ") == 0) type.erase(0, 6);
  while (!type.empty() && (type.back() == '&' || type.back() == ' ')) type.pop_back();
  return type;
}

Skeleton::Skeleton(const CxxTree& tree, const KernelProgram& kernel, const config::Launch& launch)
    : tree_(tree), launch_(launch) {
  program_.source_path = kernel.source_path;
  program_.function = kernel.function;
}

KernelProgram Skeleton::run() {
  const KernelProgram empty = program_;
  for (int turn = 0; turn < kMostRestarts; ++turn) {
    program_ = empty;
    code_of(program_).blocks.resize(1);
    code_of(program_).quotient = "/";
    program_.places.push_back({{}, program_.function});
    program_.places.push_back({{}, {}});
    variables_.clear();
    of_grid_.clear();
    strided_loop_ = 0;
    scopes_ = {Scope::function};
    breaks_.clear();
    calls_.clear();
    depth_ = region_ = nesting_ = 0;
    block_ = new_block();
    const BlockId body = block_;
    try {
      for (const CxxNode& child : tree_.kernel().children) {
        const auto type = number_type(child.type);
        const config::Argument* given =
            child.is("ParmVarDecl") ? launch_.find(child.name) : nullptr;
        if (!type || given == nullptr) continue;
        const auto* number = std::get_if<std::int64_t>(&given->value.data);
        const auto* truth = std::get_if<bool>(&given->value.data);
        if (number == nullptr && truth == nullptr) continue;
        const VariablePtr own = declare(child.id, child.name, child.type);
        set(*own, {constant(*type, number != nullptr ? *number : *truth ? 1 : 0)}, child.type);
      }
      statement(*body_of(tree_.kernel()));
      block_ = 0;
      add(Opcode::scope, {}).body = body;
      return std::move(program_);
    } catch (const Restart&) {
      // One more variable is opaque.
    }
  }
  throw Error("the kernel's index code is too deep to be followed", "");
}

// ---- instructions -----------------------------------------------------------------------------

ValueId Skeleton::new_value(DType type) {
  auto& values = code_of(program_).values;
  if (values.size() >= kMostValues) throw Error("the kernel's index code is too long", "");
  values.push_back({type, false, {}});
  return static_cast<ValueId>(values.size()) - 1;
}

Instruction& Skeleton::add(Opcode op, std::vector<ValueId> operands) {
  auto& code = code_of(program_).blocks[static_cast<std::size_t>(block_)].code;
  Instruction one;
  one.op = op;
  one.place = place_;
  one.operands = std::move(operands);
  code.push_back(std::move(one));
  return code.back();
}

ValueId Skeleton::emit(Opcode op, std::vector<ValueId> operands, DType type,
                       std::vector<std::int64_t> integers) {
  const ValueId result = new_value(type);
  const bool is_of_grid = op == Opcode::num_programs ||
                          std::any_of(operands.begin(), operands.end(),
                                      [&](ValueId part) { return of_grid_.count(part) != 0; });
  if (is_of_grid) of_grid_.insert(result);
  Instruction& one = add(op, std::move(operands));
  one.results = {result};
  one.integers = std::move(integers);
  return result;
}

ValueId Skeleton::constant(DType type, std::int64_t number) {
  return emit(Opcode::constant_int, {}, type, {number});
}

void Skeleton::copy(ValueId to, ValueId from) {
  add(Opcode::copy, {from}).results = {to};
  if (of_grid_.count(from) != 0) of_grid_.insert(to);
}

DType Skeleton::type(ValueId value) const {
  return code_of(program_).values[static_cast<std::size_t>(value)].element;
}

ValueId Skeleton::cast(ValueId value, DType to) {
  return type(value) == to ? value : emit(Opcode::cast, {value}, to);
}

BlockId Skeleton::new_block() {
  code_of(program_).blocks.emplace_back();
  return static_cast<BlockId>(code_of(program_).blocks.size()) - 1;
}

std::int32_t Skeleton::place(const Node& node) {
  if (node.end <= node.begin) return place_;
  Position position;
  position.line = tree_.line(node);
  auto& places = program_.places;
  if (!places.empty() && places.back().position.line == position.line)
    return static_cast<std::int32_t>(places.size()) - 1;
  places.push_back({position, calls_.empty() ? program_.function : "a function"});
  return static_cast<std::int32_t>(places.size()) - 1;
}

void Skeleton::name(ValueId value, const std::string& text, bool is_of_kernel) {
  std::int32_t at = place_;
  if (is_of_kernel) {
    const std::int32_t given = calls_.empty() ? place_ : calls_.front().place;
    at = static_cast<std::int32_t>(program_.places.size());
    program_.places.push_back(
        {program_.places[static_cast<std::size_t>(given)].position, program_.function});
  } else {
    at = 1;
  }
  code_of(program_).names.push_back({value, text, at});
}

// ---- variables --------------------------------------------------------------------------------

std::vector<std::string> Skeleton::fields(const std::string& type) const {
  std::vector<std::string> names;
  const std::string plain = plain_type(type);
  if (plain == kDim3) return {"x", "y", "z"};
  for (const CxxNode& one : tree_.declarations()) {
    if (!one.is("CXXRecordDecl") || one.name != plain) continue;
    for (const CxxNode& child : one.children)
      if (child.is("FieldDecl")) names.push_back(child.name);
  }
  return names;
}

std::string Skeleton::type_of_field(const std::string& type, const std::string& field) const {
  const std::string plain = plain_type(type);
  if (plain == kDim3) return "unsigned int";
  for (const CxxNode& one : tree_.declarations())
    if (one.is("CXXRecordDecl") && one.name == plain)
      for (const CxxNode& child : one.children)
        if (child.is("FieldDecl") && child.name == field) return child.type;
  return {};
}

Skeleton::VariablePtr Skeleton::declare(std::uint64_t id, const std::string& name,
                                        const std::string& type) {
  auto made = std::make_shared<Variable>();
  made->declaration = id;
  made->name = name;
  made->depth = depth_;
  made->region = region_;
  made->is_of_kernel = calls_.empty();
  made->fields = fields(type);
  variables_[id] = made;
  return made;
}

Skeleton::VariablePtr Skeleton::variable(const Node& node) const {
  const CxxNode& target = without_parentheses(node);
  if (const CxxNode* const pointer = dereferenced(target)) {
    const auto found = pointees_.find(pointer->refers);
    return found == pointees_.end() ? nullptr : found->second;
  }
  if (!target.is("DeclRefExpr")) return nullptr;
  const auto found = variables_.find(target.refers);
  return found == variables_.end() ? nullptr : found->second;
}

/// Straight code gives a variable a new register; branches and loops write into the one it has.
void Skeleton::set(Variable& variable, const Value& value, const std::string& type) {
  if (opaque_.count(variable.declaration) != 0) {
    take(value);
    return;
  }
  if (variable.region < region_) {  // some threads do it
    opaque_.insert(variable.declaration);
    throw Restart{};
  }
  if (!value.members.empty()) {
    const bool is_known = variable.fields.size() == value.members.size();
    variable.value.members.resize(is_known ? value.members.size() : 0);
    for (std::size_t i = 0; i < variable.value.members.size(); ++i) {
      const auto of = number_type(type_of_field(type, variable.fields[i]));
      if (!of || !value.members[i].is_number()) continue;
      Value& member = variable.value.members[i];
      if (member.is_number() && variable.depth != depth_) {
        copy(member.id, cast(value.members[i].id, *of));
        continue;
      }
      const ValueId made = new_value(*of);
      copy(made, cast(value.members[i].id, *of));
      name(made, variable.name + "." + variable.fields[i], variable.is_of_kernel);
      member.id = made;
    }
    return;
  }
  const auto of = number_type(plain_type(type));
  if (!of) return;
  if (!value.is_number()) {
    if (!variable.value.is_number()) return;
    opaque_.insert(variable.declaration);
    throw Restart{};
  }
  const bool is_new = !variable.value.is_number() || variable.depth == depth_;
  if (is_new) {
    const ValueId made = new_value(*of);
    copy(made, cast(value.id, *of));
    variable.value.id = made;
    name(made, variable.name, variable.is_of_kernel);
  } else {
    copy(variable.value.id, cast(value.id, *of));
  }
}

}  // namespace heddle::kernel::cxx
