#include "order/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "order/lowering.h"

namespace heddle::order {

/// Where `return` goes: the variables of an inlined function, or "this block does nothing".
struct Lowering::Context {
  const Statement* function = nullptr;  ///< null at the top level
  std::vector<int> results;
  std::vector<Type> types;
  bool returned = false;
};

/// A list of statements from some index on, and what follows it.
struct Lowering::Rest {
  const std::vector<Statement>* list = nullptr;
  std::size_t from = 0;
  const Rest* next = nullptr;
  const Environment* outer = nullptr;  ///< C-like: bindings to restore when the list ends
};

namespace {

bool contains_return(const Statement& statement) {
  if (statement.kind == Statement::Kind::define) return false;
  if (statement.kind == Statement::Kind::give_back) return true;
  return std::any_of(statement.body.begin(), statement.body.end(), contains_return) ||
         std::any_of(statement.otherwise.begin(), statement.otherwise.end(), contains_return);
}

bool mentions_launch(const ExpressionPtr& expression) {
  if (!expression) return false;
  if (expression->kind == Expression::Kind::name || expression->kind == Expression::Kind::call) {
    static const std::set<std::string_view> kLaunch = {
        "p0", "p1", "p2", "tl.program_id", "program_id", "blockIdx.x", "blockIdx.y", "blockIdx.z",
        "hipBlockIdx_x", "hipBlockIdx_y", "hipBlockIdx_z", "get_group_id"};
    if (kLaunch.count(expression->text) > 0) return true;
  }
  return std::any_of(expression->arguments.begin(), expression->arguments.end(), mentions_launch);
}

bool mentions_launch_in(const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
    return mentions_launch(statement.value) ||
           std::any_of(statement.bounds.begin(), statement.bounds.end(), mentions_launch) ||
           mentions_launch_in(statement.body) || mentions_launch_in(statement.otherwise);
  });
}

/// After a list of C-like statements ends, its own declarations end too.
void end_scope(const std::vector<Statement>& list, const Environment& outer, Environment& environment) {
  for (const Statement& statement : list) {
    const bool declares = statement.kind == Statement::Kind::declare ||
                          (statement.kind == Statement::Kind::assign && statement.targets[0].declared);
    if (!declares) continue;
    const std::string& name = statement.targets[0].name;
    const auto before = outer.find(name);
    if (before == outer.end()) environment.erase(name);
    else environment[name] = before->second;
  }
}

}  // namespace

Program lower(const Module& module, const LowerOptions& options) { return Lowering(module, options).run(); }

Program Lowering::run() {
  program_.language = module_.language;
  program_.notes = module_.notes;
  Environment environment;
  top_ = &environment;
  Context context;
  const Statement* entry = entry_function();
  has_entry_ = entry != nullptr;
  const Rest all{&module_.statements, 0, nullptr, nullptr};
  const bool ends = lower_rest(all, environment, program_.steps, context);
  if (entry != nullptr) {
    run_entry(*entry, environment);
  } else if (ends) {
    throw Error("every path returns before a tile is assigned", "assign the tile index, as in 'pid = ...'");
  } else {
    find_results(environment);
  }
  return std::move(program_);
}

/// Rule 4: a text whose statements outside of functions mention no launch id.
const Statement* Lowering::entry_function() const {
  const Statement* last = nullptr;
  for (const Statement& statement : module_.statements) {
    if (statement.kind == Statement::Kind::define) {
      last = &statement;
    } else if (mentions_launch_in({statement})) {
      return nullptr;
    }
  }
  return last;
}

