#include "kernel/triton/program_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernel/tile_program.h"
#include "kernel/triton/lines.h"
#include "kernel/triton/names.h"

namespace heddle::kernel::triton {
namespace {

constexpr std::string_view kLanguagePath = "triton.language.";
constexpr int kDepthLimit = 1000;  ///< of expressions, helpers and globals together

bool is_program_id(const std::string& path) {
  constexpr std::string_view kName = ".program_id";
  return path.rfind(kLanguagePath, 0) == 0 && path.size() > kName.size() &&
         path.compare(path.size() - kName.size(), kName.size(), kName) == 0;
}

/// Libraries whose functions are known to take no program id that decides what a tile is.
bool is_library(const std::string& path) {
  const std::string package = path.substr(0, path.find('.'));
  return package == "triton" || package == "torch" || package == "math" || package == "builtins";
}

/// "tl" or "triton.language" for the tree of a dotted name.
std::string written(const Node& node) {
  return node.is("Attribute") ? written(node.at("value")) + "." + node.text : node.text;
}

/// The only number of a Constant, or of tl.constexpr(number).
std::optional<std::int64_t> number_of(const Module& module, const Node& node) {
  if (node.is("Constant") && node.constant == ConstantKind::integer && node.text.size() < 10)
    return std::stoll(node.text, nullptr, 16);
  const bool wraps = node.is("Call") && node.list("args").size() == 1 && !node.has("keywords") &&
                     dotted_path(module, node.at("func")) == "triton.language.constexpr";
  return wraps ? number_of(module, node.list("args").front()) : std::nullopt;
}

/// Walks the kernel and everything it names.
class ProgramIdSearch {
 public:
  ProgramIdSearch(TritonSource& source, const Node& function)
      : source_(source), kernel_(function) {}

  void run(std::vector<ProgramId>& calls, std::vector<UnseenCall>& unseen) {
    const Module& module = source_.main();
    seen_.insert(&kernel_);
    const Scope scope{&module, bound_in(kernel_), ""};
    const auto& body = kernel_.list("body");
    for (std::size_t i = 0; i < body.size(); ++i) {
      statement_ = i;
      visit(scope, body[i], 0);
    }
    std::sort(uses_.begin(), uses_.end(), [](const ProgramId& a, const ProgramId& b) {
      return std::pair(a.call->begin.line, a.call->begin.column) <
             std::pair(b.call->begin.line, b.call->begin.column);
    });
    calls = std::move(uses_);
    unseen = std::move(unseen_);
  }

 private:
  /// The function, or global, whose code is being walked.
  struct Scope {
    const Module* module = nullptr;
    std::set<std::string> own;  ///< parameters and assigned names hide those of the file
    std::string hidden_in;      ///< why program ids here cannot be replaced; empty in the kernel
  };

  static std::set<std::string> bound_in(const Node& function) {
    std::set<std::string> names;
    for (const char* field : {"args", "body"})
      for (const Node& child : function.list(field)) collect_bound(child, names);
    return names;
  }

  [[noreturn]] static void refuse(const Scope& scope, const Node& node, const std::string& what,
                                  const std::string& hint) {
    throw Error(what, hint).at(scope.module->path, node.begin);
  }

  void visit(const Scope& scope, const Node& node, int depth) {
    if (depth > kDepthLimit)
      refuse(scope, node, "the kernel and its helpers are nested too deeply", "call fewer helpers");
    if (node.is("FunctionDef") || node.is("Lambda"))
      return visit_nested(scope, node, "a function inside the kernel", depth);
    if (node.is("JoinedStr")) return visit_nested(scope, node, "a formatted text", depth);
    if (node.is("Constant")) return check_text(scope, node);
    if (node.is("Name") || node.is("Attribute")) {
      if (visit_reference(scope, node, depth)) return;
    } else if (node.is("Call")) {
      return visit_call(scope, node, depth);
    }
    visit_children(scope, node, depth);
  }

  void visit_children(const Scope& scope, const Node& node, int depth) {
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) visit(scope, child, depth + 1);
  }

  void visit_nested(const Scope& scope, const Node& node, const char* what, int depth) {
    Scope inside = scope;
    if (inside.hidden_in.empty()) inside.hidden_in = what;
    if (!node.is("JoinedStr")) {
      const std::set<std::string> own = bound_in(node);
      inside.own.insert(own.begin(), own.end());
    }
    visit_children(inside, node, depth);
  }

  /// Block numbers can also be read in assembly.
  void check_text(const Scope& scope, const Node& node) {
    if (node.constant != ConstantKind::text) return;
    for (const char* word : {"ctaid", "workgroup_id", "workgroup.id"})
      if (node.text.find(word) != std::string::npos)
        refuse(scope, node,
               fmt::format("a text here names '{}': the block's number in assembly", word),
               "take the block's number from tl.program_id");
  }

  void visit_call(const Scope& scope, const Node& node, int depth) {
    const Node& callee = node.at("func");
    const std::string path = path_of(scope, callee);
    if (is_program_id(path)) return add(scope, node);
    const bool is_named = callee.is("Name") || !path.empty();
    if (is_named && !visit_reference(scope, callee, depth)) check_callee(scope, callee, path);
    if (!is_named) visit(scope, callee, depth + 1);
    for (const char* field : {"args", "keywords"})
      for (const Node& child : node.list(field)) visit(scope, child, depth + 1);
  }

