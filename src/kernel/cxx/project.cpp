#include "kernel/cxx/project.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

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
constexpr std::size_t kMostEntries = 60'000;  ///< files and folders that a search looks at
constexpr std::size_t kMostFolders = 200;

constexpr std::array<std::string_view, 11> kMarks = {
    "CMakeLists.txt", "Makefile", "makefile", "GNUmakefile", "LICENSE",   "LICENSE.txt",
    "LICENSE.md",     "COPYING",  "setup.py", "README.md",   "README.txt"};
constexpr std::array<std::string_view, 4> kBuildFiles = {"Makefile", "makefile", "GNUmakefile",
                                                         "CMakeLists.txt"};
constexpr std::array<std::string_view, 4> kHeaderFolders = {"include", "inc", "src", "common"};

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

/// Folders that many projects lie in.
bool is_shared(const fs::path& folder) {
  const char* const home = std::getenv("HOME");
  std::error_code error;
  return !folder.has_relative_path() || (home != nullptr && folder == fs::path(home)) ||
         folder == fs::temp_directory_path(error) || folder == "/tmp" || folder == "/home";
}

std::string root_above(const fs::path& folder) {
  fs::path at = folder;
  for (int level = 0; level < kMostLevels && !is_shared(at); ++level, at = at.parent_path())
    if (is_there(at / ".git")) return at.string();
  fs::path marked = folder;
  at = folder;
  int bare = 0;
  for (int level = 0; level < kMostLevels && !is_shared(at); ++level, at = at.parent_path()) {
    bare = has_mark(at) ? 0 : bare + 1;
    if (bare == 0) marked = at;
    if (bare > 1) break;
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

/// What a build file writes for a folder, without variables: "${CMAKE_SOURCE_DIR}/include" is
/// "include".
std::string plain_folder(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{')) {
      const std::size_t end = text.find(text[i + 1] == '(' ? ')' : '}', i);
      if (end == std::string_view::npos) return {};
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

Project::Project(const std::string& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  file_ = whole.string();
  const fs::path folder = whole.parent_path();
  root_ = root_above(folder);
  for (fs::path at = folder;; at = at.parent_path()) {
    read_commands(at.string());
    read_commands((at / "build").string());
    add_folder(at.string());
    for (const std::string_view part : kHeaderFolders) add_folder((at / part).string());
    if (at == fs::path(root_) || !at.has_relative_path()) break;
  }
  for (fs::path at = folder;; at = at.parent_path()) {
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
  if (!given_folders_.empty() || !given_defines_.empty()) return;
  const fs::path path = fs::path(folder) / "compile_commands.json";
  if (!is_there(path)) return;
  const nlohmann::json all = nlohmann::json::parse(text_of(path, kMostCommands), nullptr, false);
  if (!all.is_array()) return;
  for (const nlohmann::json& entry : all) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) continue;
    const auto string_at = [&](const char* key) {
      return entry.contains(key) && entry[key].is_string() ? entry[key].get<std::string>() : "";
    };
    const fs::path from = string_at("directory");
    if ((from / string_at("file")).lexically_normal() != fs::path(file_)) continue;
    std::vector<std::string> arguments;
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const nlohmann::json& one : entry["arguments"])
        if (one.is_string()) arguments.push_back(one.get<std::string>());
    } else {
      for (const std::string_view word : split(string_at("command"), ' '))
        if (!word.empty()) arguments.emplace_back(word);
    }
    read_arguments(arguments, from.string());
    return;
  }
}

void Project::read_arguments(const std::vector<std::string>& arguments, const std::string& folder) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const std::string_view flag : {"-isystem", "-iquote", "-I", "-D"}) {
      if (arguments[i].compare(0, flag.size(), flag) != 0) continue;
      std::string value = arguments[i].substr(flag.size());
      if (value.empty() && i + 1 < arguments.size()) value = arguments[++i];
      if (flag == "-D") {
        given_defines_.push_back(std::move(value));
        break;
      }
      const std::string whole = (fs::path(folder) / value).lexically_normal().string();
      if (is_folder(whole) && is_below(whole, root_)) given_folders_.push_back(whole);
      break;
    }
}

std::optional<std::string> Project::find(const std::string& name) {
  if (name.empty() || name.front() == '/') return std::nullopt;
  for (const std::string& folder : folders_) {
    const fs::path path = (fs::path(folder) / name).lexically_normal();
    if (is_below(path, root_) && is_file_below(path.string(), root_)) return path.string();
  }
  return find_anywhere(without_dots(name));
}

std::optional<std::string> Project::find_anywhere(const std::string& name) {
  if (!is_listed_) {
    is_listed_ = true;
    std::error_code error;
    std::size_t entries = 0;
    const auto quiet = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(root_, quiet, error), end;
         !error && at != end && ++entries < kMostEntries; at.increment(error)) {
      const std::string one = at->path().filename().string();
      if (one.front() == '.' || at.depth() > kMostLevels) at.disable_recursion_pending();
      files_.emplace(one, at->path().string());
    }
  }
  const auto [begin, end] = files_.equal_range(fs::path(name).filename().string());
  std::vector<std::string> found;
  for (auto at = begin; at != end; ++at)
    if (at->second.ends_with("/" + name) && is_file_below(at->second, root_))
      found.push_back(at->second);
  std::sort(found.begin(), found.end());
  if (found.empty()) return std::nullopt;
  const std::string text = found.size() > 1 ? text_of(found.front(), kMostHeader) : "";
  const bool all_same = std::all_of(found.begin() + 1, found.end(), [&](const std::string& one) {
    return text_of(one, kMostHeader) == text;
  });
  return all_same ? std::optional(found.front()) : std::nullopt;
}

}  // namespace heddle::kernel::cxx
