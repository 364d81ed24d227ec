#include "kernel/triton/host/callers.h"

#include <algorithm>

#include "kernel/triton/host/mentions.h"
#include "support/text.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostCallers = 3;

/// What a decorator's argument holds, without the code around it.
class DecoratorValues {
 public:
  DecoratorValues(TritonSource& source, const Module& module, const Node& kernel, Effort& effort)
      : interpreter_(source, kernel, knowledge_, effort), module_(module) {}

  void read(const Node& decorator, Caller& caller) {
    if (!decorator.is("Call")) return;
    const std::string& name = decorator.at("func").text;
    if (name == "parametrize") return read_parametrize(decorator, caller);
    if (name != "perf_report") return;
    for (const Node& argument : decorator.list("args")) read_benchmarks(argument, caller, 0);
  }

 private:
  static const Value& middle(const Values& items) { return items[items.size() / 2]; }

  void set(Caller& caller, const std::string& name, const Value& value, const Node& node) {
    if (value.list() != nullptr || value.dict() != nullptr || value.object() != nullptr) return;
    caller.parameters.try_emplace(name, value);
    caller.lines.try_emplace(name, node.begin.line);
  }

  void read_parametrize(const Node& decorator, Caller& caller) {
    const auto& arguments = decorator.list("args");
    if (arguments.size() < 2) return;
    const Value names = interpreter_.evaluate_at(module_, arguments[0]);
    const Value values = interpreter_.evaluate_at(module_, arguments[1]);
    if (values.list() == nullptr || values.list()->items.empty()) return;
    std::vector<std::string> words;
    if (const auto* text = names.as<std::string>())
      for (const std::string_view part : split(*text, ',')) words.emplace_back(trim(part));
    if (names.list() != nullptr)
      for (const Value& item : names.list()->items)
        if (const auto* text = item.as<std::string>()) words.push_back(*text);
    const Value& chosen = middle(values.list()->items);
    if (words.size() == 1) return set(caller, words[0], chosen, decorator);
    if (chosen.list() == nullptr) return;
    for (std::size_t i = 0; i < words.size() && i < chosen.list()->items.size(); ++i)
      set(caller, words[i], chosen.list()->items[i], decorator);
  }

  /// Benchmark(...), a list of them, or a name of either.
  void read_benchmarks(const Node& node, Caller& caller, int depth) {
    if (depth > 3) return;
    const Node* found = &node;
    if (node.is("Name")) {
      const auto global = module_.constants.find(node.text);
      if (global == module_.constants.end()) return append_configs(node.text, caller, depth);
      found = global->second;
      append_configs(node.text, caller, depth);
    }
    for (const Node& one : found->list("elts")) read_benchmarks(one, caller, depth + 1);
    if (found->is("Call") && found->at("func").text == "Benchmark") read_benchmark(*found, caller);
  }

  /// configs.append(Benchmark(...)), wherever the file does so.
  void append_configs(const std::string& list, Caller& caller, int depth) {
    append_in(module_.root.list("body"), list, caller, depth);
  }

  void append_in(const std::vector<Node>& statements, const std::string& list, Caller& caller,
                 int depth) {
    for (const Node& node : statements) {
      if (node.is("FunctionDef") || node.is("ClassDef")) continue;
      if (node.is("Expr") && node.at("value").is("Call")) {
        const Node& call = node.at("value");
        const Node& function = call.at("func");
        const bool appends = function.is("Attribute") && function.text == "append" &&
                             function.at("value").is("Name") && function.at("value").text == list;
        if (appends)
          for (const Node& one : call.list("args")) read_benchmarks(one, caller, depth + 1);
      }
      for (const char* body : {"body", "orelse"}) append_in(node.list(body), list, caller, depth);
    }
  }

  void read_benchmark(const Node& call, Caller& caller) {
    std::map<std::string, Value> given;
    for (const Node& keyword : call.list("keywords"))
      given[keyword.text] = interpreter_.evaluate_at(module_, keyword.at("value"));
    const List* names = given["x_names"].list();
    const List* values = given["x_vals"].list();
    if (names != nullptr && values != nullptr && !values->items.empty()) {
      const Value& chosen = middle(values->items);
      for (std::size_t i = 0; i < names->items.size(); ++i) {
        const auto* name = names->items[i].as<std::string>();
        if (name == nullptr) continue;
        const bool is_row = chosen.list() != nullptr && i < chosen.list()->items.size();
        set(caller, *name, is_row ? chosen.list()->items[i] : chosen, call);
      }
    }
    if (const auto* line = given["line_arg"].as<std::string>();
        line != nullptr && given["line_vals"].list() != nullptr)
      for (const Value& item : given["line_vals"].list()->items)
        if (const auto* text = item.as<std::string>();
            text == nullptr || lower_case(*text).find("triton") != std::string::npos)
          set(caller, *line, item, call);
    if (const Dict* rest = given["args"].dict())
      for (const auto& [name, value] : *rest)
        if (!value.is_unknown()) set(caller, name, value, call);
  }

  Knowledge knowledge_;
  Interpreter interpreter_;
  const Module& module_;
};

/// def main(): whoever calls it gives it nothing, so it says all sizes itself.
bool takes_nothing_at_all(const Node& function) {
  const Node& arguments = function.at("args");
  return arguments.list("args").empty() && arguments.list("posonlyargs").empty() &&
         arguments.list("kwonlyargs").empty() && !arguments.has("vararg") &&
         !arguments.has("kwarg");
}

/// A script that makes tensors and leads to a launch.
bool is_script(const Node& file, const std::set<std::string>& names,
               const std::set<std::string>& makers) {
  const auto outside = [&](const std::set<std::string>& words) {
    return std::ranges::any_of(file.list("body"), [&](const Node& one) {
      const bool assigns_name = one.is("Assign") && !one.at("value").is("Call");
      return !opens_scope(one) && !assigns_name && mentions(one, words);
    });
  };
  return outside(names) && outside(makers);
}

int rank_of(const Node& function) {
  if (function.is("Module")) return 3;
  const std::string low = lower_case(function.text);
  if (low.find("bench") != std::string::npos) return 0;
  for (const Node& decorator : function.list("decorator_list"))
    if (decorator.is("Call") && decorator.at("func").text == "perf_report") return 0;
  return low.find("test") != std::string::npos ? 1 : 2;
}

}  // namespace

std::vector<Caller> find_callers(TritonSource& source, const Module& module, const Node& kernel,
                                 Effort& effort) {
  const std::set<std::string> names = names_that_lead_to(module, kernel);
  static const std::set<std::string> kMakers = {"randn", "rand",  "randint",
                                                "empty", "zeros", "ones"};
  std::vector<Caller> callers;
  for (const Node& node : module.root.list("body")) {
    if (!node.is("FunctionDef") || module.jit.count(node.text) != 0) continue;
    if (names.count(node.text) == 0 || !mentions(node, kMakers)) continue;
    if (rank_of(node) == 2 && !takes_nothing_at_all(node)) continue;
    callers.push_back({{&module, &node, nullptr}, {}, {}});
  }
  if (is_script(module.root, names, kMakers))
    callers.push_back({{&module, &module.root, nullptr}, {}, {}});
  std::ranges::stable_sort(callers, {},
                           [](const Caller& one) { return rank_of(*one.function.function); });
  if (callers.size() > kMostCallers) callers.resize(kMostCallers);
  for (Caller& caller : callers) {
    DecoratorValues values(source, module, kernel, effort);
    for (const Node& decorator : caller.function.function->list("decorator_list"))
      values.read(decorator, caller);
  }
  return callers;
}

}  // namespace heddle::kernel::triton::host
