// Functions of an order: the one that is the order itself, and helpers, which are inlined.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "order/lowering.h"

#include "support/lists.h"

namespace heddle::order {
namespace {

bool mentions_launch(const ExpressionPtr& expression) {
  if (!expression) return false;
  if (expression->kind == Expression::Kind::name || expression->kind == Expression::Kind::call) {
    static const std::set<std::string_view> kLaunch = {"p0",
                                                       "p1",
                                                       "p2",
                                                       "tl.program_id",
                                                       "program_id",
                                                       "blockIdx.x",
                                                       "blockIdx.y",
                                                       "blockIdx.z",
                                                       "hipBlockIdx_x",
                                                       "hipBlockIdx_y",
                                                       "hipBlockIdx_z",
                                                       "get_group_id"};
    if (kLaunch.count(expression->text) > 0) return true;
  }
  return std::ranges::any_of(expression->arguments, mentions_launch);
}

bool mentions_launch_in(const std::vector<Statement>& statements) {
  return std::ranges::any_of(statements, [](const Statement& statement) {
    return mentions_launch(statement.value) ||
           std::ranges::any_of(statement.bounds, mentions_launch) ||
           mentions_launch_in(statement.body) || mentions_launch_in(statement.otherwise);
  });
}

/// What the values of `return` are called: by the names that stand there, or by their places.
std::vector<std::string> returned_names(const Expression& value, std::size_t count) {
  if (count == 1) return {"tile"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_tuple = value.kind == Expression::Kind::tuple;
    const Expression& given = is_tuple ? *value.arguments[i] : value;
    const bool is_name = given.kind == Expression::Kind::name;
    names.push_back(is_name ? given.text : fmt::format("tile{}", i));
  }
  return names;
}

}  // namespace

/// Rule 4: a text whose statements outside functions mention no launch id.
const Statement* Lowering::entry_function() const {
  const Statement* last = nullptr;
  for (const Statement& statement : module_.statements) {
    if (statement.kind == Statement::Kind::define) {
      last = &statement;
      continue;
    }
    if (mentions_launch_in({statement})) return nullptr;
    for (const Target& target : statement.targets) {
      const auto& named = options_.results;
      if (is_one_of(target.name, named)) return nullptr;
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
      program_.notes.push_back(fmt::format("parameter '{}' of {} taken as the launch index p{}",
                                           parameter.name, entry.name, axis));
      ++axis;
    } else {
      continue;
    }
    environment.erase(parameter.name);
    store(Target{parameter.name, parameter.declared, entry.at}, value, environment, program_.steps);
  }
  history_.clear();
  inlining_.push_back(entry.name);
  in_entry_ = true;
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
    throw Error(fmt::format("{} returns its tile; --result names nothing in it", entry.name),
                "drop --result");
  }
  program_.results = context.results;
  program_.result_names = context.names;
  program_.results_given = true;
  program_.notes.push_back(fmt::format("result: the return value of {}", entry.name));
}

void Lowering::give_back(const Statement& statement, Environment& environment,
                         std::vector<Step>& steps, Context& context) {
  if (!statement.value) {
    if (inlining_.size() > 1 || (context.function != nullptr && !context.results.empty())) {
      throw Error("a helper returns nothing", "return a value").at({}, statement.at);
    }
    steps.push_back({.kind = Step::Kind::stop, .at = statement.at});
    program_.stops = true;
    return;
  }
  if (context.function == nullptr) {
    throw Error("'return' with a value stands outside a function",
                "assign the value to a name instead")
        .at({}, statement.at);
  }
  std::vector<Value> values = lower_values(statement.value, environment, steps);
  const auto& declared = context.function->targets;
  if (values.size() == 1 && !declared.empty() && declared[0].declared) {
    values[0] = convert_to(values[0], *declared[0].declared, statement.at);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].type == Type::constexpr_int && !is_python() && !context.function->at_compile_time)
      values[i] = settle(Target{{}, std::nullopt, statement.at}, values[i]);
    if (context.types_known) values[i] = convert_to(values[i], context.types[i], statement.at);
  }
  const std::vector<std::string> names = returned_names(*statement.value, values.size());
  if (!context.returned) {
    context.names = names;
    for (std::size_t i = 0; i < values.size(); ++i) {
      context.results.push_back(new_variable(context.function->name));
      if (!context.types_known) context.types.push_back(values[i].type);
    }
    context.returned = true;
  }
  if (context.results.size() != values.size()) {
    throw Error(fmt::format("{} returns {} values here and {} elsewhere", context.function->name,
                            values.size(), context.results.size()),
                "return the same number everywhere")
        .at({}, statement.at);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (context.names[i] != names[i]) context.names[i] = fmt::format("tile{}", i);
    Type& type = context.types[i];
    context.types_differ = context.types_differ || type != values[i].type;
    type = joined_type(type, values[i].type, false);
    steps.push_back({.variable = context.results[i], .node = values[i].node, .at = statement.at});
  }
}

