#include "kernel/triton/host/interpreter.h"

#include <algorithm>

#include "kernel/triton/host/mentions.h"

namespace heddle::kernel::triton::host {
namespace {

/// What forward returns, among what it keeps for backward.
constexpr const char* kResult = "\x01result";

/// A function's parameters in order, each with its default; null: it has none.
struct Parameters {
  std::vector<std::pair<const Node*, const Node*>> all;
  std::size_t by_place = 0;  ///< the first so many can be given by place

  explicit Parameters(const Node& arguments) {
    for (const char* field : {"posonlyargs", "args"})
      for (const Node& one : arguments.list(field)) all.emplace_back(&one, nullptr);
    const auto& last = arguments.list("defaults");
    for (std::size_t i = 0; i < last.size() && i < all.size(); ++i)
      all[all.size() - std::min(last.size(), all.size()) + i].second = &last[i];
    by_place = all.size();
    const auto& given = arguments.list("kw_defaults");
    for (std::size_t i = 0; i < arguments.list("kwonlyargs").size(); ++i)
      all.emplace_back(&arguments.list("kwonlyargs")[i],
                       i < given.size() && !given[i].is("Absent") ? &given[i] : nullptr);
  }
};

}  // namespace

Interpreter::Interpreter(TritonSource& source, const Node& kernel, Knowledge& knowledge,
                         Effort& effort)
    : source_(source), kernel_(kernel), knowledge_(knowledge), effort_(effort) {}

void Interpreter::spend(std::size_t work) {
  constexpr std::size_t kMost = kWorkLimit;
  work_ += static_cast<int>(std::min(work, kMost));
  effort_.spent += static_cast<int>(std::min(work, kMost));
}

void Interpreter::follow(const Module& module, const Node& function, const Node* owner) {
  const auto outer = heap_.scope();
  outer->module = &module;
  outer->owner = owner;
  if (function.is("Module")) {
    scope_ = outer;
    run(function.list("body"));
    scope_ = nullptr;
    return;
  }
  const auto context = heap_.object();
  context->module = &module;
  context->definition = owner;
  context->key = "self";
  const bool is_backward = owner != nullptr && function.text == "backward";
  if (is_backward) follow_forward(module, *owner, *context);
  Values positional;
  const auto& parameters = function.at("args").list("args");
  if (owner != nullptr && !parameters.empty()) {
    const std::string& first = parameters.front().text;
    if (first == "self" || first == "ctx" || first == "cls") {
      context->key = first;
      positional.push_back(Value{context});
    }
  }
  if (is_backward) add_gradients(*context, parameters, positional);
  scope_ = outer;
  run_function(Function{&module, &function, outer, nullptr}, std::move(positional), {});
  scope_ = nullptr;
}

/// Gradients have the shapes of what forward returns.
void Interpreter::add_gradients(const Object& context, const std::vector<Node>& parameters,
                                Values& positional) const {
  const auto returned = context.attributes.find(kResult);
  if (returned == context.attributes.end()) return;
  Values results = {returned->second};
  if (returned->second.list() != nullptr) results = Values(returned->second.list()->items);
  for (const Value& one : results) {
    if (positional.size() >= parameters.size()) break;
    positional.push_back(
        one.tensor() != nullptr ? one : Value{Unknown{parameters[positional.size()].text}});
  }
}

/// What forward keeps for backward.
void Interpreter::follow_forward(const Module& module, const Node& owner, Object& context) {
  const Node* forward = find_method(module, owner, "forward");
  if (forward == nullptr) return;
  const auto outer = heap_.scope();
  outer->module = &module;
  outer->owner = &owner;
  scope_ = outer;
  const auto kept = heap_.object();
  kept->module = &module;
  kept->key = "ctx";
  const Value result = run_function(Function{&module, forward, outer, nullptr}, {Value{kept}}, {});
  context.attributes = kept->attributes;
  context.attributes[kResult] = result;
  launches.clear();
}

/// What its uses show of a parameter counts more than its default.
Value Interpreter::bound_default(const Function& function, const std::string& name,
                                 const Node* value) {
  const Fact* fact = knowledge_.find(name);
  const bool overruled = fact != nullptr && (fact->is_tensor || fact->text || fact->flag);
  if (value != nullptr && !overruled) {
    const Value known = evaluate_in(*function.module, *value);
    const bool is_choice = known.is_none() || known.as<bool>() != nullptr;
    if (!known.is_unknown() && !(opens_flags && is_choice)) return resolve(known);
  }
  return resolve(Value{Unknown{name}});
}

void Interpreter::bind(Scope& scope, const Function& function, const Values& positional,
                       const Dict& keywords) {
  const Node& arguments = function.definition->at("args");
  const Parameters parameters(arguments);
  for (std::size_t i = 0; i < parameters.all.size(); ++i) {
    const std::string& name = parameters.all[i].first->text;
    const auto keyword =
        std::ranges::find_if(keywords, [&](const auto& one) { return one.first == name; });
    if (i < positional.size() && i < parameters.by_place)
      scope.names[name] = positional[i];
    else if (keyword != keywords.end())
      scope.names[name] = keyword->second;
    else
      scope.names[name] = bound_default(function, name, parameters.all[i].second);
  }
  spend(parameters.all.size() * (1 + keywords.size() / 16));
  if (arguments.has("vararg")) {
    Values rest;
    for (std::size_t i = parameters.by_place; i < positional.size(); ++i)
      rest.push_back(positional[i]);
    scope.names[arguments.at("vararg").text] = heap_.list(std::move(rest));
  }
  if (arguments.has("kwarg")) {
    Dict rest;
    for (const auto& [name, value] : keywords)
      if (scope.names.count(name) == 0) rest.emplace_back(name, value);
    scope.names[arguments.at("kwarg").text] = heap_.dict(std::move(rest));
  }
}

Value Interpreter::run_function(const Function& function, Values positional, Dict keywords) {
  if (depth_ > kDepthLimit / 4 || is_spent()) return Value{};
  const int depth = depth_++;
  const std::shared_ptr<Scope> outside = scope_;
  const auto scope = heap_.scope();
  scope->module = function.module;
  scope->outer = function.scope;
  scope->owner = function.scope != nullptr ? function.scope->owner : nullptr;
  if (function.self != nullptr) positional.insert(positional.begin(), *function.self);
  if (scope_ == nullptr) scope_ = scope;
  bind(*scope, function, positional, keywords);
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

const Interpreter::Definitions& Interpreter::definitions(const Module& module) {
  const auto [at, added] = definitions_.try_emplace(&module);
  Definitions& made = at->second;
  if (!added) return made;
  made.targets = names_that_lead_to(module, kernel_);
  std::vector<const std::vector<Node>*> open = {&module.root.list("body")};
  while (!open.empty()) {
    const std::vector<Node>& statements = *open.back();
    open.pop_back();
    for (const Node& node : statements) {
      if (node.is("ClassDef")) made.classes[node.text] = &node;
      if (node.is("If") || node.is("Try") || node.is("With"))
        for (const char* body : {"body", "orelse"}) open.push_back(&node.list(body));
      if (!node.is("Assign") || node.list("targets").size() != 1) continue;
      for (const Node& one : node.at("targets").list("elts"))
        if (one.is("Name")) made.unpacked.try_emplace(one.text, &node);
    }
  }
  return made;
}

bool Interpreter::mentions_target(const Node& node) {
  const auto found = mentions_.find(&node);
  if (found != mentions_.end()) return found->second;
  return mentions_[&node] = mentions(node, definitions(*scope_->module).targets);
}

}  // namespace heddle::kernel::triton::host
