#include "kernel/triton/scope_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "kernel/triton/lines.h"
#include "kernel/triton/names.h"

namespace heddle::kernel::triton {
namespace {

constexpr int kDeepestNumber = 24;
constexpr std::size_t kLongestText = 120;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::optional<std::int64_t> literal(const Node& node) {
  if (!node.is("Constant") || node.constant != ConstantKind::integer || node.text.size() > 12)
    return std::nullopt;
  return std::stoll(node.text, nullptr, 16);
}

std::optional<std::int64_t> operation(const std::string& op, std::int64_t a, std::int64_t b) {
  if (std::abs(a) > kLargest || std::abs(b) > kLargest) return std::nullopt;
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mult") return std::abs(b) < (1 << 20) ? std::optional(a * b) : std::nullopt;
  if ((op == "FloorDiv" || op == "Mod") && a >= 0 && b > 0) return op == "Mod" ? a % b : a / b;
  return std::nullopt;
}

}  // namespace

ScopeNumbers::ScopeNumbers(const Module& module, const Node& function) : module_(module) {
  std::map<std::string, int> bindings;
  const std::deque<Statement> all = statements_of(function);
  for (const Statement& one : all) {
    const bool has_body = one.node->has("body");
    std::set<std::string> names;
    if (!has_body)
      names = bound_by(*one.node);
    else if (one.node->is("For"))
      collect_all(one.node->at("target"), names);
    for (const std::string& name : names) ++bindings[name];
  }
  for (const SignatureEntry& entry : signature(function))
    if (bindings.count(entry.name) == 0) parameters_.insert(entry.name);
  std::set<std::string> own;
  collect_bound(function.at("args"), own);
  for (const Statement& one : all) {
    find_values(*one.node);
    for (const char* field : {"value", "test", "iter"})
      for (const Node& node : one.node->list(field)) collect(node);
  }
  for (auto one = values_.begin(); one != values_.end();)
    one = bindings[one->first] > 1 || own.count(one->first) != 0 ? values_.erase(one) : ++one;
}

void ScopeNumbers::find_values(const Node& statement) {
  if (statement.is("AnnAssign") && statement.has("value"))
    find_value(statement.at("target"), statement.at("value"));
  if (!statement.is("Assign")) return;
  for (const Node& target : statement.list("targets")) find_value(target, statement.at("value"));
}

void ScopeNumbers::find_value(const Node& target, const Node& value) {
  if (target.is("Name")) values_[target.text] = &value;
  const bool is_pair = target.is("Tuple") && value.is("Tuple") &&
                       target.list("elts").size() == value.list("elts").size();
  for (std::size_t i = 0; is_pair && i < target.list("elts").size(); ++i)
    find_value(target.list("elts")[i], value.list("elts")[i]);
}

void ScopeNumbers::collect(const Node& node) {
  if (node.is("Name") || node.is("BinOp") || node.is("Call")) expressions_.push_back(&node);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect(child);
}

// ---- values -----------------------------------------------------------------------------------

ScopeNumbers::Number ScopeNumbers::value(const Node& node, const config::Launch& launch,
                                         int depth) const {
  if (depth > kDeepestNumber) return std::nullopt;
  if (const auto number = literal(node)) return number;
  if (node.is("Name")) return value_of_name(node.text, launch, depth);
  if (node.is("Call")) return value_of_call(node, launch, depth);
  if (!node.is("BinOp")) return std::nullopt;
  const Number a = value(node.at("left"), launch, depth + 1);
  const Number b = a ? value(node.at("right"), launch, depth + 1) : std::nullopt;
  return b ? operation(node.text, *a, *b) : std::nullopt;
}

ScopeNumbers::Number ScopeNumbers::value_of_name(const std::string& name,
                                                 const config::Launch& launch, int depth) const {
  if (parameters_.count(name) != 0) {
    const config::Argument* given = launch.find(name);
    const auto* number = given != nullptr ? std::get_if<std::int64_t>(&given->value.data) : nullptr;
    return number != nullptr ? Number(*number) : std::nullopt;
  }
  if (const auto own = values_.find(name); own != values_.end())
    return value(*own->second, launch, depth + 1);
  const auto global = module_.constants.find(name);
  return global != module_.constants.end() ? value(*global->second, launch, depth + 1)
                                           : std::nullopt;
}

ScopeNumbers::Number ScopeNumbers::value_of_call(const Node& node, const config::Launch& launch,
                                                 int depth) const {
  const Node& inner = without_cast(node);
  if (&inner != &node) return value(inner, launch, depth + 1);
  std::string name = language_function(module_, node);
  const Node& callee = node.at("func");
  if (callee.is("Name") && module_.functions.count(callee.text) == 0) {
    if (callee.text == "min") name = "minimum";
    if (callee.text == "max") name = "maximum";
  }
  std::vector<const Node*> operands;
  for (const Node& argument : node.list("args")) operands.push_back(&argument);
  for (const Node& keyword : node.list("keywords")) operands.push_back(&keyword.at("value"));
  std::vector<std::int64_t> numbers;
  for (const Node* one : operands) {
    const Number number = value(*one, launch, depth + 1);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (name == "constexpr" && numbers.size() == 1) return numbers[0];
  if (name == "num_programs" && numbers.size() == 1 && numbers[0] >= 0 && numbers[0] < 3)
    return launch.grid.extent(static_cast<int>(numbers[0]));
  if (numbers.size() != 2) return std::nullopt;
  if (name == "minimum") return std::min(numbers[0], numbers[1]);
  if (name == "maximum") return std::max(numbers[0], numbers[1]);
  if (name != "cdiv" || numbers[0] < 0 || numbers[1] <= 0) return std::nullopt;
  return (numbers[0] + numbers[1] - 1) / numbers[1];
}

// ---- texts ------------------------------------------------------------------------------------

/// Variables and parameters, not functions nor modules.
void ScopeNumbers::names_in(const Node& node, std::vector<const Node*>& names) const {
  if (node.is("Name") && module_.imports.count(node.text) == 0 &&
      module_.functions.count(node.text) == 0 && !is_python_function(node.text))
    names.push_back(&node);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) names_in(child, names);
}

std::optional<std::string> ScopeNumbers::text(const Node& node, const std::set<std::string>& scope,
                                              int depth) const {
  if (depth > kDeepestNumber) return std::nullopt;
  const Lines lines(module_.text);
  std::vector<const Node*> names;
  names_in(node, names);
  std::sort(names.begin(), names.end(), [](const Node* a, const Node* b) {
    return std::tuple(a->begin.line, a->begin.column) < std::tuple(b->begin.line, b->begin.column);
  });
  std::string result;
  std::size_t at = lines.offset(node.begin);
  for (const Node* name : names) {
    const bool is_global =
        module_.constants.count(name->text) != 0 && values_.count(name->text) == 0;
    if (scope.count(name->text) != 0 || is_global) continue;
    const auto own = values_.find(name->text);
    const auto inside = own != values_.end() ? text(*own->second, scope, depth + 1) : std::nullopt;
    if (!inside) return std::nullopt;
    result += module_.text.substr(at, lines.offset(name->begin) - at);
    result += own->second->is("Name") || own->second->is("Call") || own->second->is("Constant")
                  ? *inside
                  : "(" + *inside + ")";
    at = lines.offset(name->end);
  }
  result += module_.text.substr(at, lines.offset(node.end) - at);
  const bool is_plain = result.find_first_of("#\n\r\"'\\") == std::string::npos;
  return is_plain && result.size() <= kLongestText ? std::optional(result) : std::nullopt;
}

std::set<std::string> ScopeNumbers::behind(const std::set<std::string>& names) const {
  std::set<std::string> result;
  std::vector<std::string> open(names.begin(), names.end());
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!result.insert(name).second) continue;
    const auto own = values_.find(name);
    if (own == values_.end()) continue;
    std::vector<const Node*> inside;
    names_in(*own->second, inside);
    for (const Node* one : inside) open.push_back(one->text);
  }
  return result;
}

