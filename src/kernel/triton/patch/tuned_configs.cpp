#include "kernel/triton/patch/tuned_configs.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "kernel/triton/bindings.h"
#include "kernel/triton/compile.h"
#include "kernel/triton/patch/syntax_text.h"

namespace heddle::kernel::triton {
namespace {

using TunedValues = std::vector<config::NamedValue>;

int name_uses(const Node& node, const std::string& name) {
  int uses = (node.is("Name") || node.is("alias")) && node.text == name ? 1 : 0;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) uses += name_uses(child, name);
  return uses;
}

/// Nothing happens where it is evaluated, but that configs are made.
bool is_plain_config(const Module& module, const Node& node) {
  static const std::set<std::string_view> kKinds = {
      "List",  "ListComp", "comprehension", "Dict",    "Constant", "Name",  "BinOp",
      "Tuple", "UnaryOp",  "Compare",       "keyword", "BoolOp",   "IfExp", "Absent"};
  static const std::set<std::string_view> kOptions = {"kwargs", "num_warps", "num_stages",
                                                      "num_ctas", "maxnreg"};
  const bool is_config = node.is("Call") && dotted_path(module, node.at("func")) == "triton.Config";
  if (!is_config && kKinds.count(node.kind) == 0) return false;
  if (node.is("keyword") && kOptions.count(node.text) == 0) return false;
  return std::ranges::all_of(node.fields, [&](const Field& field) {
    return (is_config && field.name == "func") ||
           std::ranges::all_of(field.nodes,
                               [&](const Node& child) { return is_plain_config(module, child); });
  });
}

bool is_list_of_configs(const Module& module, const Node& node) {
  const auto is_config = [](const Node& one) { return one.is("Call"); };
  const bool is_list =
      (node.is("List") && node.has("elts") && std::ranges::all_of(node.list("elts"), is_config)) ||
      (node.is("ListComp") && node.at("elt").is("Call"));
  return is_list && is_plain_config(module, node);
}

const Node* returned_list(const Module& module, const Node& function) {
  if (function.has("decorator_list") || function.has("returns")) return nullptr;
  for (const Field& field : function.at("args").fields)
    if (!field.nodes.empty()) return nullptr;
  const auto body = statements_of(function.list("body"));
  const bool is_return = body.size() == 1 && body.front()->is("Return");
  const Node* value =
      is_return && body.front()->has("value") ? &body.front()->at("value") : nullptr;
  return value != nullptr && is_list_of_configs(module, *value) ? value : nullptr;
}

/// What the kernel's only autotuner is given as configs; null: there is none.
const Node* given_configs(const Module& module, const Node& kernel) {
  const Node* given = nullptr;
  int decorators = 0;
  for (const Node& node : kernel.list("decorator_list")) {
    if (!node.is("Call") || dotted_path(module, node.at("func")) != "triton.autotune") continue;
    ++decorators;
    if (!node.list("args").empty()) given = &node.list("args").front();
    for (const Node& keyword : node.list("keywords"))
      if (keyword.text == "configs") given = &keyword.at("value");
  }
  return decorators == 1 ? given : nullptr;
}

/// Rule 1; null: there is no such list.
const Node* list_of(const Module& module, const Node& kernel) {
  const Node* given = given_configs(module, kernel);
  if (given == nullptr) return nullptr;
  if (is_list_of_configs(module, *given)) return given;
  const bool is_call = given->is("Call") && !given->has("args") && !given->has("keywords");
  const Node& named = is_call ? given->at("func") : *given;
  const auto bindings = module_bindings(module.root);
  const auto bound = bindings.find(named.text);
  if (!named.is("Name") || bound == bindings.end() || bound->second != 1) return nullptr;
  for (const Node& statement : module.root.list("body")) {
    if (is_call && statement.is("FunctionDef") && statement.text == named.text)
      return name_uses(module.root, named.text) == 1 ? returned_list(module, statement) : nullptr;
    if (is_call || !statement.is("Assign") || statement.list("targets").size() != 1) continue;
    const Node& target = statement.list("targets").front();
    if (!target.is("Name") || target.text != named.text) continue;
    const bool is_only = name_uses(module.root, named.text) == 2;
    return is_only && is_list_of_configs(module, statement.at("value")) ? &statement.at("value")
                                                                        : nullptr;
  }
  return nullptr;
}

const config::Value* value_in_config(const TunedValues& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &config::NamedValue::name);
  return found == values.end() ? nullptr : &found->value;
}