void Lowering::run_entry(const Statement& entry, Environment environment) {
  Context context;
  context.function = &entry;
  const bool reads_launch = mentions_launch_in(entry.body);
  int axis = 0;
  for (const Parameter& parameter : entry.parameters) {
    if (options_.bound.count(parameter.name) > 0) continue;
    Value value;
    if (parameter.standard) {
      value = lower_expression(parameter.standard, environment, program_.steps);
    } else if (!reads_launch && axis < options_.launch_axes) {
      value = leaf(Node::Kind::launch, axis, Type::i32, entry.at);
      program_.notes.push_back(fmt::format("parameter '{}' of {} taken as the launch index p{}", parameter.name,
                                           entry.name, axis));
      ++axis;
    } else {
      continue;
    }
    environment.erase(parameter.name);
    store(Target{parameter.name, std::nullopt, entry.at}, value, environment, program_.steps);
  }
  history_.clear();
  inlining_.push_back(entry.name);
  const Rest body{&entry.body, 0, nullptr, nullptr};
  const bool ends = lower_rest(body, environment, program_.steps, context);
  inlining_.pop_back();
  if (context.results.empty()) return find_results(environment);
  if (!ends) {
    throw Error(fmt::format("{} does not return a tile on every path", entry.name),
                "return the tile index at its end")
        .at({}, entry.at);
  }
  if (!options_.results.empty()) {
    throw Error(fmt::format("{} returns its tile; --result names nothing in it", entry.name), "drop --result");
  }
  program_.results = context.results;
  for (std::size_t i = 0; i < context.results.size(); ++i) {
    program_.result_names.push_back(context.results.size() == 1 ? "tile" : fmt::format("tile{}", i));
  }
  program_.notes.push_back(fmt::format("result: the return value of {}", entry.name));
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

bool Lowering::lower_statement(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                               Context& context) {
  switch (statement.kind) {
    case Statement::Kind::nothing:
    case Statement::Kind::define: return false;
    case Statement::Kind::declare:
      environment[statement.targets[0].name] =
          Bound{new_variable(statement.targets[0].name), statement.targets[0].declared.value_or(Type::i32), true,
                statement.targets[0].declared, false};
      return false;
    case Statement::Kind::assign: assign(statement, environment, steps, context); return false;
    case Statement::Kind::evaluate: {
      // An expression on its own is the order when it is the last thing the text says.
      const std::vector<Value> values = lower_values(statement.value, environment, steps);
      if (context.function != nullptr) return false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string name = values.size() == 1 ? "tile" : fmt::format("tile{}", i);
        store(Target{name, std::nullopt, statement.at}, values[i], environment, steps);
        history_.push_back({name, -1});
      }
      return false;
    }
    case Statement::Kind::branch: return branch(statement, nullptr, environment, steps, context);
    case Statement::Kind::loop: loop(statement, environment, steps, context); return false;
    case Statement::Kind::count_loop: count_loop(statement, environment, steps, context); return false;
    case Statement::Kind::give_back: give_back(statement, environment, steps, context); return true;
  }
  return false;
}

void Lowering::assign(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                      Context& context) {
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
    values[0] = binary(*statement.augmented, lower_name(name, environment), values[0], statement.at);
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
    history_.push_back({statement.targets[i].name, axis});
  }
}

/// Triton: a name that is assigned holds a run-time value from then on, also where the value was a
/// constant (seen on Triton 3.6: after `x = -7`, `x // 2` is -3), unless annotated tl.constexpr.
/// What stands outside of the function that is the order stays as Python has it.
Value Lowering::settle(const Target& target, Value value) {
  const bool is_python = has_entry_ && inlining_.empty();
  if (value.type != Type::constexpr_int || target.declared == Type::constexpr_int || is_python) return value;
  return convert_to(value, joint_type(value, Value{value.node, Type::i32}), target.at);
}

void Lowering::store(const Target& target, Value value, Environment& environment, std::vector<Step>& steps) {
  auto found = environment.find(target.name);
  const bool annotated = target.declared == Type::constexpr_int;  // Triton's, which declares nothing
  if (found == environment.end() || (target.declared && !annotated) || found->second.outer) {
    const auto declared = annotated ? std::nullopt : target.declared;
    environment[target.name] = Bound{new_variable(target.name), value.type, false, declared, false};
    found = environment.find(target.name);
  }
  Bound& bound = found->second;
  if (bound.declared) value = convert_to(value, *bound.declared, target.at);
  bound.type = value.type;
  bound.maybe_unset = false;
  Step step;
  step.kind = Step::Kind::assign;
  step.variable = bound.variable;
  step.node = value.node;
  step.at = target.at;
  steps.push_back(std::move(step));
}