std::vector<ScopeNumber> ScopeNumbers::at(const std::set<std::string>& scope,
                                          const std::set<std::string>& read,
                                          const config::Launch& launch) const {
  std::vector<ScopeNumber> result;
  std::set<std::string> seen;
  const auto add = [&](std::string written, Number number, bool is_name) {
    if (!seen.insert(written).second) return;
    const bool is_read = is_name && read.count(written) != 0;
    result.push_back({std::move(written), number, is_name, is_read});
  };
  for (const std::string& name : scope)
    if (parameters_.count(name) != 0 || values_.count(name) != 0)
      add(name, value_of_name(name, launch, 0), true);
  for (const Node* one : expressions_) {
    const auto written = text(*one, scope, 0);
    if (written && !one->is("Name")) add(*written, value(*one, launch, 0), false);
    if (!written || !one->is("Name") || scope.count(one->text) != 0) continue;
    add(*written, value(*one, launch, 0), false);
  }
  for (const auto& [name, node] : values_)
    if (scope.count(name) == 0)
      if (const auto written = text(*node, scope, 0)) add(*written, value(*node, launch, 0), false);
  std::stable_sort(result.begin(), result.end(), [](const ScopeNumber& a, const ScopeNumber& b) {
    const auto rank = [](const ScopeNumber& one) {
      return std::tuple(!one.is_read, !one.is_name, one.is_name ? 0 : one.text.size());
    };
    return rank(a) < rank(b);
  });
  return result;
}

}  // namespace heddle::kernel::triton
