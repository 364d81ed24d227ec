#include "kernel/triton/bindings.h"

#include <array>
#include <cctype>
#include <string_view>

namespace heddle::kernel::triton {
namespace {

void add_words(const std::string& text, std::set<std::string>& words) {
  const auto is_part = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_part(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    words.insert(text.substr(i, end - i));
    i = end;
  }
}

bool opens_scope(const Node& node) {
  return node.is("FunctionDef") || node.is("AsyncFunctionDef") || node.is("ClassDef");
}

void add_target(const Node& target, std::map<std::string, int>& counts) {
  if (target.is("Name")) ++counts[target.text];
  for (const Node& item : target.list("elts")) add_target(item, counts);
  if (target.is("Starred")) add_target(target.at("value"), counts);
}

void add_globals(const Node& node, std::map<std::string, int>& counts) {
  if (node.is("Global")) {
    std::set<std::string> names;
    add_words(node.text, names);
    for (const std::string& name : names) ++counts[name];
  }
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) add_globals(child, counts);
}

void add_bindings(const Node& node, std::map<std::string, int>& counts) {
  for (const char* field : {"target", "targets", "optional_vars"})
    for (const Node& target : node.list(field)) add_target(target, counts);
  if (opens_scope(node)) ++counts[node.text];
  const bool is_capture = node.is("ExceptHandler") || node.is("MatchAs") || node.is("MatchStar") ||
                          node.is("MatchMapping") || node.is("TypeAlias");
  if (is_capture && !node.text.empty()) ++counts[node.text];
  if (node.is("Import") || node.is("ImportFrom"))
    for (const Node& alias : node.list("names"))
      ++counts[alias.has("asname") ? alias.at("asname").text
                                   : alias.text.substr(0, alias.text.find('.'))];
  if (opens_scope(node)) return;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) add_bindings(child, counts);
}

void add_free(const Node& node, const std::set<std::string>& bound, std::set<std::string>& names) {
  const bool is_function =
      node.is("FunctionDef") || node.is("AsyncFunctionDef") || node.is("Lambda");
  if (node.is("Name") && bound.count(node.text) == 0) names.insert(node.text);
  std::set<std::string> inner = bound;
  if (is_function) inner.merge(locals_of(node));
  // Defaults, decorators and annotations see the names around the function.
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      add_free(child, is_function && field.name == "body" ? inner : bound, names);
}

/// What Python itself calls by name, without names that begin with an underscore.
bool is_of_python(std::string_view name) {
  static const std::string kNames =
      " "
      "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup "
      "BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError "
      "ConnectionAbortedError ConnectionError ConnectionRefusedError ConnectionResetError "
      "DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception "
      "ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError FutureWarning "
      "GeneratorExit IOError ImportError ImportWarning IndentationError IndexError "
      "InterruptedError "
      "IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError "
      "NameError None NotADirectoryError NotImplemented NotImplementedError OSError OverflowError "
      "PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError "
      "ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError "
      "SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError "
      "UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning "
      "UserWarning ValueError Warning ZeroDivisionError abs aiter all and anext any as ascii "
      "assert "
      "async await bin bool break breakpoint bytearray bytes callable case chr class classmethod "
      "compile complex continue copyright credits def del delattr dict dir divmod elif else "
      "enumerate eval except exec exit filter finally float for format from frozenset getattr "
      "global globals hasattr hash help hex id if import in input int is isinstance issubclass "
      "iter "
      "lambda len license list locals map match max memoryview min next nonlocal not object oct "
      "open or ord pass pow print property quit raise range repr return reversed round set setattr "
      "slice sorted staticmethod str sum super try tuple type vars while with yield zip ";
  return kNames.find(" " + std::string(name) + " ") != std::string::npos;
}

}  // namespace

std::map<std::string, int> module_bindings(const Node& root) {
  std::map<std::string, int> counts;
  for (const Node& statement : root.list("body")) add_bindings(statement, counts);
  add_globals(root, counts);
  return counts;
}

std::set<std::string> locals_of(const Node& function) {
  std::map<std::string, int> counts;
  for (const char* field : {"posonlyargs", "args", "kwonlyargs", "vararg", "kwarg"})
    for (const Node& argument : function.at("args").list(field)) ++counts[argument.text];
  std::map<std::string, int> global;
  for (const Node& statement : function.list("body")) {
    add_bindings(statement, counts);
    add_globals(statement, global);
  }
  std::set<std::string> names;
  for (const auto& [name, count] : counts)
    if (global.count(name) == 0) names.insert(name);
  return names;
}

std::set<std::string> words(const Node& root) {
  std::set<std::string> all;
  add_words(root.text, all);
  for (const Field& field : root.fields)
    for (const Node& child : field.nodes) all.merge(words(child));
  return all;
}

std::set<std::string> free_names(const Node& root) {
  std::set<std::string> names;
  add_free(root, {}, names);
  return names;
}

bool has_meaning(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kBeginnings = {
      "__", "test", "Test", "pytest", "setup", "teardown", "setUp", "tearDown"};
  for (const std::string_view beginning : kBeginnings)
    if (name.rfind(beginning, 0) == 0) return true;
  for (const char c : name)
    if ((static_cast<unsigned char>(c) & 0x80U) != 0) return true;  // may be another when read
  return name == "_" || is_of_python(name) || name == "collect_ignore" || name == "conftest";
}

}  // namespace heddle::kernel::triton
