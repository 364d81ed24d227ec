#include "kernel/triton/statements.h"

#include <algorithm>

#include "kernel/triton/names.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::string_view kTritonLanguage = "triton.language.";
constexpr int kDeepestHelper = 8;

const std::set<std::string>& plain_functions() {
  static const std::set<std::string> kFunctions = {
      "program_id", "num_programs", "cdiv",        "minimum",        "maximum", "where",
      "swizzle2d",  "cast",         "multiple_of", "max_contiguous", "abs",     "constexpr"};
  return kFunctions;
}

bool is_assignment(const Node& node) {
  return (node.is("Assign") || node.is("AnnAssign") || node.is("AugAssign")) && node.has("value");
}

bool binds_names_only(const Node& target) {
  if (target.is("Name")) return true;
  return (target.is("Tuple") || target.is("List")) &&
         std::all_of(target.list("elts").begin(), target.list("elts").end(), binds_names_only);
}

void collect(const std::vector<Node>& list, const Statement* parent,
             std::deque<Statement>& statements) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    statements.push_back({&list[i], &list, i, parent});
    const Statement* here = &statements.back();
    if (list[i].is("FunctionDef") || list[i].is("ClassDef")) continue;
    for (const char* field : {"body", "orelse", "finalbody"})
      collect(list[i].list(field), here, statements);
  }
}

bool computes(const Module& module, const Node& node, int depth);

/// A function of the file whose statements only compute.
bool is_plain_helper(const Module& module, const Node& callee, int depth) {
  const auto found =
      callee.is("Name") ? module.functions.find(callee.text) : module.functions.end();
  if (found == module.functions.end() || depth > kDeepestHelper) return false;
  const auto plain = [&](const Statement& statement) {
    const Node& node = *statement.node;
    if (is_assignment(node))
      return (node.is("Assign") ? std::all_of(node.list("targets").begin(),
                                              node.list("targets").end(), binds_names_only)
                                : binds_names_only(node.at("target"))) &&
             computes(module, node.at("value"), depth + 1);
    if (node.is("Return"))
      return !node.has("value") || computes(module, node.at("value"), depth + 1);
    if (node.is("If")) return computes(module, node.at("test"), depth + 1);
    return node.is("Pass") || (node.is("Expr") && node.at("value").is("Constant"));
  };
  const std::deque<Statement> all = statements_of(*found->second);
  return std::all_of(all.begin(), all.end(), plain);
}

bool call_computes(const Module& module, const Node& call, int depth) {
  const Node& callee = call.at("func");
  bool is_plain = plain_functions().count(language_function(module, call)) != 0;
  if (callee.is("Name") && (callee.text == "min" || callee.text == "max" || callee.text == "int"))
    is_plain = module.functions.count(callee.text) == 0;
  if (callee.is("Attribute") && callee.text == "to")
    is_plain = computes(module, callee.at("value"), depth);
  if (!is_plain && !is_plain_helper(module, callee, depth)) return false;
  for (const Node& argument : call.list("args"))
    if (!computes(module, argument, depth)) return false;
  for (const Node& keyword : call.list("keywords"))
    if (!computes(module, keyword.at("value"), depth)) return false;
  return true;
}

bool computes(const Module& module, const Node& node, int depth) {
  if (node.is("Call")) return call_computes(module, node, depth);
  if (node.is("Name") || node.is("Constant")) return true;
  if (node.is("Attribute")) return !dotted_path(module, node).empty();
  static const std::set<std::string> kPlain = {"BinOp", "UnaryOp", "Compare", "BoolOp",
                                               "IfExp", "Tuple",   "Load",    "Store"};
  if (kPlain.count(node.kind) == 0) return false;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (!child.fields.empty() || child.is("Name") || child.is("Constant") ||
          child.is("Attribute"))
        if (!computes(module, child, depth)) return false;
  return true;
}

}  // namespace

std::deque<Statement> statements_of(const Node& function) {
  std::deque<Statement> statements;
  collect(function.list("body"), nullptr, statements);
  return statements;
}

std::string language_function(const Module& module, const Node& call) {
  const std::string path = dotted_path(module, call.at("func"));
  if (path.rfind(kTritonLanguage, 0) == 0) return path.substr(kTritonLanguage.size());
  return path == "triton.cdiv" ? "cdiv" : std::string();
}

