#include "kernel/triton/closure.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "support/file.h"

namespace heddle::kernel::triton {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kImportedLimit = std::size_t{2} << 20;
constexpr int kMostLevels = 64;

/// How many dots stand in front of the module's name.
int level_of(const Node& import) {
  const std::string& text = import.at("level").text;
  return text.size() > 3 ? kMostLevels : std::min(std::stoi("0" + text), kMostLevels);
}

class Closure {
 public:
  explicit Closure(const Module& main) : home_(folder_of(main.path)) {
    seen_.insert(canonical(main.path).string());
  }

  std::map<std::string, std::string> run(const Module& main) {
    for (fs::path folder = home_; is_file(folder / "__init__.py"); folder = folder.parent_path()) {
      add(folder / "__init__.py");
      if (folder == folder.parent_path()) break;
    }
    visit(main.root, home_);
    return std::move(files_);
  }

 private:
  static fs::path canonical(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::weakly_canonical(path, error);
    return error ? path : whole;
  }
  static fs::path folder_of(const std::string& path) { return canonical(path).parent_path(); }

  static bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
  }

  void visit(const Node& node, const fs::path& folder) {
    if (node.is("Import"))
      for (const Node& alias : node.list("names")) find(alias.text, folder);
    if (node.is("ImportFrom")) visit_from(node, folder);
    for (const Field& field : node.fields)
      for (const Node& child : field.nodes) visit(child, folder);
  }

  void visit_from(const Node& node, const fs::path& folder) {
    const std::string prefix = node.text.empty() ? "" : node.text + ".";
    for (const Node& alias : node.list("names")) {
      const std::string name = alias.text == "*" ? node.text : prefix + alias.text;
      if (!node.has("level")) {
        find(name, folder);
        continue;
      }
      fs::path base = folder;
      for (int level = level_of(node); level > 1; --level) base = base.parent_path();
      add_if_there(base / "__init__.py");
      look_up(name, base);
    }
  }

  void find(const std::string& name, const fs::path& folder) {
    look_up(name, home_);
    if (folder != home_) look_up(name, folder);
  }

  /// `a.b.c` below a folder: a, a.b and a.b.c.
  void look_up(const std::string& name, const fs::path& folder) {
    fs::path at = folder;
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find('.', begin), name.size());
      at /= name.substr(begin, end - begin);
      add_if_there(at.string() + ".py");
      add_if_there(at / "__init__.py");
      add_compiled(at);
      begin = end + 1;
    }
  }

  /// name.so, name.cpython-312-x86_64-linux-gnu.so and the like.
  void add_compiled(const fs::path& module) {
    std::error_code error;
    const std::string stem = module.filename().string() + ".";
    for (const fs::directory_entry& entry : fs::directory_iterator(module.parent_path(), error)) {
      const std::string file = entry.path().filename().string();
      const std::string ending = entry.path().extension().string();
      if (file.rfind(stem, 0) == 0 && (ending == ".so" || ending == ".pyd" || ending == ".pyc"))
        if (entry.is_regular_file(error)) files_.emplace(name_of(entry.path()), entry.path());
    }
  }

  void add_if_there(const fs::path& path) {
    if (is_file(path)) add(path);
  }

  void add(const fs::path& path) {
    if (!seen_.insert(canonical(path).string()).second) return;
    if (files_.size() >= kMostFiles)
      throw Error(fmt::format("more than {} files are imported", kMostFiles),
                  "give a kernel that imports fewer");
    files_.emplace(name_of(path), path.string());
    visit(parse_python(read_text(path.string(), kImportedLimit), path.string()),
          path.parent_path());
  }

  std::string name_of(const fs::path& path) const {
    return path.lexically_relative(home_).generic_string();
  }

  fs::path home_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> files_;
};

}  // namespace

std::map<std::string, std::string> files_read(const Module& main) {
  return Closure(main).run(main);
}

}  // namespace heddle::kernel::triton
