// @triton.autotune and @triton.heuristics, without running them.
#include <fmt/format.h>

#include <algorithm>

#include "kernel/triton/compile.h"
#include "kernel/triton/lowering.h"

namespace heddle::kernel::triton {
namespace {

/// The calls of decorators with that last name, the outermost first.
std::vector<const Node*> decorators(const Module& module, const Node& function,
                                    std::string_view name) {
  std::vector<const Node*> result;
  for (const Node& node : function.list("decorator_list")) {
    if (!node.is("Call")) continue;
    const std::string path = dotted_path(module, node.at("func"));
    const std::string last = path.substr(path.rfind('.') + 1);
    // Projects wrap the autotuner: @cached_autotune(configs=...).
    if (last == name || (name == "autotune" && last.ends_with("_autotune")))
      result.push_back(&node);
  }
  return result;
}

/// What a name of the file stood for last in front of a line, where it was given a value anew behind.
void find_value(const std::vector<Node>& statements, const std::string& name, int line,
                const Node*& found) {
  for (const Node& node : statements) {
    if (node.is("FunctionDef") || node.is("ClassDef") || node.begin.line >= line) continue;
    std::set<std::string> asked;  // "PYTEST_VERSION" in os.environ: what a test sets
    if (node.is("If")) collect_names(node.at("test"), asked);
    if (asked.count("os") != 0) continue;
    if (node.is("Assign"))
      for (const Node& target : node.list("targets"))
        if (target.is("Name") && target.text == name) found = &node.at("value");
    for (const char* body : {"body", "orelse"}) find_value(node.list(body), name, line, found);
  }
}

/// The list of a decorator, evaluated where it stands: configs = [...] may be a name of other things
/// further down.
Term evaluate_list(Lowering& lowering, const Module& module, const Node& list) {
  constexpr std::size_t kMostNames = 64;
  std::set<std::string> names;
  collect_names(list, names);
  if (names.size() > kMostNames) return lowering.evaluate_constant(module, list);
  for (const std::string& name : names) {
    const auto last = module.constants.find(name);
    if (last == module.constants.end() || last->second->begin.line < list.begin.line) continue;
    const Node* before = nullptr;
    find_value(module.root.list("body"), name, list.begin.line, before);
    if (before != nullptr)
      lowering.set_global(module, name, lowering.evaluate_constant(module, *before));
  }
  return lowering.evaluate_constant(module, list);
}

/// The first of them; null if the function has none.
const Node* decorator(const Module& module, const Node& function, std::string_view name) {
  const std::vector<const Node*> all = decorators(module, function, name);
  return all.empty() ? nullptr : all.front();
}

const Node* argument(const Node& call, std::string_view keyword) {
  for (const Node& node : call.list("keywords"))
    if (node.text == keyword) return &node.at("value");
  return call.list("args").empty() ? nullptr : &call.list("args").front();
}

config::Value config_value(const Term& term) {
  if (const auto* flag = term.as<bool>()) return {*flag};
  if (const auto* integer = term.as<Integer>()) {
    if (!fits(*integer, DType::int64))
      throw Error(fmt::format("{} is too large", integer_text(*integer)), "use a 64-bit integer");
    return {static_cast<std::int64_t>(*integer)};
  }
  if (const auto* real = term.as<double>()) return {*real};
  if (const auto* text = term.text()) return {*text};
  if (const auto* type = term.as<TypeTerm>()) return {"tl." + type->type.text()};
  if (const auto* tuple = term.tuple()) {
    config::ValueList list;
    for (const Term& item : tuple->items) list.push_back(config_value(item));
    return {list};
  }
  if (term.is_none()) return {std::monostate{}};
  throw Error(fmt::format("{} cannot be passed to a kernel", describe(term)),
              "use a number or a text");
}

Term term_of(const config::Value& value, const config::Arguments& arguments) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return Term{*flag};
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return integer_term(*integer);
  if (const auto* real = std::get_if<double>(&value.data)) return Term{*real};
  if (const auto* text = std::get_if<std::string>(&value.data)) {
    if (text->rfind("tl.", 0) == 0)
      if (const auto type = config::dtype_from_text(text->substr(3)))
        return Term{TypeTerm{Type{*type, false, {}}}};
    return text_term(*text);
  }
  if (const auto* list = std::get_if<config::ValueList>(&value.data)) {
    std::vector<Term> items;
    for (const config::Value& item : *list) items.push_back(term_of(item, arguments));
    return tuple_term(std::move(items));
  }
  if (const auto* tensor = std::get_if<config::TensorReference>(&value.data)) {
    // What heuristics ask of a tensor: its shape, strides and dtype.
    const config::Tensor& described = arguments.tensors.at(tensor->index);
    const auto list = [](const std::vector<std::int64_t>& numbers) {
      std::vector<Term> items;
      for (const std::int64_t number : numbers) items.push_back(integer_term(number));
      return tuple_term(std::move(items));
    };
    return tuple_term({list(described.shape), list(described.strides),
                       Term{TypeTerm{Type{described.dtype, false, {}}}}},
                      {"shape", "strides", "dtype"});
  }
  return Term{None{}};
}

bool agrees(const DictTerm& entry, const std::vector<config::NamedValue>& wanted) {
  for (const config::NamedValue& value : wanted) {
    bool found = false;
    for (const auto& [name, term] : entry.items)
      found = found ||
              (name == value.name && python_compare("Eq", term, term_of(value.value, {})) == true);
    if (!found) return false;
  }
  return true;
}

std::vector<config::NamedValue> named_values(const DictTerm& entry) {
  std::vector<config::NamedValue> result;
  for (const auto& [name, term] : entry.items)
    if (!term.is_none()) result.push_back({name, config_value(term)});
  return result;
}

/// The functions of one @triton.heuristics, by the names they give a value to.
NamedTerms heuristic_rules(TritonSource& source, const Node& call) {
  const Module& module = source.main();
  const Node* values = argument(call, "values");
  if (values == nullptr) return {};
  std::string reason;
  try {
    Lowering lowering(source, nullptr);
    const Term rules = lowering.evaluate_constant(module, *values);
    if (rules.dict() != nullptr) return rules.dict()->items;
    reason = "they are not a dict";
  } catch (const Error& error) {
    reason = error.message();
  }
  throw Error(fmt::format("the rules of @triton.heuristics are not known here: {}", reason),
              "write them as a dict, or give their values under [constexprs] in the job")
      .at(module.path, call.begin);
}

/// Whether the job says a value for each of the kernel's parameters.
bool has_all(const config::Arguments& arguments, const Node& definition) {
  const std::vector<SignatureEntry> entries = signature(definition);
  return std::ranges::all_of(
      entries, [&](const SignatureEntry& entry) { return arguments.find(entry.name) != nullptr; });
}

/// The configs of @triton.autotune; none where they cannot be known here.
std::vector<Term> known_configs(TritonSource& source, const Node& function) {
  const Node* tuning = decorator(source.main(), function, "autotune");
  const Node* list = tuning == nullptr ? nullptr : argument(*tuning, "configs");
  if (list == nullptr) return {};
  try {
    Lowering lowering(source, nullptr);
    const Term configs = evaluate_list(lowering, source.main(), *list);
    return configs.tuple() != nullptr ? configs.tuple()->items : std::vector<Term>();
  } catch (const Error&) {
    return {};  // made by a function call: the user gives their values in the job
  }
}

}  // namespace

