#include "kernel/triton/patch/code_changes.h"
#include "kernel/triton/patch/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "kernel/alignment.h"
#include "kernel/triton/patch/change_list.h"
#include "kernel/triton/patch/file_changes.h"
#include "kernel/triton/patch/tuned_configs.h"

namespace heddle::kernel::triton {
namespace {

using Support = std::set<const Node*>;

constexpr std::size_t kLongestNumber = 10;  ///< "0x7fffffff"

class KernelComparison {
 public:
  KernelComparison(const CodeSide& before, const CodeSide& after)
      : before_(before), after_(after), list_(before_, after_) {}

  CodeChanges run() {
    compare_files(before_, after_, list_);
    compare_heads();
    for (const Node* one : after_.side.handed) list_.add(list_.change(nullptr, one, ""));
    compare_configs();
    list_.result().is_other_inside = !list_.result().has_other();
    compare_statements(work_of(before_), work_of(after_));
    judge_support(before_, support_before_);
    judge_support(after_, support_after_);
    CodeChanges& result = list_.result();
    for (const auto& [old_name, new_name] : forth_)
      if (old_name != new_name) result.renamed[new_name] = old_name;
    for (const Node& statement : after_.side.function->list("body"))
      collect_names(statement, result.locals);
    find_constants();
    find_index_lines();
    if (!result.changes.empty() || !result.renamed.empty())
      for (const ComparedSide* side : {&before_, &after_})
        for (const Node& statement : side->side.function->list("body"))
          doubt_unlisted(*side, statement, true);
    return list_.take();
  }

 private:
  /// The value of a node that is made of nothing but whole numbers and + - * << **.
  static std::optional<std::int64_t> literal_value(const Node& node) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 31;
    if (node.is("Constant")) {
      const bool is_whole = node.constant == ConstantKind::integer;
      if (!is_whole || node.text.size() > kLongestNumber) return std::nullopt;
      return std::strtoll(node.text.c_str(), nullptr, 16);
    }
    if (!node.is("BinOp")) return std::nullopt;
    const auto left = literal_value(node.at("left"));
    const auto right = literal_value(node.at("right"));
    if (!left || !right || *left < 0 || *right < 0 || *left > kLarge || *right > kLarge)
      return std::nullopt;
    if (node.text == "Add") return *left + *right;
    if (node.text == "Sub") return *left - *right;
    if (node.text == "Mult") return *left * *right;
    if (node.text == "LShift" && *right < 31) return *left << *right;
    if (node.text != "Pow" || *right > 62) return std::nullopt;
    std::int64_t power = 1;
    for (std::int64_t i = 0; i < *right; ++i)
      if ((power *= *left) > kLarge) return std::nullopt;
    return power;
  }

  static void collect_numbers(const Node& node, std::set<std::int64_t>& numbers) {
    if (const auto number = literal_value(node)) numbers.insert(*number);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) collect_numbers(child, numbers);
  }

  /// Scalar statements at the outermost level, with one indentation.
  void find_index_lines() {
    const std::string& text = after_.module.text;
    std::vector<std::size_t> starts = {0};
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      starts.push_back(at + 1);
    for (const Node& statement : after_.side.function->list("body")) {
      if (statement.is("Pass") || !after_.names.is_scalar_statement(statement)) continue;
      const auto first = static_cast<std::size_t>(statement.begin.line);
      const auto last = static_cast<std::size_t>(statement.end.line);
      for (std::size_t line = first; line <= last && line < starts.size(); ++line) {
        const std::string whole = text.substr(starts[line - 1], starts[line] - starts[line - 1]);
        const auto cut = static_cast<std::size_t>(statement.begin.column - 1);
        list_.result().index_lines += whole.size() > cut ? whole.substr(cut) : whole;
      }
    }
  }

