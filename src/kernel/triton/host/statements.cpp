// Statements of host code: which are reached, and what they assign.
#include <algorithm>

#include "kernel/triton/host/interpreter.h"
#include "kernel/triton/host/tensor_calls.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostTurns = 64;

bool has_one(const std::vector<Node>& statements, const char* kind) {
  return std::ranges::any_of(statements, [&](const Node& one) { return one.is(kind); });
}

/// Names that statements give a value to.
void collect_assigned(const std::vector<Node>& statements, std::set<std::string>& names) {
  for (const Node& node : statements) {
    for (const char* field : {"targets", "target"})
      for (const Node& target : node.list(field)) {
        if (target.is("Name")) names.insert(target.text);
        for (const Node& one : target.list("elts"))
          if (one.is("Name")) names.insert(one.text);
      }
    for (const char* body : {"body", "orelse", "finalbody"})
      if (!node.is("FunctionDef") && !node.is("ClassDef")) collect_assigned(node.list(body), names);
  }
}

}  // namespace

Interpreter::Flow Interpreter::run(const std::vector<Node>& statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    spend(1);
    if (is_spent()) return Flow::returned;
    if (skips_launch(std::span(statements).subspan(i))) continue;
    const Flow flow = statement(statements[i]);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

/// `if dropout_p == 0: return mask` in front of the launch, true by a guess: it is taken for false.
bool Interpreter::skips_launch(std::span<const Node> statements) {
  const Node& node = statements.front();
  if (!node.is("If") || !has_one(node.list("body"), "Return") || !node.list("orelse").empty())
    return false;
  const auto leads = [&](const Node& one) { return mentions_target(one); };
  if (std::ranges::any_of(node.list("body"), leads)) return false;
  if (std::ranges::none_of(statements.subspan(1), leads)) return false;
  if (evaluate(node.at("test")).truth() != true) return false;
  assume(node.at("test"), false);
  choose(node, false);
  return true;
}

Interpreter::Flow Interpreter::statement(const Node& node) {
  if (node.is("Assign")) {
    for (const Node& target : node.list("targets")) learn_spread(target, node.at("value"));
    const Value value = evaluate(node.at("value"));
    for (const Node& target : node.list("targets")) assign(target, value);
  } else if (node.is("AnnAssign")) {
    if (node.has("value")) assign(node.at("target"), evaluate(node.at("value")));
  } else if (node.is("AugAssign")) {
    const Node& target = node.at("target");
    const Value before = evaluate(target);
    assign(target, binary(node.text, before, evaluate(node.at("value")), node));
  } else if (node.is("Expr")) {
    evaluate(node.at("value"));
  } else if (node.is("If")) {
    return branch(node);
  } else if (node.is("For") || node.is("While")) {
    return loop(node);
  } else if (node.is("With") || node.is("Try")) {
    for (const Node& item : node.list("items"))
      if (item.has("optional_vars")) assign(item.at("optional_vars"), Value{});
    const Flow flow = run(node.list("body"));
    if (flow != Flow::next) return flow;
    return run(node.list("finalbody"));
  } else if (node.is("Return")) {
    result_ = node.has("value") ? evaluate(node.at("value")) : Value{Missing{}};
    return Flow::returned;
  } else if (node.is("FunctionDef")) {
    scope_->names[node.text] = Value{Function{scope_->module, &node, scope_, nullptr}};
  } else if (node.is("Assert")) {
    assume(node.at("test"), true);
  } else if (node.is("Break")) {
    return Flow::broken;
  } else if (node.is("Continue")) {
    return Flow::continued;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::branch(const Node& node) {
  const auto& body = node.list("body");
  const auto& orelse = node.list("orelse");
  const auto leads = [&](const std::vector<Node>& list) {
    return std::ranges::any_of(list, [&](const Node& one) { return mentions_target(one); });
  };
  const bool first = leads(body);
  const bool second = leads(orelse);
  const auto truth = evaluate(node.at("test")).truth();
  if (first != second) {
    if (truth != first) assume(node.at("test"), first);
    return run(first ? body : orelse);
  }
  if (has_one(body, "Raise")) {
    assume(node.at("test"), false);
    return run(orelse);
  }
  if (has_one(orelse, "Raise")) {
    assume(node.at("test"), true);
    return run(body);
  }
  if (truth) return run(*truth ? body : orelse);
  if (!first && orelse.empty()) return maybe(node);
  choose(node, true);
  return run(body);
}

void Interpreter::choose(const Node& node, bool truth) {
  constexpr std::size_t kMostChoices = 64;
  if (choices.size() < kMostChoices) choices.emplace(origin_of(node), truth);
}

/// An if without else whose condition is not known: it gives a value only to names that have none.
Interpreter::Flow Interpreter::maybe(const Node& node) {
  const auto& body = node.list("body");
  if (has_one(body, "Return")) {
    choose(node, false);
    return Flow::next;
  }
  std::set<std::string> assigned;
  collect_assigned(body, assigned);
  const std::shared_ptr<Scope> scope = scope_;
  std::map<std::string, Value> before;
  for (const std::string& name : assigned) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end() && !found->second.is_unknown()) before.insert(*found);
  }
  if (!assigned.empty()) choose(node, before.size() < assigned.size());
  run(body);
  for (const auto& [name, value] : before) scope->names[name] = value;
  return Flow::next;
}

/// Names that a loop gives a value to, where it was not followed to its end.
void Interpreter::forget_assigned(const Node& loop) {
  std::set<std::string> assigned;
  collect_assigned(loop.list("body"), assigned);
  for (const std::string& name : assigned) scope_->names[name] = resolve(Value{Unknown{name}});
}

Interpreter::Flow Interpreter::loop(const Node& node) {
  const Flow flow = node.is("While") ? while_loop(node) : for_loop(node);
  if (flow == Flow::returned) return flow;
  return flow == Flow::broken ? Flow::next : run(node.list("orelse"));
}

/// Of what is not known, and of what leads to the launch, one turn is followed.
Interpreter::Flow Interpreter::for_loop(const Node& node) {
  const Value sequence = evaluate(node.at("iter"));
  const bool is_known = sequence.list() != nullptr && sequence.list()->shape_of == nullptr;
  Values items = is_known ? Values(sequence.list()->items) : Values{Value{}};
  if (items.empty() && mentions_target(node)) items = {Value{}};
  const bool is_cut = items.size() > kMostTurns;
  if (is_cut) items.resize(kMostTurns);
  for (const Value& item : items) {
    if (is_spent()) break;
    assign(node.at("target"), item);
    const std::size_t before = launches.size();
    const Flow flow = run(node.list("body"));
    if (flow == Flow::returned || flow == Flow::broken) return flow;
    if (launches.size() > before && launches.size() > 8) break;
  }
  if (is_cut) forget_assigned(node);
  return Flow::next;
}

Interpreter::Flow Interpreter::while_loop(const Node& node) {
  for (std::size_t turn = 0; turn < kMostTurns; ++turn) {
    const auto truth = evaluate(node.at("test")).truth();
    const bool is_entered = turn == 0 && mentions_target(node);
    if (truth == false && !is_entered) return Flow::next;
    const std::size_t before = launches.size();
    const Flow flow = run(node.list("body"));
    if (flow == Flow::returned || flow == Flow::broken) return flow;
    if (launches.size() > before && launches.size() > 8) return Flow::next;
    if (truth != true || is_spent()) return Flow::next;
  }
  forget_assigned(node);
  return Flow::next;
}

/// A tensor has as many axes as names, and those are called so.
void Interpreter::learn_axes(const TensorPointer& tensor, std::span<const Node> names) {
  learn(Value{Unknown{tensor->key}}, [&](Fact& fact) {
    fact.rank = static_cast<int>(names.size());
    fact.exact_rank = true;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].is("Name") && names[i].text != "_")
        fact.axis_names.try_emplace(static_cast<int>(i), names[i].text);
  });
  if (tensor->key.empty() || tensor->rank_known) return;
  while (tensor->shape.size() < names.size()) add_axis(tensor);
  tensor->shape.resize(names.size());
  tensor->rank_known = true;
}