bool is_loop(const Node& statement) {
  return statement.is("For") || statement.is("While");
}

bool is_assumption(const Module& module, const Node& statement) {
  return statement.is("Expr") && statement.at("value").is("Call") &&
         language_function(module, statement.at("value")) == "assume";
}

bool only_computes(const Module& module, const Node& expression) {
  return computes(module, expression, 0);
}

const Node& without_cast(const Node& expression) {
  const bool is_cast = expression.is("Call") && expression.at("func").is("Attribute") &&
                       expression.at("func").text == "to";
  return is_cast ? without_cast(expression.at("func").at("value")) : expression;
}

std::set<std::string> bound_by(const Node& statement) {
  std::set<std::string> names;
  collect_bound(statement, names);
  return names;
}

// ---- liveness ---------------------------------------------------------------------------------

Liveness::Liveness(const Module& module, const Node& function,
                   std::map<const Node*, std::set<std::string>> reads)
    : module_(module), reads_(std::move(reads)) {
  before(function.list("body"), {});
}

void Liveness::add_reads(const Node& node, Names& names) const {
  collect_all(node, names);
}

Liveness::Names Liveness::before(const std::vector<Node>& list, Names live) {
  for (std::size_t i = list.size(); i-- > 0;) live = before(list[i], std::move(live));
  return live;
}

Liveness::Names Liveness::before(const Node& statement, Names live) {
  if (is_assignment(statement)) return before_assignment(statement, std::move(live));
  if (is_loop(statement)) return before_loop(statement, live);
  if (statement.is("If")) return before_branch(statement, live);
  if (is_assumption(module_, statement)) return live;
  if (statement.is("With")) live = before(statement.list("body"), std::move(live));
  add_reads(statement, live);
  return live;
}

Liveness::Names Liveness::before_assignment(const Node& statement, Names live) {
  const auto& targets = statement.list(statement.is("Assign") ? "targets" : "target");
  Names bound;
  for (const Node& target : targets) add_reads(target, bound);
  const bool is_plain = std::all_of(targets.begin(), targets.end(), binds_names_only);
  const auto replaced = reads_.find(&statement);
  const bool is_read = std::any_of(bound.begin(), bound.end(),
                                   [&](const std::string& name) { return live.count(name) != 0; });
  dead_.erase(&statement);
  if (is_plain && !is_read && replaced == reads_.end() && !statement.is("AnnAssign") &&
      only_computes(module_, statement.at("value"))) {
    dead_.insert(&statement);
    return live;
  }
  if (is_plain)
    for (const std::string& name : bound) live.erase(name);
  if (replaced != reads_.end()) {
    live.insert(replaced->second.begin(), replaced->second.end());
    return live;
  }
  add_reads(statement.at("value"), live);
  if (statement.is("AugAssign") || !is_plain) live.insert(bound.begin(), bound.end());
  return live;
}

Liveness::Names Liveness::before_loop(const Node& statement, const Names& live) {
  Names around = live;
  if (statement.is("While")) add_reads(statement.at("test"), around);
  for (;;) {
    Names inside = before(statement.list("body"), around);
    if (statement.is("For")) {
      Names targets;
      add_reads(statement.at("target"), targets);
      for (const std::string& name : targets) inside.erase(name);
    }
    inside.insert(around.begin(), around.end());
    if (inside == around) break;
    around = std::move(inside);
  }
  const auto replaced = reads_.find(&statement);
  if (replaced != reads_.end()) around.insert(replaced->second.begin(), replaced->second.end());
  if (statement.is("For")) add_reads(statement.at("iter"), around);
  return around;
}

Liveness::Names Liveness::before_branch(const Node& statement, const Names& live) {
  Names result = before(statement.list("body"), live);
  const Names other = before(statement.list("orelse"), live);
  result.insert(other.begin(), other.end());
  dead_.erase(&statement);
  if (is_all_dead(statement.list("body")) && is_all_dead(statement.list("orelse")) &&
      only_computes(module_, statement.at("test"))) {
    dead_.insert(&statement);
    return live;
  }
  add_reads(statement.at("test"), result);
  return result;
}

bool Liveness::is_all_dead(const std::vector<Node>& list) const {
  return std::all_of(list.begin(), list.end(),
                     [&](const Node& statement) { return is_dead(statement); });
}

}  // namespace heddle::kernel::triton