bool Lowering::branch(const Statement& statement, const Rest* after, Environment& environment,
                      std::vector<Step>& steps, Context& context) {
  const Value condition = lower_expression(statement.value, environment, steps);
  Step step;
  step.kind = Step::Kind::branch;
  step.at = statement.at;
  step.node = condition.node;
  const bool at_run_time = condition.type != Type::constexpr_int && !is_constant(condition);
  const Environment outer = environment;
  const Environment* scope = module_.language == Language::c_like ? &outer : nullptr;
  Environment left = environment;
  Environment right = environment;
  const Rest then{&statement.body, 0, after, scope};
  const Rest otherwise{&statement.otherwise, 0, after, scope};
  const bool left_ends = lower_rest(then, left, step.body, context);
  const bool right_ends = lower_rest(otherwise, right, step.otherwise, context);
  steps.push_back(std::move(step));
  if (left_ends && right_ends) return true;
  if (left_ends) environment = right;
  else if (right_ends) environment = left;
  else environment = join(left, right, at_run_time);
  return after != nullptr && (left_ends && right_ends);
}

/// What is known after two paths meet: joint types; unset where one path left it unset.
Environment Lowering::join(const Environment& left, const Environment& right, bool at_run_time) {
  Environment result;
  for (const auto& [name, bound] : left) {
    const auto other = right.find(name);
    Bound merged = bound;
    if (other == right.end() || other->second.variable != bound.variable) {
      merged.maybe_unset = true;
    } else {
      const Bound& there = other->second;
      merged.maybe_unset = bound.maybe_unset || there.maybe_unset;
      if (bound.type != there.type) {
        const Type wider = std::max(bound.type, there.type);
        merged.type = wider == Type::constexpr_int ? Type::i32 : wider;
      }
      if (at_run_time && merged.type == Type::constexpr_int) merged.type = Type::i32;
    }
    result[name] = merged;
  }
  for (const auto& [name, bound] : right) {
    if (result.count(name) == 0) {
      result[name] = bound;
      result[name].maybe_unset = true;
    }
  }
  return result;
}

void Lowering::loop(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                    Context& context) {
  if (contains_return(statement)) {
    throw Error("'return' inside a loop is not read", "set a variable and return after the loop")
        .at({}, statement.at);
  }
  const std::size_t nodes_before = program_.nodes.size();
  const std::size_t history_before = history_.size();
  // The types at the loop's head depend on its body: repeat until they no longer change.
  for (int round = 0;; ++round) {
    program_.nodes.resize(nodes_before);
    history_.resize(history_before);
    Environment inside = environment;
    Step step;
    step.kind = Step::Kind::loop;
    step.at = statement.at;
    std::vector<Step> condition_steps;
    step.node = lower_expression(statement.value, inside, condition_steps).node;
    if (!condition_steps.empty()) {
      throw Error("a helper with branches is called in a loop's condition", "call it inside the loop")
          .at({}, statement.at);
    }
    const Rest body{&statement.body, 0, nullptr, module_.language == Language::c_like ? &environment : nullptr};
    lower_rest(body, inside, step.body, context);
    const Environment joined = join(environment, inside, true);
    bool stable = true;
    for (auto& [name, bound] : environment) {
      const Bound& after = joined.at(name);
      stable = stable && bound.type == after.type;
      bound.type = after.type;
    }
    if (!stable && round < 8) continue;
    for (const auto& [name, bound] : joined) {
      if (environment.count(name) == 0) environment[name] = bound;
    }
    steps.push_back(std::move(step));
    return;
  }
}

