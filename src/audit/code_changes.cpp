#include "audit/code_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "audit/alignment.h"
#include "audit/scalar_names.h"
#include "audit/syntax_text.h"

namespace heddle::audit {
namespace {

using kernel::triton::Field;
using kernel::triton::Module;
using kernel::triton::Node;
using Statements = std::vector<const Node*>;

/// The parameters of the kernel that are numbers in this launch.
std::set<std::string> number_parameters(const CodeSide& side) {
  std::set<std::string> names;
  for (const auto& entry : kernel::triton::signature(*side.function)) {
    const config::Argument* given = side.launch->find(entry.name);
    if (given == nullptr) continue;
    const auto& data = given->value.data;
    if (std::holds_alternative<std::int64_t>(data) || std::holds_alternative<bool>(data))
      names.insert(entry.name);
  }
  return names;
}

/// Calls visit(call path) for every call below a node.
void for_each_call(const Module& module, const Node& node, const auto& visit) {
  if (node.is("Call")) visit(kernel::triton::dotted_path(module, node.at("func")));
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) for_each_call(module, child, visit);
}

/// Whether the file says in its first lines that it is written in something else than UTF-8: then
/// what looks like a comment may hold code.
bool has_odd_encoding(const std::string& text) {
  static const std::regex kCookie("^[ \\t\\f]*#.*?coding[:=][ \\t]*([-_.a-zA-Z0-9]+)");
  std::size_t begin = 0;
  for (int line = 0; line < 2 && begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    std::smatch found;
    const std::string here = text.substr(begin, std::min<std::size_t>(end - begin, 1000));
    if (std::regex_search(here, found, kCookie)) {
      std::string name = found[1];
      for (char& c : name)
        c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (name != "utf-8" && name != "utf8" && name != "ascii" && name != "us-ascii") return true;
    }
    const bool is_pair = text.compare(end, 2, "\r\n") == 0;
    begin = end + (is_pair ? 2 : 1);
  }
  return false;
}

/// What kind of statement it is, in plain words.
std::string what_of(const Module& module, const Node& node) {
  if (node.is("Import") || node.is("ImportFrom")) return "an import";
  if (node.is("FunctionDef"))
    return module.jit.count(node.text) > 0 ? "a helper function" : "host code";
  if (node.is("ClassDef")) return "host code";
  if (node.is("For") || node.is("While")) return "a loop";
  if (node.is("If")) return "a branch";
  if (node.is("Return")) return "a return";
  std::string what;
  for_each_call(module, node, [&](const std::string& path) {
    const std::string name = path.substr(path.rfind('.') + 1);
    if (name.rfind("atomic_", 0) == 0)
      what = "an atomic";
    else if (name == "store" && what.empty())
      what = "a store";
    else if (name == "load" && what.empty())
      what = "a load";
  });
  return what.empty() ? "a computation" : what;
}

struct Side {
  explicit Side(const CodeSide& given)
      : side(given),
        module(given.source->main()),
        text(module, *given.function, given.ignored),
        names(module, *given.function, number_parameters(given)) {}

  const CodeSide& side;
  const Module& module;
  SyntaxText text;
  ScalarNames names;
  std::set<std::string> helpers;  ///< scalar helpers that differ in the other file
  std::set<const Node*> support;  ///< scalar statements that only one of the files has
};

class Comparison {
 public:
  Comparison(const CodeSide& before, const CodeSide& after) : before_(before), after_(after) {}

  CodeChanges run() {
    for (const Side* side : {&before_, &after_}) {
      if (!has_odd_encoding(side->module.text)) continue;
      CodeChange one;
      one.what = "an encoding that is not UTF-8";
      result_.changes.push_back(std::move(one));
    }
    compare_files();
    compare_imported();
    compare_heads();
    compare_bodies(before_.side.function->list("body"), after_.side.function->list("body"));
    judge_support(before_, true);
    judge_support(after_, false);
    std::stable_sort(result_.changes.begin(), result_.changes.end(),
                     [](const CodeChange& a, const CodeChange& b) {
                       return std::max(a.line_after, a.line_before) <
                              std::max(b.line_after, b.line_before);
                     });
    for (const auto& [old_name, new_name] : forth_)
      if (old_name != new_name) result_.renamed[new_name] = old_name;
    for (const Node& statement : after_.side.function->list("body"))
      collect_names(statement, result_.locals);
    return std::move(result_);
  }

 private:
  // ---- what is reported ---------------------------------------------------------------------

