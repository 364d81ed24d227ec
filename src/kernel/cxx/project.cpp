#include "kernel/cxx/project.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/error.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBuildFile = std::size_t{1} << 20;
constexpr std::size_t kMostCommands = std::size_t{32} << 20;
constexpr std::size_t kMostHeader = std::size_t{2} << 20;
constexpr std::size_t kMostFolders = 200;

constexpr int kMostBare = 4;  ///< folders without a mark, one above the other
constexpr std::array<std::string_view, 11> kMarks = {
    "CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "LICENSE",   "LICENSE.txt",
    "LICENSE.md",     "COPYING",  "setup.py", "README.md",   "README.txt"};
constexpr std::array<std::string_view, 4> kBuildFiles = {"Makefile", "makefile", "GNUmakefile",
                                                         "CMakeLists.txt"};
constexpr std::array<std::string_view, 18> kHeaderEndings = {
    ".h",  ".hh",  ".hpp", ".hxx", ".h++", ".cuh", ".hip", ".cu",   ".cpp",
    ".cc", ".cxx", ".inc", ".inl", ".ipp", ".def", ".tpp", ".impl", ".c"};
constexpr std::array<std::string_view, 14> kSharedFolders = {
    "/tmp", "/home", "/root", "/var", "/etc",   "/proc",    "/sys",
    "/dev", "/run",  "/mnt",  "/srv", "/media", "/var/tmp", "/dev/shm"};
/// What build files call the folder that they lie in, or the project's.
constexpr std::array<std::string_view, 7> kOwnFolders = {"CMAKE_SOURCE_DIR",
                                                         "PROJECT_SOURCE_DIR",
                                                         "CMAKE_CURRENT_SOURCE_DIR",
                                                         "CMAKE_CURRENT_LIST_DIR",
                                                         "CURDIR",
                                                         "PWD",
                                                         "PROJECT_ROOT"};

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool has_mark(const fs::path& folder) {
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return is_there(folder / mark); });
}

std::string root_above(const fs::path& folder) {
  fs::path at = folder;
  for (int level = 0; level < kMostLevels && !is_shared_folder(at); ++level, at = at.parent_path())
    if (is_there(at / ".git")) return at.string();
  fs::path marked = folder;
  at = folder;
  int bare = 0;
  for (int level = 0; level < kMostLevels && !is_shared_folder(at);
       ++level, at = at.parent_path()) {
    bare = has_mark(at) ? 0 : bare + 1;
    if (bare == 0) marked = at;
    if (bare > kMostBare) break;
  }
  return marked.string();
}

std::string text_of(const fs::path& path, std::size_t most) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  try {
    return read_text(path.string(), most);
  } catch (const Error&) {
    return {};  // not there, or too large
  }
}

/// What a build file writes for a folder: "${CMAKE_SOURCE_DIR}/include" is "include". Empty where
/// another variable is in it.
std::string plain_folder(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{')) {
      const std::size_t end = text.find(text[i + 1] == '(' ? ')' : '}', i);
      if (end == std::string_view::npos || !is_one_of(text.substr(i + 2, end - i - 2), kOwnFolders))
        return {};
      i = end;
      result.clear();
      continue;
    }
    if (c != '"' && c != '\'') result += c;
  }
  const std::size_t begin = result.find_first_not_of('/');
  return text.find('$') == std::string_view::npos ? result
         : begin == std::string::npos             ? "."
                                                  : result.substr(begin);
}

/// Words behind -I, and in include_directories(...).
std::vector<std::string> folders_in(const std::string& text) {
  std::vector<std::string> found;
  const auto add_words = [&](std::string_view words) {
    for (const std::string_view line : split_lines(words))
      for (const std::string_view word : split(line, ' '))
        if (const std::string folder = plain_folder(trim(word)); !folder.empty())
          found.push_back(folder);
  };
  for (std::size_t at = text.find("-I"); at != std::string::npos && found.size() < kMostFolders;
       at = text.find("-I", at + 2)) {
    std::size_t begin = at + 2;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    add_words(std::string_view(text).substr(begin, text.find_first_of(" \t\n", begin) - begin));
  }
  constexpr std::string_view kDirectories = "include_directories(";
  for (std::size_t at = text.find(kDirectories);
       at != std::string::npos && found.size() < kMostFolders;
       at = text.find(kDirectories, at + 1)) {
    const std::size_t begin = at + kDirectories.size();
    add_words(std::string_view(text).substr(begin, text.find(')', begin) - begin));
  }
  return found;
}

/// "a/b.h" of "../../a/b.h".
std::string without_dots(const std::string& name) {
  fs::path result;
  for (const fs::path& part : fs::path(name).lexically_normal())
    if (part != ".." && part != ".") result /= part;
  return result.string();
}

/// One of the files that does not say what the first says; "" where all do.
std::string one_that_differs(const std::vector<std::string>& files) {
  const std::string text = files.size() > 1 ? text_of(files.front(), kMostHeader) : "";
  for (const std::string& one : files)
    if (one != files.front() && text_of(one, kMostHeader) != text) return one;
  return {};
}