/// for i in range(a, b, step): body  becomes  i = a; while i < b: body; i += step
void Lowering::count_loop(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                          Context& context) {
  const auto number = [&](std::int64_t value) {
    Expression expression;
    expression.kind = Expression::Kind::number;
    expression.at = statement.at;
    expression.value = value;
    return make_expression(std::move(expression));
  };
  const auto& bounds = statement.bounds;
  const ExpressionPtr first = bounds.size() > 1 ? bounds[0] : number(0);
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
  const std::string limit_name = fmt::format("limit of {}", statement.targets[0].name);
  store(Target{limit_name, std::nullopt, statement.at}, lower_expression(last, environment, steps), environment, steps);
  store(statement.targets[0], settle(statement.targets[0], lower_expression(first, environment, steps)), environment,
        steps);
  const auto named = [&](const std::string& name) {
    Expression expression;
    expression.kind = Expression::Kind::name;
    expression.at = statement.at;
    expression.text = name;
    return make_expression(std::move(expression));
  };
  Expression condition;
  condition.kind = Expression::Kind::binary;
  condition.at = statement.at;
  condition.operation = stride > 0 ? Operation::less : Operation::greater;
  condition.arguments = {named(statement.targets[0].name), named(limit_name)};
  Statement repeat;
  repeat.kind = Statement::Kind::loop;
  repeat.at = statement.at;
  repeat.value = make_expression(std::move(condition));
  repeat.body = statement.body;
  Statement step;
  step.kind = Statement::Kind::assign;
  step.at = statement.at;
  step.targets = statement.targets;
  step.augmented = Operation::add;
  step.value = number(stride);
  repeat.body.push_back(std::move(step));
  loop(repeat, environment, steps, context);
}

void Lowering::give_back(const Statement& statement, Environment& environment, std::vector<Step>& steps,
                         Context& context) {
  if (!statement.value) {
    if (inlining_.size() > 1 || (context.function != nullptr && !context.results.empty())) {
      throw Error("a helper returns nothing", "return a value").at({}, statement.at);
    }
    Step stop;
    stop.kind = Step::Kind::stop;
    stop.at = statement.at;
    steps.push_back(std::move(stop));
    program_.stops = true;
    return;
  }
  if (context.function == nullptr) {
    throw Error("'return' with a value stands outside of a function", "assign the value to a name instead")
        .at({}, statement.at);
  }
  std::vector<Value> values = lower_values(statement.value, environment, steps);
  const auto& declared = context.function->targets;
  if (values.size() == 1 && !declared.empty() && declared[0].declared) {
    values[0] = convert_to(values[0], *declared[0].declared, statement.at);
  }
  if (!context.returned) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      context.results.push_back(new_variable(context.function->name));
      context.types.push_back(values[i].type);
    }
    context.returned = true;
  }
  if (context.results.size() != values.size()) {
    throw Error(fmt::format("{} returns {} values here and {} elsewhere", context.function->name, values.size(),
                            context.results.size()),
                "return the same number everywhere")
        .at({}, statement.at);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    Type& type = context.types[i];
    if (type != values[i].type) type = std::max({type, values[i].type, Type::i32});
    Step step;
    step.kind = Step::Kind::assign;
    step.variable = context.results[i];
    step.node = values[i].node;
    step.at = statement.at;
    steps.push_back(std::move(step));
  }
}

// ---- functions --------------------------------------------------------------------------

std::vector<Value> Lowering::inline_function(const Statement& function, const Expression& expression,
                                             Environment& environment, std::vector<Step>& steps) {
  if (std::find(inlining_.begin(), inlining_.end(), function.name) != inlining_.end()) {
    throw Error(fmt::format("{} calls itself", function.name), "an order cannot recurse: write a loop with a bound")
        .at({}, expression.at);
  }
  if (inlining_.size() >= 64) {
    throw Error("helpers call each other more than 32 levels deep", "inline some of them").at({}, expression.at);
  }
  std::map<std::string, ExpressionPtr> by_name;
  std::vector<ExpressionPtr> by_place;
  for (const ExpressionPtr& argument : expression.arguments) {
    if (argument->kind == Expression::Kind::tuple && !argument->text.empty()) by_name[argument->text] = argument->arguments[0];
    else by_place.push_back(argument);
  }
  if (by_place.size() > function.parameters.size()) {
    throw Error(fmt::format("{} takes {} arguments, not {}", function.name, function.parameters.size(), by_place.size()),
                "check the call")
        .at({}, expression.at);
  }
  Environment inside = top_ != nullptr ? *top_ : Environment{};  // helpers see what stands at the top
  for (const auto& [name, bound] : environment) inside.try_emplace(name, bound);
  for (auto& [name, bound] : inside) bound.outer = true;
  std::vector<std::pair<Target, Value>> parameters;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    ExpressionPtr given = i < by_place.size() ? by_place[i] : nullptr;
    if (by_name.count(parameter.name) > 0) given = by_name[parameter.name];
    if (!given) given = parameter.standard;
    if (!given) {
      throw Error(fmt::format("{} is called without '{}'", function.name, parameter.name), "give every argument")
          .at({}, expression.at);
    }
    parameters.emplace_back(Target{parameter.name, parameter.declared, expression.at},
                            lower_expression(given, environment, steps));
  }
  for (auto& [target, value] : parameters) {
    inside.erase(target.name);
    store(target, value, inside, steps);
  }
  Context context;
  context.function = &function;
  inlining_.push_back(function.name);
  inlining_.push_back({});  // deeper than an entry function: assignments here are nobody's results
  const Rest body{&function.body, 0, nullptr, nullptr};
  const bool ends = lower_rest(body, inside, steps, context);
  inlining_.pop_back();
  inlining_.pop_back();
  if (!ends || context.results.empty()) {
    throw Error(fmt::format("{} does not return a value on every path", function.name), "end it with 'return'")
        .at({}, expression.at);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < context.results.size(); ++i) {
    values.push_back(leaf(Node::Kind::variable, context.results[i], context.types[i], expression.at));
  }
  return values;
}

