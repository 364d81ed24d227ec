#include "kernel/triton/patch/hints.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::kernel::triton {
namespace {

constexpr int kHintRadix = 16;

/// Every statement of a function that gives the name a value.
void find_assignments(const std::vector<Node>& body, const std::string& name, Statements& found) {
  for (const Node& statement : body) {
    if (target_names(statement).count(name) > 0) found.push_back(&statement);
    for (const char* field : {"body", "orelse", "finalbody", "handlers"})
      find_assignments(statement.list(field), name, found);
  }
}

/// The only one; null if there are more, or none.
const Node* only_assignment(const ComparedSide& side, const std::string& name) {
  Statements found;
  find_assignments(side.side.function->list("body"), name, found);
  return found.size() == 1 && found[0]->is("Assign") ? found[0] : nullptr;
}

void collect_hint_names(const Node& node, std::set<std::string>& names) {
  if (node.is("Name")) names.insert(node.text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_hint_names(child, names);
}

/// The name, or its product with a number that is the same in every block.
bool is_multiple(const ComparedSide& side, const Node& node, const std::string& name) {
  if (node.is("Name")) return node.text == name;
  if (!node.is("BinOp") || node.text != "Mult") return false;
  const Node& left = node.at("left");
  const Node& right = node.at("right");
  const auto is_name = [&](const Node& one) { return one.is("Name") && one.text == name; };
  const auto is_fixed = [&](const Node& one) {
    return one.is("Name") && side.names.is_scalar(one) && !side.names.is_from_block(one);
  };
  return (is_name(left) && is_fixed(right)) || (is_fixed(left) && is_name(right));
}

/// Whether work takes the name itself, or a multiple of it, for an index.
bool is_taken_by_work(const ComparedSide& side, const Node& node, bool is_statement,
                      const std::string& name) {
  if (is_statement && side.names.is_scalar_statement(node)) return false;
  if (!is_statement && side.names.is_index(node)) return is_multiple(side, node, name);
  return std::any_of(node.fields.begin(), node.fields.end(), [&](const Field& field) {
    const bool holds_statements = is_statement && (field.name == "body" || field.name == "orelse");
    return std::any_of(field.nodes.begin(), field.nodes.end(), [&](const Node& child) {
      return is_taken_by_work(side, child, holds_statements, name);
    });
  });
}

bool is_taken(const ComparedSide& side, const std::string& name) {
  const auto& body = side.side.function->list("body");
  return std::any_of(body.begin(), body.end(), [&](const Node& statement) {
    return is_taken_by_work(side, statement, true, name);
  });
}

bool is_settled_name(const ComparedSide& before, const ComparedSide& after, const std::string& name,
                     int depth) {
  constexpr int kDeepest = 32;
  const bool is_local = after.names.is_local(name);
  if (is_local != before.names.is_local(name) || depth > kDeepest) return false;
  if (!is_local) return before.helpers.count(name) == 0 && after.helpers.count(name) == 0;
  const Node* old_one = only_assignment(before, name);
  const Node* new_one = only_assignment(after, name);
  if (old_one == nullptr || new_one == nullptr) return false;
  if (is_taken(before, name) && is_taken(after, name)) return true;
  if (before.text.exact(*old_one) != after.text.exact(*new_one)) return false;
  std::set<std::string> names;
  collect_hint_names(new_one->at("value"), names);
  return std::all_of(names.begin(), names.end(), [&](const std::string& one) {
    return one != name && is_settled_name(before, after, one, depth + 1);
  });
}

void collect_hints(const ComparedSide& side, const std::vector<Node>& body,
                   std::set<std::string>& texts) {
  for (const Node& statement : body) {
    if (side.names.is_hint(statement)) texts.insert(side.text.exact(statement));
    for (const char* field : {"body", "orelse"}) collect_hints(side, statement.list(field), texts);
  }
}

/// What a loop computes does not depend on it.
bool is_tuning(const ComparedSide& side, const Node& keyword) {
  static const std::set<std::string_view> kHints = {"num_stages", "flatten", "warp_specialize",
                                                    "loop_unroll_factor",
                                                    "disallow_acc_multi_buffer"};
  const Node& value = keyword.at("value");
  return kHints.count(keyword.text) > 0 &&
         (value.is("Constant") || (value.is("Name") && !side.names.is_local(value.text)));
}

}  // namespace

std::string range_text(const ComparedSide& side, const Node& range, bool with_tuning) {
  std::string text = side.text.exact(range.at("func"));
  for (const Node& one : range.list("keywords"))
    if (with_tuning || !is_tuning(side, one)) text += ", " + side.text.exact(one);
  return text;
}

bool is_settled_hint(const ComparedSide& before, const ComparedSide& after, const Node& hint) {
  std::set<std::string> texts;
  collect_hints(before, before.side.function->list("body"), texts);
  if (texts.count(after.text.exact(hint)) == 0) return false;
  std::set<std::string> names;
  collect_hint_names(hint, names);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return is_settled_name(before, after, name, 0);
  });
}

