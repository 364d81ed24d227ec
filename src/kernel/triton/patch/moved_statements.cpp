#include "kernel/triton/patch/moved_statements.h"

#include <algorithm>
#include <string_view>

#include "kernel/alignment.h"

namespace heddle::kernel::triton {
namespace {

bool makes_values(const std::string& path) {
  static const std::set<std::string_view> kPaths = {
      "triton.language.arange",       "triton.language.zeros",   "triton.language.full",
      "triton.language.num_programs", "triton.language.cdiv",    "triton.cdiv",
      "triton.language.minimum",      "triton.language.maximum", "triton.language.where"};
  return kPaths.count(path) > 0;
}

/// Arithmetic, slices, and functions that only make values.
bool is_pure(const Module& module, const Node& node) {
  static const std::set<std::string_view> kKinds = {"Name",      "Constant", "BinOp",    "UnaryOp",
                                                    "Compare",   "Tuple",    "List",     "Slice",
                                                    "Subscript", "keyword",  "Attribute"};
  const bool is_call = node.is("Call") && makes_values(dotted_path(module, node.at("func")));
  if (!is_call && kKinds.count(node.kind) == 0) return false;
  return std::ranges::all_of(node.fields, [&](const Field& field) {
    return std::ranges::all_of(field.nodes, [&](const Node& child) {
      return child.kind.empty() || child.is("Absent") || is_pure(module, child);
    });
  });
}

void collect_mentioned(const Node& node, std::set<std::string>& names) {
  if (node.is("Name")) names.insert(node.text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_mentioned(child, names);
}

bool is_movable(const ComparedSide& side, const Node& node) {
  if (!node.is("Assign") || node.list("targets").size() != 1 ||
      !node.list("targets").front().is("Name") || !SyntaxText::is_complete(node) ||
      !is_pure(side.module, node.at("value")))
    return false;
  std::set<std::string> names;
  collect_mentioned(node, names);
  return !side.names.is_scalar(node.list("targets").front()) &&
         std::ranges::none_of(
             names, [&](const std::string& name) { return side.names.is_index_name(name); });
}

/// The statements that rule 2 names, in order, and how many of them stand in front of `moved`.
std::pair<std::vector<std::string>, std::size_t> conflicts(const ComparedSide& side,
                                                           const Statements& all,
                                                           const Node& moved) {
  std::set<std::string> reads;
  collect_mentioned(moved.at("value"), reads);
  const std::string& written = moved.list("targets").front().text;
  std::vector<std::string> texts;
  std::size_t before = 0;
  for (const Node* one : all) {
    if (one == &moved) {
      before = texts.size();
      continue;
    }
    std::set<std::string> mentioned;
    collect_mentioned(*one, mentioned);
    const std::set<std::string> given = target_names(*one);
    if (mentioned.count(written) > 0 ||
        std::ranges::any_of(given, [&](const std::string& name) { return reads.count(name) > 0; }))
      texts.push_back(side.text.outline(*one, side.names));
  }
  return {texts, before};
}

}  // namespace

std::vector<std::pair<const Node*, const Node*>> take_moved(const ComparedSide& before,
                                                            const ComparedSide& after,
                                                            Statements& olds, Statements& news) {
  std::vector<std::pair<const Node*, const Node*>> moved;
  std::vector<std::string> old_texts;
  std::vector<std::string> new_texts;
  for (const Node* one : olds) old_texts.push_back(before.text.exact(*one));
  for (const Node* one : news) new_texts.push_back(after.text.exact(*one));
  std::set<const Node*> gone;
  std::set<const Node*> fresh;
  for (const Gap& gap : gaps(old_texts, new_texts)) {
    gone.insert(olds.begin() + static_cast<std::ptrdiff_t>(gap.before_begin),
                olds.begin() + static_cast<std::ptrdiff_t>(gap.before_end));
    fresh.insert(news.begin() + static_cast<std::ptrdiff_t>(gap.after_begin),
                 news.begin() + static_cast<std::ptrdiff_t>(gap.after_end));
  }
  for (std::size_t i = 0; i < olds.size(); ++i) {
    if (gone.count(olds[i]) == 0 || !is_movable(before, *olds[i])) continue;
    const std::string text = before.text.exact(*olds[i]);
    const auto same = [&](const Node* one) {
      return fresh.count(one) > 0 && after.text.exact(*one) == text && is_movable(after, *one);
    };
    const auto found = std::ranges::find_if(news, same);
    if (found == news.end()) continue;
    const auto k = static_cast<std::size_t>(found - news.begin());
    if (conflicts(before, olds, *olds[i]) != conflicts(after, news, *news[k])) continue;
    moved.emplace_back(olds[i], news[k]);
    olds.erase(olds.begin() + static_cast<std::ptrdiff_t>(i--));
    news.erase(news.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return moved;
}

}  // namespace heddle::kernel::triton