// ---- results ----------------------------------------------------------------------------

void Lowering::take_results(const std::vector<std::string>& names, const Environment& environment) {
  for (const std::string& name : names) {
    const auto found = environment.find(name);
    if (found == environment.end()) {
      std::vector<std::string> known;
      for (const Assigned& assigned : history_) {
        if (std::find(known.begin(), known.end(), assigned.name) == known.end()) known.push_back(assigned.name);
      }
      throw Error(fmt::format("the result '{}' is never assigned", name),
                  fmt::format("name one of: {}", fmt::join(known, " ")));
    }
    if (found->second.maybe_unset) {
      throw Error(fmt::format("the result '{}' is not assigned on every path", name), "assign it in every branch");
    }
    program_.results.push_back(found->second.variable);
    program_.result_names.push_back(name);
  }
}

/// Rule 3 of lower.h.
void Lowering::find_results(const Environment& environment) {
  if (!options_.results.empty()) return take_results(options_.results, environment);
  if (history_.empty()) {
    throw Error("the order assigns nothing", "write 'pid = ...', or give an expression over p0 and g0");
  }
  std::map<int, std::string> from_launch;   // axis -> the name that first took its program id
  std::set<std::string> reassigned;
  for (const Assigned& assigned : history_) {
    const bool known = std::any_of(from_launch.begin(), from_launch.end(),
                                   [&](const auto& entry) { return entry.second == assigned.name; });
    if (assigned.axis >= 0 && from_launch.count(assigned.axis) == 0 && !known) from_launch[assigned.axis] = assigned.name;
    else if (known) reassigned.insert(assigned.name);
  }
  const auto wanted = static_cast<std::size_t>(options_.tile_axes);
  const bool last_is_reassigned = reassigned.count(history_.back().name) > 0;
  std::vector<std::string> chosen;
  if (!reassigned.empty() && (from_launch.size() >= wanted || last_is_reassigned)) {
    for (const auto& [axis, name] : from_launch) chosen.push_back(name);
    if (chosen.size() > wanted) chosen.resize(wanted);
    program_.notes.push_back(fmt::format("result: {} (assigned from program ids and reassigned)", fmt::join(chosen, ", ")));
    return take_results(chosen, environment);
  }
  for (auto assigned = history_.rbegin(); assigned != history_.rend() && chosen.size() < wanted; ++assigned) {
    if (std::find(chosen.begin(), chosen.end(), assigned->name) != chosen.end()) continue;
    if (environment.count(assigned->name) > 0) chosen.insert(chosen.begin(), assigned->name);
  }
  if (chosen.size() < wanted && chosen.size() > 1) chosen = {chosen.back()};
  program_.notes.push_back(fmt::format("result: {} (the last assigned)", fmt::join(chosen, ", ")));
  take_results(chosen, environment);
}

int Lowering::new_variable(const std::string& name) {
  program_.variables.push_back(name);
  if (program_.variables.size() > kNodeLimit) {
    throw Error("the order is too large once its helpers are inlined", "simplify it");
  }
  return static_cast<int>(program_.variables.size()) - 1;
}

}  // namespace heddle::order
