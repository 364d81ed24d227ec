#include "kernel/triton/host/launch_sites.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "kernel/triton/host/mentions.h"
#include "support/file.h"

namespace heddle::kernel::triton::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 8000;
constexpr std::size_t kMostEntries = 200'000;  ///< of folders, of any kind
constexpr int kMostDepth = 16;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostSites = 4;

/// kernel[grid](...), the kernel by one of its names. Of a file: outside its functions.
bool launches(const Node& node, const std::set<std::string>& names) {
  if (node.is("Call") && node.at("func").is("Subscript") &&
      mentions(node.at("func").at("value"), names))
    return true;
  const bool is_file = node.is("Module");
  for (const Field& field : node.fields)
    for (const Node& child : field.nodes)
      if (!(is_file && opens_scope(child)) && launches(child, names)) return true;
  return false;
}

class SiteSearch {
 public:
  SiteSearch(const Module& module, const std::string& kernel)
      : module_(module), kernel_(kernel), names_(names_of(module, kernel)) {}

  std::vector<HostFunction> run() {
    visit(module_.root.list("body"), nullptr);
    if (launches(module_.root, names_)) found_.push_back({&module_, &module_.root, nullptr});
    std::ranges::stable_sort(found_, {}, [&](const HostFunction& one) { return rank(one); });
    return std::move(found_);
  }

 private:
  /// Launches by name first; then methods that run backwards; tests and benchmarks last.
  int rank(const HostFunction& one) const {
    if (one.function->is("Module")) return 1;
    const std::string& name = one.function->text;
    int result = launches(*one.function, names_) ? 0 : 4;
    const bool is_test =
        name.find("test") != std::string::npos || name.find("bench") != std::string::npos;
    return result + (is_test ? 2 : 0);
  }

  void visit(const std::vector<Node>& statements, const Node* owner) {
    for (const Node& node : statements) {
      if (node.is("FunctionDef")) {
        const bool is_jit = module_.jit.count(node.text) != 0 && owner == nullptr;
        if (!is_jit && node.text != kernel_ && mentions_in_body(node))
          found_.push_back({&module_, &node, owner});
      } else if (node.is("ClassDef")) {
        visit(node.list("body"), &node);
      } else {
        for (const char* body : {"body", "orelse", "handlers"}) visit(node.list(body), owner);
      }
    }
  }

  bool mentions_in_body(const Node& function) const {
    for (const Node& node : function.list("body"))
      if (mentions(node, names_)) return true;
    return false;
  }

  const Module& module_;
  const std::string& kernel_;
  std::set<std::string> names_;
  std::vector<HostFunction> found_;
};

/// The folder of the project that a file belongs to.
fs::path project_of(const fs::path& file) {
  std::error_code error;
  fs::path folder = fs::absolute(file, error).parent_path();
  fs::path result = folder;
  for (int level = 0; level < 12 && folder.has_relative_path(); ++level) {
    for (const char* mark : {".git", "pyproject.toml", "setup.py"})
      if (fs::exists(folder / mark, error)) return folder;
    if (fs::exists(folder / "__init__.py", error)) result = folder;
    folder = folder.parent_path();
  }
  return result;
}

enum class Mention { none, handed_on, launched };

/// What a file's text does with a kernel: "kernel[" launches it, "kernel," hands it on. It may be
/// imported under another name.
Mention mention_in(const std::string& text, const std::string& kernel, bool is_own = true) {
  Mention result = Mention::none;
  for (std::size_t at = text.find(kernel); at != std::string::npos;
       at = text.find(kernel, at + 1)) {
    const std::size_t end = at + kernel.size();
    const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                    text[at - 1] != '_');
    if (!begins || end >= text.size()) continue;
    if (text[end] == '[') return Mention::launched;
    if (is_own && text.compare(end, 4, " as ") == 0) {
      const std::size_t stop = text.find_first_of(" ,)\n", end + 4);
      const std::string alias = text.substr(end + 4, stop - end - 4);
      const Mention other = alias.empty() ? Mention::none : mention_in(text, alias, false);
      result = std::max(result, other);
      if (result == Mention::launched) return result;
    }
    if (text[end] == ')' || text[end] == ',') result = std::max(result, Mention::handed_on);
  }
  return result;
}

