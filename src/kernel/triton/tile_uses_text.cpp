// The new text of a kernel: sites get their code, variables their values, and what nobody needs goes.
#include <algorithm>
#include <cctype>

#include "kernel/triton/lines.h"
#include "kernel/triton/tile_uses.h"

namespace heddle::kernel::triton {
namespace {

/// Words of code that are no comment.
void add_code_words(const std::string& code, std::set<std::string>& words) {
  std::string word;
  bool is_comment = false;
  for (const char c : code + "\n") {
    if (c == '#') is_comment = true;
    if (c == '\n') is_comment = false;
    if (!is_comment && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')) {
      word += c;
      continue;
    }
    if (!word.empty()) words.insert(word);
    word.clear();
  }
}

bool is_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

}  // namespace

Liveness TritonTileUses::liveness(const std::vector<std::string>& code,
                                  const std::vector<std::string>& values) const {
  std::map<const Node*, std::set<std::string>> reads;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    std::set<std::string> words;
    add_code_words(code[i], words);
    for (const std::size_t giver : of_[i]) {
      std::set<std::string>& read = reads[givers_[giver].statement->node];
      for (const std::size_t variable : givers_[giver].variables)
        add_code_words(values[variable], read);
      // Other values of the same statement stay.
      const Node& node = *givers_[giver].statement->node;
      if (node.is("Assign") && node.list("targets").front().is("Tuple") &&
          node.at("value").is("Tuple")) {
        const auto& items = node.list("targets").front().list("elts");
        for (std::size_t k = 0; k < items.size() && k < node.at("value").list("elts").size(); ++k)
          if (variable_named(givers_[giver], items[k].text) == kNoVariable)
            collect_all(node.at("value").list("elts")[k], read);
      }
    }
    auto& first = reads[givers_[of_[i].front()].statement->node];
    first.insert(words.begin(), words.end());
  }
  return {*module_, *function_, std::move(reads)};
}

void TritonTileUses::add_edits(const Giver& giver, const std::vector<std::string>& values,
                               std::vector<Edit>& edits) const {
  const Lines lines(module_->text);
  const Node& node = *giver.statement->node;
  const auto replace = [&](const Node& old, const std::string& text) {
    const Node& inner = without_cast(old);
    const std::size_t begin = lines.offset(inner.begin);
    const std::size_t end = lines.offset(inner.end);
    const bool has_brackets = begin > 0 && module_->text[begin - 1] == '(' &&
                              end < module_->text.size() && module_->text[end] == ')';
    const bool is_bare = &inner == &old || is_word(text) || has_brackets;
    edits.push_back({begin, end, is_bare ? text : "(" + text + ")"});
  };
  if (node.is("For")) return;  // rewritten() names the counter
  const Node& target = node.list(node.is("Assign") ? "targets" : "target").front();
  if (node.is("AugAssign")) {
    edits.push_back({lines.offset(node.begin), lines.offset(node.end),
                     target.text + " = " + values[giver.variables.front()]});
    return;
  }
  if (target.is("Name")) return replace(node.at("value"), values[giver.variables.front()]);
  const auto& items = target.list("elts");
  const bool is_pair =
      node.at("value").is("Tuple") && node.at("value").list("elts").size() == items.size();
  std::string together;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t variable = variable_named(giver, items[i].text);
    if (is_pair && variable != kNoVariable)
      replace(node.at("value").list("elts")[i], values[variable]);
    if (!is_pair) together += (i > 0 ? ", " : "") + values[variable];
  }
  if (!is_pair)
    edits.push_back(
        {lines.offset(node.at("value").begin), lines.offset(node.at("value").end), together});
}

/// Whole lines, where the statement has them for itself.
std::optional<TritonTileUses::Edit> TritonTileUses::removal(const Statement& statement) const {
  const std::string& text = module_->text;
  const Lines lines(text);
  const Node& node = *statement.node;
  const std::size_t begin = lines.begin_of_line(node.begin.line);
  const std::size_t end = lines.begin_of_line(node.end.line + 1);
  const std::string front = text.substr(begin, lines.offset(node.begin) - begin);
  const std::size_t tail = lines.offset(node.end);
  const std::string_view behind = trim(std::string_view(text).substr(tail, end - tail));
  const bool is_alone = front.find_first_not_of(" \t") == std::string::npos &&
                        (behind.empty() || behind.front() == '#') &&
                        !lines.is_continued(node.begin.line);
  return is_alone ? std::optional(Edit{begin, end, {}}) : std::nullopt;
}

void TritonTileUses::add_removals(const Liveness& after, std::vector<Edit>& edits) const {
  const Liveness before(*module_, *function_, {});
  std::map<const std::vector<Node>*, std::size_t> left;
  std::set<std::string> gone;
  std::vector<const Statement*> removed;
  for (const Statement& one : statements_) {
    left.try_emplace(one.list, one.list->size());
    const bool is_inside_removed = std::any_of(
        removed.begin(), removed.end(), [&](const Statement* up) { return is_inside(one, *up); });
    if (is_inside_removed || !after.is_dead(*one.node) || before.is_dead(*one.node)) continue;
    const auto edit = removal(one);
    if (!edit || left[one.list] == 1) continue;
    --left[one.list];
    removed.push_back(&one);
    edits.push_back(*edit);
    gone.merge(bound_by(*one.node));
  }
  for (const TileVariable& one : variables) gone.erase(one.name);
  for (const Statement& one : statements_) {
    std::set<std::string> read;
    if (!is_assumption(*module_, *one.node)) continue;
    collect_all(*one.node, read);
    const bool is_about_gone = std::any_of(
        read.begin(), read.end(), [&](const std::string& name) { return gone.count(name) != 0; });
    const auto edit = removal(one);
    if (!is_about_gone) continue;
    if (!edit || left[one.list] == 1)
      refuse(*one.node, "this assumption is about a name that goes", "put it on its own line");
    edits.push_back(*edit);
  }
}

std::string TritonTileUses::rewritten(const std::vector<std::string>& code,
                                      const std::vector<std::string>& values) const {
  const Lines lines(module_->text);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    std::string lines_of_site = code[i];
    const Giver& first = givers_[of_[i].front()];
    if (first.statement->node->is("For")) {
      const Node& target = first.statement->node->at("target");
      const std::size_t variable = first.variables.front();
      edits.push_back({lines.offset(target.begin), lines.offset(target.end), sites[i].counter});
      lines_of_site += fmt::format("{}{} = {}{}", sites[i].place.margin, target.text,
                                   values[variable], sites[i].place.ending);
    }
    edits.push_back({sites[i].place.begin, sites[i].place.end, lines_of_site});
    for (const std::size_t giver : of_[i]) add_edits(givers_[giver], values, edits);
  }
  add_removals(liveness(code, values), edits);
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::string after;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < at) continue;  // inside what was removed
    after += module_->text.substr(at, edit.begin - at);
    after += edit.text;
    at = edit.end;
  }
  after += module_->text.substr(at);
  parse_python(after, path);
  return after;
}

}  // namespace heddle::kernel::triton