std::vector<std::vector<config::NamedValue>> listed_configs(TritonSource& source,
                                                            const std::string& function) {
  std::vector<std::vector<config::NamedValue>> result;
  for (const Term& entry : known_configs(source, source.kernel(function)))
    result.push_back(entry.dict() != nullptr ? named_values(*entry.dict())
                                             : std::vector<config::NamedValue>());
  return result;
}

std::vector<std::pair<std::string, int>> tuned_names(TritonSource& source, const Node& function) {
  const Module& module = source.main();
  std::vector<std::pair<std::string, int>> result;
  const auto add = [&](const std::string& name, int configs) {
    for (auto& [known, count] : result) {
      if (known != name) continue;
      count = std::max(count, configs);
      return;
    }
    result.emplace_back(name, configs);
  };
  const std::vector<Term> configs = known_configs(source, function);
  for (const Term& item : configs)
    if (item.dict() != nullptr)
      for (const auto& [name, value] : item.dict()->items)
        if (name.rfind("num_", 0) != 0 && name != "maxnreg")
          add(name, static_cast<int>(configs.size()));
  for (const Node* rules : decorators(module, function, "heuristics"))
    if (const Node* values = argument(*rules, "values")) {
      for (const Node& key : values->list("keys")) add(key.text, 0);
      if (values->is("Call") && values->at("func").text == "dict")
        for (const Node& keyword : values->list("keywords")) add(keyword.text, 0);
    }
  return result;
}

