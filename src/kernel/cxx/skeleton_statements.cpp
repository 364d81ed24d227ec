// The statements of a skeleton.
#include <algorithm>

#include "kernel/cxx/patch/index_nodes.h"
#include "kernel/cxx/skeleton.h"

namespace heddle::kernel::cxx {
namespace {

bool ends_at_once(const CxxNode& node) {
  if (node.is("ReturnStmt") || node.is("BreakStmt") || node.is("ContinueStmt")) return true;
  return node.is("CompoundStmt") && node.children.size() == 1 &&
         ends_at_once(node.children.front());
}

}  // namespace

void Skeleton::statement(const Node& node) {
  if (node.kind.empty() || node.is("NullStmt")) return;
  place_ = place(node);
  if (node.is("CompoundStmt")) {
    for (const CxxNode& child : node.children) statement(child);
  } else if (node.is("AttributedStmt") && !node.children.empty()) {
    statement(node.children.back());
  } else if (node.is("DeclStmt")) {
    declaration(node);
  } else if (node.is("IfStmt")) {
    branch(node);
  } else if (node.is("ForStmt") || node.is("WhileStmt") || node.is("DoStmt")) {
    loop(node);
  } else if (node.is("ReturnStmt")) {
    give_back(node);
  } else if (node.is("BreakStmt") || node.is("ContinueStmt")) {
    std::size_t scopes = 1;
    while (scopes <= scopes_.size() && scopes_[scopes_.size() - scopes] != Scope::loop) ++scopes;
    if (scopes > scopes_.size() || region_ > 0) return;
    if (node.is("BreakStmt")) copy(breaks_.back(), constant(DType::boolean, 1));
    leave(scopes);
  } else if (node.is("SwitchStmt") || node.is("CaseStmt") || node.is("DefaultStmt") ||
             node.is("CXXForRangeStmt") || node.is("LabelStmt")) {
    std::vector<const Node*> parts;
    for (const CxxNode& child : node.children) parts.push_back(&child);
    opaque_region(parts);
  } else if (is_assignment(node) || is_counting(node)) {
    value(node);  // the variable keeps it: no work yet
  } else {
    take(value(node));
  }
}

void Skeleton::declaration(const Node& node) {
  for (const CxxNode& child : node.children) {
    if (!child.is("VarDecl")) continue;
    const bool has_value =
        !child.children.empty() && !child.children.front().kind.ends_with("Attr");
    Value given;
    if (has_value) given = value(child.children.front());
    place_ = place(child);
    const VariablePtr own = declare(child.id, child.name, child.type);
    const bool is_kept = integer_type(child.type).has_value() || !own->fields.empty();
    if (!is_kept || has_attribute(child, "storageClass")) {
      take(given);
    } else if (has_value) {
      set(*own, given, child.type);
    } else if (integer_type(child.type)) {
      set(*own, {constant(DType::int32, 0)}, child.type);
    }
  }
}

/// Some threads run it, some do not: its work counts, what it assigns is opaque.
void Skeleton::opaque_region(const std::vector<const Node*>& parts) {
  ++region_;
  for (const Node* part : parts) {
    if (part->kind.empty() || ends_at_once(*part)) continue;
    statement(*part);
  }
  --region_;
}

void Skeleton::branch(const Node& node) {
  std::vector<const Node*> parts;
  for (const CxxNode& child : node.children) parts.push_back(&child);
  if (has_attribute(node, "hasInit") || has_attribute(node, "hasVar") || parts.size() < 2)
    return opaque_region(parts);
  const Value condition = value(*parts[0]);
  parts.erase(parts.begin());
  if (!condition.is_number()) return opaque_region(parts);
  const BlockId outside = block_;
  BlockId sides[2] = {kNoBlock, kNoBlock};
  ++depth_;
  for (std::size_t side = 0; side < 2 && side < parts.size(); ++side) {
    block_ = sides[side] = new_block();
    statement(*parts[side]);
  }
  --depth_;
  block_ = outside;
  if (sides[1] == kNoBlock) sides[1] = new_block();
  Instruction& made = add(Opcode::if_else, {condition.id});
  made.body = sides[0];
  made.other = sides[1];
}

/// gridDim, or a variable that it takes part in.
bool Skeleton::names_grid(const Node& node) const {
  if (node.refers_to.find("heddle_device::GridExtent") != std::string::npos) return true;
  if (node.is("DeclRefExpr")) {
    const VariablePtr own = variable(node);
    return own != nullptr && own->value.is_number() && of_grid_.count(own->value.id) != 0;
  }
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](const CxxNode& child) { return names_grid(child); });
}

