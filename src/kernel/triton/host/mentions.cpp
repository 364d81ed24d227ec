#include "kernel/triton/host/mentions.h"

#include <map>
#include <vector>

namespace heddle::kernel::triton::host {

bool mentions(const Node& node, const std::set<std::string>& names) {
  if ((node.is("Name") || node.is("Attribute")) && names.count(node.text) != 0) return true;
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (mentions(child, names)) return true;
  return false;
}

bool opens_scope(const Node& node) {
  return node.is("FunctionDef") || node.is("ClassDef");
}

void collect_mentions(const Node& node, std::set<std::string>& names) {
  if (node.is("Name") || node.is("Attribute")) names.insert(node.text);
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes) collect_mentions(child, names);
}

std::set<std::string> names_of(const Module& module, const std::string& kernel) {
  std::set<std::string> names = {kernel};
  for (const auto& [name, path] : module.imports)
    if (path.ends_with("." + kernel)) names.insert(name);
  return names;
}

std::set<std::string> names_that_lead_to(const Module& module, const Node& kernel) {
  std::map<std::string, std::vector<std::string>> users;  // of a name: the definitions with it
  for (const Node& node : module.root.list("body")) {
    const bool opens = opens_scope(node) && &node != &kernel;
    const bool assigns =
        node.is("Assign") && node.list("targets").size() == 1 && node.at("targets").is("Name");
    if (!opens && !assigns) continue;
    std::set<std::string> used;
    collect_mentions(opens ? node : node.at("value"), used);
    for (const std::string& name : used)
      users[name].push_back(opens ? node.text : node.at("targets").text);
  }
  std::set<std::string> found = names_of(module, kernel.text);
  std::vector<std::string> open(found.begin(), found.end());
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    for (const std::string& user : users[name])
      if (found.insert(user).second) open.push_back(user);
  }
  return found;
}

}  // namespace heddle::kernel::triton::host