  /// The dotted path, or "" for what begins with a name of the function's own.
  static std::string path_of(const Scope& scope, const Node& node) {
    const Node* base = &node;
    while (base->is("Attribute")) base = &base->at("value");
    if (!base->is("Name") || scope.own.count(base->text) > 0) return {};
    return dotted_path(*scope.module, node);
  }

  /// Follows a name to a function or global of a file at hand; false if it leads to none.
  bool visit_reference(const Scope& scope, const Node& node, int depth) {
    const std::string path = path_of(scope, node);
    if (path.empty()) return false;
    if (is_program_id(path))
      refuse(scope, node, "tl.program_id is passed on rather than called",
             "call it with the number of an axis");
    const bool is_import = node.is("Attribute") || scope.module->imports.count(node.text) > 0;
    return is_import ? visit_import(scope, node, path, depth)
                     : visit_global(scope, *scope.module, node.text, depth);
  }

  bool visit_import(const Scope& scope, const Node& node, const std::string& path, int depth) {
    const std::size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot == 0 || is_library(path)) return false;
    const Module* file = source_.imported(*scope.module, path.substr(0, dot));
    if (file == nullptr) return false;
    const std::string name = path.substr(dot + 1);
    if (visit_global(scope, *file, name, depth)) return true;
    const auto import = file->imports.find(name);
    if (import == file->imports.end()) return false;
    if (depth > kDepthLimit) refuse(scope, node, "imports go in a circle", "import from one file");
    if (is_program_id(import->second))
      refuse(scope, node, "tl.program_id comes from another file", "import triton.language as tl");
    if (is_library(import->second)) return true;
    return visit_import({file, {}, scope.hidden_in}, node, import->second, depth + 1);
  }

  bool visit_global(const Scope& scope, const Module& module, const std::string& name, int depth) {
    const auto function = module.functions.find(name);
    const auto constant = module.constants.find(name);
    if (function != module.functions.end()) {
      const Node& helper = *function->second;
      if (!seen_.insert(&helper).second) return true;
      const Scope inside{&module, bound_in(helper),
                         fmt::format("the helper '{}', which the kernel calls", name)};
      for (const Node& statement : helper.list("body")) visit(inside, statement, depth + 1);
      return true;
    }
    if (constant == module.constants.end()) return false;
    if (!seen_.insert(constant->second).second) return true;
    const std::string hidden =
        scope.hidden_in.empty() ? fmt::format("the global '{}'", name) : scope.hidden_in;
    visit({&module, {}, hidden}, *constant->second, depth + 1);
    return true;
  }

  bool is_parameter(const std::string& name) const {
    std::set<std::string> parameters;
    collect_bound(kernel_.at("args"), parameters);
    return parameters.count(name) > 0;
  }

  /// A function that is in no file at hand could take a program id.
  void check_callee(const Scope& scope, const Node& callee, const std::string& path) {
    if (path.empty() && !is_parameter(callee.text)) return;  // assigned here: walked there
    if (is_library(path) || is_python_function(path)) return;
    if (path.find("libdevice") != std::string::npos || path.find("tl_math") != std::string::npos)
      return;
    unseen_.push_back({written(callee), scope.module->path, callee.begin});
  }

  void add(const Scope& scope, const Node& call) {
    if (!scope.hidden_in.empty())
      refuse(scope, call, fmt::format("tl.program_id is used in {}", scope.hidden_in),
             "take it in the kernel's own statements and pass it on");
    ProgramId use;
    use.axis = axis_of(scope, call);
    use.call = &call;
    use.statement = statement_;
    const Node& statement = kernel_.list("body")[statement_];
    use.is_whole =
        (statement.is("Assign") || statement.is("AnnAssign")) && &statement.at("value") == &call;
    uses_.push_back(use);
  }

  static int axis_of(const Scope& scope, const Node& call) {
    const auto& positional = call.list("args");
    const auto& keywords = call.list("keywords");
    const Node* axis = nullptr;
    if (positional.size() == 1 && keywords.empty()) axis = &positional.front();
    if (positional.empty() && keywords.size() == 1 && keywords.front().text == "axis")
      axis = &keywords.front().at("value");
    std::optional<std::int64_t> number;
    if (axis != nullptr) {
      number = number_of(*scope.module, *axis);
      const auto global = scope.module->constants.find(axis->text);
      if (!number && axis->is("Name") && scope.own.count(axis->text) == 0 &&
          global != scope.module->constants.end())
        number = number_of(*scope.module, *global->second);
    }
    if (!number || *number < 0 || *number > 2)
      refuse(scope, axis != nullptr ? *axis : call, "the axis of tl.program_id is not 0, 1 or 2",
             "write the axis as a number");
    return static_cast<int>(*number);
  }

  TritonSource& source_;
  const Node& kernel_;
  std::size_t statement_ = 0;
  std::set<const Node*> seen_;
  std::vector<ProgramId> uses_;
  std::vector<UnseenCall> unseen_;
};

}  // namespace

