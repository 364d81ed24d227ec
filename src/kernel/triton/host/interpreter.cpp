#include "kernel/triton/host/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/lists.h"

namespace heddle::kernel::triton::host {
namespace {

bool mentions(const Node& node, const std::set<std::string>& names) {
  if ((node.is("Name") || node.is("Attribute")) && names.count(node.text) != 0) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (mentions(child, names)) return true;
  return false;
}

const Node* find_definition(const std::vector<Node>& statements, const char* kind,
                            const std::string& name) {
  const Node* found = nullptr;
  for (const Node& node : statements) {
    if (node.is(kind) && node.text == name) found = &node;
    if (node.is("If") || node.is("Try") || node.is("With"))
      for (const char* body : {"body", "orelse"})
        if (const Node* inner = find_definition(node.list(body), kind, name)) found = inner;
  }
  return found;
}

}  // namespace

const Node* find_class(const Module& module, const std::string& name) {
  return find_definition(module.root.list("body"), "ClassDef", name);
}

const Node* find_method(const Module& module, const Node& owner, const std::string& name) {
  const Node* current = &owner;
  for (int level = 0; level < 8 && current != nullptr; ++level) {
    if (const Node* found = find_definition(current->list("body"), "FunctionDef", name))
      return found;
    const Node* base = nullptr;
    for (const Node& one : current->list("bases"))
      if (one.is("Name") && base == nullptr) base = find_class(module, one.text);
    current = base;
  }
  return nullptr;
}

Interpreter::Interpreter(TritonSource& source, const Node& kernel, Knowledge& knowledge)
    : source_(source), kernel_(kernel), knowledge_(knowledge) {}

/// The kernel, and what leads to it in that file.
const std::set<std::string>& Interpreter::targets(const Module& module) {
  auto& names = targets_[&module];
  if (!names.empty()) return names;
  names.insert(kernel_.text);
  for (bool grows = true; grows;) {
    grows = false;
    for (const Node& node : module.root.list("body")) {
      const bool opens = node.is("FunctionDef") || node.is("ClassDef");
      if (opens && &node != &kernel_ && names.count(node.text) == 0 && mentions(node, names))
        grows = names.insert(node.text).second;
      if (node.is("Assign") && node.list("targets").size() == 1 && node.at("targets").is("Name") &&
          mentions(node.at("value"), names))
        grows = names.insert(node.at("targets").text).second || grows;
    }
  }
  return names;
}

bool Interpreter::mentions_target(const Node& node) {
  const auto found = mentions_.find(&node);
  if (found != mentions_.end()) return found->second;
  return mentions_[&node] = mentions(node, targets(*scope_->module));
}

void Interpreter::follow(const Module& module, const Node& function, const Node* owner) {
  Function entry{&module, &function, nullptr, nullptr};
  auto context = std::make_shared<Object>();
  context->module = &module;
  context->definition = owner;
  context->key = "self";
  Values positional;
  if (owner != nullptr && function.text == "backward") follow_forward(module, *owner, *context);
  const auto& parameters = function.at("args").list("args");
  if (owner != nullptr && !parameters.empty()) {
    const std::string& first = parameters.front().text;
    if (first == "self" || first == "ctx" || first == "cls") {
      context->key = first;
      positional.push_back(Value{context});
    }
  }
  if (owner != nullptr && function.text == "backward") {
    // Gradients have the shapes of what forward returns.
    const auto returned = context->attributes.find("\x01result");
    if (returned != context->attributes.end()) {
      Values results = {returned->second};
      if (returned->second.list() != nullptr) results = returned->second.list()->items;
      for (const Value& one : results) {
        if (positional.size() >= parameters.size()) break;
        positional.push_back(
            one.tensor() != nullptr ? one : Value{Unknown{parameters[positional.size()].text}});
      }
    }
  }
  auto outer = std::make_shared<Scope>();
  outer->module = &module;
  outer->owner = owner;
  scope_ = outer;
  entry.scope = outer;
  run_function(entry, std::move(positional), {}, function);
  scope_ = nullptr;
}

/// What forward keeps for backward.
void Interpreter::follow_forward(const Module& module, const Node& owner, Object& context) {
  const Node* forward = find_method(module, owner, "forward");
  if (forward == nullptr) return;
  auto outer = std::make_shared<Scope>();
  outer->module = &module;
  outer->owner = &owner;
  scope_ = outer;
  auto kept = std::make_shared<Object>();
  kept->module = &module;
  kept->key = "ctx";
  const Value result =
      run_function(Function{&module, forward, outer, nullptr}, {Value{kept}}, {}, *forward);
  context.attributes = kept->attributes;
  context.attributes["\x01result"] = result;
  launches.clear();
}

void Interpreter::bind(Scope& scope, const Function& function, Values positional, Dict keywords) {
  const Node& arguments = function.definition->at("args");
  std::vector<const Node*> names;
  std::vector<const Node*> defaults;
  for (const char* field : {"posonlyargs", "args"})
    for (const Node& one : arguments.list(field)) names.push_back(&one);
  defaults.resize(names.size(), nullptr);
  const auto& last = arguments.list("defaults");
  for (std::size_t i = 0; i < last.size() && i < names.size(); ++i)
    defaults[names.size() - last.size() + i] = &last[i];
  const std::size_t by_place = names.size();
  const auto& given = arguments.list("kw_defaults");
  for (std::size_t i = 0; i < arguments.list("kwonlyargs").size(); ++i) {
    names.push_back(&arguments.list("kwonlyargs")[i]);
    defaults.push_back(i < given.size() && !given[i].is("Absent") ? &given[i] : nullptr);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i]->text;
    const auto keyword = std::find_if(keywords.begin(), keywords.end(),
                                      [&](const auto& one) { return one.first == name; });
    if (i < positional.size() && i < by_place) {
      scope.names[name] = positional[i];
    } else if (keyword != keywords.end()) {
      scope.names[name] = keyword->second;
    } else {
      Value value{Unknown{name}};
      const Fact& fact = knowledge_.facts[name];
      const bool overruled = fact.is_tensor || fact.text || fact.flag;
      if (defaults[i] != nullptr && !overruled) {
        const Value known = evaluate_in(*function.module, *defaults[i]);
        if (!known.is_unknown()) value = known;
      }
      scope.names[name] = resolve(value);
    }
  }
  if (arguments.has("vararg")) {
    Values rest;
    for (std::size_t i = by_place; i < positional.size(); ++i) rest.push_back(positional[i]);
    scope.names[arguments.at("vararg").text] = list_value(std::move(rest));
  }
  if (arguments.has("kwarg")) {
    Dict rest;
    for (const auto& [name, value] : keywords)
      if (scope.names.count(name) == 0) rest.emplace_back(name, value);
    scope.names[arguments.at("kwarg").text] = dict_value(std::move(rest));
  }
}