/// B, T, H, D, V = *k.shape, v.shape[-1]
void Interpreter::learn_spread(const Node& target, const Node& value) {
  const auto& targets = target.list("elts");
  const auto& parts = value.list("elts");
  const auto is_starred = [](const Node& one) { return one.is("Starred"); };
  const auto starred = std::ranges::find_if(parts, is_starred);
  if (starred == parts.end() || std::ranges::count_if(parts, is_starred) != 1 ||
      std::ranges::any_of(targets, is_starred) || targets.size() < parts.size())
    return;
  const std::size_t rank = std::min<std::size_t>(targets.size() + 1 - parts.size(), 8);
  const Value spread = evaluate(starred->at("value"));
  if (spread.list() != nullptr && spread.list()->shape_of != nullptr)
    learn_axes(spread.list()->shape_of,
               std::span(targets).subspan(static_cast<std::size_t>(starred - parts.begin()), rank));
}

/// M, K = x.shape
void Interpreter::assign_axes(const std::vector<Node>& targets, const TensorPointer& tensor) {
  const std::size_t rank = std::min<std::size_t>(targets.size(), 8);
  learn_axes(tensor, std::span(targets).first(rank));
  for (std::size_t i = 0; i < rank; ++i)
    assign(targets[i], Value{axis(tensor, static_cast<int>(i))});
}

