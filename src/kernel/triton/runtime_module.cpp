#include "kernel/triton/runtime_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kernel/triton/bindings.h"
#include "kernel/triton/lines.h"
#include "kernel/triton/names.h"
#include "kernel/triton/source.h"

namespace heddle::kernel::triton {
namespace {

bool is_function(const Node& node) {
  return node.is("FunctionDef") || node.is("AsyncFunctionDef");
}

/// The names that a statement of a module gives a value.
std::set<std::string> bound_in_module(const Node& statement) {
  std::set<std::string> names;
  if (is_function(statement) || statement.is("ClassDef")) return {statement.text};
  Node module;
  module.kind = "Module";
  module.fields.push_back({"body", {statement}});
  for (const auto& [name, count] : module_bindings(module)) names.insert(name);
  return names;
}

bool is_import(const Node& statement) {
  return statement.is("Import") || statement.is("ImportFrom");
}

/// The statements under an if, a try or a with, one level down.
std::vector<const Node*> statements_in(const Node& block) {
  std::vector<const Node*> found;
  for (const char* const field : {"body", "orelse", "finalbody"})
    for (const Node& statement : block.list(field)) found.push_back(&statement);
  for (const Node& handler : block.list("handlers"))
    for (const Node& statement : handler.list("body")) found.push_back(&statement);
  return found;
}

bool asks_for_main(const Node& statement) {
  return statement.is("If") && words(statement.at("test")).count("__name__") != 0;
}

std::string constexpr_text(const config::Value& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  if (text != nullptr && text->starts_with("tl.")) return "triton.language" + text->substr(2);
  const bool is_none = std::holds_alternative<std::monostate>(value.data);
  return is_none ? "None" : fmt::format("triton.language.constexpr({})", config::value_text(value));
}

/// A part of a module's text with other words at some places.
class Excerpt {
 public:
  explicit Excerpt(const Module& module) : text_(module.text), lines_(module.text) {}

  void replace(const Node& node, std::string with) {
    changes_.push_back({lines_.offset(node.begin), lines_.offset(node.end), std::move(with)});
  }
  void replace(std::size_t begin, std::size_t end, std::string with) {
    changes_.push_back({begin, end, std::move(with)});
  }
  std::size_t offset(Position position) const { return lines_.offset(position); }
  const std::string& text() const { return text_; }

  /// From the statement's first line, without the blanks that it is indented by.
  std::string of(const Node& node) {
    const std::size_t begin = lines_.offset(node.begin), end = lines_.offset(node.end);
    std::ranges::sort(changes_, {}, &Change::begin);
    std::string result;
    std::size_t at = begin;
    for (const Change& change : changes_) {
      if (change.begin < at || change.end > end) continue;
      result += text_.substr(at, change.begin - at) + change.with;
      at = change.end;
    }
    result += text_.substr(at, end - at);
    return without_indent(std::move(result), static_cast<std::size_t>(node.begin.column) - 1);
  }

 private:
  struct Change {
    std::size_t begin = 0, end = 0;
    std::string with;
  };

  static std::string without_indent(std::string text, std::size_t indent) {
    if (indent == 0) return text;
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
      std::size_t blanks = 0;
      while (at > 0 && blanks < indent && at + blanks < next &&
             (text[at + blanks] == ' ' || text[at + blanks] == '\t'))
        ++blanks;
      result += text.substr(at + blanks, next - at - blanks);
      at = next;
    }
    return result;
  }

  const std::string& text_;
  Lines lines_;
  std::vector<Change> changes_;
};

class ModuleWriter {
 public:
  ModuleWriter(TritonSource& source, const config::Launch& launch)
      : source_(source), launch_(launch) {}

  std::string run(const Node& kernel) {
    const Module& main = source_.main();
    taken_ = {"triton"};
    need(main, kernel.text);
    std::string text =
        fmt::format("# {} of {}, and what it needs.\n", kernel.text, display_name_of(main.path));
    if (has_future_annotations(main)) text += "from __future__ import annotations\n";
    text += "import triton\nimport triton.language\n";
    for (const std::string& line : imports_) text += line + "\n";
    std::ranges::stable_sort(parts_, [](const Part& a, const Part& b) {
      return std::pair(a.module, a.line) < std::pair(b.module, b.line);
    });
    for (const Part& part : parts_) text += "\n" + part.text + "\n";
    return text;
  }

 private:
  struct Part {
    int module = 0;
    int line = 0;
    std::string text;
  };
  /// What a dotted path leads to in the files that are read.
  struct Symbol {
    const Module* module = nullptr;
    std::string name;
  };
  using Key = std::pair<const Module*, std::string>;

  static std::string display_name_of(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
  }

  static bool has_future_annotations(const Module& module) {
    const auto found = module.imports.find("annotations");
    return found != module.imports.end() && found->second == "__future__.annotations";
  }