Value Interpreter::run_function(const Function& function, Values positional, Dict keywords,
                                const Node& node) {
  static_cast<void>(node);
  if (depth_ > kDepthLimit / 4 || work_ > kWorkLimit) return Value{};
  const int depth = depth_++;
  const std::shared_ptr<Scope> outside = scope_;
  auto scope = std::make_shared<Scope>();
  scope->module = function.module;
  scope->outer = function.scope;
  scope->owner = function.scope != nullptr ? function.scope->owner : nullptr;
  if (function.self != nullptr) positional.insert(positional.begin(), *function.self);
  if (scope_ == nullptr) scope_ = scope;
  bind(*scope, function, std::move(positional), std::move(keywords));
  scope_ = scope;
  Value result{Missing{}};
  if (function.definition->is("Lambda")) {
    result = evaluate(function.definition->at("body"));
  } else {
    result_ = Value{Missing{}};
    run(function.definition->list("body"));
    result = result_;
  }
  scope_ = outside;
  depth_ = depth;
  return result;
}

Interpreter::Flow Interpreter::run(const std::vector<Node>& statements) {
  for (const Node& node : statements) {
    if (++work_ > kWorkLimit) return Flow::returned;
    const Flow flow = statement(node);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Interpreter::Flow Interpreter::statement(const Node& node) {
  if (node.is("Assign")) {
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
  } else if (node.is("Break") || node.is("Continue")) {
    return Flow::left;
  }
  return Flow::next;
}

bool Interpreter::raises(const std::vector<Node>& statements) {
  return std::ranges::any_of(statements, [](const Node& one) { return one.is("Raise"); });
}

Interpreter::Flow Interpreter::branch(const Node& node) {
  const auto& body = node.list("body");
  const auto& orelse = node.list("orelse");
  const auto leads = [&](const std::vector<Node>& list) {
    return std::ranges::any_of(list, [&](const Node& one) { return mentions_target(one); });
  };
  const bool first = leads(body);
  const bool second = leads(orelse);
  const Value test = evaluate(node.at("test"));
  const auto truth = test.truth();
  if (first != second) {
    if (truth != first) {
      assumed.push_back(fmt::format("line {}: the branch to the launch", node.begin.line));
      assume(node.at("test"), first);
    }
    return run(first ? body : orelse);
  }
  if (raises(body)) {
    assume(node.at("test"), false);
    return run(orelse);
  }
  if (raises(orelse)) {
    assume(node.at("test"), true);
    return run(body);
  }
  if (truth) return run(*truth ? body : orelse);
  if (first) return run(body);
  // Not known: whichever goes on. Names that both give a value to get the second's.
  const std::shared_ptr<Scope> scope = scope_;
  if (orelse.empty()) {
    const std::map<std::string, Value> before = scope->names;
    const bool returns =
        std::ranges::any_of(body, [](const Node& one) { return one.is("Return"); });
    if (returns) return Flow::next;
    run(body);
    for (const auto& [name, value] : before)
      if (!value.is_unknown()) scope->names[name] = value;
    return Flow::next;
  }
  return run(body);
}

Interpreter::Flow Interpreter::loop(const Node& node) {
  Values items;
  bool is_known = false;
  if (node.is("For")) {
    const Value sequence = evaluate(node.at("iter"));
    if (sequence.list() != nullptr && sequence.list()->shape_of == nullptr) {
      items = sequence.list()->items;
      is_known = !items.empty();
    }
  }
  constexpr std::size_t kMostTurns = 64;
  if (items.size() > kMostTurns) items.resize(kMostTurns);
  if (!is_known) items = {Value{}};
  for (const Value& item : items) {
    if (node.is("For")) assign(node.at("target"), item);
    const std::size_t before = launches.size();
    const Flow flow = run(node.list("body"));
    if (flow == Flow::returned) return flow;
    if (launches.size() > before && launches.size() > 8) break;
  }
  return Flow::next;
}

void Interpreter::assign_list(const Node& target, const Value& value) {
  const auto& targets = target.list("elts");
  const std::size_t starred = static_cast<std::size_t>(
      std::ranges::find_if(targets, [](const Node& one) { return one.is("Starred"); }) -
      targets.begin());
  const List* list = value.list();
  const TensorPointer shaped = list != nullptr ? list->shape_of : nullptr;
  if (shaped != nullptr && starred == targets.size()) {
    const int rank = static_cast<int>(targets.size());
    learn(Value{Unknown{shaped->key}}, [&](Fact& fact) {
      fact.rank = rank;
      fact.exact_rank = true;
      for (int i = 0; i < rank; ++i)
        if (targets[static_cast<std::size_t>(i)].is("Name") &&
            targets[static_cast<std::size_t>(i)].text != "_")
          fact.axis_names.try_emplace(i, targets[static_cast<std::size_t>(i)].text);
    });
    for (int i = 0; i < rank; ++i)
      assign(targets[static_cast<std::size_t>(i)], Value{axis(shaped, i)});
    return;
  }
  Values items = list != nullptr ? list->items : Values();
  if (const auto* unknown = value.as<Unknown>(); unknown != nullptr && !unknown->key.empty())
    for (std::size_t i = 0; i < targets.size(); ++i) items.emplace_back();
  const std::size_t extra =
      items.size() + 1 > targets.size() ? items.size() + 1 - targets.size() : 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i == starred) {
      Values rest;
      for (std::size_t j = 0; j < extra && at < items.size(); ++j) rest.push_back(items[at++]);
      assign(targets[i].at("value"), list_value(std::move(rest)));
      continue;
    }
    assign(targets[i], at < items.size() ? items[at] : Value{});
    ++at;
  }
}