std::vector<config::NamedValue> picked_config(TritonSource& source, const std::string& function,
                                              const config::ConfigChoice& choice) {
  const Module& module = source.main();
  const Node& definition = source.kernel(function);
  const Node* call = decorator(module, definition, "autotune");
  const bool chosen = !std::holds_alternative<std::monostate>(choice);
  if (call == nullptr) {
    if (chosen)
      throw Error(
          fmt::format("'{}' has no @triton.autotune to pick a config from", definition.text),
          "remove 'config' from the job")
          .in(module.path);
    return {};
  }
  Term configs;
  try {
    const Node* list = argument(*call, "configs");
    if (list == nullptr) return {};
    Lowering lowering(source, nullptr);
    configs = evaluate_list(lowering, module, *list);
    if (configs.tuple() == nullptr || configs.tuple()->items.empty()) return {};
  } catch (const Error& error) {
    if (!chosen) return {};  // the job gives the constexprs itself, or is told what is missing
    throw Error(
        fmt::format("the configs of @triton.autotune are not known here: {}", error.message()),
        "give their values under [constexprs] in the job instead of 'config'")
        .at(module.path, call->begin);
  }
  const std::vector<Term>& items = configs.tuple()->items;
  std::size_t index = 0;
  if (const auto* number = std::get_if<std::int64_t>(&choice)) {
    if (*number < 0 || *number >= static_cast<std::int64_t>(items.size()))
      throw Error(fmt::format("there is no config {}", *number),
                  fmt::format("use 0 to {}", items.size() - 1))
          .at(module.path, call->begin);
    index = static_cast<std::size_t>(*number);
  } else if (const auto* wanted = std::get_if<std::vector<config::NamedValue>>(&choice)) {
    while (index < items.size() &&
           (items[index].dict() == nullptr || !agrees(*items[index].dict(), *wanted)))
      ++index;
    if (index == items.size())
      throw Error("no config of @triton.autotune agrees with the job's", "check its values")
          .at(module.path, call->begin);
  }
  if (items[index].dict() == nullptr) return {};
  return named_values(*items[index].dict());
}

std::vector<config::NamedValue> heuristics(TritonSource& source, const std::string& function,
                                           const config::Arguments& arguments) {
  const Module& module = source.main();
  const Node& definition = source.kernel(function);
  NamedTerms known;
  for (const config::Argument& given : arguments.arguments)
    known.emplace_back(given.name, term_of(given.value, arguments));
  known.emplace_back("num_warps", integer_term(arguments.warps));
  known.emplace_back("num_stages", integer_term(arguments.stages));
  for (const SignatureEntry& entry : signature(definition)) {
    if (entry.default_value == nullptr || arguments.find(entry.name) != nullptr) continue;
    try {
      Lowering lowering(source, nullptr);
      known.emplace_back(entry.name, lowering.evaluate_constant(module, *entry.default_value));
    } catch (const Error&) {
      // A rule that asks for it is told that there is no such entry.
    }
  }
  std::vector<config::NamedValue> result;
  const bool all_given = has_all(arguments, definition);
  for (const Node* call : decorators(module, definition, "heuristics")) {
    if (all_given) break;  // the job's word counts, whatever the rules are
    for (const auto& [name, rule] : heuristic_rules(source, *call)) {
      if (arguments.find(name) != nullptr) continue;
      try {
        Lowering lowering(source, nullptr);
        Frame frame;
        frame.module = &module;
        frame.function = "<heuristics>";
        lowering.set_frame(&frame);
        const Term value = lowering.call_term(rule, {dict_term(known)}, {}, *call);
        result.push_back({name, config_value(value)});
        known.emplace_back(name, value);
      } catch (const Error& error) {
        throw Error(
            fmt::format("the heuristic for '{}' is not known here: {}", name, error.message()),
            fmt::format("set {} under [constexprs] in the job", name))
            .at(module.path, call->begin);
      }
    }
  }
  return result;
}

std::vector<std::int64_t> host_grid(TritonSource& source, const Node& grid,
                                    const std::vector<const Node*>& steps,
                                    const std::vector<config::NamedValue>& names,
                                    const std::vector<config::Tensor>& tensors) {
  const Module& module = source.main();
  config::Arguments described;
  described.tensors = tensors;
  Lowering lowering(source, nullptr);
  NamedTerms known;
  for (const config::NamedValue& one : names) {
    known.emplace_back(one.name, term_of(one.value, described));
    lowering.set_global(module, one.name, known.back().second);
  }
  for (const Node* step : steps) {
    if (!step->is("Assign") || step->list("targets").size() != 1) continue;
    const Node& target = step->list("targets").front();
    if (!target.is("Name")) continue;
    try {
      lowering.set_global(module, target.text,
                          lowering.evaluate_constant(module, step->at("value")));
    } catch (const Error&) {
      // A tensor's size, say: the job's word on the name counts, if it has one.
    }
  }
  Term value = grid.is("FunctionDef") ? Term{FunctionTerm{&module, &grid}}
                                      : lowering.evaluate_constant(module, grid);
  if (value.tuple() == nullptr && !value.integer()) {
    Frame frame;
    frame.module = &module;
    frame.function = "<host>";
    lowering.set_frame(&frame);
    value = lowering.call_term(value, {dict_term(known)}, {}, grid);
  }
  std::vector<Term> items = {value};
  if (value.tuple() != nullptr) items = value.tuple()->items;
  std::vector<std::int64_t> extents;
  for (const Term& item : items) {
    const auto number = item.integer();
    if (!number || !fits(*number, DType::int64))
      throw Error(fmt::format("{} is not an extent of a grid", describe(item)),
                  "give whole numbers");
    extents.push_back(static_cast<std::int64_t>(*number));
  }
  return extents;
}

}  // namespace heddle::kernel::triton
