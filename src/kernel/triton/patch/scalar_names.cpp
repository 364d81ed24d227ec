#include "kernel/triton/patch/scalar_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "kernel/triton/bindings.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kMostHelpers = 256;
constexpr int kMostRounds = 500;

void add_targets(const Node& target, std::set<std::string>& names) {
  if (target.is("Name")) names.insert(target.text);
  for (const Node& item : target.list("elts")) add_targets(item, names);
  if (target.is("Starred")) add_targets(target.at("value"), names);
}

/// Every name that is given a value below a statement, in whatever way.
void collect_locals(const Node& node, std::set<std::string>& names) {
  for (const char* field : {"target", "targets", "optional_vars"})
    for (const Node& target : node.list(field)) add_targets(target, names);
  for (const char* named : {"FunctionDef", "ClassDef", "ExceptHandler"})
    if (node.is(named)) names.insert(node.text);
  for (const Node& alias : node.list("names"))
    names.insert(alias.has("asname") ? alias.at("asname").text : alias.text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_locals(child, names);
}

bool mentions_program_id(const Node& node) {
  if ((node.is("Attribute") || node.is("Name")) && node.text == "program_id") return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (mentions_program_id(child)) return true;
  return false;
}

bool is_simple_target(const Node& target) {
  if (target.is("Name")) return true;
  if (!target.is("Tuple") && !target.is("List")) return false;
  return std::all_of(target.list("elts").begin(), target.list("elts").end(), is_simple_target);
}

bool is_any_assignment(const Node& statement) {
  return statement.is("Assign") || statement.is("AnnAssign") || statement.is("AugAssign");
}

bool all_of_list(const std::vector<Node>& list, const auto& test) {
  return std::all_of(list.begin(), list.end(), test);
}

bool is_scalar_builtin(std::string_view path) {
  static const std::set<std::string_view> kFunctions = {"min",
                                                        "max",
                                                        "abs",
                                                        "int",
                                                        "triton.cdiv",
                                                        "triton.language.program_id",
                                                        "triton.language.num_programs",
                                                        "triton.language.cdiv",
                                                        "triton.language.minimum",
                                                        "triton.language.maximum",
                                                        "triton.language.where",
                                                        "triton.language.abs",
                                                        "triton.language.swizzle2d",
                                                        "triton.language.umulhi"};
  return kFunctions.count(path) > 0;
}

/// A type of Triton's or Python's, or tl.constexpr.
bool is_type(const Module& module, const Node& annotation) {
  static const std::set<std::string_view> kTypes = {
      "int",   "bool",  "constexpr", "tensor", "int1",   "int8",  "int16",
      "int32", "int64", "uint8",     "uint16", "uint32", "uint64"};
  const std::string path = dotted_path(module, annotation);
  constexpr std::string_view kLanguage = "triton.language.";
  if (path.rfind(kLanguage, 0) == 0) return kTypes.count(path.substr(kLanguage.size())) > 0;
  return path == "int" || path == "bool";
}

bool is_literal(const Node& node) {
  if (node.is("UnaryOp")) return node.text == "USub" && is_literal(node.at("operand"));
  return node.is("Constant") &&
         (node.constant == ConstantKind::integer || node.constant == ConstantKind::boolean ||
          node.constant == ConstantKind::none);
}

/// Functions that make blocks of values, touch memory or print: never index arithmetic.
bool is_more_than_scalar(const std::string& path) {
  if (path.rfind("triton.", 0) != 0) return false;
  static const std::set<std::string_view> kOthers = {"load",
                                                     "store",
                                                     "arange",
                                                     "zeros",
                                                     "full",
                                                     "dot",
                                                     "rand",
                                                     "randint",
                                                     "randn",
                                                     "make_block_ptr",
                                                     "advance",
                                                     "device_print",
                                                     "device_assert",
                                                     "static_print",
                                                     "static_assert",
                                                     "debug_barrier",
                                                     "inline_asm_elementwise",
                                                     "make_tensor_descriptor",
                                                     "zeros_like"};
  const std::string name = path.substr(path.rfind('.') + 1);
  return kOthers.count(name) > 0 || name.rfind("atomic_", 0) == 0;
}

}  // namespace