/// The names of which two configs have different values.
std::set<std::string> differing(const TunedValues& one, const TunedValues& other) {
  std::set<std::string> names;
  for (const auto& [values, others] : {std::pair(&one, &other), std::pair(&other, &one)})
    for (const config::NamedValue& value : *values) {
      const config::Value* same = value_in_config(*others, value.name);
      if (same == nullptr || !(*same == value.value)) names.insert(value.name);
    }
  return names;
}

class Partners {
 public:
  Partners(TunedConfigs& result, std::vector<TunedValues> olds, std::vector<TunedValues> news,
           std::set<std::string> free)
      : result_(result), olds_(std::move(olds)), news_(std::move(news)), free_(std::move(free)) {}

  void run() {
    result_.partners.resize(olds_.size());
    is_taken_.resize(news_.size());
    for (const bool is_exact : {true, false})
      for (std::size_t i = 0; i < olds_.size(); ++i)
        if (!result_.partners[i].number) take(i, is_exact);
    const bool is_whole = std::ranges::all_of(
        result_.partners, [](const ConfigPartner& one) { return one.number.has_value(); });
    if (olds_.size() != news_.size() || !is_whole)
      result_.doubt = "not every config of the autotuner is one of the original's";
  }

 private:
  void take(std::size_t i, bool is_exact) {
    for (std::size_t k = 0; k < news_.size(); ++k) {
      if (is_taken_[k]) continue;
      const std::set<std::string> names = differing(olds_[i], news_[k]);
      const bool is_partner = is_exact ? names.empty() : std::ranges::includes(free_, names);
      if (!is_partner) continue;
      is_taken_[k] = true;
      result_.partners[i].number = static_cast<std::int64_t>(k);
      for (const std::string& name : names)
        result_.partners[i].changed.push_back({name, *value_in_config(news_[k], name)});
      result_.names.insert(names.begin(), names.end());
      return;
    }
  }

  TunedConfigs& result_;
  std::vector<TunedValues> olds_;
  std::vector<TunedValues> news_;
  std::set<std::string> free_;
  std::vector<bool> is_taken_;
};

/// tl.constexpr parameters of a kernel.
std::set<std::string> constexprs_of(const Node& kernel) {
  std::set<std::string> names;
  for (const SignatureEntry& entry : signature(kernel))
    if (entry.is_constexpr) names.insert(entry.name);
  return names;
}

/// Of all configs that change a name, each says it.
std::set<std::string> in_all(std::set<std::string> names, const std::vector<TunedValues>& configs) {
  std::erase_if(names, [&](const std::string& name) {
    return !std::ranges::all_of(
        configs, [&](const TunedValues& one) { return value_in_config(one, name) != nullptr; });
  });
  return names;
}

}  // namespace

TunedConfigs find_tuned_configs(TritonSource& before, const std::string& old_kernel,
                                TritonSource& after, const std::string& new_kernel) {
  const Node& old_function = before.kernel(old_kernel);
  const Node& new_function = after.kernel(new_kernel);
  TunedConfigs result;
  const Node* old_list = list_of(before.main(), old_function);
  const Node* new_list = list_of(after.main(), new_function);
  const bool is_known = old_list != nullptr && new_list != nullptr;
  if (!is_known) {
    old_list = given_configs(before.main(), old_function);
    new_list = given_configs(after.main(), new_function);
  }
  if (old_list == nullptr || new_list == nullptr) return result;
  const std::set<const Node*> nothing;
  const SyntaxText old_text(before.main(), old_function, nothing);
  const SyntaxText new_text(after.main(), new_function, nothing);
  if (old_text.exact(*old_list) == new_text.exact(*new_list)) return result;
  try {
    std::vector<TunedValues> olds = listed_configs(before, old_kernel);
    std::vector<TunedValues> news = listed_configs(after, new_kernel);
    std::set<std::string> free;
    std::ranges::set_intersection(constexprs_of(old_function), constexprs_of(new_function),
                                  std::inserter(free, free.end()));
    free = in_all(in_all(std::move(free), olds), news);
    if (olds.empty() || news.empty()) return result;
    if (!is_known) {
      result.partners.resize(olds.size());
      result.doubt = "the autotuner's configs are another list, which is more than literals";
    } else {
      Partners(result, std::move(olds), std::move(news), std::move(free)).run();
    }
  } catch (const Error&) {
    return {};
  }
  result.before = old_list;
  result.after = new_list;
  return result;
}

}  // namespace heddle::kernel::triton
