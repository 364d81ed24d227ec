#include "kernel/triton/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "support/file.h"
#include "support/lists.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::size_t kFileLimit = std::size_t{2} << 20;
constexpr std::size_t kMostDots = 32;
constexpr std::size_t kHostFiles = 64;
constexpr std::size_t kHostBytes = std::size_t{8} << 20;  ///< parsing them takes 2 s a MiB
constexpr int kPackageLevels = 12;
constexpr std::array<std::string_view, 5> kInstalled = {"triton", "torch", "math", "functools",
                                                        "numpy"};

bool ends_with(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// `@triton.jit`, `@jit`, `@triton.jit(...)` for the name "jit".
bool has_decorator(const Module& module, const Node& function, const std::string& name) {
  for (const Node& node : function.list("decorator_list")) {
    const std::string path = dotted_path(module, node.is("Call") ? node.at("func") : node);
    if (path == name || ends_with(path, "." + name)) return true;
  }
  return false;
}

/// Libraries hand Triton on under their own name (`from vllm.triton_utils import tl`).
std::string own_path(const std::string& path) {
  const std::string last = path.substr(path.rfind('.') + 1);
  if (last == "tl") return "triton.language";
  if (last == "triton") return "triton";
  return path;
}

void collect_import(Module& module, const Node& node) {
  std::string prefix;
  if (node.is("ImportFrom")) {
    if (node.has("level")) prefix.assign(std::stoul("0" + node.at("level").text), '.');
    prefix += node.text;
  }
  for (const Node& alias : node.list("names")) {
    const std::string& full = alias.text;
    if (full == "*") {
      module.stars.push_back(prefix);
      continue;
    }
    const std::string name = alias.has("asname") ? alias.at("asname").text : full;
    if (node.is("ImportFrom")) {
      const bool needs_dot = !prefix.empty() && prefix.back() != '.';
      module.imports[name] = own_path(prefix + (needs_dot ? "." : "") + full);
    } else if (alias.has("asname")) {
      module.imports[name] = full;
    } else {
      const std::string first = full.substr(0, full.find('.'));
      module.imports[first] = first;
    }
  }
}

/// Kernels that are defined inside functions and classes. Those of the file itself go first.
void collect_nested(Module& module, const std::vector<Node>& statements) {
  for (const Node& node : statements) {
    if (node.is("FunctionDef") && has_decorator(module, node, "jit"))
      module.functions.try_emplace(node.text, &node);
    for (const char* body : {"body", "orelse"}) collect_nested(module, node.list(body));
  }
}

/// f = triton.constexpr_function(f): the same function, marked.
bool marks_itself(const Node& value, const std::string& name) {
  return value.is("Call") && value.list("args").size() == 1 && value.at("args").is("Name") &&
         value.at("args").text == name && value.at("func").text == "constexpr_function";
}

/// if "PYTEST_VERSION" in os.environ: what a test or a debugger sets.
bool asks_environment(const Node& node) {
  const bool is_name = node.is("Name") || node.is("Attribute");
  if (is_name && (node.text == "environ" || node.text == "getenv")) return true;
  return std::ranges::any_of(node.fields, [](const Field& field) {
    return std::ranges::any_of(field.nodes, asks_environment);
  });
}

/// "triton.language" of importlib.import_module("triton.language"); "" for anything else.
std::string imported_module(const Node& value) {
  if (!value.is("Call") || value.at("func").text != "import_module" ||
      value.list("args").size() != 1)
    return {};
  const Node& name = value.list("args").front();
  const bool is_text = name.is("Constant") && name.constant == ConstantKind::text;
  return is_text && !name.text.starts_with(".") ? name.text : std::string();
}

/// MagicMock(), types.ModuleType("triton"): an object that stands for a missing module.
bool is_stand_in(const Node& value) {
  static const std::set<std::string> kMakers = {"MagicMock", "Mock", "ModuleType",
                                                "SimpleNamespace"};
  return value.is("Call") && kMakers.count(value.at("func").text) != 0;
}

/// A list of configs, which no kernel computes with.
bool is_list(const Node& value) {
  return value.is("List") || value.is("ListComp");
}

struct Place {
  bool is_of_test = false;  ///< lists that have a value keep it
  bool is_handler = false;  ///< of an exception
};

/// Module-level statements, also inside if, try and with. `stand_ins`: names that a handler gave their
/// last value.
void collect(Module& module, const std::vector<Node>& statements, std::set<std::string>& stand_ins,
             Place place = {}) {
  for (const Node& node : statements) {
    if (node.is("FunctionDef")) {
      module.functions[node.text] = &node;
    } else if (node.is("ClassDef")) {
      continue;
    } else if (node.is("Import") || node.is("ImportFrom")) {
      collect_import(module, node);
    } else if (node.is("Assign") || node.is("AnnAssign")) {
      const std::string field = node.is("Assign") ? "targets" : "target";
      if (!node.has("value")) continue;
      const Node& value = node.at("value");
      for (const Node& target : node.list(field)) {
        if (!target.is("Name") || marks_itself(value, target.text)) continue;
        if (const std::string path = imported_module(value); !path.empty()) {
          module.imports[target.text] = path;
          continue;
        }
        const Node*& known = module.constants[target.text];
        if (known != nullptr && place.is_of_test && is_list(value) && is_list(*known)) continue;
        known = &value;
        if (place.is_handler)
          stand_ins.insert(target.text);
        else
          stand_ins.erase(target.text);
      }
    } else {
      Place inside = place;
      inside.is_of_test = place.is_of_test || (node.is("If") && asks_environment(node.at("test")));
      for (const std::string body : {"orelse", "handlers", "body"}) {
        inside.is_handler = place.is_handler || body == "handlers";
        collect(module, node.list(body), stand_ins, inside);
      }
    }
  }
}

bool mentions(const Node& node, const std::string& name) {
  if (node.is("Name") && node.text == name) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (mentions(child, name)) return true;
  return false;
}

/// def place(...): ...   place = other: from then on the name is what was assigned, unless that is
/// the function in another form, triton.jit(place).
void drop_assigned_functions(Module& module, const std::vector<Node>& statements) {
  for (const Node& node : statements) {
    if (!node.is("Assign") && !node.is("AnnAssign")) continue;
    if (!node.has("value")) continue;
    for (const Node& target : node.list(node.is("Assign") ? "targets" : "target")) {
      const auto function =
          target.is("Name") ? module.functions.find(target.text) : module.functions.end();
      if (function != module.functions.end() && function->second->begin.line < node.begin.line &&
          !mentions(node.at("value"), target.text))
        module.functions.erase(function);
    }
  }
}

/// try: import triton.language as tl   except ImportError: tl = ModuleType(...): it is Triton. What
/// Triton may not have (libdevice = None) is dropped only where nothing takes its place.
void drop_missing_triton(Module& module, const std::set<std::string>& stand_ins) {
  for (const auto& [name, path] : module.imports) {
    const auto constant = module.constants.find(name);
    if (constant == module.constants.end()) continue;
    const bool is_whole = (path == "triton" || path == "triton.language") &&
                          (stand_ins.count(name) != 0 || is_stand_in(*constant->second));
    const bool is_none =
        constant->second->is("Constant") && constant->second->constant == ConstantKind::none;
    if (is_whole || (path.starts_with("triton.") && is_none)) module.constants.erase(constant);
  }
}

/// "k" for triton.jit(k) and triton.heuristics(...)(k); "" for anything else.
std::string wrapped_function(const Module& module, const Node& node) {
  if (!node.is("Call") || node.list("args").size() != 1 || !node.at("args").is("Name")) return {};
  const Node& outer = node.at("func");
  const std::string path = dotted_path(module, outer.is("Call") ? outer.at("func") : outer);
  for (const char* wrapper : {"triton.jit", "triton.heuristics", "triton.autotune"})
    if (path == wrapper) return node.at("args").text;
  return {};
}

}  // namespace

