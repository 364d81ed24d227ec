#include "sweep/find_kernels.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "config/toml_document.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1'000'000;
constexpr std::size_t kLargestSource = std::size_t{4} << 20;
constexpr int kMostDepth = 64;
constexpr int kMostStars = 8;  ///< of a glob: each may try every place

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// A job among the many kinds of .toml files.
bool looks_like_job(const std::string& path, std::string& kernel) {
  try {
    const config::TomlNode root = config::read_toml(path);
    const config::TomlNode* named = root.find("kernel");
    if (named == nullptr || named->kind != config::TomlNode::Kind::text) return false;
    kernel = named->text;
    return root.find("grid") != nullptr;
  } catch (const Error&) {
    return false;
  }
}

/// Functions below a @triton.jit.
std::vector<std::string> jitted_functions(const std::string& text) {
  std::vector<std::string> names;
  bool is_jitted = false;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view code = trim(line);
    if (code.starts_with("@")) {
      is_jitted |= code.find("jit") != std::string_view::npos;
    } else if (code.starts_with("def ")) {
      std::size_t end = 4;
      while (end < code.size() && is_word(code[end])) ++end;
      if (is_jitted) names.emplace_back(code.substr(4, end - 4));
      is_jitted = false;
    }
  }
  return names;
}

/// Those of them that the file launches, as "name[grid]".
std::vector<std::string> launched_kernels(const std::string& text) {
  std::vector<std::string> names = jitted_functions(text);
  std::erase_if(names, [&](const std::string& name) {
    for (std::size_t at = text.find(name + "["); at != std::string::npos;
         at = text.find(name + "[", at + 1))
      if (at == 0 || !is_word(text[at - 1])) return false;
    return true;
  });
  return names;
}

/// Functions that are declared __global__: the last word before a bracket that is not one of
/// __launch_bounds__.
std::vector<std::string> global_functions(const std::string& text) {
  constexpr std::string_view kGlobal = "__global__";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kGlobal); at != std::string::npos; at = text.find(kGlobal, at)) {
    at += kGlobal.size();
    for (std::size_t open = text.find_first_of("(;{", at); open != std::string::npos;
         open = text.find_first_of("(;{", open)) {
      if (text[open] != '(') break;
      std::size_t end = open;
      while (end > at && text[end - 1] == ' ') --end;
      std::size_t begin = end;
      while (begin > at && is_word(text[begin - 1])) --begin;
      const std::string name = text.substr(begin, end - begin);
      if (!name.empty() && !name.starts_with("__")) {
        names.push_back(name);
        break;
      }
      open = text.find(')', open);
    }
  }
  return names;
}

bool is_python(const std::string& path) {
  return path.ends_with(".py");
}

/// With their language: a port of a kernel is another kernel.
std::set<std::string> kernel_names(const std::string& path, const std::string& text) {
  std::set<std::string> names;
  if (is_python(path)) {
    for (const std::string& name : jitted_functions(text)) names.insert("def " + name);
  } else {
    for (const std::string& name : global_functions(text)) names.insert(name);
  }
  return names;
}

/// What a kernel does and a helper need not.
bool stores(const std::string& text) {
  return text.find("store(") != std::string::npos || text.find("atomic_") != std::string::npos;
}

class Finder {
 public:
  Finder(const std::string& root, const std::vector<std::string>& except)
      : root_(root), except_(except) {}

  std::vector<KernelFile> run(const std::vector<std::string>& paths,
                              std::vector<std::string>* versions) {
    for (const std::string& path : paths) find(path);
    if (versions != nullptr) {
      for (const std::string& path : covered_)
        jobs_kernels_.push_back(kernel_names(path, text_of(path)));
    }
    for (const auto& [path, is_named] : sources_) {
      if (covered_.contains(path)) continue;
      if (versions != nullptr && !is_named && is_version(path))
        versions->push_back(path);
      else
        add_launched(path);
    }
    return {found_.begin(), found_.end()};
  }

 private:
  void find(const std::string& given) {
    const std::string path = fs::path(given).lexically_normal().generic_string();
    std::error_code error;
    const fs::path whole = fs::path(root_) / path;
    if (fs::is_regular_file(whole, error)) return add_named(path);
    const bool is_folder = fs::is_directory(whole, error);
    if (!is_folder && path.find_first_of("*?[") == std::string::npos)
      throw Error(fmt::format("'{}' is not there", given),
                  "name a job, a kernel, a folder or a glob, relative to the sweep's root",
                  ExitCode::missing);
    if (std::ranges::count(path, '*') > kMostStars)
      throw Error(fmt::format("'{}' has more than {} stars", given, kMostStars),
                  "write a simpler glob");
    const std::size_t before = count_;
    const std::string folder = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
    walk(is_folder ? fs::path(folder == "." ? "" : folder) : fs::path(), 0,
         is_folder ? std::string() : path);
    if (count_ == before)
      throw Error(
          is_folder ? fmt::format("'{}' holds no jobs and no kernels", given == "." ? root_ : given)
                    : fmt::format("nothing matches '{}'", given),
          "a job is a .toml file with `kernel` and `grid` (docs/jobs.md)", ExitCode::missing);
  }

