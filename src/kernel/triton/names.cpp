#include "kernel/triton/names.h"

#include <algorithm>

namespace heddle::kernel::triton {

namespace {

void collect_bound_target(const Node& target, std::set<std::string>& names) {
  if (target.is("Name")) names.insert(target.text);
  for (const char* field : {"elts", "value"})  // tuples, and `*rest`
    if (!target.is("Attribute") && !target.is("Subscript"))
      for (const Node& item : target.list(field)) collect_bound_target(item, names);
}

}  // namespace

void collect_bound(const Node& node, std::set<std::string>& names) {
  if (node.is("arg") || node.is("FunctionDef") || node.is("ClassDef") || node.is("ExceptHandler"))
    names.insert(node.text);
  if (node.is("alias")) {
    const std::string& name = node.has("asname") ? node.at("asname").text : node.text;
    names.insert(name.substr(0, name.find('.')));
  }
  for (const char* field : {"target", "targets", "optional_vars"})
    for (const Node& target : node.list(field)) collect_bound_target(target, names);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_bound(child, names);
}

void collect_all(const Node& node, std::set<std::string>& names) {
  if (node.is("Name")) names.insert(node.text);
  if (node.is("Global") || node.is("Nonlocal")) {
    std::size_t at = 0;
    while (at <= node.text.size()) {
      const std::size_t end = std::min(node.text.find(' ', at), node.text.size());
      names.insert(node.text.substr(at, end - at));
      at = end + 1;
    }
  }
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_all(child, names);
}

std::set<std::string> names_of(const Module& module) {
  std::set<std::string> names;
  for (const auto& [name, node] : module.functions) names.insert(name);
  for (const auto& [name, node] : module.constants) names.insert(name);
  for (const auto& [name, path] : module.imports) names.insert(name);
  for (const Node& statement : module.root.list("body")) {
    if (statement.is("FunctionDef") || statement.is("ClassDef"))
      names.insert(statement.text);
    else
      collect_bound(statement, names);
  }
  return names;
}

int count_definitions(const std::vector<Node>& statements, const std::string& name, bool nested) {
  int count = 0;
  for (const Node& node : statements) {
    const bool is_function = node.is("FunctionDef") || node.is("AsyncFunctionDef");
    if (is_function && node.text == name) ++count;
    if ((is_function || node.is("ClassDef")) && !nested) continue;
    for (const char* field : {"body", "orelse", "handlers", "finalbody"})
      count += count_definitions(node.list(field), name, nested);
  }
  return count;
}

bool is_python_function(const std::string& name) {
  static const std::set<std::string> kFunctions = {
      "abs",   "all",        "any",      "bool",     "dict",  "enumerate", "filter",
      "float", "getattr",    "hasattr",  "int",      "len",   "list",      "map",
      "max",   "min",        "pow",      "print",    "range", "repr",      "round",
      "set",   "slice",      "str",      "reversed", "sum",   "tuple",     "type",
      "zip",   "isinstance", "callable", "divmod",   "sorted"};
  const auto ends_with = [&](std::string_view ending) {
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  };
  return kFunctions.count(name) > 0 || ends_with("Error") || ends_with("Exception");
}

}  // namespace heddle::kernel::triton
