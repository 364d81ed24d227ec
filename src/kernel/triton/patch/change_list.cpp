#include "kernel/triton/patch/change_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kMostDoubts = 8;

/// The parameters of the kernel that are numbers in this launch.
std::set<std::string> number_parameters(const CodeSide& side) {
  std::set<std::string> names;
  for (const auto& entry : signature(*side.function)) {
    const config::Argument* given = side.launch->find(entry.name);
    if (given == nullptr) continue;
    const auto& data = given->value.data;
    if (std::holds_alternative<std::int64_t>(data) || std::holds_alternative<bool>(data))
      names.insert(entry.name);
  }
  return names;
}

void add_called_paths(const Module& module, const Node& node, std::vector<std::string>& paths) {
  if (node.is("Call")) paths.push_back(dotted_path(module, node.at("func")));
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) add_called_paths(module, child, paths);
}

}  // namespace

ComparedSide::ComparedSide(const CodeSide& given)
    : side(given),
      module(given.source->main()),
      text(module, *given.function, given.ignored),
      names(module, *given.function, number_parameters(given), Grammar::likely),
      listed(module, *given.function, number_parameters(given), Grammar::listed) {}

std::vector<std::string> called_paths(const Module& module, const Node& node) {
  std::vector<std::string> paths;
  add_called_paths(module, node, paths);
  return paths;
}

std::string what_of(const Module& module, const Node& node) {
  if (node.is("Import") || node.is("ImportFrom")) return "an import";
  if (node.is("FunctionDef"))
    return module.jit.count(node.text) > 0 ? "a helper function" : "host code";
  if (node.is("ClassDef")) return "host code";
  if (node.is("For") || node.is("While")) return "a loop";
  if (node.is("If")) return "a branch";
  if (node.is("Return")) return "a return";
  std::string what;
  for (const std::string& path : called_paths(module, node)) {
    const std::string name = path.substr(path.rfind('.') + 1);
    if (name.rfind("atomic_", 0) == 0)
      what = "an atomic";
    else if (name == "store" && what.empty())
      what = "a store";
    else if (name == "load" && what.empty())
      what = "a load";
  }
  return what.empty() ? "a computation" : what;
}

Statements slice(const Statements& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

CodeChange ChangeList::change(const Node* before, const Node* after, std::string what) const {
  CodeChange one;
  one.kind = what.empty() ? CodeChange::Kind::index : CodeChange::Kind::other;
  one.what = std::move(what);
  if (before != nullptr) {
    one.line_before = before->begin.line;
    one.before = before_.text.quoted(*before);
  }
  if (after != nullptr) {
    one.line_after = after->begin.line;
    one.after = after_.text.quoted(*after);
  }
  return one;
}

/// The first statements in the bodies of two, of which one differs.
std::pair<const Node*, const Node*> ChangeList::first_statement(const Node& before,
                                                                const Node& after) const {
  for (const char* field : {"body", "orelse"}) {
    const auto& olds = before.list(field);
    const auto& news = after.list(field);
    for (std::size_t i = 0; i < std::min(olds.size(), news.size()); ++i)
      if (before_.text.exact(olds[i]) != after_.text.exact(news[i])) return {&olds[i], &news[i]};
  }
  return {&before, &after};
}

void ChangeList::report(const Node* before, const Node* after, const std::string& what) {
  CodeChange one = change(before, after, what);
  while (before != nullptr && after != nullptr && one.before == one.after) {
    const auto [old_part, new_part] = first_statement(*before, *after);
    if (old_part == before) break;
    before = old_part;
    after = new_part;
    one.before = before_.text.quoted(*before);
    one.after = after_.text.quoted(*after);
    one.line_before = before->begin.line;
    one.line_after = after->begin.line;
  }
  if (before != nullptr && after != nullptr && !what.empty()) {
    const auto [old_part, new_part] = first_difference(*before, *after);
    if (before->kind == after->kind && before_.text.raw(*old_part) != before_.text.raw(*before)) {
      one.before = before_.text.quoted(*old_part);
      one.after = after_.text.quoted(*new_part);
    }
  }
  add(std::move(one));
}

void ChangeList::report(std::string what) {
  CodeChange one;
  one.what = std::move(what);
  add(std::move(one));
}

/// The smallest parts that differ.
std::pair<const Node*, const Node*> ChangeList::first_difference(const Node& before,
                                                                 const Node& after) const {
  const std::pair<const Node*, const Node*> here(&before, &after);
  if (before.kind != after.kind || before.text != after.text || before.constant != after.constant ||
      before.fields.size() != after.fields.size() || !SyntaxText::is_complete(before))
    return here;
  for (std::size_t i = 0; i < before.fields.size(); ++i) {
    const Field& old_field = before.fields[i];
    const Field& new_field = after.fields[i];
    if (old_field.name != new_field.name || old_field.nodes.size() != new_field.nodes.size())
      return here;
    for (std::size_t k = 0; k < old_field.nodes.size(); ++k)
      if (before_.text.exact(old_field.nodes[k]) != after_.text.exact(new_field.nodes[k]))
        return first_difference(old_field.nodes[k], new_field.nodes[k]);
  }
  return here;
}

void ChangeList::report_gap(const Statements& before, const Statements& after,
                            const std::string& what) {
  for (std::size_t i = 0; i < before.size() || i < after.size(); ++i) {
    const Node* old_one = i < before.size() ? before[i] : nullptr;
    const Node* new_one = i < after.size() ? after[i] : nullptr;
    const Module& module = old_one != nullptr ? before_.module : after_.module;
    const Node& shown = old_one != nullptr ? *old_one : *new_one;
    report(old_one, new_one, what.empty() ? what_of(module, shown) : what);
  }
}

void ChangeList::doubt(const ComparedSide& side, const Node& node, const std::string& why) {
  doubt(fmt::format("line {}{}: {}: {}", node.begin.line,
                    &side == &before_ ? " of the original" : "", side.text.quoted(node), why));
}

void ChangeList::doubt(std::string why) {
  auto& doubts = result_.doubts;
  if (doubts.size() < kMostDoubts && std::find(doubts.begin(), doubts.end(), why) == doubts.end())
    doubts.push_back(std::move(why));
}

CodeChanges ChangeList::take() {
  std::stable_sort(
      result_.changes.begin(), result_.changes.end(), [](const CodeChange& a, const CodeChange& b) {
        return std::max(a.line_after, a.line_before) < std::max(b.line_after, b.line_before);
      });
  return std::move(result_);
}

}  // namespace heddle::kernel::triton