/// Rule 5, of a loop that threads decide.
void Skeleton::find_stride(const Node& loop, const Node& body, const Node* step) {
  bool is_strided = step != nullptr && is_assignment(*step) && names_grid(*step);
  for (const CxxNode& child : body.children)  // of a while loop
    is_strided = is_strided || (step == nullptr && is_assignment(child) && names_grid(child));
  if (is_strided && strided_loop_ == 0) strided_loop_ = tree_.line(loop);
}

void Skeleton::loop(const Node& node) {
  const bool is_for = node.is("ForStmt");
  const bool is_do = node.is("DoStmt");
  if (node.children.size() != (is_for ? 5U : 2U)) {
    std::vector<const Node*> parts;
    for (const CxxNode& child : node.children) parts.push_back(&child);
    return opaque_region(parts);
  }
  const CxxNode& condition = is_for ? node.children[2] : node.children[is_do ? 1 : 0];
  const CxxNode& body = is_do ? node.children.front() : node.children.back();
  const CxxNode* const step = is_for ? &node.children[3] : nullptr;
  if (is_for) statement(node.children[0]);
  const BlockId outside = block_;
  const BlockId test = new_block();
  const ValueId left = new_value(DType::boolean);
  copy(left, constant(DType::boolean, 0));
  block_ = test;
  ++depth_;
  const Value holds =
      condition.kind.empty() ? Value{constant(DType::boolean, 1)} : value(condition);
  if (!holds.is_number()) {
    --depth_;
    block_ = outside;
    const auto code = code_of(program_).blocks[static_cast<std::size_t>(test)].code;
    auto& here = code_of(program_).blocks[static_cast<std::size_t>(outside)].code;
    here.insert(here.end(), code.begin(), code.end());
    code_of(program_).blocks[static_cast<std::size_t>(test)].code.clear();
    find_stride(node, body, step);
    std::vector<const Node*> parts = {&body};
    if (step != nullptr) parts.push_back(step);
    return opaque_region(parts);
  }
  const ValueId stays = emit(Opcode::bit_not, {left}, DType::boolean);
  const ValueId goes_on = emit(Opcode::bit_and, {holds.id, stays}, DType::boolean);
  const BlockId whole = new_block();
  const BlockId inner = new_block();
  scopes_.push_back(Scope::loop);
  breaks_.push_back(left);
  block_ = inner;
  statement(body);
  breaks_.pop_back();
  scopes_.pop_back();
  block_ = whole;
  add(Opcode::scope, {}).body = inner;
  if (step != nullptr && !step->kind.empty()) statement(*step);
  --depth_;
  block_ = outside;
  Instruction& made = add(Opcode::while_loop, {goes_on});
  made.body = whole;
  made.other = test;
}

void Skeleton::leave(std::size_t scopes) {
  add(Opcode::leave, {}).integers = {static_cast<std::int64_t>(scopes)};
}

void Skeleton::give_back(const Node& node) {
  Value made;
  if (!node.children.empty()) made = value(node.children.front());
  if (region_ > 0) {
    take(made);
    if (!calls_.empty()) calls_.back().result = {};  // threads return different things
    return;
  }
  if (!calls_.empty()) {
    Value& result = calls_.back().result;
    if (result.is_number() && made.is_number())
      copy(result.id, cast(made.id, type(result.id)));
    else if (result.is_number())
      result = {};
    if (result.members.size() == made.members.size()) {
      for (std::size_t i = 0; i < result.members.size(); ++i)
        if (result.members[i].is_number() && made.members[i].is_number())
          copy(result.members[i].id, cast(made.members[i].id, type(result.members[i].id)));
    } else {
      result.members.clear();
    }
  }
  leave(calls_.empty() ? scopes_.size() : scopes_.size() - calls_.back().scopes);
}

}  // namespace heddle::kernel::cxx