const Node* unlisted_head(const Module& module, const Node& function) {
  for (const Node& decorator : function.list("decorator_list")) {
    const bool is_empty_call =
        decorator.is("Call") && !decorator.has("args") && !decorator.has("keywords");
    if (dotted_path(module, is_empty_call ? decorator.at("func") : decorator) != "triton.jit")
      return &decorator;
  }
  if (function.list("decorator_list").size() != 1) return &function;
  for (const char* field : {"returns", "type_params"})
    for (const Node& node : function.list(field))
      if (!is_type(module, node)) return &node;
  const Node& arguments = function.at("args");
  for (const char* field : {"vararg", "kwarg"})
    for (const Node& node : arguments.list(field)) return &node;
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"})
    for (const Node& argument : arguments.list(field))
      for (const Node& annotation : argument.list("annotation"))
        if (!is_type(module, annotation)) return &annotation;
  for (const char* field : {"defaults", "kw_defaults"})
    for (const Node& value : arguments.list(field))
      if (!value.is("Absent") && !is_literal(value)) return &value;
  return nullptr;
}

bool is_plain_parameter(const Module& module, const Node& argument, const Node* default_value) {
  return std::ranges::all_of(argument.list("annotation"),
                             [&](const Node& one) { return is_type(module, one); }) &&
         (default_value == nullptr || is_literal(*default_value));
}

bool is_number(const Module& module, const Node& value) {
  if (value.is("Constant"))
    return value.constant == ConstantKind::integer || value.constant == ConstantKind::boolean;
  if (value.is("BinOp"))
    return (value.text == "Add" || value.text == "Sub" || value.text == "Mult") &&
           is_number(module, value.at("left")) && is_number(module, value.at("right"));
  if (value.is("UnaryOp")) return value.text == "USub" && is_number(module, value.at("operand"));
  return value.is("Call") && value.list("args").size() == 1 && !value.has("keywords") &&
         dotted_path(module, value.at("func")) == "triton.language.constexpr" &&
         is_number(module, value.list("args").front());
}

std::set<std::string> target_names(const Node& statement) {
  std::set<std::string> names;
  for (const char* field : {"target", "targets"})
    for (const Node& target : statement.list(field)) add_targets(target, names);
  for (const char* field : {"body", "orelse"})
    for (const Node& inner : statement.list(field)) names.merge(target_names(inner));
  return names;
}

bool is_scalar_function(const Module& module, const Node& function, Grammar grammar) {
  return ScalarNames::is_scalar_function(module, function,
                                         ScalarNames::make_helpers(module, grammar));
}

std::shared_ptr<ScalarNames::Helpers> ScalarNames::make_helpers(const Module& module,
                                                                Grammar grammar) {
  auto helpers = std::make_shared<Helpers>();
  helpers->grammar = grammar;
  helpers->bindings = module_bindings(module.root);
  return helpers;
}

int ScalarNames::bindings(const std::string& name) const {
  const auto found = helpers_->bindings.find(name);
  return found == helpers_->bindings.end() ? 0 : found->second;
}

bool ScalarNames::is_scalar_function(const Module& module, const Node& function,
                                     const std::shared_ptr<Helpers>& helpers) {
  std::set<std::string> parameters;
  const Node& arguments = function.at("args");
  if (arguments.has("vararg") || arguments.has("kwarg")) return false;
  if (helpers->grammar == Grammar::listed && unlisted_head(module, function) != nullptr)
    return false;
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"})
    for (const Node& argument : arguments.list(field)) parameters.insert(argument.text);
  const ScalarNames names(module, function, parameters, helpers, true);
  bool returns = false;
  for (const Node& statement : function.list("body")) {
    if (statement.is("Expr") && statement.at("value").is("Constant")) continue;
    if (!names.is_scalar_ending(statement)) return false;
    returns = returns || !names.is_scalar_statement(statement);
  }
  return returns;
}

/// A scalar statement, a return of a scalar, or a branch that holds such.
bool ScalarNames::is_scalar_ending(const Node& statement) const {
  if (is_scalar_statement(statement)) return true;
  if (statement.is("Return")) return statement.has("value") && is_scalar(statement.at("value"));
  const auto inner = [this](const Node& child) { return is_scalar_ending(child); };
  return statement.is("If") && is_scalar(statement.at("test")) &&
         all_of_list(statement.list("body"), inner) && all_of_list(statement.list("orelse"), inner);
}

