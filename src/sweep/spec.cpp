#include "sweep/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>

#include "config/toml_document.h"
#include "support/error.h"
#include "support/lists.h"
#include "support/spelling.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;
using config::TomlNode;

constexpr std::array<const char*, 5> kVerbs = {"check", "audit", "simulate", "optimize",
                                               "validate"};
constexpr std::size_t kMostShapes = 100'000;

class SpecReader {
 public:
  explicit SpecReader(const std::string& path)
      : path_(path), root_(config::read_toml(path, "docs/sweep.md")) {}

  Spec read() const {
    Spec spec;
    spec.name = path_;
    spec.root = fs::path(path_).parent_path().string();
    if (spec.root.empty()) spec.root = ".";
    check_keys(root_, {"gpus", "verbs", "base", "effort", "except", "kernels"});
    spec.gpus = texts(root_, "gpus");
    spec.verbs = verbs(root_);
    spec.except = texts(root_, "except");
    if (const TomlNode* base = root_.find("base")) spec.base = text(*base);
    if (const TomlNode* effort = root_.find("effort")) spec.effort = effort_of(*effort);
    const TomlNode* kernels = root_.find("kernels");
    if (kernels == nullptr || kernels->kind != TomlNode::Kind::array)
      throw Error("a sweep needs [[kernels]]: which files it is about",
                  "add: [[kernels]] and paths = [\"kernels/*.toml\"]")
          .in(path_);
    for (const TomlNode& group : kernels->items) spec.groups.push_back(read_group(group));
    return spec;
  }

 private:
  Error wrong(const TomlNode& node, const std::string& what, const std::string& hint) const {
    return Error(what, hint).at(path_, node.position);
  }

  void check_keys(const TomlNode& table, const std::vector<std::string>& known) const {
    for (const TomlNode& item : table.items)
      if (!is_one_of(item.key, known))
        throw Error(
            fmt::format("unknown key '{}'", item.key),
            fmt::format("{}known: {}", did_you_mean(item.key, known), fmt::join(known, " ")))
            .at(path_, item.key_position);
  }

  std::string text(const TomlNode& node) const {
    if (node.kind != TomlNode::Kind::text || node.text.empty())
      throw wrong(node, fmt::format("'{}' must be a text", node.key), "write it in quotes");
    return node.text;
  }

  std::vector<std::string> texts(const TomlNode& table, const char* key) const {
    const TomlNode* list = table.find(key);
    if (list == nullptr) return {};
    if (list->kind == TomlNode::Kind::text) return {text(*list)};
    if (list->kind != TomlNode::Kind::array)
      throw wrong(*list, fmt::format("'{}' must be a list of texts", key), "write [\"...\"]");
    std::vector<std::string> result;
    for (const TomlNode& item : list->items) {
      if (item.kind != TomlNode::Kind::text || item.text.empty())
        throw wrong(item, fmt::format("'{}' must hold texts", key), "write each in quotes");
      result.push_back(item.text);
    }
    return result;
  }

  std::vector<SweepVerb> verbs(const TomlNode& table) const {
    std::vector<SweepVerb> result;
    for (const std::string& word : texts(table, "verbs")) {
      try {
        result.push_back(read_verb(word));
      } catch (const Error& error) {
        throw error.at(path_, table.find("verbs")->position);
      }
    }
    return result;
  }

  std::string effort_of(const TomlNode& node) const {
    const std::string effort = text(node);
    if (effort != "low" && effort != "normal" && effort != "high")
      throw wrong(node, fmt::format("'{}' is not an effort", effort), "write low, normal or high");
    return effort;
  }

  KernelGroup read_group(const TomlNode& table) const {
    check_keys(table, {"paths", "shapes", "sizes", "gpus", "verbs"});
    KernelGroup group;
    group.paths = texts(table, "paths");
    if (group.paths.empty())
      throw wrong(table, "[[kernels]] without paths", "add: paths = [\"kernels/*.toml\"]");
    group.shapes = texts(table, "shapes");
    group.gpus = texts(table, "gpus");
    group.verbs = verbs(table);
    if (const TomlNode* sizes = table.find("sizes")) add_combinations(*sizes, group.shapes);
    return group;
  }

  /// M = [1, 2], N = [3]: "M=1,N=3" and "M=2,N=3".
  void add_combinations(const TomlNode& sizes, std::vector<std::string>& shapes) const {
    if (sizes.kind != TomlNode::Kind::table)
      throw wrong(sizes, "'sizes' must be a table", "write [kernels.sizes] and M = [1024, 2048]");
    std::vector<std::string> all = {""};
    for (const TomlNode& size : sizes.items) {
      if (size.kind != TomlNode::Kind::array || size.items.empty())
        throw wrong(size, fmt::format("'{}' must be a list of numbers", size.key),
                    fmt::format("write {} = [1024, 2048]", size.key));
      std::vector<std::string> longer;
      if (all.size() * size.items.size() > kMostShapes)
        throw wrong(size, fmt::format("more than {} combinations of sizes", kMostShapes),
                    "list the shapes that matter");
      for (const std::string& shape : all)
        for (const TomlNode& value : size.items) {
          if (value.kind != TomlNode::Kind::integer)
            throw wrong(value, fmt::format("'{}' must hold whole numbers", size.key),
                        "write [1024, 2048]");
          longer.push_back(
              fmt::format("{}{}{}={}", shape, shape.empty() ? "" : ",", size.key, value.integer));
        }
      all = std::move(longer);
    }
    if (!sizes.items.empty()) append(shapes, all);
  }

  std::string path_;
  TomlNode root_;
};

}  // namespace

std::string verb_text(SweepVerb verb) {
  return kVerbs.at(static_cast<std::size_t>(verb));
}

SweepVerb read_verb(const std::string& word) {
  for (std::size_t i = 0; i < kVerbs.size(); ++i)
    if (word == kVerbs.at(i)) return static_cast<SweepVerb>(i);
  throw Error(fmt::format("a sweep has no verb '{}'", word),
              fmt::format("{}known: {}", did_you_mean(word, {kVerbs.begin(), kVerbs.end()}),
                          fmt::join(kVerbs, " ")));
}

bool takes_gpu(SweepVerb verb) {
  return verb == SweepVerb::simulate || verb == SweepVerb::optimize;
}

Spec read_spec(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw Error(fmt::format("'{}' is not there", path),
                "name a folder with jobs, or a spec (docs/sweep.md)", ExitCode::missing);
  if (!fs::is_directory(path, error)) return SpecReader(path).read();
  Spec spec;
  spec.name = path;
  spec.root = path;
  spec.groups.push_back({{"."}, {}, {}, {}});
  return spec;
}

}  // namespace heddle::sweep
