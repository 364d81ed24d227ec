#include "kernel/triton/patch/grid_expressions.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "kernel/triton/bindings.h"
#include "kernel/triton/patch/scalar_names.h"
#include "kernel/triton/patch/syntax_text.h"

namespace heddle::kernel::triton {
namespace {

/// What an annotation says that host code hands to a grid's function, or takes from it.
bool is_grid_type(const Module& module, const Node& annotation) {
  static const std::set<std::string_view> kTypes = {"dict", "tuple", "list", "int"};
  return annotation.is("Name") && kTypes.count(annotation.text) > 0 &&
         module_bindings(module.root).count(annotation.text) == 0;
}

/// The size of a tensor: x.shape[0], x.size(0), x.numel().
bool is_size(const Node& node) {
  const auto is_index = [](const Node& one) {
    return one.is("Constant") && one.constant == ConstantKind::integer;
  };
  if (node.is("Subscript"))
    return node.at("value").is("Attribute") && node.at("value").text == "shape" &&
           node.at("value").at("value").is("Name") && is_index(node.at("slice"));
  if (!node.is("Call") || !node.at("func").is("Attribute") || node.has("keywords")) return false;
  const Node& method = node.at("func");
  const auto& arguments = node.list("args");
  if (!method.at("value").is("Name")) return false;
  return (method.text == "numel" && arguments.empty()) ||
         (method.text == "size" && arguments.size() == 1 && is_index(arguments.front()));
}

bool is_plain_lambda(const Node& node) {
  const Node& arguments = node.at("args");
  return node.is("Lambda") && !arguments.has("defaults") && !arguments.has("kw_defaults") &&
         !arguments.has("vararg") && !arguments.has("kwarg");
}

bool calls_own(const Module& module, const Node& node) {
  if (node.is("Call") && module.functions.count(dotted_path(module, node.at("func"))) > 0)
    return true;
  return std::ranges::any_of(node.fields, [&](const Field& field) {
    return std::ranges::any_of(field.nodes,
                               [&](const Node& child) { return calls_own(module, child); });
  });
}

}  // namespace

const Node* returned_grid(const Module& module, const Node& node) {
  if (!node.is("FunctionDef") || node.has("decorator_list") || node.has("type_params"))
    return nullptr;
  const Node& arguments = node.at("args");
  for (const char* field : {"posonlyargs", "kwonlyargs", "defaults", "vararg", "kwarg"})
    if (arguments.has(field)) return nullptr;
  const auto is_typed = [&](const Node& one) { return is_grid_type(module, one); };
  const auto& parameters = arguments.list("args");
  if (parameters.size() != 1 ||
      !std::ranges::all_of(parameters.front().list("annotation"), is_typed) ||
      !std::ranges::all_of(node.list("returns"), is_typed))
    return nullptr;
  const auto body = statements_of(node.list("body"));
  const bool is_return = body.size() == 1 && body.front()->is("Return");
  return is_return && body.front()->has("value") ? &body.front()->at("value") : nullptr;
}

void collect_sized(const Node& node, std::set<std::string>& names) {
  if (node.is("Attribute") && node.at("value").is("Name") &&
      (node.text == "shape" || node.text == "size" || node.text == "numel"))
    names.insert(node.at("value").text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_sized(child, names);
}

bool is_number_function(const Module& module, const Node& function) {
  if (!function.is("FunctionDef") || module_bindings(module.root).at(function.text) != 1 ||
      function.has("decorator_list") || function.has("type_params") || function.has("returns"))
    return false;
  const Node& arguments = function.at("args");
  for (const char* field : {"posonlyargs", "kwonlyargs", "defaults", "vararg", "kwarg"})
    if (arguments.has(field)) return false;
  for (const Node& one : arguments.list("args"))
    if (!is_plain_parameter(module, one, nullptr)) return false;
  const auto body = statements_of(function.list("body"));
  if (body.size() != 1 || !body.front()->is("Return") || !body.front()->has("value")) return false;
  const Node& value = body.front()->at("value");
  return !calls_own(module, value) && unlisted_in_grid(module, value) == nullptr;
}

const Node* unlisted_in_grid(const Module& module, const Node& node) {
  static const std::set<std::string> kOperators = {"Add", "Sub", "Mult", "FloorDiv", "Mod", "USub"};
  static const std::set<std::string> kFunctions = {"triton.cdiv", "triton.language.cdiv", "min",
                                                   "max"};
  const auto first_of = [&](std::initializer_list<const char*> fields) -> const Node* {
    for (const char* field : fields)
      for (const Node& child : node.list(field))
        if (const Node* found = unlisted_in_grid(module, child)) return found;
    return nullptr;
  };
  if (node.is("Name")) return nullptr;
  if (node.is("Constant")) return node.constant == ConstantKind::integer ? nullptr : &node;
  if (node.is("BinOp") || node.is("UnaryOp"))
    return kOperators.count(node.text) > 0 ? first_of({"left", "right", "operand"}) : &node;
  if (node.is("Tuple") || node.is("List")) return first_of({"elts"});
  if (node.is("Lambda")) return is_plain_lambda(node) ? first_of({"body"}) : &node;
  if (node.is("FunctionDef")) {
    const Node* value = returned_grid(module, node);
    return value != nullptr ? unlisted_in_grid(module, *value) : &node;
  }
  if (is_size(node)) return nullptr;
  if (node.is("Subscript")) {
    const Node& key = node.at("slice");
    const bool is_entry =
        node.at("value").is("Name") && key.is("Constant") && key.constant == ConstantKind::text;
    return is_entry ? nullptr : &node;
  }
  if (!node.is("Call") || node.has("keywords")) return &node;
  const std::string path = dotted_path(module, node.at("func"));
  const bool is_own = module.functions.count(path) > 0 || module.constants.count(path) > 0;
  const auto own = module.functions.find(path);
  if (own != module.functions.end() && is_number_function(module, *own->second))
    return first_of({"args"});
  return kFunctions.count(path) > 0 && !is_own ? first_of({"args"}) : &node;
}

bool asks_for_sizes(const Node& node) {
  std::set<std::string> names;
  collect_sized(node, names);
  return !names.empty();
}

}  // namespace heddle::kernel::triton