void Interpreter::assign(const Node& target, const Value& value) {
  if (target.is("Tuple") || target.is("List")) return assign_list(target, value);
  if (target.is("Attribute")) {
    const Value owner = evaluate(target.at("value"));
    if (owner.object() != nullptr) owner.object()->attributes[target.text] = value;
    return;
  }
  if (target.is("Subscript")) {
    const Value owner = evaluate(target.at("value"));
    const Value key = evaluate(target.at("slice"));
    if (owner.dict() != nullptr && key.as<std::string>() != nullptr) {
      for (auto& [name, held] : *owner.dict())
        if (name == *key.as<std::string>()) {
          held = value;
          return;
        }
      if (owner.dict()->size() < 4096) owner.dict()->emplace_back(*key.as<std::string>(), value);
    }
    return;
  }
  if (!target.is("Name")) return;
  const std::string& name = target.text;
  Value kept = value;
  if (const auto* unknown = value.as<Unknown>(); unknown != nullptr && unknown->key.empty())
    kept = resolve(Value{Unknown{name}});
  if (const auto* number = value.as<Number>()) {
    const auto found = axis_sizes_.find(number->text);
    if (found != axis_sizes_.end())
      learn(Value{Unknown{found->second.first}},
            [&](Fact& fact) { fact.axis_names.try_emplace(found->second.second, name); });
  }
  if (const TensorPointer tensor = value.tensor(); tensor != nullptr && tensor->name.empty())
    tensor->name = name;
  scope_->names[name] = kept;
}

