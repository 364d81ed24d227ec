#include "kernel/triton/patch/new_modules.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "kernel/triton/bindings.h"
#include "kernel/triton/patch/scalar_names.h"
#include "kernel/triton/patch/syntax_text.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostModuleBytes = std::size_t{1} << 20;
constexpr std::size_t kMostModules = 8;

bool is_module_import(const Node& node) {
  return node.is("Import") || node.is("ImportFrom");
}

/// Statements that the module level of a file has, as texts.
std::multiset<std::string> import_texts(const Module& module) {
  const Node nothing;
  const std::set<const Node*> none;
  const SyntaxText text(module, nothing, none);
  std::multiset<std::string> texts;
  for (const Node& statement : module.root.list("body"))
    if (is_module_import(statement)) texts.insert(text.exact(statement));
  return texts;
}

/// No line of the statement holds another one.
bool is_alone_on_lines(const Module& module, const Node& statement) {
  return std::ranges::none_of(module.root.list("body"), [&](const Node& other) {
    return &other != &statement && other.begin.line <= statement.end.line &&
           other.end.line >= statement.begin.line;
  });
}

/// Something else in the folder that such an import may find: a package, a compiled module.
bool has_other_meaning(const fs::path& folder, const std::string& name, bool is_there) {
  std::error_code error;
  for (const fs::path& place : {folder, folder / "__pycache__"})
    for (const fs::directory_entry& entry : fs::directory_iterator(place, error)) {
      const std::string file = entry.path().filename().string();
      if (is_there && place == folder && file == name + ".py") continue;
      if (file == name || file.starts_with(name + ".")) return true;
    }
  return false;
}

class Splicing {
 public:
  Splicing(const Module& before, const Module& after)
      : before_(before),
        after_(after),
        imports_before_(import_texts(before)),
        imports_after_(import_texts(after)),
        lines_(lines_of(after.text)) {}

  std::optional<std::string> run() {
    const Node nothing;
    const std::set<const Node*> none;
    const SyntaxText text(after_, nothing, none);
    for (const Node& statement : after_.root.list("body"))
      if (statement.is("ImportFrom") && imports_before_.count(text.exact(statement)) == 0 &&
          take(statement))
        blank(lines_, statement);
    if (behind_.empty()) return std::nullopt;
    std::string whole;
    for (const std::string& line : lines_) whole += line + "\n";
    return whole + behind_;
  }

 private:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
    return lines;
  }

  static void blank(std::vector<std::string>& lines, const Node& statement) {
    for (int line = statement.begin.line; line <= statement.end.line; ++line)
      lines.at(static_cast<std::size_t>(line) - 1).clear();
  }

  /// Rules 1 and 2.
  bool take(const Node& import) {
    const std::string& name = import.text;
    const bool is_near = !import.has("level") || import.at("level").text == "1";
    if (!is_near || name.empty() || name.find('.') != std::string::npos || has_meaning(name) ||
        !is_alone_on_lines(after_, import) || taken_.size() >= kMostModules ||
        taken_.count(name) > 0 || words(before_.root).count(name) > 0)
      return false;
    const fs::path folder = fs::path(after_.path).parent_path();
    const fs::path path = folder / (name + ".py");
    if (!fs::is_regular_file(path) || has_other_meaning(folder, name, true) ||
        has_other_meaning(fs::path(before_.path).parent_path(), name, false))
      return false;
    Module module;
    module.path = path.string();
    module.text = read_text(module.path, kMostModuleBytes);
    if (module.text.find_first_of("\r\f") != std::string::npos || has_odd_encoding(module))
      return false;
    module.root = parse_python(module.text, module.path);
    if (!module.root.text.empty()) return false;
    std::vector<std::string> lines = lines_of(module.text);
    std::set<std::string> defined;
    for (const Node* statement : statements_of(module.root.list("body")))
      if (!take_statement(module, *statement, lines, defined)) return false;
    const auto is_defined = [&](const Node& alias) {
      return !alias.has("asname") && defined.count(alias.text) > 0;
    };
    if (!std::ranges::all_of(import.list("names"), is_defined) || !means_the_same(module, defined))
      return false;
    taken_.insert(name);
    behind_ += "\n";
    for (const std::string& line : lines) behind_ += line + "\n";
    return true;
  }

  /// Names that the module looks up are its own, or nobody's: what they mean in it they mean in the
  /// kernel's file.
  bool means_the_same(const Module& module, const std::set<std::string>& defined) const {
    const auto own = module_bindings(module.root);
    const auto outer = module_bindings(after_.root);
    return std::ranges::all_of(free_names(module.root), [&](const std::string& name) {
      const auto bound = outer.find(name);
      if (defined.count(name) > 0) return true;
      const bool is_imported = own.count(name) > 0;
      return is_imported ? bound != outer.end() && bound->second == 1 : bound == outer.end();
    });
  }

  bool take_statement(const Module& module, const Node& statement, std::vector<std::string>& lines,
                      std::set<std::string>& defined) const {
    if (is_module_import(statement)) {
      const Node nothing;
      const std::set<const Node*> none;
      const std::string text = SyntaxText(module, nothing, none).exact(statement);
      if (imports_after_.count(text) == 0 || !is_alone_on_lines(module, statement)) return false;
      blank(lines, statement);
      return true;
    }
    if (statement.is("FunctionDef")) {
      // Decorators and defaults are looked at where helpers are; here, that they are no other code.
      const auto& decorators = statement.list("decorator_list");
      return decorators.size() == 1 && defined.insert(statement.text).second;
    }
    if (!statement.is("Assign") || statement.list("targets").size() != 1) return false;
    const Node& target = statement.list("targets").front();
    return target.is("Name") && is_number(after_, statement.at("value")) &&
           defined.insert(target.text).second;
  }

  const Module& before_;
  const Module& after_;
  std::multiset<std::string> imports_before_;
  std::multiset<std::string> imports_after_;
  std::vector<std::string> lines_;
  std::set<std::string> taken_;
  std::string behind_;
};

}  // namespace

std::optional<std::string> with_new_modules(const Module& before, const Module& after) {
  try {
    if (has_odd_encoding(after) || after.text.find_first_of("\r\f") != std::string::npos)
      return std::nullopt;
    return Splicing(before, after).run();
  } catch (const Error&) {
    return std::nullopt;  // then the import is compared as it is
  }
}

}  // namespace heddle::kernel::triton