void Interpreter::assign_list(const Node& target, const Value& value) {
  const auto& targets = target.list("elts");
  const auto starred = static_cast<std::size_t>(
      std::ranges::find_if(targets, [](const Node& one) { return one.is("Starred"); }) -
      targets.begin());
  const List* list = value.list();
  const TensorPointer shaped = list != nullptr ? list->shape_of : nullptr;
  if (shaped != nullptr && starred == targets.size()) return assign_axes(targets, shaped);
  const Values items = list != nullptr ? Values(list->items) : Values();
  const std::size_t extra =
      items.size() + 1 > targets.size() ? items.size() + 1 - targets.size() : 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i == starred) {
      Values rest;
      for (std::size_t j = 0; j < extra && at < items.size(); ++j) rest.push_back(items[at++]);
      assign(targets[i].at("value"), heap_.list(std::move(rest)));
      continue;
    }
    assign(targets[i], at < items.size() ? items[at] : Value{});
    ++at;
  }
}

void Interpreter::assign_item(const Node& target, const Value& value) {
  const Value owner = evaluate(target.at("value"));
  const Value key = evaluate(target.at("slice"));
  if (Dict* dict = owner.dict())
    if (const auto text = key_text(key)) heap_.set(*dict, *text, value);
  if (List* list = owner.list(); list != nullptr && key.number()) {
    make_plain(*list);
    const auto count = static_cast<std::int64_t>(list->items.size());
    const std::int64_t at = key.number()->whole + (key.number()->whole < 0 ? count : 0);
    if (at >= 0 && at < count) list->items[static_cast<std::size_t>(at)] = value;
  }
}

void Interpreter::assign(const Node& target, const Value& value) {
  if (target.is("Tuple") || target.is("List")) return assign_list(target, value);
  if (target.is("Subscript")) return assign_item(target, value);
  if (target.is("Attribute")) {
    const Value owner = evaluate(target.at("value"));
    if (owner.object() != nullptr) owner.object()->attributes[target.text] = value;
    const auto* descriptor = owner.as<DescriptorOf>();
    if (descriptor != nullptr && target.text == "block_shape") set_block(*descriptor, value);
    return;
  }
  if (!target.is("Name")) return;
  const std::string& name = target.text;
  Value kept = value;
  if (const auto* unknown = value.as<Unknown>(); unknown != nullptr && unknown->key.empty())
    kept = resolve(Value{Unknown{name}});
  if (const auto* number = value.as<Number>()) {
    const auto found = axis_sizes_.find(number->text);
    if (found != axis_sizes_.end() && name != "_")
      learn(Value{Unknown{found->second.first}}, [&](Fact& fact) {
        const int place = found->second.second;
        if (place >= 0 || !fact.exact_rank) fact.axis_names.try_emplace(place, name);
      });
  }
  if (const TensorPointer tensor = value.tensor(); tensor != nullptr && tensor->name.empty())
    tensor->name = name;
  scope_->names[name] = kept;
}

}  // namespace heddle::kernel::triton::host