  /// The name in the new file of what this one calls `name`; the same where it is nothing of it.
  std::string need(const Module& module, const std::string& name) {
    const auto known = names_.find({&module, name});
    if (known != names_.end()) return known->second;
    if (&module == &source_.main() && is_set_by_job(name)) return need_job_value(module, name);
    const std::vector<const Node*> statements = statements_of(module, name);
    const auto import = module.imports.find(name);
    if (statements.empty() && import != module.imports.end())
      return names_[{&module, name}] = need_import(module, name, import->second);
    if (statements.empty()) return names_[{&module, name}] = need_star(module, name);
    const std::string own = unique(name);
    names_[{&module, name}] = own;
    for (const Node* statement : statements) add(module, *statement);
    return own;
  }

  bool is_set_by_job(const std::string& name) const {
    const config::Argument* given = launch_.find(name);
    if (given == nullptr) return false;
    for (const SignatureEntry& entry : signature(source_.kernel(launch_.function)))
      if (entry.name == name) return false;
    return true;
  }

  std::string need_job_value(const Module& module, const std::string& name) {
    const std::string own = unique(name);
    parts_.push_back(
        {-1, 0, fmt::format("{} = {}", own, constexpr_text(launch_.find(name)->value))});
    return names_[{&module, name}] = own;
  }

  std::string unique(const std::string& name) {
    std::string own = name;
    for (int i = 2; !taken_.insert(own).second; ++i) own = fmt::format("{}_{}", name, i);
    return own;
  }

  /// The statements of a module that give a name its value; a kernel inside a function, else.
  std::vector<const Node*> statements_of(const Module& module, const std::string& name) {
    std::vector<const Node*> found;
    for (const Node& statement : module.root.list("body")) {
      if (is_import(statement) || asks_for_main(statement)) continue;
      if (bindings_of(statement).count(name) != 0) found.push_back(&statement);
    }
    if (found.size() == 1) found = innermost(*found.front(), name);
    if (found.size() == 1 && is_import(*found.front()) && module.imports.count(name) != 0)
      return {};
    const auto nested = module.functions.find(name);
    if (found.empty() && nested != module.functions.end()) found.push_back(nested->second);
    return found;
  }

  /// `if has_triton():` around a kernel is not needed; one that chooses between values is.
  std::vector<const Node*> innermost(const Node& statement, const std::string& name) {
    const Node* found = &statement;
    while (found->is("If") || found->is("Try") || found->is("With")) {
      std::vector<const Node*> inner = statements_in(*found);
      std::erase_if(inner, [&](const Node* one) { return bindings_of(*one).count(name) == 0; });
      if (inner.size() != 1) break;
      found = inner.front();
    }
    return {found};
  }

  const std::set<std::string>& bindings_of(const Node& statement) {
    const auto [place, is_new] = bound_.try_emplace(&statement);
    if (is_new) place->second = bound_in_module(statement);
    return place->second;
  }

