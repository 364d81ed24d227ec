#include "kernel/triton/outline.h"

#include <map>
#include <set>

#include "kernel/triton/compile.h"
#include "kernel/triton/lowering.h"
#include "support/text.h"

namespace heddle::kernel::triton {
namespace {

/// The text between two places of a file.
std::string source_text(const Module& module, const Node& node) {
  const std::vector<std::string_view> lines = split(module.text, '\n');
  const auto line = static_cast<std::size_t>(node.begin.line);
  if (line == 0 || line > lines.size() || node.begin.line != node.end.line) return {};
  const auto from = static_cast<std::size_t>(node.begin.column - 1);
  const auto length = static_cast<std::size_t>(node.end.column - node.begin.column);
  return std::string(lines[line - 1].substr(std::min(from, lines[line - 1].size()), length));
}

/// What a pointer expression starts with: `a_ptr` of `a_ptr + row[:, None] * stride + column`.
const Node* leftmost(const Node& node) {
  if (node.is("Name")) return &node;
  if (node.is("BinOp") && (node.text == "Add" || node.text == "Sub"))
    return leftmost(node.at("left"));
  if (node.is("Subscript")) return leftmost(node.at("value"));
  return nullptr;
}

class PointerSearch {
 public:
  explicit PointerSearch(const Node& function) {
    visit(function.list("body"));
    // A name that is added to and then loaded from makes what it came from a pointer.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [name, sources] : made_from_)
        if (pointers_.count(name) != 0)
          for (const std::string& source : sources)
            changed = pointers_.insert(source).second || changed;
    }
  }
  bool contains(const std::string& name) const { return pointers_.count(name) != 0; }

 private:
  void visit(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (node.is("Assign") && node.at("targets").is("Name"))
        remember(node.at("targets").text, node.at("value"));
      if (node.is("AugAssign") && node.at("target").is("Name"))
        remember(node.at("target").text, node.at("target"));
      if (node.is("Call")) look(node);
      for (const Field& field : node.fields) visit(field.nodes);
    }
  }

  void remember(const std::string& name, const Node& value) {
    if (const Node* start = leftmost(value)) made_from_[name].insert(start->text);
  }

  void look(const Node& call) {
    const Node& function = call.at("func");
    const std::string& name = function.text;
    const bool memory = name == "load" || name == "store" || name.rfind("atomic_", 0) == 0 ||
                        name == "make_block_ptr" || name == "make_tensor_descriptor";
    if (!memory) return;
    const Node* pointer = call.list("args").empty() ? nullptr : &call.list("args").front();
    for (const Node& keyword : call.list("keywords"))
      if (keyword.text == "pointer" || keyword.text == "base") pointer = &keyword.at("value");
    if (pointer != nullptr)
      if (const Node* start = leftmost(*pointer)) pointers_.insert(start->text);
  }

  std::set<std::string> pointers_;
  std::map<std::string, std::set<std::string>> made_from_;
};

}  // namespace

config::SkeletonInput outline(TritonSource& source, const std::string& function) {
  const Module& module = source.main();
  const Node& definition = source.kernel(function);
  const PointerSearch pointers(definition);
  config::SkeletonInput result;
  result.function = definition.text;
  for (const SignatureEntry& entry : signature(definition)) {
    config::SkeletonParameter parameter;
    parameter.name = entry.name;
    parameter.is_constexpr = entry.is_constexpr;
    if (!entry.is_constexpr && pointers.contains(entry.name))
      parameter.guess = config::ParameterGuess::pointer;
    parameter.annotation = entry.annotation;
    if (entry.default_value != nullptr)
      parameter.default_text = source_text(module, *entry.default_value);
    result.parameters.push_back(std::move(parameter));
  }
  for (const auto& [name, values] : tuned_names(source, definition)) {
    result.configs = std::max(result.configs, values);
    result.set.push_back(name);
  }
  return result;
}

}  // namespace heddle::kernel::triton
