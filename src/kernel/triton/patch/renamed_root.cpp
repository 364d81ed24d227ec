#include <map>
#include <set>

#include "kernel/triton/patch/code_changes.h"
#include "kernel/triton/patch/hints.h"

namespace heddle::kernel::triton {
namespace {

void rename(Node& node, const std::map<std::string, std::string>& names) {
  if (node.is("Name")) {
    const auto found = names.find(node.text);
    if (found != names.end()) node.text = found->second;
  }
  for (Field& field : node.fields)
    for (Node& child : field.nodes) rename(child, names);
}

/// The copy of a node, found by where the original stands.
Node* copy_of(Node& node, const Node& function) {
  if (node.is("FunctionDef") && node.text == function.text &&
      node.begin.line == function.begin.line && node.begin.column == function.begin.column)
    return &node;
  for (Field& field : node.fields)
    for (Node& child : field.nodes)
      if (Node* found = copy_of(child, function)) return found;
  return nullptr;
}

}  // namespace

Node renamed_root(const Module& module, const Node& function, const CodeChanges& changes) {
  std::map<std::string, std::string> names = changes.renamed;
  std::set<std::string> taken;
  for (const auto& [from, to] : names) taken.insert(to);
  // Another variable that has such a name already gets one that no file can have.
  for (const std::string& name : taken)
    if (changes.locals.count(name) > 0) names.try_emplace(name, name + " of the new kernel");
  Node root = module.root;
  Node* copy = copy_of(root, function);
  if (copy == nullptr) return root;
  for (Field& field : copy->fields) {
    if (field.name != "body") continue;
    for (Node& child : field.nodes) rename(child, names);
    for (const CodeSpan& hint : changes.hints) make_guard(field.nodes, hint);
  }
  return root;
}

}  // namespace heddle::kernel::triton
