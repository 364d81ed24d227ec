#include "kernel/triton/patch/file_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "kernel/alignment.h"
#include "kernel/triton/bindings.h"
#include "kernel/triton/closure.h"
#include "kernel/triton/patch/host_launch.h"
#include "support/file.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{64} << 20;

/// The first node below that stands for one of these names; null: none.
const Node* find_name(const Node& node, const std::set<std::string_view>& names) {
  if ((node.is("Name") || node.is("Attribute") || node.is("alias")) && names.count(node.text) > 0)
    return &node;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (const Node* found = find_name(child, names)) return found;
  return nullptr;
}

/// globals()["reference"], globals().get("reference", 0): a name that stands there.
bool is_plain_lookup(const Node& node) {
  const auto is_globals = [](const Node& one) {
    return one.is("Call") && one.at("func").is("Name") && one.at("func").text == "globals" &&
           !one.has("args");
  };
  const auto is_text = [](const Node& one) {
    return one.is("Constant") && one.constant == ConstantKind::text;
  };
  if (node.is("Subscript")) return is_globals(node.at("value")) && is_text(node.at("slice"));
  return node.is("Call") && node.at("func").is("Attribute") && node.at("func").text == "get" &&
         is_globals(node.at("func").at("value")) && node.has("args") &&
         is_text(node.list("args").front());
}

/// The first code below that can look at names which it does not say; null: none.
const Node* find_look(const Node& node) {
  static const std::set<std::string_view> kNames = {
      "globals",    "locals",      "vars",         "dir", "__dict__",    "modules",
      "getmembers", "__globals__", "__builtins__", "gc",  "__getattr__", "__annotations__"};
  if ((node.is("Name") || node.is("Attribute") || node.is("alias")) && kNames.count(node.text) > 0)
    return &node;
  if (is_plain_lookup(node)) return nullptr;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (const Node* found = find_look(child)) return found;
  return nullptr;
}

/// The first of these names behind a dot; null: none.
const Node* find_attribute(const Node& node, const std::set<std::string_view>& names) {
  if (node.is("Attribute") && names.count(node.text) > 0) return &node;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (const Node* found = find_attribute(child, names)) return found;
  return nullptr;
}

bool mentions_name(const Node& node, const std::string& name) {
  if (node.is("Name") && node.text == name) return true;
  return std::any_of(node.fields.begin(), node.fields.end(), [&](const Field& field) {
    return std::any_of(field.nodes.begin(), field.nodes.end(),
                       [&](const Node& child) { return mentions_name(child, name); });
  });
}

/// Everything below that gives the name a value gives it a descriptor of Triton.
bool is_descriptor(const Module& module, const Node& node, const std::string& name) {
  const bool is_all = node.is("alias") && node.text == "*";
  const bool is_other = node.text == name && !node.is("Name") && !node.is("keyword");
  if (is_all || is_other || node.is("Global") || node.is("Nonlocal")) return false;
  const bool is_made =
      node.is("Assign") && node.at("value").is("Call") &&
      dotted_path(module, node.at("value").at("func")) == "triton.language.make_tensor_descriptor";
  for (const char* field : {"target", "targets", "optional_vars"})
    for (const Node& target : node.list(field))
      if (mentions_name(target, name) && !(is_made && target.is("Name"))) return false;
  return std::all_of(node.fields.begin(), node.fields.end(), [&](const Field& field) {
    return std::all_of(field.nodes.begin(), field.nodes.end(),
                       [&](const Node& child) { return is_descriptor(module, child, name); });
  });
}

/// desc.load([...]), where the name is a descriptor in all of the file.
bool is_descriptor_load(const Module& module, const Node& called) {
  return called.is("Attribute") && called.text == "load" && called.at("value").is("Name") &&
         module_bindings(module.root).count(called.at("value").text) == 0 &&
         is_descriptor(module, module.root, called.at("value").text);
}

/// The first call below that can read a file, or look for one.
bool is_own_function(const Module& module, const Node& called) {
  return called.is("Name") && module.functions.count(called.text) > 0 &&
         module_bindings(module.root)[called.text] == 1;
}

