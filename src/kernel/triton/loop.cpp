// Loops: unrolled ones, run-time ones, and the values they carry from turn to turn.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::int64_t kUnitsOfTurn = 10;
constexpr std::int64_t kUnitsOfLook = 100;  // an exception is thrown where it fails

bool mentions(const Node& node, const std::set<std::string>& names) {
  if (node.is("Name") && names.count(node.text) != 0) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (mentions(child, names)) return true;
  return false;
}

void collect_target(const Node& target, std::set<std::string>& names) {
  if (target.is("Name")) names.insert(target.text);
  for (const Node& item : target.list("elts")) collect_target(item, names);
}

/// Every name that is a target somewhere, of whatever kind.
void collect_all_targets(const std::vector<Node>& list, std::set<std::string>& names) {
  for (const Node& node : list) {
    for (const char* field : {"target", "targets"})
      for (const Node& target : node.list(field)) collect_target(target, names);
    for (const Field& field : node.fields) collect_all_targets(field.nodes, names);
  }
}

}  // namespace

/// The truth of a condition made of constexprs alone.
std::optional<bool> Lowering::constexpr_truth(const Node& test) {
  spend(kUnitsOfLook, test);
  struct Restore {
    Builder*& builder;
    Builder* before;
    ~Restore() { builder = before; }
  } restore{builder_, builder_};
  builder_ = nullptr;
  try {
    return known_truth(expression(test));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Names that statements give a value; branches that are never taken, as far as that does not
/// depend on names that are `changing`, are left out.
void Lowering::collect_assigned(const std::vector<Node>& list,
                                const std::set<std::string>& changing,
                                std::set<std::string>& names) {
  for (const Node& node : list) {
    if (node.is("FunctionDef") || node.is("Lambda")) continue;
    if (node.is("If") && !mentions(node.at("test"), changing)) {
      const auto truth = constexpr_truth(node.at("test"));
      if (truth != false) collect_assigned(node.list("body"), changing, names);
      if (truth != true) collect_assigned(node.list("orelse"), changing, names);
      continue;
    }
    if (!(node.is("AnnAssign") && is_constexpr_annotation(node)))
      for (const char* field : {"target", "targets"})
        for (const Node& target : node.list(field)) collect_target(target, names);
    for (const Field& field : node.fields) collect_assigned(field.nodes, changing, names);
  }
}

std::vector<Lowering::Carried> Lowering::carry(const Node& loop) {
  std::set<std::string> changing;
  collect_all_targets(loop.list("body"), changing);
  std::set<std::string> assigned;
  collect_assigned(loop.list("body"), changing, assigned);
  if (loop.is("For")) {
    std::set<std::string> own;
    collect_target(loop.at("target"), own);
    for (const std::string& name : own) assigned.erase(name);
  }
  std::vector<Carried> result;
  for (const std::string& name : assigned) {
    const auto found = frame_->names.find(name);
    if (found == frame_->names.end()) continue;
    Carried one{name, {}};
    for (const ValueId leaf : leaves(found->second)) {
      one.registers.push_back(builder().new_value(builder().type(leaf)));
      builder().copy(one.registers.back(), leaf);
    }
    found->second = with_leaves(found->second, one.registers);
    if (found->second.as<RuntimeValue>() != nullptr)
      builder().note_name(one.registers.front(), name);
    result.push_back(std::move(one));
  }
  return result;
}

void Lowering::carry_back(const std::vector<Carried>& carried, const Node& loop) {
  std::set<ValueId> all;
  for (const Carried& one : carried) all.insert(one.registers.begin(), one.registers.end());
  std::vector<std::pair<ValueId, ValueId>> copies;  // to, from
  for (const Carried& one : carried) {
    const Term now = frame_->names.at(one.name);
    const std::vector<ValueId> after = leaves(now);
    if (after.size() != one.registers.size())
      fail(loop, fmt::format("'{}' changes its kind in the loop", one.name),
           "keep its type, or use another name");
    for (std::size_t i = 0; i < after.size(); ++i) {
      const ValueId to = one.registers[i];
      ValueId from = after[i];
      if (from == to) continue;
      const Type wanted = builder().type(to);
      const Type given = builder().type(from);
      if (given.pointer != wanted.pointer || (given.shape != wanted.shape && !given.shape.empty()))
        fail(loop,
             fmt::format("'{}' is {} before the loop and {} inside", one.name, wanted.text(),
                         given.text()),
             "give it that type before the loop, or use another name");
      from = builder().splat_or_broadcast(builder().cast(from, wanted), wanted.shape);
      // Another carried value may be overwritten before it is read: take a copy of it first.
      if (all.count(from) != 0) {
        const ValueId spare = builder().new_value(wanted);
        builder().copy(spare, from);
        from = spare;
      }
      copies.emplace_back(to, from);
    }
    frame_->names[one.name] = with_leaves(now, one.registers);
  }
  for (const auto& [to, from] : copies) builder().copy(to, from);
}

Lowering::Flow Lowering::for_statement(const Node& node) {
  const Node& iterator = node.at("iter");
  if (!node.list("orelse").empty())
    fail(node, "for ... else is not supported", "leave out the else");
  std::string path;
  Term items;
  if (iterator.is("Call")) {
    const Term function = expression(iterator.at("func"));
    if (const auto* external = function.as<ExternalTerm>()) path = external->path;
  }
  const std::string last = path.substr(path.rfind('.') + 1);
  const bool is_range = (last == "range" || last == "static_range") && !path.empty();
  if (!is_range || builder_ == nullptr) {
    items = expression(iterator);
    if (items.tuple() == nullptr)
      fail(iterator, "a loop runs over range, tl.range, tl.static_range or a tuple",
           "use one of them");
    return static_for(node, items.tuple()->items);
  }
  std::vector<Term> bounds;
  for (const Node& argument : iterator.list("args")) bounds.push_back(expression(argument));
  for (const Node& keyword : iterator.list("keywords")) {
    static const std::vector<std::string> kBounds = {"arg1", "arg2", "step"};
    const auto at = std::find(kBounds.begin(), kBounds.end(), keyword.text);
    if (at == kBounds.end()) continue;  // num_stages, flatten, ...: hints
    const auto index = static_cast<std::size_t>(at - kBounds.begin());
    if (bounds.size() <= index) bounds.resize(index + 1, Term{None{}});
    bounds[index] = expression(keyword.at("value"));
  }
  if (path != "builtins.range" && bounds.size() > 3) bounds.resize(3);  // tl.range: hints
  if (bounds.size() == 3 && bounds[2].is_none()) bounds.pop_back();
  if (bounds.size() == 2 && bounds[1].is_none()) bounds.pop_back();
  if (bounds.empty() || bounds.size() > 3)
    fail(iterator, "range takes one to three bounds", "write range(start, end, step)");
  if (bounds.size() == 3 && bounds[1].is_none()) {  // range(end, step=2)
    bounds[1] = bounds[0];
    bounds[0] = Term{Integer{0}};
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), Term{Integer{0}});
  if (bounds.size() == 2) bounds.emplace_back(Term{Integer{1}});
  if (last == "range") {
    run_time_for(node, std::move(bounds));
    return Flow::next;
  }
  std::vector<Term> unrolled;
  const Integer start = integer(bounds[0], "a bound of tl.static_range");
  const Integer end = integer(bounds[1], "a bound of tl.static_range");
  const Integer step = integer(bounds[2], "the step of tl.static_range");
  if (step == 0) fail(iterator, "the step of tl.static_range is 0", "use another step");
  for (Integer i = start; step > 0 ? i < end : i > end; i += step) {
    if (unrolled.size() >= 65536) fail(iterator, "more than 65,536 unrolled steps", "use tl.range");
    unrolled.push_back(integer_term(i));
  }
  return static_for(node, unrolled);
}

Lowering::Flow Lowering::static_for(const Node& node, const std::vector<Term>& items) {
  for (const Term& item : items) {
    spend(kUnitsOfTurn, node);
    assign(node.at("target"), item);
    if (statements(node.list("body")) == Flow::returned) return Flow::returned;
  }
  return Flow::next;
}

std::set<std::string> Lowering::names_now() const {
  std::set<std::string> names;
  for (const auto& [name, term] : frame_->names) names.insert(name);
  return names;
}

void Lowering::leave_scope(const std::set<std::string>& before) {
  std::erase_if(frame_->names, [&](const auto& one) { return before.count(one.first) == 0; });
}

void Lowering::run_time_for(const Node& node, std::vector<Term> bounds) {
  std::vector<ValueId> values;
  DType type = DType::boolean;
  for (const Term& bound : bounds) {
    values.push_back(value(bound));
    const Type& of = builder().type(values.back());
    if (of.pointer || !config::is_integer(of.element) || of.elements() != 1)
      throw not_integer("the bounds of a loop must be integer scalars", "cast them to tl.int32",
                        {values.back()})
          .at(frame_->module->path, node.begin);
    type = promoted(type, false, of.element, false, false);
  }
  for (ValueId& bound : values) bound = builder().cast(bound, type);
  const std::set<std::string> before = names_now();
  const std::vector<Carried> carried = carry(node);
  const BlockId outside = builder().block();
  const BlockId body = builder().new_block();
  const ValueId induction = builder().new_value(Type{type, false, {}});
  builder().set_block(body);
  ++frame_->regions;
  assign(node.at("target"), runtime(induction));
  statements(node.list("body"));
  carry_back(carried, node);
  --frame_->regions;
  builder().set_block(outside);
  builder().set_place(place(node));
  Instruction& loop = builder().emit_plain(Opcode::for_range, values);
  loop.results = {induction};
  loop.body = body;
  leave_scope(before);
}

/// Python's own loop, on what is known.
Lowering::Flow Lowering::known_while(const Node& node) {
  while (true) {
    spend(kUnitsOfTurn, node);
    const auto truth = known_truth(expression(node.at("test")));
    if (!truth) fail(node, "this condition is not known before the launch", "set it in the job");
    if (!*truth) return Flow::next;
    if (statements(node.list("body")) == Flow::returned) return Flow::returned;
  }
}

Lowering::Flow Lowering::while_statement(const Node& node) {
  if (!node.list("orelse").empty())
    fail(node, "while ... else is not supported", "leave out the else");
  if (builder_ == nullptr) return known_while(node);
  const std::set<std::string> before = names_now();
  const std::vector<Carried> carried = carry(node);
  const BlockId outside = builder().block();
  const BlockId test = builder().new_block();
  builder().set_block(test);
  ++frame_->regions;
  const ValueId condition = scalar_condition(expression(node.at("test")));
  const BlockId body = builder().new_block();
  builder().set_block(body);
  statements(node.list("body"));
  carry_back(carried, node);
  --frame_->regions;
  builder().set_block(outside);
  builder().set_place(place(node));
  Instruction& loop = builder().emit_plain(Opcode::while_loop, {condition});
  loop.body = body;
  loop.other = test;
  leave_scope(before);
  return Flow::next;
}

}  // namespace heddle::kernel::triton