  CodeChange change(const Node* before, const Node* after, std::string what) const {
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

  void report(const Node* before, const Node* after, const std::string& what) {
    CodeChange one = change(before, after, what);
    if (before != nullptr && after != nullptr && !what.empty()) {
      const auto [old_part, new_part] = first_difference(*before, *after);
      if (before->kind == after->kind && before_.text.raw(*old_part) != before_.text.raw(*before)) {
        one.before = before_.text.quoted(*old_part);
        one.after = after_.text.quoted(*new_part);
      }
    }
    result_.changes.push_back(std::move(one));
  }

  /// The smallest parts that differ.
  std::pair<const Node*, const Node*> first_difference(const Node& before,
                                                       const Node& after) const {
    const std::pair<const Node*, const Node*> here(&before, &after);
    if (before.kind != after.kind || before.text != after.text ||
        before.constant != after.constant || before.fields.size() != after.fields.size() ||
        !SyntaxText::is_complete(before))
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

  /// Statements of both files that have no partner, between two that have one.
  void report_gap(const Statements& before, const Statements& after, const std::string& what) {
    for (std::size_t i = 0; i < before.size() || i < after.size(); ++i) {
      const Node* old_one = i < before.size() ? before[i] : nullptr;
      const Node* new_one = i < after.size() ? after[i] : nullptr;
      const Module& module = old_one != nullptr ? before_.module : after_.module;
      const Node& shown = old_one != nullptr ? *old_one : *new_one;
      report(old_one, new_one, what.empty() ? what_of(module, shown) : what);
    }
  }

  // ---- the file around the kernel -----------------------------------------------------------

  bool is_scalar_helper(const Side& side, const Node& node) const {
    return node.is("FunctionDef") && &node != side.side.function &&
           side.module.jit.count(node.text) > 0 && node.list("decorator_list").size() == 1 &&
           is_scalar_function(side.module, node);
  }

  void compare_files() {
    const Statements old_all = statements_of(before_.module.root.list("body"));
    const Statements new_all = statements_of(after_.module.root.list("body"));
    const auto texts = [](const Side& side, const Statements& all) {
      std::vector<std::string> result;
      for (const Node* one : all) result.push_back(side.text.exact(*one));
      return result;
    };
    for (const Gap& gap : gaps(texts(before_, old_all), texts(after_, new_all))) {
      Statements old_rest = slice(old_all, gap.before_begin, gap.before_end);
      Statements new_rest = slice(new_all, gap.after_begin, gap.after_end);
      take_helpers(before_, old_rest, true);
      take_helpers(after_, new_rest, false);
      take_new_numbers(new_rest);
      report_file_gap(old_rest, new_rest);
    }
    std::set<std::string> changed = before_.helpers;
    changed.insert(after_.helpers.begin(), after_.helpers.end());
    spread_helpers(before_, changed);
    spread_helpers(after_, changed);
  }

  static Statements slice(const Statements& all, std::size_t begin, std::size_t end) {
    return {all.begin() + static_cast<std::ptrdiff_t>(begin),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  /// Helpers that are index arithmetic may differ: their callers are looked at.
  void take_helpers(Side& side, Statements& rest, bool is_before) {
    std::erase_if(rest, [&](const Node* one) {
      if (!is_scalar_helper(side, *one)) return false;
      if (!is_before && takes_a_name(one->text)) return false;
      side.helpers.insert(one->text);
      result_.changes.push_back(is_before ? change(one, nullptr, "") : change(nullptr, one, ""));
      return true;
    });
  }

  /// Whether the original means something else by the name of a helper: a test, an import, ...
  bool takes_a_name(const std::string& name) const {
    for (const Node& statement : before_.module.root.list("body"))
      if (statement.is("FunctionDef") && statement.text == name)
        return !is_scalar_helper(before_, statement);
    std::set<std::string> known;
    collect_names(before_.module.root, known);
    return known.count(name) > 0 || before_.module.imports.count(name) > 0 ||
           name.rfind("__", 0) == 0;
  }

  /// A number that the file is given for the index: a name that the original does not know.
  void take_new_numbers(Statements& rest) {
    std::erase_if(rest, [&](const Node* one) {
      if (!one->is("Assign") || one->list("targets").size() != 1) return false;
      const Node& target = one->list("targets").front();
      if (!target.is("Name") || target.text.rfind('_', 0) == 0 ||
          !is_number(after_.module, one->at("value")))
        return false;
      std::set<std::string> known;
      collect_names(before_.module.root, known);
      if (known.count(target.text) > 0) return false;
      result_.changes.push_back(change(nullptr, one, ""));
      return true;
    });
  }

  /// What mentions a helper that differs, differs.
  void spread_helpers(Side& side, const std::set<std::string>& changed) const {
    side.helpers = changed;
    const auto mentions = [&](const Node& node) {
      std::set<std::string> names;
      collect_names(node, names);
      return std::any_of(names.begin(), names.end(),
                         [&](const std::string& name) { return side.helpers.count(name) > 0; });
    };
    for (bool grown = !changed.empty(); grown;) {
      grown = false;
      for (const auto* known : {&side.module.functions, &side.module.constants})
        for (const auto& [name, node] : *known)
          if (node != side.side.function && side.helpers.count(name) == 0 && mentions(*node))
            grown = side.helpers.insert(name).second || grown;
    }
  }

  static std::string what_of_file(const Module& module, const Node& node) {
    if (node.is("Import") || node.is("ImportFrom") || node.is("FunctionDef") || node.is("ClassDef"))
      return what_of(module, node);
    return "code of the file";
  }

  void report_file_gap(const Statements& before, const Statements& after) {
    Statements new_rest = after;
    for (const Node* old_one : before) {
      const auto partner = std::find_if(new_rest.begin(), new_rest.end(), [&](const Node* new_one) {
        return new_one->kind == old_one->kind && new_one->text == old_one->text;
      });
      const Node* new_one = partner == new_rest.end() ? nullptr : *partner;
      if (new_one != nullptr) new_rest.erase(partner);
      report(old_one, new_one, what_of_file(before_.module, *old_one));
    }
    for (const Node* new_one : new_rest)
      report(nullptr, new_one, what_of_file(after_.module, *new_one));
  }

  /// Files beside the two that they import.
  void compare_imported() {
    std::set<std::string> paths;
    for (const Side* side : {&before_, &after_}) {
      for (const auto& [name, path] : side->module.imports) {
        paths.insert(path);
        if (path.rfind('.') != std::string::npos) paths.insert(path.substr(0, path.rfind('.')));
      }
      paths.insert(side->module.stars.begin(), side->module.stars.end());
    }
    for (const std::string& path : paths) {
      if (path.empty() || path.rfind("triton", 0) == 0) continue;
      const Module* old_file = before_.side.source->imported(before_.module, path);
      const Module* new_file = after_.side.source->imported(after_.module, path);
      const bool same = old_file == nullptr || new_file == nullptr
                            ? old_file == new_file
                            : old_file->text == new_file->text;
      if (same) continue;
      CodeChange one;
      one.what = fmt::format("the imported file '{}'", path);
      result_.changes.push_back(std::move(one));
    }
  }

  // ---- the kernel ---------------------------------------------------------------------------

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
    const Node& old_arguments = old_kernel.at("args");
    const Node& new_arguments = new_kernel.at("args");
    if (before_.text.exact(old_arguments) != after_.text.exact(new_arguments) ||
        old_kernel.has("returns") != new_kernel.has("returns"))
      report(&old_kernel, &new_kernel, "the signature");
  }

  void compare_exactly(const Statements& before, const Statements& after, const char* what) {
    std::vector<std::string> old_texts;
    std::vector<std::string> new_texts;
    for (const Node* one : before) old_texts.push_back(before_.text.exact(*one));
    for (const Node* one : after) new_texts.push_back(after_.text.exact(*one));
    for (const Gap& gap : gaps(old_texts, new_texts))
      report_gap(slice(before, gap.before_begin, gap.before_end),
                 slice(after, gap.after_begin, gap.after_end), what);
  }

  void compare_bodies(const std::vector<Node>& before, const std::vector<Node>& after) {
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

  static void split(const Side& side, const std::vector<Node>& body, Statements& rest,
                    Statements& index) {
    index.clear();
    for (const Node* one : statements_of(body))
      (side.names.is_index_statement(*one) ? index : rest).push_back(one);
  }

  void compare_index() {
    const auto texts = [](const Side& side, const Statements& all) {
      std::vector<std::string> result;
      for (const Node* one : all) {
        result.push_back(side.text.exact(*one));
        for_each_call(side.module, *one, [&](const std::string& path) {
          if (side.helpers.count(path) > 0) result.back() += " of another helper";
        });
      }
      return result;
    };
    for (const Gap& gap : gaps(texts(before_, index_before_), texts(after_, index_after_))) {
      const Statements old_rest = slice(index_before_, gap.before_begin, gap.before_end);
      const Statements new_rest = slice(index_after_, gap.after_begin, gap.after_end);
      for (std::size_t i = 0; i < old_rest.size() || i < new_rest.size(); ++i)
        result_.changes.push_back(change(i < old_rest.size() ? old_rest[i] : nullptr,
                                         i < new_rest.size() ? new_rest[i] : nullptr, ""));
    }
  }

  /// Scalar statements may have been put in or taken out for the index: judged when all is seen.
  void close_gap(Statements before, Statements after) {
    const auto take = [](Side& side, Statements& rest) {
      std::erase_if(rest, [&](const Node* one) {
        if (!side.names.is_scalar_statement(*one)) return false;
        side.support.insert(one);
        return true;
      });
    };
    take(before_, before);
    take(after_, after);
    report_gap(before, after, "");
  }

  void judge_support(Side& side, bool is_before) {
    std::set<std::string> used;
    for (const Node& statement : side.side.function->list("body"))
      collect_plain_uses(side, statement, used);
    for (const Node* one : side.support) {
      const std::set<std::string> targets = target_names(*one);
      const bool is_index = std::none_of(targets.begin(), targets.end(),
                                         [&](const auto& name) { return used.count(name) > 0; });
      const std::string what = is_index ? "" : what_of(side.module, *one);
      result_.changes.push_back(is_before ? change(one, nullptr, what)
                                          : change(nullptr, one, what));
    }
  }

  /// Names outside of index arithmetic and of the statements that feed it.
  static void collect_plain_uses(const Side& side, const Node& node, std::set<std::string>& used) {
    if (side.support.count(&node) > 0 || side.names.is_index_statement(node)) return;
    if (side.names.is_index(node)) return;
    if (node.is("Name")) used.insert(node.text);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) collect_plain_uses(side, child, used);
  }

  void compare_pair(const Node& before, const Node& after) {
    if (!unify(before, after, true)) {
      differs_in_index_ = false;
      report(&before, &after, what_of(before_.module, before));
      return;
    }
    if (differs_in_index_) result_.changes.push_back(change(&before, &after, ""));
    differs_in_index_ = false;
    for (const char* field : {"body", "orelse", "finalbody"})
      if (before.has(field) || after.has(field))
        compare_bodies(before.list(field), after.list(field));
  }

  bool unify(const Node& before, const Node& after, bool is_statement) {
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

  static void collect_names(const Node& node, std::set<std::string>& names) {
    if (node.is("Name")) names.insert(node.text);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) collect_names(child, names);
  }

  Side before_;
  Side after_;
  Statements index_before_;
  Statements index_after_;
  std::map<std::string, std::string> forth_;
  std::map<std::string, std::string> back_;
  bool differs_in_index_ = false;
  CodeChanges result_;
};

void rename(Node& node, const std::map<std::string, std::string>& names) {
  if (node.is("Name")) {
    const auto found = names.find(node.text);
    if (found != names.end()) node.text = found->second;
  }
  for (Field& field : node.fields)
    for (Node& child : field.nodes) rename(child, names);
}

/// The copy of a node, found by where the original stands.
bool rename_function(Node& node, const Node& function,
                     const std::map<std::string, std::string>& names) {
  if (node.is("FunctionDef") && node.text == function.text &&
      node.begin.line == function.begin.line && node.begin.column == function.begin.column) {
    for (Field& field : node.fields)
      if (field.name == "body")
        for (Node& child : field.nodes) rename(child, names);
    return true;
  }
  for (Field& field : node.fields)
    for (Node& child : field.nodes)
      if (rename_function(child, function, names)) return true;
  return false;
}

}  // namespace

bool CodeChanges::has_other() const {
  return std::any_of(changes.begin(), changes.end(),
                     [](const CodeChange& one) { return one.kind == CodeChange::Kind::other; });
}

CodeChanges find_changes(const CodeSide& before, const CodeSide& after) {
  return Comparison(before, after).run();
}

Node renamed_root(const Module& module, const Node& function, const CodeChanges& changes) {
  std::map<std::string, std::string> names = changes.renamed;
  std::set<std::string> taken;
  for (const auto& [from, to] : names) taken.insert(to);
  // Another variable that has such a name already gets one that no file can have.
  for (const std::string& name : taken)
    if (changes.locals.count(name) > 0) names.try_emplace(name, name + " of the new kernel");
  Node root = module.root;
  rename_function(root, function, names);
  return root;
}

}  // namespace heddle::audit