bool is_constexpr_check(const ComparedSide& side, const Node& hint) {
  const Node& call = hint.at("value");
  if (dotted_path(side.module, call.at("func")) != "triton.language.static_assert") return false;
  std::set<std::string> known;
  for (const SignatureEntry& entry : signature(*side.side.function))
    if (entry.is_constexpr) known.insert(entry.name);
  std::set<std::string> names;
  for (const Node& argument : call.list("args")) collect_hint_names(argument, names);
  return std::ranges::all_of(names, [&](const std::string& name) {
    return !side.names.is_local(name) && (known.count(name) > 0 || name == "tl");
  });
}

bool is_plain_hint(const ComparedSide& side, const Node& hint) {
  const Node& call = hint.at("value");
  const auto& body = side.side.function->list("body");
  const bool is_outermost =
      std::ranges::any_of(body, [&](const Node& one) { return &one == &hint; });
  const auto& arguments = call.list("args");
  if (!is_outermost || dotted_path(side.module, call.at("func")) != "triton.language.assume" ||
      arguments.size() != 1 || call.has("keywords") || !arguments.front().is("Compare"))
    return false;
  const Node& test = arguments.front();
  const auto& others = test.list("comparators");
  if (others.size() != 1 || !test.at("left").is("Name")) return false;
  const Node& other = others.front();
  if (test.text == "GtE" || test.text == "Gt")
    return other.constant == ConstantKind::integer &&
           std::strtoll(other.text.c_str(), nullptr, kHintRadix) < 2;
  const bool is_count =
      other.is("Name") || (other.is("Call") && dotted_path(side.module, other.at("func")) ==
                                                   "triton.language.num_programs");
  return (test.text == "Lt" || test.text == "LtE") && is_count;
}

bool is_implied_hint(const ComparedSide& side, const Node& hint) {
  const Node& test = hint.at("value").list("args").front();
  const std::string& name = test.at("left").text;
  return (test.text == "GtE" || test.text == "Gt") &&
         (!side.names.is_local(name) || is_taken(side, name));
}

void make_guard(std::vector<Node>& body, const CodeSpan& hint) {
  const auto found = std::ranges::find_if(body, [&](const Node& one) {
    return one.begin.line == hint.line && one.begin.column == hint.column;
  });
  if (found == body.end()) return;
  const auto made = [&](const char* kind) {
    Node node;
    node.kind = kind;
    node.begin = found->begin;
    node.end = found->end;
    return node;
  };
  Node test = made("UnaryOp");
  test.text = "Not";
  test.fields.push_back({"operand", {found->at("value").list("args").front()}});
  Node guard = made("If");
  guard.fields.push_back({"test", {std::move(test)}});
  guard.fields.push_back({"body", {made("Return")}});
  *found = std::move(guard);
}

}  // namespace heddle::kernel::triton