void collect_names(const Node& node, std::set<std::string>& names) {
  if (node.is("Name")) names.insert(node.text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_names(child, names);
}

std::string dotted_path(const Module& module, const Node& node) {
  if (node.is("Name")) {
    const auto found = module.imports.find(node.text);
    return found == module.imports.end() ? node.text : found->second;
  }
  if (!node.is("Attribute")) return {};
  const std::string before = dotted_path(module, node.at("value"));
  return before.empty() ? std::string() : before + "." + node.text;
}

Module& TritonSource::load(const std::string& path) {
  return load(path, read_text(path, kFileLimit));
}

Module& TritonSource::load(const std::string& path, std::string text) {
  if (modules_.size() >= most_files_)
    throw Error(fmt::format("more than {} files are imported", most_files_),
                "put the kernel and its helper functions into one file")
        .in(path);
  if (text.size() > bytes_left_)
    throw Error("the imported files are too large together", "put the kernel into one file")
        .in(path);
  bytes_left_ -= text.size();
  Node root = parse_python(text, path);
  return add(path, std::move(text), std::move(root));
}

Module& TritonSource::add(const std::string& path, std::string text, Node root) {
  auto module = std::make_unique<Module>();
  module->path = path;
  module->text = std::move(text);
  module->root = std::move(root);
  std::set<std::string> stand_ins;
  collect(*module, module->root.list("body"), stand_ins);
  drop_missing_triton(*module, stand_ins);
  collect_nested(*module, module->root.list("body"));
  drop_assigned_functions(*module, module->root.list("body"));
  for (const auto& [name, function] : module->functions) {
    if (has_decorator(*module, *function, "jit")) module->jit.insert(name);
    if (has_decorator(*module, *function, "constexpr_function"))
      module->known_functions.insert(function);
  }
  for (const auto& [name, value] : module->constants) {
    const std::string wrapped = wrapped_function(*module, *value);
    if (module->functions.count(wrapped) != 0) module->jit.insert(wrapped);
  }
  modules_.push_back(std::move(module));
  return *modules_.back();
}

TritonSource::TritonSource(const std::string& path) {
  load(path);
}

TritonSource::TritonSource(const std::string& path, std::string text) {
  load(path, std::move(text));
}

TritonSource::TritonSource(const std::string& path, Node root) {
  add(path, {}, std::move(root));
}

std::unique_ptr<TritonSource> TritonSource::for_host(const TritonSource& kernel) {
  std::unique_ptr<TritonSource> source(new TritonSource());
  source->most_files_ = kHostFiles;
  source->bytes_left_ = kHostBytes;
  source->target = kernel.target;
  source->add(kernel.main().path, kernel.main().text, kernel.main().root);
  return source;
}

const Node& TritonSource::kernel(const std::string& name) const {
  const Module& module = main();
  if (!name.empty()) {
    const auto found = module.functions.find(name);
    if (found != module.functions.end()) return *found->second;
    throw Error(fmt::format("there is no function '{}'", name),
                module.jit.empty() ? "the file has no @triton.jit function"
                                   : fmt::format("use one of: {}", fmt::join(module.jit, " ")))
        .in(module.path);
  }
  std::set<std::string> used;
  for (const std::string& function : module.jit)
    for (const Node& statement : module.functions.at(function)->list("body"))
      collect_names(statement, used);
  std::vector<std::string> kernels;
  for (const std::string& function : module.jit)
    if (used.count(function) == 0) kernels.push_back(function);
  if (kernels.size() == 1) return *module.functions.at(kernels.front());
  if (kernels.empty()) kernels.assign(module.jit.begin(), module.jit.end());
  if (module.jit.empty())
    throw Error("the file has no @triton.jit function", "give a file with a Triton kernel")
        .in(module.path);
  throw Error("the file has more than one kernel",
              fmt::format("choose one with --function, or in the job with function = \"...\": {}",
                          fmt::join(kernels, " ")))
      .in(module.path);
}

const Module* TritonSource::imported(const Module& from, const std::string& module_path) {
  const std::string key = from.path + "|" + module_path;
  const auto found = looked_up_.find(key);
  if (found != looked_up_.end()) return found->second;
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::path(from.path).parent_path();
  std::string rest = module_path;
  std::size_t dots = 0;
  while (dots < rest.size() && rest[dots] == '.') ++dots;
  if (dots > kMostDots) return looked_up_[key] = nullptr;
  for (std::size_t level = 1; level < dots; ++level) folder /= "..";
  rest = rest.substr(dots);
  // What a file beside the kernel is called does not change what Triton and PyTorch are.
  const std::string first = rest.substr(0, rest.find('.'));
  if (dots == 0 && is_one_of(first, kInstalled)) return looked_up_[key] = nullptr;
  std::replace(rest.begin(), rest.end(), '.', '/');
  std::vector<fs::path> folders = {folder};
  if (dots == 0) {  // of its own package: from the folder that holds it, up the tree
    fs::path above = fs::absolute(folder, error);
    for (int level = 0; level < kPackageLevels && above.has_relative_path(); ++level)
      folders.push_back(above = above.parent_path());
  }
  const Module* result = nullptr;
  for (const fs::path& place : folders) {
    std::vector<fs::path> candidates = {place / (rest + ".py"), place / rest / "__init__.py"};
    if (rest.empty()) candidates = {place / "__init__.py"};
    for (const fs::path& candidate : candidates) {
      if (result != nullptr || (rest.empty() && dots == 0)) break;
      if (!fs::is_regular_file(candidate, error)) continue;
      for (const auto& module : modules_)
        if (fs::equivalent(module->path, candidate, error)) result = module.get();
      if (result == nullptr) result = &load(candidate.lexically_normal().string());
    }
  }
  looked_up_[key] = result;
  return result;
}

const Module& TritonSource::beside(const std::string& path) {
  std::error_code error;
  for (const auto& module : modules_)
    if (std::filesystem::equivalent(module->path, path, error)) return *module;
  return load(path);
}

std::vector<SignatureEntry> signature(const Node& function) {
  const Node& arguments = function.at("args");
  std::vector<SignatureEntry> entries;
  const auto annotation_of = [](const Node& argument) {
    if (!argument.has("annotation")) return std::string();
    return argument.at("annotation").text;
  };
  const auto add = [&](const std::vector<Node>& list, const std::vector<Node>& defaults) {
    const std::size_t without = list.size() - std::min(list.size(), defaults.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      SignatureEntry entry;
      entry.name = list[i].text;
      entry.annotation = annotation_of(list[i]);
      entry.is_constexpr =
          entry.annotation == "constexpr" || ends_with(entry.annotation, ".constexpr");
      if (i >= without && !defaults[i - without].is("Absent"))
        entry.default_value = &defaults[i - without];
      entries.push_back(std::move(entry));
    }
  };
  if (arguments.has("posonlyargs"))
    throw Error("positional-only parameters are not supported", "leave out the '/'");
  if (arguments.has("kwarg"))
    throw Error("parameters with '**' are not supported (nor does Triton)", "name the parameters");
  // Defaults belong to the last of the positional parameters.
  add(arguments.list("args"), arguments.list("defaults"));
  add(arguments.list("kwonlyargs"), arguments.list("kw_defaults"));
  return entries;
}

}  // namespace heddle::kernel::triton