ScalarNames::ScalarNames(const Module& module, const Node& function,
                         std::set<std::string> parameters, std::shared_ptr<Helpers> helpers,
                         bool is_helper)
    : module_(module), parameters_(std::move(parameters)), helpers_(std::move(helpers)) {
  const auto& body = function.list("body");
  for (const Node& statement : body) collect_locals(statement, locals_);
  for (const std::string& name : locals_) parameters_.erase(name);
  // A parameter of the kernel that is given another value is not a name of its own: the work may
  // depend on it. All parameters of a helper are numbers.
  std::set<std::string> given;
  for (const char* field : {"posonlyargs", "args", "kwonlyargs"})
    for (const Node& argument : function.at("args").list(field)) given.insert(argument.text);
  for (const std::string& name : locals_)
    if (is_helper || given.count(name) == 0) scalars_.insert(name);
  for (const Node& statement : body) strike_odd_bindings(statement);
  // Files are long chains of names only if somebody means harm: then no name is a scalar.
  int rounds = 0;
  while (strike_out(body) && rounds < kMostRounds) ++rounds;
  while (mark(body, false, !is_helper) && rounds < kMostRounds) ++rounds;
  if (rounds >= kMostRounds) scalars_.clear();
}

/// Names that something else than an assignment or a loop gives a value.
void ScalarNames::strike_odd_bindings(const Node& node) {
  const bool is_plain = is_any_assignment(node) || node.is("For") || node.is("If") ||
                        node.is("While") || node.is("Expr") || node.is("Return");
  if (!is_plain) {
    std::set<std::string> names;
    collect_locals(node, names);
    for (const std::string& name : names) scalars_.erase(name);
  }
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) strike_odd_bindings(child);
}

bool ScalarNames::is_scalar_helper(const std::string& name) const {
  const auto function = module_.functions.find(name);
  if (function == module_.functions.end() || module_.jit.count(name) == 0) return false;
  if (!is_likely() && bindings(name) != 1) return false;
  std::map<std::string, bool>& scalar = helpers_->scalar;
  const auto known = scalar.find(name);
  if (known != scalar.end()) return known->second;  // false also while it is being looked at
  if (scalar.size() >= kMostHelpers) return false;
  scalar.emplace(name, false);
  return scalar[name] = is_scalar_function(module_, *function->second, helpers_);
}

bool ScalarNames::takes_id(const std::string& helper) const {
  if (!helpers_->take_ids) {
    helpers_->take_ids.emplace();
    for (const auto& [name, function] : module_.functions)
      if (mentions_program_id(*function)) helpers_->take_ids->insert(name);
  }
  return helpers_->take_ids->count(helper) > 0;
}

bool ScalarNames::is_scalar_call(const Node& call) const {
  for (const Node& keyword : call.list("keywords"))
    if (keyword.text.empty() || !is_scalar(keyword.at("value"))) return false;
  const auto scalar = [this](const Node& argument) { return is_scalar(argument); };
  const Node& callee = call.at("func");
  if (callee.is("Attribute") && callee.text == "to" && is_scalar(callee.at("value"))) {
    if (call.list("args").size() != 1 || call.has("keywords")) return false;
    const std::string type = dotted_path(module_, call.list("args").front());
    return type == "triton.language.int32" || type == "triton.language.int64";
  }
  if (!all_of_list(call.list("args"), scalar)) return false;
  if (is_multiple_hint(call)) return true;
  const Node* base = &callee;
  while (base->is("Attribute")) base = &base->at("value");
  if (!base->is("Name") || locals_.count(base->text) > 0) return false;
  if (callee.is("Name") && is_scalar_helper(callee.text)) return true;
  if (callee.is("Name") && module_.functions.count(callee.text) > 0) return false;
  if (module_.imports.count(base->text) == 0 && bindings(base->text) > 0) return false;
  return is_scalar_builtin(dotted_path(module_, callee));
}

/// tl.multiple_of(pid * BLOCK, BLOCK): true of any such product.
bool ScalarNames::is_multiple_hint(const Node& call) const {
  const auto& arguments = call.list("args");
  if (dotted_path(module_, call.at("func")) != "triton.language.multiple_of" ||
      arguments.size() != 2 || call.has("keywords") || !arguments[0].is("BinOp") ||
      arguments[0].text != "Mult")
    return false;
  const Node& factor = arguments[1];
  return factor.is("Name") &&
         std::ranges::any_of(std::array{"left", "right"}, [&](const char* side) {
           const Node& one = arguments[0].at(side);
           return one.is("Name") && one.text == factor.text;
         });
}

