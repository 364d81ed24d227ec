// Functions of an order: the one that is the order itself, and helpers, which are inlined.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "order/lowering.h"

namespace heddle::order {
namespace {

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

}  // namespace

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

}  // namespace heddle::order