const Node* find_opening(const Module& module, const Node& node) {
  static const std::set<std::string_view> kOpens = {
      "open",       "read_text", "read_bytes", "load",    "fromfile", "loadtxt",
      "genfromtxt", "memmap",    "CDLL",       "listdir", "glob",     "iglob",
      "walk",       "scandir",   "iterdir",    "rglob",   "read_csv", "load_library",
      "stat",       "lstat",     "getsize",    "getmtime"};
  if (node.is("Call")) {
    const Node& called = node.at("func");
    const bool is_named = called.is("Name") || called.is("Attribute");
    if (is_named && kOpens.count(called.text) > 0 && !is_own_function(module, called) &&
        !dotted_path(module, called).starts_with("triton.") && !is_descriptor_load(module, called))
      return &node;
  }
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (const Node* found = find_opening(module, child)) return found;
  return nullptr;
}

bool is_same_folder(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto folder = [](const std::string& path) {
    const fs::path parent = fs::path(path).parent_path();
    return parent.empty() ? fs::path(".") : parent;
  };
  return fs::equivalent(folder(one), folder(other), error) && !error;
}

/// The same code, whatever its comments and documentation say.
bool is_same_code(const std::string& one, const std::string& other) {
  const std::string old_text = read_text(one, kMostFileBytes);
  const std::string new_text = read_text(other, kMostFileBytes);
  if (old_text == new_text) return true;
  if (!one.ends_with(".py") || !other.ends_with(".py")) return false;
  const auto code_of = [](const std::string& path, const std::string& text) {
    Module module;
    module.path = path;
    module.text = text;
    module.root = parse_python(text, path);
    if (has_odd_encoding(module)) return text;
    const Node no_kernel;
    const std::set<const Node*> nothing;
    return SyntaxText(module, no_kernel, nothing).exact(module.root);
  };
  return code_of(one, old_text) == code_of(other, new_text);
}

class FileComparison {
 public:
  FileComparison(ComparedSide& before, ComparedSide& after, ChangeList& list)
      : before_(before), after_(after), list_(list) {}

  void run() {
    for (const ComparedSide* side : {&before_, &after_})
      if (has_odd_encoding(side->module)) list_.report("an encoding that is not UTF-8");
    compare_statements();
    has_new_names_ = has_new_names_ || !after_.side.handed.empty() ||
                     grid_statements(before_) != grid_statements(after_);
    compare_kernel_names();
    compare_files_read();
    if (before_.module.text != after_.module.text)
      for (const ComparedSide* side : {&before_, &after_}) doubt_reflection(*side);
  }

 private:
  /// Statements of host code that are compared as launches.
  static std::multiset<std::string> grid_statements(const ComparedSide& side) {
    std::multiset<std::string> texts;
    for (const Node* one : side.side.ignored)
      if (one->is("Assign") || one->is("FunctionDef")) texts.insert(side.text.raw(*one));
    return texts;
  }

  bool is_index_helper(const ComparedSide& side, const Node& node, Grammar grammar) const {
    return node.is("FunctionDef") && &node != side.side.function &&
           side.module.jit.count(node.text) > 0 && is_scalar_function(side.module, node, grammar);
  }

  void compare_statements() {
    const Statements old_all = statements_of(before_.module.root.list("body"));
    const Statements new_all = statements_of(after_.module.root.list("body"));
    const auto texts = [](const ComparedSide& side, const Statements& all) {
      std::vector<std::string> result;
      for (const Node* one : all) result.push_back(side.text.exact(*one));
      return result;
    };
    for (const Gap& gap : gaps(texts(before_, old_all), texts(after_, new_all))) {
      Statements old_rest = slice(old_all, gap.before_begin, gap.before_end);
      Statements new_rest = slice(new_all, gap.after_begin, gap.after_end);
      take_helpers(before_, old_rest);
      take_helpers(after_, new_rest);
      take_typed_numbers(old_rest, new_rest);
      take_new_numbers(new_rest);
      take_number_functions(new_rest);
      report_gap(old_rest, new_rest);
    }
    std::set<std::string> changed = before_.helpers;
    changed.insert(after_.helpers.begin(), after_.helpers.end());
    for (ComparedSide* side : {&before_, &after_}) {
      side->helpers = changed;
      doubt_other_users(*side);
      spread_helpers(*side);
    }
  }