/// Whether the file is name in a folder above, or in the very one.
bool lies_above(const std::string& path, const std::string& name, const std::string& folder) {
  const std::string part = without_dots(name);
  return path.ends_with("/" + part) &&
         is_below(folder, path.substr(0, path.size() - part.size() - 1));
}

}  // namespace

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(path.begin(), path.end(), folder.begin(), folder.end()).second ==
         folder.end();
}

bool is_file_below(const std::string& path, const std::string& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_regular_file(real, error)) return false;
  const fs::path real_folder = fs::canonical(folder, error);
  return !error && is_below(real, real_folder);
}

bool is_header_below(const std::string& path, const std::string& root) {
  const bool is_header =
      std::any_of(kHeaderEndings.begin(), kHeaderEndings.end(),
                  [&](std::string_view ending) { return lower_case(path).ends_with(ending); });
  if (!is_header || !is_file_below(path, root)) return false;
  std::error_code error;
  const fs::path real = fs::canonical(path, error).lexically_relative(fs::canonical(root, error));
  return std::none_of(real.begin(), real.end(),
                      [](const fs::path& part) { return part.string().starts_with('.'); });
}

bool is_shared_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(folder, error);
  if (!real.has_relative_path() || real == fs::temp_directory_path(error)) return true;
  if (is_one_of(real.string(), kSharedFolders) || is_below(real, "/proc") ||
      is_below(real, "/sys") || is_below(real, "/dev"))
    return true;
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') return false;
  return is_below(fs::weakly_canonical(home, error), real);
}

Project::Project(const std::string& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  file_ = whole.string();
  const fs::path folder = whole.parent_path();
  root_ = root_above(folder);
  for (fs::path at = folder;; at = at.parent_path()) {
    read_commands(at.string());
    read_commands((at / "build").string());
    add_named_folders(at.string());
    if (at == fs::path(root_) || !at.has_relative_path()) break;
  }
}

void Project::add_folder(const std::string& folder) {
  const std::string normal = fs::path(folder).lexically_normal().string();
  if (folders_.size() < kMostFolders && is_below(normal, root_) && is_folder(normal) &&
      !is_one_of(normal, folders_))
    folders_.push_back(normal);
}

void Project::add_named_folders(const std::string& folder) {
  for (const std::string_view name : kBuildFiles)
    for (const std::string& one : folders_in(text_of(fs::path(folder) / name, kMostBuildFile))) {
      add_folder((fs::path(folder) / one).string());
      add_folder((fs::path(root_) / one).string());
    }
}

void Project::read_commands(const std::string& folder) {
  if (command_.is_found) return;
  const fs::path path = fs::path(folder) / "compile_commands.json";
  if (!is_file_below(path.string(), root_)) return;
  command_ = command_for(text_of(path, kMostCommands), file_);
  std::error_code error;
  const fs::path real_root = fs::canonical(root_, error);
  std::erase_if(command_.folders, [&](const std::string& one) {
    std::error_code own;
    const fs::path real = fs::canonical(one, own);
    return own || !fs::is_directory(real, own) || !is_below(real, real_root);
  });
}

std::optional<std::string> Project::find(const std::string& name, const std::string& from) {
  if (name.empty() || name.front() == '/') return std::nullopt;
  std::vector<std::string> found = in_folders(name);
  if (found.empty()) found = anywhere(without_dots(name));
  if (found.empty()) return std::nullopt;
  if (const std::string other = one_that_differs(found); !other.empty()) {
    const std::string first = found.front();
    std::erase_if(found, [&](const std::string& one) { return !lies_above(one, name, from); });
    if (found.empty() || !one_that_differs(found).empty()) {
      unclear_[name] = fmt::format("'{}' could be {} or {}", name,
                                   fs::path(first).lexically_relative(root_).string(),
                                   fs::path(other).lexically_relative(root_).string());
      return std::nullopt;
    }
  }
  return found.front();
}

std::vector<std::string> Project::in_folders(const std::string& name) const {
  std::vector<std::string> found;
  for (const std::string& folder : folders_) {
    const fs::path path = (fs::path(folder) / name).lexically_normal();
    if (is_below(path, root_) && is_header_below(path.string(), root_))
      found.push_back(path.string());
  }
  return found;
}

void Project::list_files() {
  is_listed_ = true;
  std::error_code error;
  std::size_t entries = 0;
  const auto quiet = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(root_, quiet, error), end; !error && at != end;
       at.increment(error)) {
    const std::string one = at->path().filename().string();
    // Of a folder that CMake builds in, copies are not what is meant.
    if (one.front() == '.' || at.depth() > kMostLevels || is_there(at->path() / "CMakeCache.txt"))
      at.disable_recursion_pending();
    files_.emplace(one, at->path().string());
    if (++entries < kMostEntries) continue;
    files_.clear();  // one that is not listed may be meant
    return;
  }
}

std::vector<std::string> Project::anywhere(const std::string& name) {
  if (!is_listed_) list_files();
  const auto [begin, end] = files_.equal_range(fs::path(name).filename().string());
  std::vector<std::string> found;
  for (auto at = begin; at != end; ++at)
    if (at->second.ends_with("/" + name) && is_header_below(at->second, root_))
      found.push_back(at->second);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace heddle::kernel::cxx