  std::optional<Symbol> symbol_at(const Module& from, const std::string& path) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot + 1 == path.size()) return std::nullopt;
    const std::string folder = path.substr(0, path.find_last_not_of('.', dot) + 1);
    if (folder.find_first_not_of('.') == std::string::npos) return std::nullopt;
    if (folder == "triton" || folder.starts_with("triton.")) return std::nullopt;
    const Module* module = source_.imported(from, folder);
    const std::string name = path.substr(dot + 1);
    if (module == nullptr) return std::nullopt;
    const bool has = module->has(name) || !statements_of(*module, name).empty();
    return has ? std::optional(Symbol{module, name}) : std::nullopt;
  }

  std::string need_import(const Module& module, const std::string& name, const std::string& path) {
    if (const auto symbol = symbol_at(module, path)) return need(*symbol->module, symbol->name);
    if (path.starts_with(".") || path.starts_with("__future__")) return name;
    if (path == "triton") return "triton";
    // Files that import the same by one name share it.
    const auto shared = libraries_.find({name, path});
    if (shared != libraries_.end()) return shared->second;
    const std::string own = libraries_[{name, path}] = unique(name);
    const std::size_t dot = path.rfind('.');
    // `import a.b` binds a; `from a import b` and `import a.b as c` bind what the path leads to.
    if (path == "triton.language")
      imports_.push_back(fmt::format("import triton.language as {}", own));
    else if (dot == std::string::npos)
      imports_.push_back(own == path ? "import " + path
                                     : fmt::format("import {} as {}", path, own));
    else
      imports_.push_back(
          fmt::format("from {} import {} as {}", path.substr(0, dot), path.substr(dot + 1), own));
    return own;
  }

  /// Of `from module import *`; Python's own names stay.
  std::string need_star(const Module& module, const std::string& name) {
    for (const std::string& star : module.stars) {
      if (star.starts_with("triton")) continue;
      const Module* from = source_.imported(module, star);
      if (from != nullptr && from != &module &&
          (from->has(name) || !statements_of(*from, name).empty()))
        return need(*from, name);
    }
    return name;
  }

  void add(const Module& module, const Node& statement) {
    if (!added_.insert(&statement).second) return;
    Excerpt excerpt(module);
    const bool is_kernel = is_function(statement) && module.jit.count(statement.text) != 0;
    for (const Field& field : statement.fields)
      if (!(is_kernel && field.name == "decorator_list"))
        for (const Node& child : field.nodes)
          visit(module, child, bound_in(statement, field.name), excerpt);
    for (const std::string& name : bindings_of(statement))
      names_.try_emplace({&module, name}, name);
    if (is_function(statement) || statement.is("ClassDef"))
      rename_definition(statement, names_.at({&module, statement.text}), excerpt);
    std::string text;
    if (is_kernel)
      text = jit_decorator(module, statement);
    else
      for (const Node& decorator : statement.list("decorator_list"))
        text += "@" + excerpt.of(decorator) + "\n";
    parts_.push_back({order_of(module), statement.begin.line, text + excerpt.of(statement)});
  }

  static std::set<std::string> bound_in(const Node& statement, const std::string& field) {
    return is_function(statement) && field == "body" ? locals_of(statement)
                                                     : std::set<std::string>();
  }

  static void rename_definition(const Node& statement, const std::string& own, Excerpt& excerpt) {
    if (own == statement.text) return;
    const std::size_t at = excerpt.text().find(statement.text, excerpt.offset(statement.begin));
    if (at != std::string::npos) excerpt.replace(at, at + statement.text.size(), own);
  }

  /// @triton.jit, and which arguments are not specialized.
  static std::string jit_decorator(const Module& module, const Node& kernel) {
    static const std::set<std::string> kKept = {"do_not_specialize",
                                                "do_not_specialize_on_alignment", "noinline"};
    Excerpt excerpt(module);
    std::string kept;
    for (const Node& decorator : kernel.list("decorator_list")) {
      if (!decorator.is("Call") || dotted_path(module, decorator.at("func")) != "triton.jit")
        continue;
      for (const Node& keyword : decorator.list("keywords"))
        if (kKept.count(keyword.text) != 0)
          kept += fmt::format("{}{}={}", kept.empty() ? "" : ", ", keyword.text,
                              excerpt.of(keyword.at("value")));
    }
    return kept.empty() ? "@triton.jit\n" : fmt::format("@triton.jit({})\n", kept);
  }

  int order_of(const Module& module) {
    return order_.try_emplace(&module, static_cast<int>(order_.size())).first->second;
  }

  /// Finds what a tree names, and how that is called in the new file.
  void visit(const Module& module, const Node& node, const std::set<std::string>& bound,
             Excerpt& excerpt) {
    if (node.is("Attribute") && visit_attribute(module, node, bound, excerpt)) return;
    if (node.is("Name") && bound.count(node.text) == 0) {
      const std::string own = need(module, node.text);
      if (own != node.text) excerpt.replace(node, own);
    }
    const bool opens = is_function(node) || node.is("Lambda");
    std::set<std::string> inner = bound;
    if (opens) inner.merge(locals_of(node));
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes)
        visit(module, child, opens && field.name == "body" ? inner : bound, excerpt);
  }

  /// `helpers.swizzle` where helpers is a file that is read.
  bool visit_attribute(const Module& module, const Node& node, const std::set<std::string>& bound,
                       Excerpt& excerpt) {
    const Node* head = &node;
    while (head->is("Attribute")) head = &head->at("value");
    if (!head->is("Name") || bound.count(head->text) != 0) return false;
    if (module.imports.count(head->text) == 0) return false;
    const auto symbol = symbol_at(module, dotted_path(module, node));
    if (!symbol) return false;
    excerpt.replace(node, need(*symbol->module, symbol->name));
    return true;
  }

  TritonSource& source_;
  const config::Launch& launch_;
  std::map<Key, std::string> names_;
  std::map<const Node*, std::set<std::string>> bound_;
  std::map<const Module*, int> order_;
  std::set<const Node*> added_;
  std::set<std::string> taken_;
  std::map<std::pair<std::string, std::string>, std::string> libraries_;  ///< name, path
  std::vector<std::string> imports_;
  std::vector<Part> parts_;
};

}  // namespace

std::string runtime_module(const std::string& path, const std::string& text,
                           const config::Launch& launch) {
  try {
    TritonSource source(path, text);
    source.target = launch.target;
    return ModuleWriter(source, launch).run(source.kernel(launch.function));
  } catch (const Error&) {
    return text;  // rule 6
  }
}

}  // namespace heddle::kernel::triton