/// A call of something that is not known, with scalars alone.
bool ScalarNames::is_likely_call(const Node& call) const {
  const auto scalar = [this](const Node& argument) { return is_scalar(argument); };
  const Node& callee = call.at("func");
  const bool is_known = callee.is("Name") && module_.jit.count(callee.text) > 0;
  const std::string path = dotted_path(module_, callee);
  if (is_known || path == "range" || is_more_than_scalar(path)) return false;
  if (!callee.is("Name") && !callee.is("Attribute")) return false;
  if (callee.is("Attribute") && callee.at("value").is("Name") &&
      locals_.count(callee.at("value").text) > 0 && !is_scalar(callee.at("value")))
    return false;  // a method of a block
  return all_of_list(call.list("args"),
                     [&](const Node& argument) {
                       return scalar(argument) || argument.constant == ConstantKind::text;
                     }) &&
         all_of_list(call.list("keywords"),
                     [&](const Node& keyword) { return scalar(keyword.at("value")); });
}

bool ScalarNames::is_typed(const Node& assignment) const {
  return is_likely() || !assignment.has("annotation") ||
         is_type(module_, assignment.at("annotation"));
}

const Node* ScalarNames::unlisted(const Node& node) const {
  if (is_scalar(node) || is_scalar_statement(node)) return nullptr;
  for (const char* field : {"annotation", "test", "iter", "value", "left", "right", "operand",
                            "body", "orelse", "values", "comparators", "elts", "args", "func"})
    for (const Node& child : node.list(field)) {
      if (std::string_view(field) == "annotation") {
        if (!is_type(module_, child)) return &child;
        continue;
      }
      const bool is_part = child.is("Call") || child.is("BinOp") || child.is("NamedExpr") ||
                           child.is("IfExp") || child.is("Compare") || child.is("BoolOp") ||
                           child.is("UnaryOp") || child.is("Tuple") || child.is("Assign") ||
                           child.is("AnnAssign") || child.is("AugAssign") || child.is("If") ||
                           child.is("For") || child.is("While");
      if (!is_part) continue;
      if (const Node* found = unlisted(child)) return found;
    }
  return &node;
}

bool ScalarNames::is_scalar(const Node& node) const {
  const auto scalar = [this](const Node& child) { return is_scalar(child); };
  if (node.is("Constant"))
    return node.constant == ConstantKind::integer || node.constant == ConstantKind::boolean;
  if (node.is("Name")) {
    if (locals_.count(node.text) > 0) return scalars_.count(node.text) > 0;
    if (parameters_.count(node.text) > 0) return true;
    const auto global = module_.constants.find(node.text);
    return global != module_.constants.end() && is_number(module_, *global->second) &&
           (is_likely() || bindings(node.text) == 1);
  }
  if (node.is("BinOp"))
    return (is_likely() || (node.text != "Div" && node.text != "Pow" && node.text != "MatMult")) &&
           is_scalar(node.at("left")) && is_scalar(node.at("right"));
  if (node.is("UnaryOp")) return is_scalar(node.at("operand"));
  if (node.is("BoolOp")) return all_of_list(node.list("values"), scalar);
  if (node.is("Compare"))
    return is_scalar(node.at("left")) && all_of_list(node.list("comparators"), scalar) &&
           node.text.find("I") == std::string::npos;  // In, Is
  if (node.is("IfExp"))
    return is_scalar(node.at("test")) && is_scalar(node.at("body")) && is_scalar(node.at("orelse"));
  if (node.is("Tuple")) return all_of_list(node.list("elts"), scalar);
  if (node.is("NamedExpr")) return is_likely() && is_scalar(node.at("value"));
  return node.is("Call") && (is_scalar_call(node) || (is_likely() && is_likely_call(node)));
}

bool ScalarNames::is_from_block(const Node& node) const {
  if (node.is("Name") && from_block_.count(node.text) > 0) return true;
  if ((node.is("Name") || node.is("Attribute")) && node.text == "program_id") return true;
  if (node.is("Name") && locals_.count(node.text) == 0 && takes_id(node.text)) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (is_from_block(child)) return true;
  return false;
}

bool ScalarNames::is_scalar_range(const Node& node) const {
  if (!node.is("Call")) return false;
  const std::string path = dotted_path(module_, node.at("func"));
  if (path != "range" && path != "triton.language.range" && path != "triton.language.static_range")
    return false;
  const auto scalar = [this](const Node& child) { return is_scalar(child); };
  const auto named = [&](const Node& keyword) {
    return keyword.has("value") &&
           (keyword.at("value").is("Constant") || scalar(keyword.at("value")));
  };
  return all_of_list(node.list("args"), scalar) && all_of_list(node.list("keywords"), named);
}