/// Whether a file's text imports the kernel from that file: others launch another of its name.
bool imports_from(const std::string& text, const fs::path& file, const std::string& kernel) {
  const fs::path whole = file.filename() == "__init__.py" ? file.parent_path() : file;
  const std::string stem = whole.stem().string();
  if (text.find("import " + stem) != std::string::npos) return true;
  const std::string start = stem + " import";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t names = text.find_first_not_of(' ', at + start.size());
    if (names == std::string::npos) return false;
    const std::size_t end = text.find(text[names] == '(' ? ')' : '\n', names);
    const std::string listed = text.substr(names, end - names);
    if (listed[0] == '*' || listed.find(kernel) != std::string::npos) return true;
  }
  return false;
}

bool is_skipped(const std::string& folder) {
  return folder.starts_with(".") || folder == "node_modules" || folder == "third_party" ||
         folder == "build";
}

/// The Python files of a project in a fixed order; of large ones the first.
std::vector<std::string> python_files(const fs::path& root) {
  std::vector<std::string> files;
  std::vector<std::pair<fs::path, int>> open = {{root, 0}};
  std::size_t entries = 0;
  while (!open.empty() && files.size() < kMostFiles) {
    const auto [folder, depth] = open.back();
    open.pop_back();
    std::error_code error;
    std::vector<fs::path> folders;
    std::vector<std::string> here;
    for (fs::directory_iterator at(folder, fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end && ++entries < kMostEntries; at.increment(error)) {
      std::error_code ignored;
      const std::string name = at->path().filename().string();
      if (at->is_symlink(ignored)) continue;
      if (at->is_directory(ignored) && !is_skipped(name)) folders.push_back(at->path());
      if (name.ends_with(".py") && at->is_regular_file(ignored))
        here.push_back(at->path().string());
    }
    std::ranges::sort(here);
    files.insert(files.end(), here.begin(), here.end());
    std::ranges::sort(folders, std::greater<>());
    for (const fs::path& one : folders)
      if (depth < kMostDepth) open.emplace_back(one, depth + 1);
  }
  if (files.size() > kMostFiles) files.resize(kMostFiles);
  return files;
}

std::vector<std::string> files_that_launch(const std::string& path, const std::string& kernel) {
  std::error_code error;
  const fs::path own = fs::absolute(path, error).lexically_normal();
  std::vector<std::pair<int, std::string>> found;
  std::size_t bytes = 0;
  for (const std::string& one : python_files(project_of(own))) {
    if (bytes > kMostBytes) break;
    if (fs::path(one).lexically_normal() == own) continue;
    std::string text;
    try {
      text = read_text(one, std::size_t{2} << 20);
    } catch (const Error&) {
      continue;
    }
    bytes += text.size();
    const Mention mention = mention_in(text, kernel);
    if (mention == Mention::none) continue;
    const bool is_test =
        one.find("test") != std::string::npos || one.find("bench") != std::string::npos;
    const bool is_near = fs::path(one).parent_path() == own.parent_path();
    const int order =
        (mention == Mention::launched ? 0 : 4) + (imports_from(text, own, kernel) ? 0 : 8);
    found.emplace_back(order + (is_test ? 2 : 0) + (is_near ? 0 : 1), one);
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, std::string>::first);
  std::vector<std::string> result;
  for (const auto& [order, one] : found)
    if (result.size() < kMostSites) result.push_back(one);
  return result;
}

}  // namespace

std::vector<HostFunction> find_launch_sites(TritonSource& source, const std::string& kernel) {
  std::vector<HostFunction> found = SiteSearch(source.main(), kernel).run();
  if (found.empty()) {
    for (const std::string& path : files_that_launch(source.main().path, kernel)) {
      try {
        const Module& module = source.beside(path);
        for (const HostFunction& one : SiteSearch(module, kernel).run()) found.push_back(one);
      } catch (const Error&) {
        continue;
      }
      const auto by_name = [&](const HostFunction& one) {
        return launches(*one.function, names_of(*one.module, kernel));
      };
      std::ranges::stable_partition(found, by_name);
      if (!found.empty() && by_name(found.front())) break;
    }
  }
  if (found.size() > kMostSites) found.resize(kMostSites);
  return found;
}

}  // namespace heddle::kernel::triton::host