/// Evaluates the arguments of a call and puts them into fresh slots of the function's own scope.
void Lowering::store_parameters(const Statement& function, const Expression& expression,
                                Path caller, Environment& inside) {
  std::map<std::string, ExpressionPtr> by_name;
  std::vector<ExpressionPtr> by_place;
  for (const ExpressionPtr& argument : expression.arguments) {
    const bool is_named = argument->kind == Expression::Kind::tuple && !argument->text.empty();
    if (is_named)
      by_name[argument->text] = argument->arguments[0];
    else
      by_place.push_back(argument);
  }
  const auto fail = [&](const std::string& what) {
    return Error(fmt::format("{} {}", function.name, what),
                 "check the call: give every argument once")
        .at({}, expression.at);
  };
  if (by_place.size() > function.parameters.size()) {
    throw fail(
        fmt::format("takes {} arguments, not {}", function.parameters.size(), by_place.size()));
  }
  std::vector<std::pair<Target, Value>> parameters;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& parameter = function.parameters[i];
    ExpressionPtr given = i < by_place.size() ? by_place[i] : nullptr;
    const auto named = by_name.find(parameter.name);
    if (named != by_name.end()) {
      if (given) throw fail(fmt::format("is given '{}' twice", parameter.name));
      given = named->second;
      by_name.erase(named);
    }
    if (!given) given = parameter.standard;
    if (!given) throw fail(fmt::format("is called without '{}'", parameter.name));
    parameters.emplace_back(Target{parameter.name, parameter.declared, expression.at},
                            lower_expression(given, caller.environment, caller.steps));
  }
  if (!by_name.empty()) throw fail(fmt::format("has no parameter '{}'", by_name.begin()->first));
  for (auto& [target, value] : parameters) {
    inside.erase(target.name);
    store(target, value, inside, caller.steps);
  }
}

std::vector<Value> Lowering::inline_function(const Statement& function,
                                             const Expression& expression, Environment& environment,
                                             std::vector<Step>& steps) {
  if (is_one_of(function.name, inlining_)) {
    throw Error(fmt::format("{} calls itself", function.name),
                "an order cannot recurse: write a loop with a bound")
        .at({}, expression.at);
  }
  if (inlining_.size() >= 64) {
    throw Error("helpers call each other too many levels deep", "inline some of them")
        .at({}, expression.at);
  }
  // A function sees the scope it is defined in, not its caller's.
  const std::size_t own_scope = has_entry_ ? 1 : 0;
  const Environment* const saved_scope = caller_scope_;
  if (inlining_.size() <= own_scope) caller_scope_ = &environment;
  const bool at_top = has_entry_ && !functions_.at(function.name).nested;
  Environment inside = at_top ? *top_ : *caller_scope_;
  for (auto& [name, bound] : inside) bound.outer = true;
  store_parameters(function, expression, {environment, steps}, inside);
  inlining_.push_back(function.name);
  inlining_.push_back({});  // deeper than an entry function: assignments here are nobody's results
  const std::size_t nodes_before = program_.nodes.size();
  const std::size_t steps_before = steps.size();
  Context context;
  context.function = &function;
  const Rest body{&function.body, 0, nullptr, nullptr};
  Environment first_pass = inside;
  bool ends = lower_rest(body, first_pass, steps, context);
  if (context.types_differ) {  // once more, now that the type of the result is known
    program_.nodes.resize(nodes_before);
    steps.resize(steps_before);
    context.results.clear();
    context.returned = false;
    context.types_known = true;
    ends = lower_rest(body, inside, steps, context);
  }
  inlining_.resize(inlining_.size() - 2);
  caller_scope_ = saved_scope;
  if (!ends || context.results.empty()) {
    throw Error(fmt::format("{} does not return a value on every path", function.name),
                "end it with 'return'")
        .at({}, expression.at);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < context.results.size(); ++i) {
    values.push_back(
        leaf(Node::Kind::variable, context.results[i], context.types[i], expression.at));
  }
  return values;
}

}  // namespace heddle::order