void Interpreter::assume(const Node& test, bool truth) {
  if (test.is("UnaryOp") && test.text == "Not") return assume(test.at("operand"), !truth);
  if (test.is("BoolOp")) {
    // All of `a and b` are true; of `a or b` only where nothing else is possible.
    if ((test.text == "And") == truth)
      for (const Node& one : test.list("values")) assume(one, truth);
    return;
  }
  if (test.is("Compare")) return assume_comparison(test, truth);
  if (test.is("Name") || test.is("Attribute")) {
    const Value value = evaluate(test);
    if (value.is_unknown()) learn(value, [&](Fact& fact) { fact.flag = truth; });
    if (const auto* flag = value.as<bool>(); flag != nullptr && test.is("Name") && *flag != truth) {
      learn(Value{Unknown{test.text}}, [&](Fact& fact) { fact.flag = truth; });
      scope_->names[test.text] = Value{truth};
    }
    return;
  }
  evaluate(test);
}

void Interpreter::assume_comparison(const Node& test, bool truth) {
  const Node& left = test.at("left");
  const auto& rights = test.list("comparators");
  if (rights.size() != 1) return;
  const Node& right = rights.front();
  const Value a = evaluate(left);
  const Value b = evaluate(right);
  std::string op = test.text;
  if (!truth)
    op = op == "Eq"      ? "NotEq"
         : op == "NotEq" ? "Eq"
         : op == "Is"    ? "IsNot"
         : op == "IsNot" ? "Is"
         : op == "In"    ? "NotIn"
         : op == "NotIn" ? "In"
                         : "";
  const bool by_name = left.is("Name");
  const auto key = [&] {
    return a.is_unknown() ? a : Value{Unknown{by_name ? left.text : std::string()}};
  };
  if (op == "IsNot" && b.is_none() && (a.is_unknown() || a.is_none())) {
    learn(key(), [](Fact& fact) { fact.is_tensor = true; });
    if (by_name) scope_->names[left.text] = resolve(key());
    return;
  }
  if (op == "Is" && b.is_none()) {
    learn(key(), [](Fact& fact) { fact.is_none = true; });
    if (by_name) scope_->names[left.text] = Value{Missing{}};
    return;
  }
  if (op == "In" && b.list() != nullptr && !b.list()->items.empty()) {
    if (compare("In", a, b) == true) return;
    const Value& chosen = b.list()->items[(b.list()->items.size() - 1) / 2];
    if (chosen.as<std::string>() != nullptr && (a.is_unknown() || by_name))
      learn(key(), [&](Fact& fact) { fact.text = *chosen.as<std::string>(); });
    if (a.number() && chosen.number() && !a.number()->text.empty())
      knowledge_.sizes.try_emplace(a.number()->text,
                                   Size{chosen.number()->whole, "by what it is compared with"}),
          ++knowledge_.changes;
    return;
  }
  if (op != "Eq") return;
  if (const auto* text = b.as<std::string>(); text != nullptr && compare("Eq", a, b) != true) {
    learn(key(), [&](Fact& fact) { fact.text = *text; });
    if (by_name) scope_->names[left.text] = b;
    return;
  }
  if (a.tensor() != nullptr || b.tensor() != nullptr || !a.number() || !b.number()) return;
  // Two sizes are one; a rank or a dtype is asked for by evaluating it (tensor_attribute).
  const Number x = *a.number();
  const Number y = *b.number();
  if (x.value() == y.value()) return;
  const auto is_size = [&](const Number& one) { return used_sizes_.count(one.text) != 0; };
  const auto set_rank = [&](const Number& rank, const Number& wanted) {
    if (rank.text.rfind("\x02", 0) != 0) return false;
    learn(Value{Unknown{rank.text.substr(1)}}, [&](Fact& fact) {
      fact.rank = static_cast<int>(std::clamp<std::int64_t>(wanted.whole, 0, 8));
      fact.exact_rank = true;
    });
    return true;
  };
  if (set_rank(x, y) || set_rank(y, x)) return;
  if (is_size(x) && is_size(y)) {
    knowledge_.same.try_emplace(y.text, x.text);
    ++knowledge_.changes;
  } else if (is_size(x) || is_size(y)) {
    const Number& known = is_size(x) ? y : x;
    if (knowledge_.sizes
            .try_emplace(is_size(x) ? x.text : y.text,
                         Size{known.whole, "by what it is compared with"})
            .second)
      ++knowledge_.changes;
  }
}

}  // namespace heddle::kernel::triton::host
