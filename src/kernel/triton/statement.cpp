// Statements: assignments, branches and what they merge.
#include <fmt/format.h>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::int64_t kUnitsOfStatement = 10;
constexpr std::int64_t kUnitsOfName = 20;  // copied and compared where branches meet

/// The same thing, as far as that can be said of what is no value of the program.
bool is_same_thing(const Term& a, const Term& b) {
  if (a.data.index() != b.data.index()) return false;
  if (a.dict() != nullptr) return a.dict() == b.dict();
  if (a.tuple() != nullptr && a.tuple() == b.tuple()) return true;
  if (a.as<MethodTerm>() != nullptr || a.as<Ellipsis>() != nullptr) return true;
  return python_compare("Eq", a, b) == true;
}

bool have_same_block(const Term& a, const Term& b) {
  if (a.block_pointer() != nullptr) return a.block_pointer()->block == b.block_pointer()->block;
  if (a.descriptor() != nullptr) return a.descriptor()->place.block == b.descriptor()->place.block;
  return true;
}

}  // namespace

bool is_constexpr_annotation(const Node& node) {
  if (!node.has("annotation")) return false;
  const std::string& text = node.at("annotation").text;
  return text == "constexpr" || text == "tl.constexpr";
}

namespace {

/// Triton runs the annotation of an assignment: only a name has no effect.
void check_annotation(const Node& node) {
  const Node* part = &node.at("annotation");
  while (part->is("Attribute")) part = &part->at("value");
  const bool is_quoted = part == &node.at("annotation") && part->is("Constant");
  if (part->is("Name") || is_quoted) return;
  throw Error("the annotation of an assignment is code that Triton runs",
              "annotate with a type, such as tl.constexpr or tl.int32, or leave it out");
}

}  // namespace

Lowering::Flow Lowering::statements(const std::vector<Node>& list) {
  const Level level(depth_);
  for (const Node& node : list) {
    try {
      check_depth(node);
      if (statement(node) == Flow::returned) return Flow::returned;
    } catch (const Error& error) {
      if (error.source().empty()) throw error.at(frame_->module->path, node.begin);
      throw;
    }
  }
  return Flow::next;
}

Lowering::Flow Lowering::statement(const Node& node) {
  spend(kUnitsOfStatement, node);
  if (builder_ != nullptr) builder_->set_place(place(node));
  if (node.is("Expr")) {
    if (!node.at("value").is("Constant")) expression(node.at("value"));
  } else if (node.is("Assign")) {
    const Term value = sanitized(expression(node.at("value")));
    for (const Node& target : node.list("targets")) assign(target, value);
  } else if (node.is("AnnAssign")) {
    check_annotation(node);
    if (!node.has("value")) return Flow::next;
    const Term value = expression(node.at("value"));
    if (is_constexpr_annotation(node)) {
      Term known = value;
      if (const auto* run_time = value.as<RuntimeValue>())
        if (const auto constant = builder().known(run_time->id)) known = *constant;
      assign(node.at("target"), known);
    } else {
      assign(node.at("target"), sanitized(value));
    }
  } else if (node.is("AugAssign")) {
    const Term before = expression(node.at("target"));
    assign(node.at("target"), sanitized(binary(node.text, before, expression(node.at("value")))));
  } else if (node.is("If")) {
    return if_statement(node);
  } else if (node.is("For")) {
    return for_statement(node);
  } else if (node.is("While")) {
    return while_statement(node);
  } else if (node.is("Return")) {
    return_statement(node);
    return Flow::returned;
  } else if (node.is("Assert")) {
    const Term test = expression(node.at("test"));
    if (!test.is_runtime() && known_truth(test) == false)
      fail(node, "the kernel's assert does not hold", "check the arguments in the job");
  } else if (node.is("Pass") || node.is("Import") || node.is("ImportFrom") || node.is("Global") ||
             node.is("Nonlocal")) {
    return Flow::next;
  } else if (node.is("With")) {
    return statements(node.list("body"));
  } else if (node.is("Try") && builder_ == nullptr) {  // host code that asks what there is
    for (const char* part : {"body", "orelse", "finalbody"})
      if (statements(node.list(part)) == Flow::returned) return Flow::returned;
  } else if (node.is("FunctionDef")) {
    assign(Node{"Name", node.begin, node.end, node.text, ConstantKind::none, 0, {}},
           Term{FunctionTerm{frame_->module, &node}});
  } else if (node.is("Break") || node.is("Continue")) {
    fail(node,
         fmt::format("'{}' is not supported (nor does Triton)",
                     node.is("Break") ? "break" : "continue"),
         "put the condition into the loop or a mask");
  } else if (node.is("Raise")) {
    fail(node, "the kernel raises an error here", "check the arguments in the job");
  } else {
    fail(node, fmt::format("{} is not supported", node.kind),
         "docs/triton.md lists what heddle reads of Triton");
  }
  return Flow::next;
}

void Lowering::assign(const Node& target, const Term& value) {
  if (target.is("Name")) {
    frame_->names[target.text] = value;
    if (const auto* run_time = value.as<RuntimeValue>(); run_time != nullptr && builder_ != nullptr)
      builder_->note_name(run_time->id, target.text);
    return;
  }
  if (target.is("Tuple") || target.is("List")) {
    const auto& targets = target.list("elts");
    const TupleTerm* tuple = value.tuple();
    if (tuple == nullptr || tuple->items.size() != targets.size())
      fail(target,
           fmt::format("{} cannot be unpacked into {} names", describe(value), targets.size()),
           "give as many names as there are values");
    for (std::size_t i = 0; i < targets.size(); ++i) assign(targets[i], tuple->items[i]);
    return;
  }
  fail(target, "only names and tuples of names can be assigned to", "use a name");
}