  void walk(const fs::path& folder, int depth, const std::string& glob) {
    if (depth > kMostDepth) return;
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(root_) / folder, error))
      entries.push_back(entry);
    if (entries.size() + seen_ > kMostFiles)
      throw Error(fmt::format("more than {} files below '{}'", kMostFiles, root_),
                  "name the folders that hold kernels");
    seen_ += entries.size();
    std::ranges::sort(entries);
    const bool is_build = std::ranges::any_of(entries, [](const fs::directory_entry& entry) {
      return entry.path().filename() == "CMakeCache.txt";
    });
    if (is_build) return;
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with('.')) continue;
      const fs::path path = folder / name;
      if (entry.is_directory(error) && !entry.is_symlink(error))
        walk(path, depth + 1, glob);
      else if (entry.is_regular_file(error))
        look_at(path.generic_string(), glob);
    }
  }

  void look_at(const std::string& path, const std::string& glob) {
    if (!glob.empty() && !matches_glob(glob, path)) return;
    for (const std::string& pattern : except_)
      if (matches_glob(pattern, path)) return;
    const std::string whole = (fs::path(root_) / path).string();
    std::string kernel;
    if (path.ends_with(".toml")) {
      if (!looks_like_job(whole, kernel)) return;
      add_job(path, kernel);
    } else if (path.ends_with(".csv") && !glob.empty()) {
      found_.insert({KernelFile::Kind::table, path, ""});
    } else if (is_kernel_source(whole)) {
      sources_[path] |= !glob.empty();
    } else {
      return;
    }
    ++count_;
  }

  /// Empty where it cannot be read: the unit says what is wrong with the file.
  std::string text_of(const std::string& path) const {
    try {
      return read_text((fs::path(root_) / path).string(), kLargestSource);
    } catch (const Error&) {
      return {};
    }
  }

  /// By rule 3.
  bool is_version(const std::string& path) const {
    const std::string text = text_of(path);
    if (is_python(path) && !stores(text)) return !text.empty();
    const std::set<std::string> names = kernel_names(path, text);
    return !names.empty() &&
           std::ranges::any_of(jobs_kernels_, [&](const std::set<std::string>& of_job) {
             return std::ranges::includes(of_job, names);
           });
  }

  static bool is_kernel_source(const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    if (ending != ".py" && ending != ".hip" && ending != ".cu") return false;
    std::error_code error;
    if (fs::file_size(path, error) > kLargestSource || error) return false;
    try {
      const std::string text = read_text(path, kLargestSource);
      return text.find(is_python(path) ? "triton.jit" : "__global__") != std::string::npos;
    } catch (const Error&) {
      return false;
    }
  }

  void add_job(const std::string& path, const std::string& kernel) {
    found_.insert({KernelFile::Kind::job, path, ""});
    covered_.insert((fs::path(path).parent_path() / kernel).lexically_normal().generic_string());
  }

  void add_named(const std::string& path) {
    ++count_;
    std::string kernel;
    if (path.ends_with(".csv")) {
      found_.insert({KernelFile::Kind::table, path, ""});
    } else if (path.ends_with(".toml")) {
      looks_like_job((fs::path(root_) / path).string(), kernel);
      add_job(path, kernel);
    } else {
      add_launched(path);
    }
  }

  void add_launched(const std::string& path) {
    std::vector<std::string> names;
    if (is_python(path)) names = launched_kernels(text_of(path));
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) found_.insert({KernelFile::Kind::kernel, path, name});
  }

  std::string root_;
  const std::vector<std::string>& except_;
  std::set<KernelFile> found_;
  std::map<std::string, bool> sources_;  ///< files with kernels, and whether a glob is about them
  std::set<std::string> covered_;        ///< kernels' files that jobs name
  std::vector<std::set<std::string>> jobs_kernels_;  ///< the names of their kernels
  std::size_t count_ = 0;                            ///< files that were taken
  std::size_t seen_ = 0;
};

}  // namespace

std::string source_of(const std::string& root, const KernelFile& file) {
  std::string kernel;
  if (file.kind != KernelFile::Kind::job) return file.path;
  looks_like_job((fs::path(root) / file.path).string(), kernel);
  if (kernel.empty()) return file.path;
  return (fs::path(file.path).parent_path() / kernel).lexically_normal().generic_string();
}

bool matches_glob(const std::string& glob, const std::string& path) {
  const std::size_t stars = glob.find("**");
  if (stars == std::string::npos) return fnmatch(glob.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  if (fnmatch(glob.c_str(), path.c_str(), 0) == 0) return true;
  // "**/" may be no folder at all.
  if (glob.substr(stars, 3) != "**/") return false;
  return matches_glob(glob.substr(0, stars) + glob.substr(stars + 3), path);
}

std::vector<KernelFile> find_kernels(const std::string& root, const std::vector<std::string>& paths,
                                     const std::vector<std::string>& except,
                                     std::vector<std::string>* versions) {
  return Finder(root, except).run(paths, versions);
}

}  // namespace heddle::sweep