  /// Helpers that are index arithmetic may differ: their callers are looked at.
  void take_helpers(ComparedSide& side, Statements& rest) {
    std::erase_if(rest, [&](const Node* one) {
      if (!is_index_helper(side, *one, Grammar::likely)) return false;
      const bool is_before = &side == &before_;
      if (!is_before && is_taken(*one)) return false;
      side.helpers.insert(one->text);
      side.own_helpers.push_back(one);
      has_new_names_ = true;
      list_.add(is_before ? list_.change(one, nullptr, "") : list_.change(nullptr, one, ""));
      if (const Node* part = unlisted_head(side.module, *one))
        list_.doubt(side, *part, "in the head of an index helper, only literals and types can be");
      else if (!is_index_helper(side, *one, Grammar::listed))
        list_.doubt(side, *one, "an index helper with code that is not on the list");
      if (module_bindings(side).at(one->text) != 1)
        list_.doubt(side, *one, "a name that the file gives more than one value");
      return true;
    });
  }

  static std::map<std::string, int> module_bindings(const ComparedSide& side) {
    return triton::module_bindings(side.module.root);
  }

  /// Whether the original means something else by the name of a new helper or number.
  bool is_taken(const Node& named) {
    const std::string& name = named.text;
    for (const Node& statement : before_.module.root.list("body"))
      if (statement.is("FunctionDef") && statement.text == name)
        return !is_index_helper(before_, statement, Grammar::likely);
    if (has_meaning(name) || module_bindings(before_).count(name) > 0 ||
        free_names(before_.module.root).count(name) > 0)
      return true;
    if (words(before_.module.root).count(name) > 0)
      list_.doubt(after_, named, "a new name that is a word of the original");
    return false;
  }

  /// A number that the file is given for the index: a name that the original does not know.
  void take_new_numbers(Statements& rest) {
    std::erase_if(rest, [&](const Node* one) {
      const bool is_typed = one->is("AnnAssign") && is_plain_type(one->at("annotation"));
      if (!is_typed && (!one->is("Assign") || one->list("targets").size() != 1)) return false;
      const Node& target = is_typed ? one->at("target") : one->list("targets").front();
      if (!target.is("Name") || !one->has("value") || !is_number(after_.module, one->at("value")) ||
          is_taken(target))
        return false;
      if (module_bindings(after_).at(target.text) != 1)
        list_.doubt(after_, *one, "a name that the file gives more than one value");
      list_.add(list_.change(nullptr, one, ""));
      has_new_names_ = true;
      return true;
    });
  }

  /// A function that counts blocks, say: nothing happens where it is defined, and what calls it is
  /// compared.
  void take_number_functions(Statements& rest) {
    std::erase_if(rest, [&](const Node* one) {
      if (!is_number_function(after_.module, *one) || is_taken(*one)) return false;
      list_.add(list_.change(nullptr, one, ""));
      has_new_names_ = true;
      return true;
    });
  }

  /// NUM_XCDS = 8 that became NUM_XCDS: tl.constexpr = 8.
  void take_typed_numbers(Statements& before, Statements& after) {
    std::erase_if(after, [&](const Node* one) {
      if (!one->is("AnnAssign") || !one->at("target").is("Name") || !one->has("value") ||
          !is_plain_type(one->at("annotation")) || !is_number(after_.module, one->at("value")))
        return false;
      const auto old_one = std::ranges::find_if(before, [&](const Node* other) {
        return other->is("Assign") && other->list("targets").size() == 1 &&
               before_.text.exact(other->list("targets").front()) ==
                   after_.text.exact(one->at("target")) &&
               before_.text.exact(other->at("value")) == after_.text.exact(one->at("value"));
      });
      if (old_one == before.end()) return false;
      list_.add(list_.change(*old_one, one, ""));
      before.erase(old_one);
      has_new_names_ = true;  // __annotations__
      return true;
    });
  }