  void find_constants() {
    std::set<std::int64_t> olds;
    std::set<std::int64_t> news;
    collect_numbers(*before_.side.function, olds);
    for (const Node* helper : before_.own_helpers) collect_numbers(*helper, olds);
    collect_numbers(*after_.side.function, news);
    for (const auto& [name, value] : after_.module.constants) collect_numbers(*value, news);
    for (const Node* helper : after_.own_helpers) collect_numbers(*helper, news);
    for (const Node* grid : after_.side.ignored) collect_numbers(*grid, news);
    auto& constants = list_.result().constants;
    for (const std::int64_t number : news)
      if (olds.count(number) == 0 && number > kSmallNumber) constants.push_back(number);
  }

  /// Index code of the kernel that is not on the list.
  void doubt_unlisted(const ComparedSide& side, const Node& node, bool is_statement) {
    if (!is_statement && side.listed.is_scalar_range(node)) return;
    const bool is_index =
        is_statement ? side.names.is_index_statement(node) : side.names.is_index(node);
    if (is_index) {
      if (is_statement && side.names.is_hint(node) && is_fair_hint(side, node)) return;
      const bool is_listed =
          is_statement ? side.listed.is_index_statement(node) : side.listed.is_index(node);
      if (is_listed) return;
      const Node* part = side.listed.unlisted(node);
      list_.doubt(side, part != nullptr ? *part : node, "not on the list of index code");
      return;
    }
    for (const Field& field : node.fields) {
      const bool holds_statements =
          is_statement && (field.name == "body" || field.name == "orelse");
      for (const Node& child : field.nodes) doubt_unlisted(side, child, holds_statements);
    }
  }

  /// One that changes nothing, or is judged with the rest.
  bool is_fair_hint(const ComparedSide& side, const Node& hint) {
    if (&side == &before_ || is_settled_hint(before_, after_, hint)) return true;
    const CodeSpan span = {hint.begin.line, hint.begin.column, hint.end.line, hint.end.column};
    if (is_constexpr_check(side, hint)) {
      list_.result().implied.push_back(span);
      return true;
    }
    if (!is_plain_hint(side, hint)) return false;
    list_.result().hints.push_back(span);
    if (is_implied_hint(side, hint)) list_.result().implied.push_back(span);
    return true;
  }

  /// Names that the configs give other values are for index code alone.
  void compare_configs() {
    const TunedConfigs* tuned = after_.side.tuned;
    if (tuned == nullptr) return;
    list_.add(list_.change(tuned->before, tuned->after, ""));
    if (!tuned->doubt.empty()) return list_.doubt(after_, *tuned->after, tuned->doubt);
    for (const ComparedSide* side : {&before_, &after_}) {
      const std::set<std::string> used = used_by_work(*side);
      for (const std::string& name : tuned->names)
        if (used.count(name) > 0)
          list_.doubt(after_, *tuned->after,
                      "configs of the autotuner give '" + name + "' another value, which the " +
                          "kernel's work uses");
    }
  }

  void compare_heads() {
    const Node& old_kernel = *before_.side.function;
    const Node& new_kernel = *after_.side.function;
    const auto list = [](const Node& node, const char* field) {
      Statements result;
      for (const Node& one : node.list(field)) result.push_back(&one);
      return result;
    };
    compare_exactly(list(old_kernel, "decorator_list"), list(new_kernel, "decorator_list"),
                    "a decorator");
    for (const char* field : {"args", "returns", "type_params"}) {
      const auto text = [&](const ComparedSide& side, const Node& kernel) {
        std::string whole;
        for (const Node& node : kernel.list(field)) whole += side.text.exact(node) + ",";
        return whole;
      };
      if (text(before_, old_kernel) == text(after_, new_kernel)) continue;
      list_.report(&old_kernel, &new_kernel, "the signature");
      return;
    }
  }