Lowering::Flow Lowering::if_statement(const Node& node) {
  const Term condition = expression(node.at("test"));
  if (const auto truth = known_truth(condition))
    return statements(node.list(*truth ? "body" : "orelse"));
  return run_time_if(node, scalar_condition(condition));
}

Lowering::Flow Lowering::run_time_if(const Node& node, ValueId condition) {
  const BlockId outside = builder().block();
  const BlockId blocks[2] = {builder().new_block(), builder().new_block()};
  const std::map<std::string, Term> before = frame_->names;
  std::map<std::string, Term> after[2];
  BlockId ends[2] = {kNoBlock, kNoBlock};
  Flow flows[2] = {Flow::next, Flow::next};
  ++frame_->regions;
  for (int side = 0; side < 2; ++side) {
    frame_->names = before;
    builder().set_block(blocks[side]);
    flows[side] = statements(node.list(side == 0 ? "body" : "orelse"));
    ends[side] = builder().block();
    after[side] = std::move(frame_->names);
  }
  --frame_->regions;
  if (flows[0] == Flow::returned || flows[1] == Flow::returned)
    frame_->names = std::move(after[flows[0] == Flow::returned ? 1 : 0]);
  else
    merge_names(node, before, after, ends);
  builder().set_block(outside);
  builder().set_place(place(node));
  Instruction& branch = builder().emit_plain(Opcode::if_else, {condition});
  branch.body = blocks[0];
  branch.other = blocks[1];
  return flows[0] == Flow::returned && flows[1] == Flow::returned ? Flow::returned : Flow::next;
}

/// A name both branches give a value is chosen by the branch. One that was something else before
/// (None, a dtype) keeps that, as in Triton, unless both branches give it a value.
void Lowering::merge_names(const Node& node, const std::map<std::string, Term>& before,
                           std::map<std::string, Term> (&after)[2], const BlockId (&ends)[2]) {
  frame_->names = std::move(after[0]);
  for (auto& [name, theirs] : after[1]) {
    const auto [entry, added] = frame_->names.try_emplace(name, theirs);
    if (added) continue;
    Term& ours = entry->second;
    spend(kUnitsOfName *
              static_cast<std::int64_t>(1 + (ours.tuple() != nullptr ? ours.tuple()->total : 0)),
          node);
    const bool valued_ours = !leaves(ours).empty();
    const bool valued_theirs = !leaves(theirs).empty();
    if (valued_ours && valued_theirs) {
      const auto* kept = ours.as<RuntimeValue>();
      const ValueId old = kept != nullptr ? kept->id : kNoValue;
      ours = merged(ours, ends[0], theirs, ends[1], node);
      if (const auto* chosen = ours.as<RuntimeValue>(); chosen != nullptr && chosen->id != old)
        builder().note_name(chosen->id, name);
    } else if (valued_ours || valued_theirs || !is_same_thing(ours, theirs)) {
      const auto old = before.find(name);
      if (old == before.end())
        fail(
            node,
            fmt::format("the branches make '{}' {} and {}", name, describe(ours), describe(theirs)),
            "give both the same type");
      ours = old->second;
    }
  }
}

Term Lowering::merged(const Term& a, BlockId block_a, const Term& b, BlockId block_b,
                      const Node& node) {
  const std::vector<ValueId> leaves_a = leaves(a);
  const std::vector<ValueId> leaves_b = leaves(b);
  const bool numbers = (a.is_number() || a.is_runtime()) && (b.is_number() || b.is_runtime());
  const bool alike = numbers || (a.data.index() == b.data.index() && have_same_block(a, b));
  if (!alike || leaves_a.empty() || leaves_a.size() != leaves_b.size())
    fail(node, fmt::format("the branches give {} and {}", describe(a), describe(b)),
         "give both the same type");
  if (leaves_a == leaves_b) return a;
  std::vector<ValueId> results;
  const BlockId before = builder().block();
  for (std::size_t i = 0; i < leaves_a.size(); ++i) {
    ValueId left = leaves_a[i];
    ValueId right = leaves_b[i];
    if (left == right) {
      results.push_back(left);
      continue;
    }
    const Type type_a = builder().type(left);
    const Type type_b = builder().type(right);
    Type type = type_a;
    if (type_a.pointer != type_b.pointer)
      fail(node, "one branch gives a pointer, the other a number", "give both the same type");
    if (!type.pointer) type.element = promoted(type_a.element, false, type_b.element, false, false);
    if (type_a.shape.empty()) type.shape = type_b.shape;
    builder().set_block(block_a);
    left = builder().splat_or_broadcast(builder().cast(left, type), type.shape);
    const ValueId result = builder().new_value(type);
    builder().copy(result, left);
    builder().set_block(block_b);
    right = builder().splat_or_broadcast(builder().cast(right, type), type.shape);
    builder().copy(result, right);
    results.push_back(result);
  }
  builder().set_block(before);
  return with_leaves(a, results);
}

}  // namespace heddle::kernel::triton