  /// GROUP: tl.constexpr = 8, GROUP: int = 8
  bool is_plain_type(const Node& annotation) const {
    const std::string path = dotted_path(after_.module, annotation);
    return path == "triton.language.constexpr" || path == "int";
  }

  /// A helper that differs may be used by the kernel and by other such helpers, and by nothing
  /// else.
  void doubt_other_users(const ComparedSide& side) {
    std::set<std::string_view> changed(side.helpers.begin(), side.helpers.end());
    for (const Node& statement : side.module.root.list("body")) {
      const bool is_helper = std::find(side.own_helpers.begin(), side.own_helpers.end(),
                                       &statement) != side.own_helpers.end();
      if (is_helper || &statement == side.side.function) continue;
      if (const Node* use = find_name(statement, changed))
        list_.doubt(side, *use, "an index helper that changed is used outside the kernel");
    }
  }

  /// What mentions a helper that differs, differs.
  static void spread_helpers(ComparedSide& side) {
    for (bool grown = !side.helpers.empty(); grown;) {
      grown = false;
      const std::set<std::string_view> known(side.helpers.begin(), side.helpers.end());
      std::set<std::string> more;
      for (const auto* named : {&side.module.functions, &side.module.constants})
        for (const auto& [name, node] : *named)
          if (node != side.side.function && known.count(name) == 0 && find_name(*node, known))
            more.insert(name);
      grown = !more.empty();
      side.helpers.merge(more);
    }
  }

  static std::string what_of_file(const Module& module, const Node& node) {
    if (node.is("Import") || node.is("ImportFrom") || node.is("FunctionDef") || node.is("ClassDef"))
      return what_of(module, node);
    return "code of the file";
  }

  void report_gap(const Statements& before, const Statements& after) {
    Statements new_rest = after;
    for (const Node* old_one : before) {
      const auto partner = std::find_if(new_rest.begin(), new_rest.end(), [&](const Node* new_one) {
        return new_one->kind == old_one->kind && new_one->text == old_one->text;
      });
      const Node* new_one = partner == new_rest.end() ? nullptr : *partner;
      if (new_one != nullptr) new_rest.erase(partner);
      list_.report(old_one, new_one, what_of_file(before_.module, *old_one));
    }
    for (const Node* new_one : new_rest) {
      const bool is_import = new_one->is("Import") || new_one->is("ImportFrom");
      if (is_import) list_.doubt(after_, *new_one, "a new import: what it brings is not compared");
      list_.report(nullptr, new_one, is_import ? "" : what_of_file(after_.module, *new_one));
    }
  }

  /// A kernel that has another name now: it must be new, and the old one gone.
  void compare_kernel_names() {
    const Node& old_kernel = *before_.side.function;
    const Node& new_kernel = *after_.side.function;
    if (old_kernel.text == new_kernel.text) return;
    if (words(before_.module.root).count(new_kernel.text) > 0)
      list_.doubt(after_, new_kernel, "the new kernel's name is a word of the original");
    if (words(after_.module.root).count(old_kernel.text) > 0)
      list_.doubt(fmt::format("the new file still mentions '{}'", old_kernel.text));
  }

  /// "third" of third.py, third/__init__.py and third.cpython-312-x86_64-linux-gnu.so.
  static std::string module_name(const std::string& file) {
    const std::filesystem::path path(file);
    const std::string name = path.filename().string();
    if (name == "__init__.py") return path.parent_path().generic_string();
    return (path.parent_path() / name.substr(0, name.find('.'))).generic_string();
  }

