#include "order/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "order/lowering.h"
#include "support/lists.h"

namespace heddle::order {

namespace {

bool contains_return(const Statement& statement) {
  if (statement.kind == Statement::Kind::define) return false;
  if (statement.kind == Statement::Kind::give_back) return true;
  return std::ranges::any_of(statement.body, contains_return) ||
         std::ranges::any_of(statement.otherwise, contains_return);
}

/// After a list of C-like statements ends, its own declarations end too.
void end_scope(const std::vector<Statement>& list, const Environment& outer,
               Environment& environment) {
  for (const Statement& statement : list) {
    const bool declares =
        statement.kind == Statement::Kind::declare ||
        (statement.kind == Statement::Kind::assign && statement.targets[0].declared);
    if (!declares) continue;
    const std::string& name = statement.targets[0].name;
    const auto before = outer.find(name);
    if (before == outer.end())
      environment.erase(name);
    else
      environment[name] = before->second;
  }
}

/// The names of a tuple of different names that the text assigns; empty for other expressions.
std::vector<std::string> tuple_of_names(const Expression& expression,
                                        const Environment& environment) {
  std::vector<std::string> names;
  if (expression.kind != Expression::Kind::tuple) return names;
  for (const ExpressionPtr& part : expression.arguments) {
    const bool is_name = part->kind == Expression::Kind::name && environment.count(part->text) > 0;
    if (!is_name || is_one_of(part->text, names)) return {};
    names.push_back(part->text);
  }
  return names;
}

}  // namespace

Program lower(const Module& module, const LowerOptions& options) {
  return Lowering(module, options).run();
}

Program Lowering::run() {
  program_.language = module_.language;
  program_.notes = module_.notes;
  Environment environment;
  top_ = &environment;
  Context context;
  const Statement* entry = entry_function();
  has_entry_ = entry != nullptr;
  for (const Statement& statement : module_.statements) {
    if (statement.kind == Statement::Kind::define) functions_[statement.name] = {&statement, false};
  }
  const Rest all{&module_.statements, 0, nullptr, nullptr};
  const bool ends = lower_rest(all, environment, program_.steps, context);
  if (entry != nullptr) {
    run_entry(*entry, environment);
  } else if (ends) {
    throw Error("every path returns before a tile is assigned",
                "assign the tile index, as in 'pid = ...'");
  } else {
    find_results(environment);
  }
  return std::move(program_);
}

bool Lowering::lower_rest(const Rest& rest, Environment& environment, std::vector<Step>& steps,
                          Context& context) {
  for (const Rest* frame = &rest; frame != nullptr; frame = frame->next) {
    for (std::size_t i = frame->from; i < frame->list->size(); ++i) {
      const Statement& statement = (*frame->list)[i];
      if (statement.kind == Statement::Kind::branch && contains_return(statement)) {
        // The two sides go separate ways: each is followed by all that comes after.
        const Rest after{frame->list, i + 1, frame->next, frame->outer};
        return branch(statement, &after, environment, steps, context);
      }
      if (lower_statement(statement, environment, steps, context)) return true;
    }
    if (frame->outer != nullptr) end_scope(*frame->list, *frame->outer, environment);
  }
  return false;
}

bool Lowering::lower_statement(const Statement& statement, Environment& environment,
                               std::vector<Step>& steps, Context& context) {
  switch (statement.kind) {
    case Statement::Kind::nothing:
      return false;
    case Statement::Kind::define:
      functions_[statement.name] = {&statement, !inlining_.empty()};
      return false;
    case Statement::Kind::declare: {
      const Target& target = statement.targets[0];
      environment[target.name] = Bound{new_variable(target.name),
                                       target.declared.value_or(Type::i32),
                                       true,
                                       target.declared,
                                       false,
                                       ++versions_};
      return false;
    }
    case Statement::Kind::assign:
      assign(statement, environment, steps, context);
      return false;
    case Statement::Kind::evaluate: {
      // An expression on its own is the order when it is the last thing the text says.
      const std::vector<Value> values = lower_values(statement.value, environment, steps);
      if (context.function != nullptr) return false;
      const std::vector<std::string> names = tuple_of_names(*statement.value, environment);
      for (const std::string& name : names) history_.push_back({name, -1, true, false});
      for (std::size_t i = 0; names.empty() && i < values.size(); ++i) {
        const std::string name = values.size() == 1 ? "tile" : fmt::format("tile{}", i);
        store(Target{name, std::nullopt, statement.at}, values[i], environment, steps);
        history_.push_back({name, -1, true, false});
      }
      return false;
    }
    case Statement::Kind::branch:
      return branch(statement, nullptr, environment, steps, context);
    case Statement::Kind::loop:
      loop(statement, environment, steps, context);
      return false;
    case Statement::Kind::count_loop:
      count_loop(statement, environment, steps, context);
      return false;
    case Statement::Kind::give_back:
      give_back(statement, environment, steps, context);
      return true;
  }
  return false;
}

void Lowering::assign(const Statement& statement, Environment& environment,
                      std::vector<Step>& steps, Context& context) {
  std::vector<Value> values = lower_values(statement.value, environment, steps);
  if (values.size() != statement.targets.size()) {
    throw Error(fmt::format("{} values for {} names", values.size(), statement.targets.size()),
                "give as many values as names")
        .at({}, statement.at);
  }
  if (statement.augmented) {
    const Target& target = statement.targets[0];
    Expression name;
    name.kind = Expression::Kind::name;
    name.at = target.at;
    name.text = target.name;
    values[0] =
        binary(*statement.augmented, lower_name(name, environment), values[0], statement.at);
  }
  if (values.size() > 1) {  // a, b = b, a: all right-hand sides first
    for (Value& value : values) value = keep(value, "parallel", steps, statement.at);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = settle(statement.targets[i], values[i]);
    store(statement.targets[i], values[i], environment, steps);
    if (context.function != nullptr && inlining_.size() > 1) continue;
    const Node& node = program_.nodes[static_cast<std::size_t>(values[i].node)];
    int axis = node.kind == Node::Kind::launch ? static_cast<int>(node.value) : -1;
    if (node.kind == Node::Kind::cast) {
      const Node& inner = program_.nodes[static_cast<std::size_t>(node.a)];
      if (inner.kind == Node::Kind::launch) axis = static_cast<int>(inner.value);
    }
    if (axis >= 0) launch_variables_.insert(environment.at(statement.targets[i].name).variable);
    bool uses_launch = false;
    const bool line = numbers_blocks(values[i].node, uses_launch) && uses_launch && axis < 0;
    history_.push_back({statement.targets[i].name, axis, false, line});
  }
}

/// Triton: a name that is assigned holds a run-time value from then on, also where the value was a
/// constant (seen on Triton 3.6: after `x = -7`, `x // 2` is -3), unless annotated tl.constexpr.
/// What stands outside the function that is the order stays as Python has it.
Value Lowering::settle(const Target& target, Value value) {
  if (value.type != Type::constexpr_int || target.declared == Type::constexpr_int || is_python())
    return value;
  return convert_to(value, joint_type(value, Value{value.node, Type::i32, false}), target.at);
}

void Lowering::store(const Target& target, Value value, Environment& environment,
                     std::vector<Step>& steps) {
  auto found = environment.find(target.name);
  const bool annotated =
      target.declared == Type::constexpr_int;  // Triton's, which declares nothing
  const bool is_outer = found != environment.end() && found->second.outer;
  if (is_outer && !target.declared && module_.language == Language::c_like) {
    throw Error(fmt::format("a function assigns to '{}', which stands outside it", target.name),
                "return the value instead")
        .at({}, target.at);
  }
  if (found == environment.end() || (target.declared && !annotated) || is_outer) {
    const auto declared = annotated ? std::nullopt : target.declared;
    environment[target.name] =
        Bound{new_variable(target.name), value.type, false, declared, false, 0};
    found = environment.find(target.name);
  }
  Bound& bound = found->second;
  if (bound.declared) value = convert_to(value, *bound.declared, target.at);
  bound.type = value.type;
  bound.maybe_unset = false;
  bound.version = ++versions_;
  steps.push_back({.variable = bound.variable, .node = value.node, .at = target.at});
}

/// --let names (and parameters) that a branch or loop assigns get a slot that holds their value
/// first.
void Lowering::seed_bound_names(const Statement& statement, Environment& environment,
                                std::vector<Step>& steps) {
  for (const auto* list : {&statement.body, &statement.otherwise}) {
    for (const Statement& each : *list) {
      for (const Target& target : each.targets) {
        const bool is_new = environment.count(target.name) == 0 && !target.declared;
        if (!is_new || options_.bound.count(target.name) == 0 ||
            each.kind == Statement::Kind::define)
          continue;
        Expression name;
        name.kind = Expression::Kind::name;
        name.at = target.at;
        name.text = target.name;
        store(target, lower_name(name, environment), environment, steps);
      }
      if (each.kind != Statement::Kind::define) seed_bound_names(each, environment, steps);
    }
  }
}

bool Lowering::branch(const Statement& statement, const Rest* after, Environment& environment,
                      std::vector<Step>& steps, Context& context) {
  if (after != nullptr && ++returning_branches_ > kDepthLimit) {
    throw Error(fmt::format("more than {} branches with 'return'", kDepthLimit),
                "combine their conditions")
        .at({}, statement.at);
  }
  const Value condition = lower_expression(statement.value, environment, steps);
  seed_bound_names(statement, environment, steps);
  Step step;
  step.kind = Step::Kind::branch;
  step.at = statement.at;
  step.node = condition.node;
  const Environment outer = environment;
  const Environment* scope = module_.language == Language::c_like ? &outer : nullptr;
  Environment left = environment;
  Environment right = environment;
  const Rest then{&statement.body, 0, after, scope};
  const Rest otherwise{&statement.otherwise, 0, after, scope};
  context.run_time_branches += condition.fixed ? 0 : 1;
  const bool left_ends = lower_rest(then, left, step.body, context);
  const bool right_ends = lower_rest(otherwise, right, step.otherwise, context);
  context.run_time_branches -= condition.fixed ? 0 : 1;
  if (after != nullptr) --returning_branches_;
  if (left_ends)
    environment = right;
  else if (right_ends)
    environment = left;
  else
    environment = join({left, step.body}, {right, step.otherwise}, !condition.fixed, statement.at);
  steps.push_back(std::move(step));
  return left_ends && right_ends;
}

void Lowering::loop(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                    Context& context) {
  if (contains_return(statement)) {
    throw Error("'return' inside a loop is not read", "set a variable and return after the loop")
        .at({}, statement.at);
  }
  seed_bound_names(statement, environment, steps);
  const Environment before = environment;
  const std::size_t nodes_before = program_.nodes.size();
  const std::size_t history_before = history_.size();
  // The types at the loop's head depend on its body: repeat until they no longer change.
  while (true) {
    program_.nodes.resize(nodes_before);
    history_.resize(history_before);
    Environment inside = environment;
    Step step;
    step.kind = Step::Kind::loop;
    step.at = statement.at;
    std::vector<Step> condition_steps;
    step.node = lower_expression(statement.value, inside, condition_steps).node;
    if (!condition_steps.empty()) {
      throw Error("a helper with branches is called in a loop's condition",
                  "call it inside the loop")
          .at({}, statement.at);
    }
    const Rest body{&statement.body, 0, nullptr,
                    module_.language == Language::c_like ? &environment : nullptr};
    lower_rest(body, inside, step.body, context);
    bool stable = true;
    for (auto& [name, bound] : environment) {
      const Bound& after = inside.at(name);
      if (after.version == bound.version || after.variable != bound.variable) continue;
      const Type type = joined_type(bound.type, after.type, true);
      stable = stable && type == bound.type;
      bound.type = type;  // types only ever widen, so this ends
    }
    if (!stable) continue;
    for (auto& [name, bound] : environment) {
      const Bound& after = inside.at(name);
      if (after.type != bound.type)
        convert_slot(after, bound.variable, bound.type, step.body, statement.at);
      const Bound& first = before.at(name);
      if (first.type != bound.type)
        convert_slot(first, bound.variable, bound.type, steps, statement.at);
      bound.version = after.version;
    }
    for (const auto& [name, bound] : inside) {
      if (environment.try_emplace(name, bound).second) environment[name].maybe_unset = true;
    }
    steps.push_back(std::move(step));
    return;
  }
}

/// for i in range(a, b, step): body  becomes  c = a; while c < b: i = c; body; c += step
void Lowering::count_loop(const Statement& statement, Environment& environment,
                          std::vector<Step>& steps, Context& context) {
  const auto& bounds = statement.bounds;
  const ExpressionPtr first =
      bounds.size() > 1 ? bounds[0] : make_number(0, Type::constexpr_int, statement.at);
  const ExpressionPtr last = bounds.size() > 1 ? bounds[1] : bounds[0];
  std::int64_t stride = 1;
  if (bounds.size() == 3) {
    const Value given = lower_expression(bounds[2], environment, steps);
    if (!is_constant(given) || program_.nodes[static_cast<std::size_t>(given.node)].value == 0) {
      throw Error("the step of range(...) is not a constant other than 0", "write it as a number")
          .at({}, statement.at);
    }
    stride = program_.nodes[static_cast<std::size_t>(given.node)].value;
  }
  // Names with a blank cannot be written in an order, so these two are ours.
  const std::string depth = std::to_string(steps.size());
  const Target limit{fmt::format("limit of {} {}", statement.targets[0].name, depth), std::nullopt,
                     statement.at};
  const Target counter{fmt::format("counter of {} {}", statement.targets[0].name, depth),
                       std::nullopt, statement.at};
  store(limit, settle(limit, lower_expression(last, environment, steps)), environment, steps);
  store(counter, settle(counter, lower_expression(first, environment, steps)), environment, steps);
  const ExpressionPtr count = make_name(counter.name, statement.at);
  Statement copy;
  copy.kind = Statement::Kind::assign;
  copy.at = statement.at;
  copy.targets = statement.targets;
  copy.value = count;
  Statement step;
  step.kind = Statement::Kind::assign;
  step.at = statement.at;
  step.targets = {counter};
  step.augmented = Operation::add;
  step.value = make_number(stride, Type::constexpr_int, statement.at);
  Statement repeat;
  repeat.kind = Statement::Kind::loop;
  repeat.at = statement.at;
  repeat.value = make_binary(stride > 0 ? Operation::less : Operation::greater, count,
                             make_name(limit.name, statement.at), statement.at);
  repeat.body = statement.body;
  repeat.body.insert(repeat.body.begin(), std::move(copy));
  repeat.body.push_back(std::move(step));
  loop(repeat, environment, steps, context);
}

int Lowering::new_variable(const std::string& name) {
  program_.variables.push_back(name);
  if (program_.variables.size() > kNodeLimit) {
    throw Error("the order is too large once its helpers are inlined", "simplify it");
  }
  return static_cast<int>(program_.variables.size()) - 1;
}

}  // namespace heddle::order