bool ScalarNames::is_block_range(const Node& node) const {
  return is_scalar_range(node) &&
         std::any_of(node.list("args").begin(), node.list("args").end(),
                     [this](const Node& bound) { return is_index(bound); });
}

bool ScalarNames::is_scalar_statement(const Node& node) const {
  const auto inner = [this](const Node& child) { return is_scalar_statement(child); };
  const auto known = [this](const std::string& name) { return scalars_.count(name) > 0; };
  if (node.is("Pass")) return true;
  if (is_hint(node)) return true;
  if (is_any_assignment(node)) {
    const auto& targets = node.list(node.is("Assign") ? "targets" : "target");
    if (!node.has("value") || !all_of_list(targets, is_simple_target) || !is_typed(node))
      return false;
    const std::set<std::string> names = target_names(node);
    return is_scalar(node.at("value")) && std::all_of(names.begin(), names.end(), known);
  }
  const bool bodies =
      all_of_list(node.list("body"), inner) && all_of_list(node.list("orelse"), inner);
  if (node.is("If") || node.is("While")) return is_scalar(node.at("test")) && bodies;
  if (!node.is("For") || !node.at("target").is("Name")) return false;
  return known(node.at("target").text) && is_scalar_range(node.at("iter")) && bodies;
}

/// tl.assume(pid >= 0): says something of index code, and nothing if it is true.
bool ScalarNames::is_hint(const Node& node) const {
  if (!is_likely() || !node.is("Expr") || !node.at("value").is("Call")) return false;
  const Node& call = node.at("value");
  const std::string path = dotted_path(module_, call.at("func"));
  const bool is_check = path == "triton.language.static_assert";
  return (path == "triton.language.assume" || is_check) &&
         all_of_list(call.list("args"), [&](const Node& child) {
           return is_scalar(child) || (is_check && child.constant == ConstantKind::text);
         });
}

bool ScalarNames::is_from_block_statement(const Node& statement) const {
  const std::set<std::string> names = target_names(statement);
  return is_from_block(statement) ||
         std::any_of(names.begin(), names.end(),
                     [this](const std::string& name) { return from_block_.count(name) > 0; });
}

bool ScalarNames::is_index_statement(const Node& statement) const {
  return is_hint(statement) || (!statement.is("Pass") && is_scalar_statement(statement) &&
                                is_from_block_statement(statement));
}

/// Takes names out of the scalars that are given something else; true if some were.
bool ScalarNames::strike_out(const std::vector<Node>& body) {
  bool changed = false;
  for (const Node& statement : body) {
    const bool is_loop = statement.is("For") && statement.at("target").is("Name") &&
                         is_scalar_range(statement.at("iter"));
    std::set<std::string> wrong;
    if (is_any_assignment(statement)) {
      const auto& targets = statement.list(statement.is("Assign") ? "targets" : "target");
      const bool fits = statement.has("value") && all_of_list(targets, is_simple_target) &&
                        is_typed(statement) && is_scalar(statement.at("value"));
      if (!fits) collect_locals(statement, wrong);
    } else if (!is_loop && !statement.is("If") && !statement.is("While") && !statement.is("Expr") &&
               !statement.is("Return")) {
      collect_locals(statement, wrong);
    }
    for (const std::string& name : wrong) changed = scalars_.erase(name) > 0 || changed;
    for (const char* field : {"body", "orelse"})
      changed = strike_out(statement.list(field)) || changed;
  }
  return changed;
}

/// `is_outermost`: nothing follows. A last branch there decides whether the block goes on, and not
/// what the names in it are given.
bool ScalarNames::mark(const std::vector<Node>& body, bool decided, bool is_outermost) {
  bool changed = false;
  for (const Node& statement : body) {
    bool from_block = decided;
    for (const char* field : {"value", "iter", "test"})
      for (const Node& child : statement.list(field))
        from_block = from_block || is_from_block(child);
    if (from_block && (is_any_assignment(statement) || statement.is("For"))) {
      std::set<std::string> names;
      for (const char* field : {"target", "targets"})
        for (const Node& target : statement.list(field)) add_targets(target, names);
      for (const std::string& name : names) changed = from_block_.insert(name).second || changed;
    }
    const bool is_last = is_outermost && &statement == &body.back() && statement.is("If") &&
                         !statement.has("orelse");
    for (const char* field : {"body", "orelse"})
      changed = mark(statement.list(field), from_block && !is_last, is_last) || changed;
  }
  return changed;
}

}  // namespace heddle::kernel::triton