  /// Files beside the two that they read. Files in one folder are the same for both.
  void compare_files_read() {
    if (is_same_folder(before_.module.path, after_.module.path)) return;
    try {
      std::map<std::string, std::string> olds = files_read(before_.module);
      std::map<std::string, std::string> news = files_read(after_.module);
      std::set<std::string> names;
      for (const auto* files : {&olds, &news})
        for (const auto& [name, path] : *files) names.insert(name);
      for (const std::string& name : names) {
        const auto is_same_module = [&](const auto& old) {
          return module_name(old.first) == module_name(name);
        };
        if (olds.count(name) == 0 && std::ranges::none_of(olds, is_same_module))
          list_.doubt(fmt::format("only the new file imports '{}'", name));
        else if (olds.count(name) == 0 || news.count(name) == 0 ||
                 !is_same_code(olds[name], news[name]))
          list_.report(fmt::format("the imported file '{}'", name));
      }
    } catch (const Error& error) {
      list_.doubt(fmt::format("the imported files could not be compared: {}", error.message()));
    }
  }

  /// What looks at the text of the file, or at its names, can tell the two apart.
  void doubt_reflection(const ComparedSide& side) {
    static const std::set<std::string_view> kLooks = {
        "__doc__",      "getsource", "getsourcelines", "getdoc",    "inspect",      "doctest",
        "currentframe", "_getframe", "f_lineno",       "linecache", "traceback",    "__code__",
        "co_code",      "co_consts", "co_firstlineno", "tokenize",  "getframeinfo", "get_data",
        "get_source",   "tb_lineno", "__loader__",     "__spec__",  "co_names",     "co_varnames"};
    static const std::set<std::string_view> kSources = {
        "src", "_src", "raw_src", "asm", "cache_key", "starting_line_number", "used_global_vals"};
    static const std::set<std::string_view> kRuns = {"importlib", "__import__", "exec",
                                                     "eval",      "runpy",      "execfile"};
    const Node* look = find_name(side.module.root, kLooks);
    if (look == nullptr) look = find_attribute(side.module.root, kSources);
    const Node* opens = find_opening(side.module, side.module.root);
    if (look == nullptr && opens != nullptr) look = find_name(side.module.root, {"__file__"});
    if (look != nullptr) list_.doubt(side, *look, "code that can look at the file's own text");
    if (has_new_names_) {
      if (const Node* use = find_look(side.module.root))
        list_.doubt(side, *use, "code that can look at the file's names, of which some are new");
      doubt_files_that_look(side);
    }
    if (is_same_folder(before_.module.path, after_.module.path)) return;
    if (const Node* use = find_name(side.module.root, kRuns))
      list_.doubt(side, *use, "code that can read other files at run time");
    if (opens != nullptr)
      list_.doubt(side, *opens, "code that can read files, in a folder of its own");
  }

  /// Files that are read may look at this one's names as well, or take all of them.
  void doubt_files_that_look(const ComparedSide& side) {
    const std::string own = std::filesystem::path(side.module.path).stem().string();
    if (takes_all(side.module.root, own))
      list_.doubt("the file imports itself, and some of its names are new");
    try {
      for (const auto& [name, path] : files_read(side.module)) {
        if (!path.ends_with(".py")) continue;
        const Node root = parse_python(read_text(path, kMostFileBytes), path);
        if (find_look(root) != nullptr || takes_all(root, own))
          list_.doubt(
              fmt::format("'{}' can look at the file's names, of which some are new", name));
      }
    } catch (const Error& error) {
      list_.doubt(fmt::format("the imported files could not be read: {}", error.message()));
    }
  }

  /// from .gemm import *, import gemm
  static bool takes_all(const Node& node, const std::string& own) {
    if (node.is("ImportFrom"))
      for (const Node& name : node.list("names"))
        if (name.text == own ||
            (name.text == "*" && node.text.substr(node.text.rfind('.') + 1) == own))
          return true;
    if (node.is("Import"))
      for (const Node& name : node.list("names"))
        if (name.text.substr(name.text.rfind('.') + 1) == own) return true;
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes)
        if (takes_all(child, own)) return true;
    return false;
  }

  ComparedSide& before_;
  ComparedSide& after_;
  ChangeList& list_;
  bool has_new_names_ = false;
};

}  // namespace

void compare_files(ComparedSide& before, ComparedSide& after, ChangeList& list) {
  FileComparison(before, after, list).run();
}

}  // namespace heddle::kernel::triton