void check_kernel(const TritonSource& source, const Node& function) {
  const Module& module = source.main();
  const auto refuse = [&](const std::string& what, const std::string& hint) {
    throw Error(what, hint).at(module.path, function.begin);
  };
  if (module.jit.count(function.text) == 0)
    refuse(fmt::format("'{}' is not a @triton.jit function: emit does not change host code",
                       function.text),
           module.jit.empty() ? "give a file with a Triton kernel"
                              : fmt::format("use one of: {}", fmt::join(module.jit, " ")));
  const auto& statements = module.root.list("body");
  const int outside = count_definitions(statements, function.text, false);
  if (outside > 1 || (outside == 0 && count_definitions(statements, function.text, true) > 1))
    refuse(fmt::format("'{}' is defined more than once", function.text),
           "leave one definition in the file");
  for (const std::string& other : module.jit) {
    if (other == function.text) continue;
    std::set<std::string> names;
    for (const Node& statement : module.functions.at(other)->list("body"))
      collect_all(statement, names);
    if (names.count(function.text) > 0)
      refuse(fmt::format("'{}' is called by '{}': it is a helper, not what is launched",
                         function.text, other),
             fmt::format("use --function {}", other));
  }
}

std::string language_name(const Module& module, const std::set<std::string>& own, Position at) {
  for (const auto& [name, path] : module.imports)
    if (path == "triton.language" && own.count(name) == 0) return name;
  for (const auto& [name, path] : module.imports)
    if (path == "triton" && own.count(name) == 0) return name + ".language";
  throw Error("the file has no name for triton.language",
              "import triton.language as tl, and call tl.program_id")
      .at(module.path, at);
}

namespace {

/// As the kernel itself calls it.
std::string language_of(const Module& module, const ProgramId& use,
                        const std::set<std::string>& own) {
  const Node& callee = use.call->at("func");
  if (callee.is("Attribute")) return written(callee.at("value"));
  return language_name(module, own, callee.begin);
}

}  // namespace

ProgramIds::ProgramIds(TritonSource& source, const std::string& name)
    : module_(&source.main()), function_(&source.kernel(name)) {
  check_kernel(source, *function_);
  path = module_->path;
  position = function_->begin;
  ProgramIdSearch(source, *function_).run(calls_, unseen_);
  if (calls_.empty())
    throw Error(fmt::format("the kernel '{}' uses no tl.program_id", function_->text),
                "give a kernel that uses tl.program_id")
        .at(path, position);
  const Lines lines(module_->text);
  for (const ProgramId& call : calls_) {
    axes = std::max(axes, call.axis + 1);
    uses.push_back({call.axis, lines.offset(call.call->begin), lines.offset(call.call->end),
                    call.call->begin});
  }
  find_names();
}

void ProgramIds::find_names() {
  std::set<std::string> own;
  collect_bound(*function_, own);
  const std::set<std::string> file = names_of(*module_);
  names = file;
  collect_all(*function_, names);
  names.insert(own.begin(), own.end());
  spelling.dialect = "triton";
  spelling.language = language_of(*module_, calls_.front(), own);
  for (const char* word : {"min", "max", "*"})  // "*": from somewhere import *
    spelling.own_minimum = spelling.own_minimum || own.count(word) > 0 || file.count(word) > 0;

  std::set<std::string> before;
  for (std::size_t i = 0; i < first_statement(); ++i)
    collect_bound(function_->list("body")[i], before);
  for (const SignatureEntry& parameter : signature(*function_)) {
    if (before.count(parameter.name) > 0) continue;
    known.insert(parameter.name);
    if (parameter.is_constexpr) constants.insert(parameter.name);
  }
  for (const auto& [global, value] : module_->constants)
    if (own.count(global) == 0) known.insert(global);
  known_are = "a kernel parameter with a known value here";
  known_at = function_->list("body")[first_statement()].begin;
}

void ProgramIds::refuse_unseen() const {
  if (unseen_.empty()) return;
  const UnseenCall& call = unseen_.front();
  throw Error(
      fmt::format("'{}' is not in this file, nor in one beside it: it may use tl.program_id",
                  call.name),
      "put the function into the kernel's file, or its file beside it; or give --job")
      .at(call.path, call.position);
}

void ProgramIds::check_program(const KernelProgram& program) const {
  for (const Block& block : code_of(program).blocks) {
    for (const Instruction& instruction : block.code) {
      if (instruction.op != Opcode::program_id) continue;
      const Place& taken = program.places.at(static_cast<std::size_t>(instruction.place));
      const bool is_known = taken.function == function_->text &&
                            std::any_of(uses.begin(), uses.end(), [&](const IndexUse& use) {
                              return use.position.line == taken.position.line &&
                                     use.axis == instruction.integers.at(0);
                            });
      if (is_known) continue;
      throw Error(fmt::format("a program id is taken in '{}' in a way that cannot be replaced",
                              taken.function),
                  "call tl.program_id in the kernel's own statements")
          .at(path, taken.position);
    }
  }
}

}  // namespace heddle::kernel::triton
