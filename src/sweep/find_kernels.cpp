#include "sweep/find_kernels.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
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

/// Functions below a @triton.jit that the file launches, as "name[grid]".
std::vector<std::string> launched_kernels(const std::string& text) {
  std::vector<std::string> names;
  bool is_jitted = false;
  for (const std::string_view line : split_lines(text)) {
    const std::string_view code = trim(line);
    if (code.starts_with("@")) {
      is_jitted |= code.find("jit") != std::string_view::npos;
    } else if (code.starts_with("def ")) {
      std::size_t end = 4;
      while (end < code.size() && is_word(code[end])) ++end;
      const std::string name(code.substr(4, end - 4));
      bool is_launched = false;
      for (std::size_t at = text.find(name + "["); at != std::string::npos && !is_launched;
           at = text.find(name + "[", at + 1))
        is_launched = at == 0 || !is_word(text[at - 1]);
      if (is_jitted && is_launched) names.push_back(name);
      is_jitted = false;
    }
  }
  return names;
}

class Finder {
 public:
  Finder(const std::string& root, const std::vector<std::string>& except)
      : root_(root), except_(except) {}

  std::vector<KernelFile> run(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) find(path);
    for (const std::string& path : sources_) add_kernels(path);
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
      sources_.insert(path);
    } else {
      return;
    }
    ++count_;
  }

  static bool is_kernel_source(const std::string& path) {
    const std::string ending = fs::path(path).extension().string();
    const bool is_python = ending == ".py";
    if (!is_python && ending != ".hip" && ending != ".cu") return false;
    std::error_code error;
    if (fs::file_size(path, error) > kLargestSource || error) return false;
    try {
      const std::string text = read_text(path, kLargestSource);
      return text.find(is_python ? "triton.jit" : "__global__") != std::string::npos;
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

  void add_kernels(const std::string& path) {
    if (!covered_.contains(path)) add_launched(path);
  }

  void add_launched(const std::string& path) {
    std::vector<std::string> names;
    if (path.ends_with(".py")) {
      try {
        names = launched_kernels(read_text((fs::path(root_) / path).string(), kLargestSource));
      } catch (const Error&) {
        names.clear();  // the unit says what is wrong with the file
      }
    }
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) found_.insert({KernelFile::Kind::kernel, path, name});
  }

  std::string root_;
  const std::vector<std::string>& except_;
  std::set<KernelFile> found_;
  std::set<std::string> sources_;  ///< files with kernels
  std::set<std::string> covered_;  ///< kernels' files that jobs name
  std::size_t count_ = 0;          ///< files that were taken
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
                                     const std::vector<std::string>& except) {
  return Finder(root, except).run(paths);
}

}  // namespace heddle::sweep
