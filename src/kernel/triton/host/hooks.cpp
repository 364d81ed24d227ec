#include "kernel/triton/host/hooks.h"

namespace heddle::kernel::triton::host {
namespace {

constexpr std::size_t kMostNames = 64;

class HookSearch {
 public:
  explicit HookSearch(const Module& module) : module_(module) {}

  const Node* in(const Node& node) {
    if (node.is("keyword") && node.text == "pre_hook") {
      const Node& value = node.at("value");
      if (value.is("Name") && module_.functions.count(value.text) != 0) return &value;
    }
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes)
        if (const Node* found = in(child)) return found;
    return node.is("Name") ? behind(node.text) : nullptr;
  }

 private:
  const Node* behind(const std::string& name) {
    if (seen_.size() >= kMostNames || !seen_.insert(name).second) return nullptr;
    const auto constant = module_.constants.find(name);
    if (constant != module_.constants.end()) return in(*constant->second);
    const auto function = module_.functions.find(name);
    return function != module_.functions.end() ? in(*function->second) : nullptr;
  }

  const Module& module_;
  std::set<std::string> seen_;
};

}  // namespace

const Node* find_pre_hook(const Module& module, const Node& kernel) {
  HookSearch search(module);
  for (const Node& decorator : kernel.list("decorator_list"))
    if (const Node* found = search.in(decorator)) return found;
  return nullptr;
}

}  // namespace heddle::kernel::triton::host