  void compare_exactly(const Statements& before, const Statements& after, const char* what) {
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const Node* one : before) old_texts.push_back(before_.text.exact(*one));
    for (const Node* one : after) new_texts.push_back(after_.text.exact(*one));
    for (const Gap& gap : gaps(old_texts, new_texts))
      list_.report_gap(slice(before, gap.before_begin, gap.before_end),
                       slice(after, gap.after_begin, gap.after_end), what);
  }

  /// Statements of the kernel; those in `if pid < tiles:`, where that holds all of the work.
  Statements work_of(const ComparedSide& side) {
    Statements all = statements_of(side.side.function->list("body"));
    while (!all.empty() && is_around_all(side, all)) {
      const Node* const branch = all.back();
      list_.add(&side == &before_ ? list_.change(branch, nullptr, "")
                                  : list_.change(nullptr, branch, ""));
      if (&side == &after_) list_.result().guards.insert(branch->begin.line);
      all.pop_back();
      for (const Node* one : statements_of(branch->list("body"))) all.push_back(one);
    }
    return all;
  }

  static bool is_around_all(const ComparedSide& side, const Statements& all) {
    const Node& last = *all.back();
    return last.is("If") && !last.has("orelse") && side.names.is_index(last.at("test")) &&
           !side.names.is_scalar_statement(last) && !is_guard(side, last) &&
           std::all_of(all.begin(), all.end() - 1, [&](const Node* one) {
             return side.names.is_scalar_statement(*one) || is_guard(side, *one);
           });
  }

  void compare_bodies(const std::vector<Node>& before, const std::vector<Node>& after) {
    compare_statements(statements_of(before), statements_of(after));
  }

  void compare_statements(const Statements& before, const Statements& after) {
    Statements old_rest;
    Statements new_rest;
    split(before_, before, old_rest, index_before_);
    split(after_, after, new_rest, index_after_);
    compare_index();
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const Node* one : old_rest) old_texts.push_back(before_.text.outline(*one, before_.names));
    for (const Node* one : new_rest) new_texts.push_back(after_.text.outline(*one, after_.names));
    std::size_t i = 0;
    std::size_t k = 0;
    for (const Gap& gap : gaps(old_texts, new_texts)) {
      for (; i < gap.before_begin; ++i, ++k) compare_pair(*old_rest[i], *new_rest[k]);
      close_gap(slice(old_rest, gap.before_begin, gap.before_end),
                slice(new_rest, gap.after_begin, gap.after_end));
      i = gap.before_end;
      k = gap.after_end;
    }
    for (; i < old_rest.size(); ++i, ++k) compare_pair(*old_rest[i], *new_rest[k]);
  }

  static void split(const ComparedSide& side, const Statements& body, Statements& rest,
                    Statements& index) {
    index.clear();
    for (const Node* one : body)
      (side.names.is_index_statement(*one) ? index : rest).push_back(one);
  }

  void compare_index() {
    const auto texts = [](const ComparedSide& side, const Statements& all) {
      std::vector<std::string> result;
      for (const Node* one : all) {
        result.push_back(side.text.exact(*one));
        for (const std::string& path : called_paths(side.module, *one))
          if (side.helpers.count(path) > 0) result.back() += " of another helper";
      }
      return result;
    };
    for (const Gap& gap : gaps(texts(before_, index_before_), texts(after_, index_after_))) {
      const Statements old_rest = slice(index_before_, gap.before_begin, gap.before_end);
      const Statements new_rest = slice(index_after_, gap.after_begin, gap.after_end);
      for (std::size_t i = 0; i < old_rest.size() || i < new_rest.size(); ++i)
        list_.add(list_.change(i < old_rest.size() ? old_rest[i] : nullptr,
                               i < new_rest.size() ? new_rest[i] : nullptr, ""));
    }
  }

  /// Scalar statements may have been put in or taken out for the index: judged when all is seen.
  void close_gap(Statements before, Statements after) {
    const auto take = [](const ComparedSide& side, Statements& rest, Support& support) {
      std::erase_if(rest, [&](const Node* one) {
        if (!side.names.is_scalar_statement(*one)) return false;
        support.insert(one);
        return true;
      });
    };
    take(before_, before, support_before_);
    take(after_, after, support_after_);
    const auto take_guards = [this](const ComparedSide& side, Statements& rest) {
      std::erase_if(rest, [&](const Node* one) {
        if (!is_guard(side, *one)) return false;
        list_.add(&side == &before_ ? list_.change(one, nullptr, "")
                                    : list_.change(nullptr, one, ""));
        if (&side == &after_) list_.result().guards.insert(one->begin.line);
        return true;
      });
    };
    take_guards(before_, before);
    take_guards(after_, after);
    const bool is_one = before.size() == 1 && after.size() == 1;
    if (is_one && is_tile_loop(before_, *before.front()) && is_tile_loop(after_, *after.front())) {
      list_.add(list_.change(before.front(), after.front(), ""));
      return list_.doubt(after_, *after.front(), "a loop over tiles of another kind");
    }
    list_.report_gap(before, after, "");
  }

  void judge_support(const ComparedSide& side, const Support& support) {
    const std::set<std::string> used = used_by_work(side);
    for (const Node* one : support) {
      const std::set<std::string> targets = target_names(*one);
      const bool is_index = std::none_of(targets.begin(), targets.end(),
                                         [&](const auto& name) { return used.count(name) > 0; });
      const std::string what = is_index ? "" : what_of(side.module, *one);
      if (is_index && !side.listed.is_scalar_statement(*one)) {
        const Node* part = side.listed.unlisted(*one);
        list_.doubt(side, part != nullptr ? *part : *one, "not on the list of index code");
      }
      list_.add(&side == &before_ ? list_.change(one, nullptr, what)
                                  : list_.change(nullptr, one, what));
    }
  }

  /// Names that more than index code depends on: those in the work itself, and those that scalar
  /// statements compute such names from.
  static std::set<std::string> used_by_work(const ComparedSide& side) {
    std::set<std::string> used;
    Statements scalars;
    for (const Node& statement : side.side.function->list("body"))
      collect_work(side, statement, true, used, scalars);
    for (bool grown = true; grown;) {
      const std::size_t known = used.size();
      for (const Node* one : scalars) {
        const std::set<std::string> targets = target_names(*one);
        if (std::any_of(targets.begin(), targets.end(),
                        [&](const std::string& name) { return used.count(name) > 0; }))
          collect_names(*one, used);
      }
      grown = used.size() > known;
    }
    return used;
  }

  /// if pid >= tiles: return
  static bool is_guard(const ComparedSide& side, const Node& node) {
    if (!node.is("If") || node.has("orelse") || node.list("body").size() != 1) return false;
    const Node& only = node.list("body").front();
    return only.is("Return") && !only.has("value") && side.names.is_index(node.at("test"));
  }

  /// Names in what is neither a scalar statement nor index arithmetic.
  static void collect_work(const ComparedSide& side, const Node& node, bool is_statement,
                           std::set<std::string>& used, Statements& scalars) {
    if (is_statement && side.names.is_scalar_statement(node)) {
      if (!side.names.is_index_statement(node)) scalars.push_back(&node);
      return;
    }
    if (!is_statement && (side.names.is_index(node) || side.names.is_block_range(node))) return;
    if (is_statement && is_guard(side, node)) return;
    if (node.is("Name")) used.insert(node.text);
    for (const Field& field : node.fields) {
      const bool holds_statements =
          is_statement && (field.name == "body" || field.name == "orelse");
      for (const Node& child : field.nodes)
        collect_work(side, child, holds_statements, used, scalars);
    }
  }

  void compare_pair(const Node& before, const Node& after) {
    const auto forth = forth_;
    const auto back = back_;
    if (!unify(before, after, true)) {
      differs_in_index_ = false;
      if (before_.names.is_scalar_statement(before) && after_.names.is_scalar_statement(after)) {
        forth_ = forth;
        back_ = back;
        support_before_.insert(&before);
        support_after_.insert(&after);
        return;
      }
      list_.report(&before, &after, what_of(before_.module, before));
      return;
    }
    if (differs_in_index_) list_.add(list_.change(&before, &after, ""));
    differs_in_index_ = false;
    for (const char* field : {"body", "orelse", "finalbody"})
      if (before.has(field) || after.has(field))
        compare_bodies(before.list(field), after.list(field));
  }

  /// A loop that the block's index runs.
  static bool is_tile_loop(const ComparedSide& side, const Node& loop) {
    if (loop.is("While")) return side.names.is_index(loop.at("test"));
    return loop.is("For") && side.names.is_block_range(loop.at("iter"));
  }

  bool unify(const Node& before, const Node& after, bool is_statement) {
    if (!is_statement && before_.names.is_scalar_range(before) &&
        after_.names.is_scalar_range(after))
      return unify_ranges(before, after);
    if (!is_statement) {
      const bool is_index = before_.names.is_index(before);
      if (is_index != after_.names.is_index(after)) return false;
      if (is_index) {
        differs_in_index_ =
            differs_in_index_ || before_.text.exact(before) != after_.text.exact(after);
        return true;
      }
      if (before.is("Name") && after.is("Name")) return unify_names(before.text, after.text);
    }
    if (!SyntaxText::is_complete(before) || !SyntaxText::is_complete(after))
      return before_.text.exact(before) == after_.text.exact(after);
    if (before.kind != after.kind || before.text != after.text ||
        before.constant != after.constant || before.fields.size() != after.fields.size())
      return false;
    for (std::size_t i = 0; i < before.fields.size(); ++i) {
      const Field& old_field = before.fields[i];
      const Field& new_field = after.fields[i];
      if (old_field.name != new_field.name) return false;
      if (is_statement &&
          (old_field.name == "body" || old_field.name == "orelse" || old_field.name == "finalbody"))
        continue;
      if (old_field.nodes.size() != new_field.nodes.size()) return false;
      for (std::size_t k = 0; k < old_field.nodes.size(); ++k)
        if (!unify(old_field.nodes[k], new_field.nodes[k], false)) return false;
    }
    return true;
  }

  /// Bounds may be index code; what else a range says is not. Where the block decides both loops,
  /// the programs say whether their turns are the same (program_match.h).
  bool unify_ranges(const Node& before, const Node& after) {
    const auto& olds = before.list("args");
    const auto& news = after.list("args");
    if (range_text(before_, before, false) != range_text(after_, after, false)) return false;
    differs_in_index_ =
        differs_in_index_ || range_text(before_, before, true) != range_text(after_, after, true);
    if (before_.names.is_block_range(before) && after_.names.is_block_range(after)) {
      differs_in_index_ =
          differs_in_index_ || before_.text.exact(before) != after_.text.exact(after);
      return true;
    }
    return std::equal(olds.begin(), olds.end(), news.begin(), news.end(),
                      [this](const Node& a, const Node& b) { return unify(a, b, false); });
  }

  bool unify_names(const std::string& before, const std::string& after) {
    const bool is_local = before_.names.is_local(before);
    if (is_local != after_.names.is_local(after)) return false;
    if (!is_local)
      return before == after && before_.helpers.count(before) == 0 &&
             after_.helpers.count(after) == 0;
    if (before_.names.is_index_name(before) != after_.names.is_index_name(after)) return false;
    if (before_.names.is_index_name(before)) return true;
    const auto forth = forth_.try_emplace(before, after).first;
    const auto back = back_.try_emplace(after, before).first;
    return forth->second == after && back->second == before;
  }

  ComparedSide before_;
  ComparedSide after_;
  ChangeList list_;
  Support support_before_;  ///< scalar statements that only one of the files has
  Support support_after_;
  Statements index_before_;
  Statements index_after_;
  std::map<std::string, std::string> forth_;
  std::map<std::string, std::string> back_;
  bool differs_in_index_ = false;
};

}  // namespace

bool CodeChanges::has_other() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const CodeChange& one) { return one.kind == CodeChange::Kind::other; });
}

CodeChanges find_changes(const CodeSide& before, const CodeSide& after) {
  return KernelComparison(before, after).run();
}

}  // namespace heddle::kernel::triton
