#include "kernel/cxx/clang_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "config/fingerprint.h"
#include "kernel/cxx/device_headers.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kForm = "clang 4\n";   ///< of keys and entries
constexpr std::string_view kRefused = "refused";  ///< in place of the number of headers
constexpr std::array<const char*, 8> kVariables = {
    "CPATH",           "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",   "LIBRARY_PATH",
    "LD_LIBRARY_PATH", "PATH",           "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"};

constexpr std::array<const char*, 4> kMadeFiles = {".ll", ".s", "/files.json", "/trees.cpp"};
constexpr std::string_view kPlaceMark = "@heddle-place@";
constexpr std::string_view kHeadersMark = "@heddle-headers@";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;  // a place without headers
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// When a file was changed last, in nanoseconds; now where it is not there.
std::int64_t change_time(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return std::numeric_limits<std::int64_t>::max();
  return std::max(nanoseconds(found.st_mtim), nanoseconds(found.st_ctim));
}

/// The program that a name means.
std::string program_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const std::string folders = variable("PATH");
  for (const std::string_view folder : split(folders, ':')) {
    std::string path = std::string(folder) + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

const std::string& own_headers() {
  static const std::string all = [] {
    std::string text;
    for (const DeviceHeader& header : device_headers()) {
      text += header.path;
      text += '\n';
      text += header.text;
    }
    return config::fingerprint(text);
  }();
  return all;
}

/// "out: a.h \\\n b\\ c.h" -> a.h, "b c.h"
std::vector<std::string> listed_files(const std::string& text) {
  std::vector<std::string> files;
  std::string one;
  for (std::size_t i = std::min(text.find(": "), text.size()) + 1; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#')) {
      one += next;
      ++i;
    } else if (c == '$' && next == '$') {
      one += '$';
      ++i;
    } else if (c == ' ' || c == '\n' || (c == '\\' && next == '\n')) {
      if (!one.empty()) files.push_back(std::move(one));
      one.clear();
    } else {
      one += c;
    }
  }
  if (!one.empty()) files.push_back(std::move(one));
  return files;
}

bool is_installed(const std::string& path) {
  for (const std::string_view folder : {"/usr/", "/lib/", "/lib64/", "/opt/", "/nix/", "/gnu/"})
    if (path.starts_with(folder)) return true;
  return false;
}

/// What tells whether a file or a folder is as it was. A file's text never looks like the rest.
std::string state_of(const std::string& path) {
  std::error_code error;
  return is_installed(path) || !fs::is_regular_file(path, error) ? size_and_time(path)
                                                                 : "text\n" + bytes_of(path);
}

/// The folders that `clang -v` names, and those around them, in which others could appear.
std::vector<std::string> named_folders(const std::string& words) {
  std::vector<std::string> folders;
  for (const std::string_view line : split(words, '\n')) {
    const std::size_t begin = line.find('/');
    if (begin == std::string_view::npos || line.find(" -cc1 ") != std::string_view::npos) continue;
    const fs::path path(std::string(line.substr(begin, line.find_first_of("\",", begin) - begin)));
    for (const fs::path& one : {path, path.parent_path()})
      if (!is_one_of(one.string(), folders)) folders.push_back(one.string());
  }
  return folders;
}

}  // namespace

CachedRun::CachedRun(std::vector<std::string>& command, const ClangPlace& place,
                     bool keeps_refusals)
    : place_(place), keeps_refusals_(keeps_refusals), cache_("clang", kMostCacheBytes) {
  if (!cache_.is_on()) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);  // the clock of files
  started_ = nanoseconds(now);
  const std::string program = program_path(command.front());
  key_ = fmt::format("{}{}\n{}\n{}\n", kForm, program, size_and_time(program), own_headers());
  for (const char* const name : kVariables) key_ += variable(name) + '\n';
  const std::string own = place.folder + "/";
  bool reads_headers = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    key_ += relative(command[i]) + '\n';
    const bool is_output = i > 0 && command[i - 1] == "-o";
    if (is_output && command[i] != "-") output_ = command[i];
    if (i > 0 && command[i - 1] == "-x")
      reads_headers = command[i] == "c++" || command[i] == "hip" || command[i] == "cuda";
    const bool is_own = !place.folder.empty() && command[i].starts_with(own) && !is_output;
    // A precompiled header is what the header's text is, and there only where Clang runs.
    const bool is_precompiled = command[i].ends_with(".pch");
    if (!is_own || (!is_precompiled && !fs::is_regular_file(command[i]))) continue;
    const std::string bytes = bytes_of(is_precompiled ? header_path(place) : command[i]);
    if (is_precompiled) reads_headers = false;
    // What heddle or Clang wrote names files of the place; a text of the user's that does is another.
    const bool is_made = std::any_of(kMadeFiles.begin(), kMadeFiles.end(),
                                     [&](const char* one) { return command[i].ends_with(one); });
    put_part(key_, is_made ? relative(bytes) : bytes);
    main_ = bytes;
  }
  if (is_one_of(std::string(kHeaderName), command)) put_part(key_, bytes_of(header_path(place)));
  for (const auto& [path, replacement] : place.replaced) {
    key_ += path + '\n';
    put_part(key_, bytes_of(replacement));
  }
  reads_folders_ = is_one_of(std::string("-v"), command);
  if (!reads_headers || reads_folders_) return;
  dependencies_ = place.folder + "/headers.d";
  std::error_code error;
  fs::remove(dependencies_, error);
  command.insert(command.end(), {"-MD", "-MF", dependencies_});
}

/// The folders of a place are others each time.
std::string CachedRun::relative(std::string text) const {
  return replaced(replaced(std::move(text), place_.folder, kPlaceMark), place_.headers,
                  kHeadersMark);
}

std::string CachedRun::absolute(std::string text) const {
  return replaced(replaced(std::move(text), kPlaceMark, place_.folder), kHeadersMark,
                  place_.headers);
}

std::vector<CachedRun::Header> CachedRun::read_headers(const ClangOutput& made) const {
  std::vector<Header> headers;
  if (reads_folders_)
    for (const std::string& path : named_folders(made.errors))
      headers.push_back({path, state_of(path)});
  if (dependencies_.empty()) return headers;
  for (const std::string& path : listed_files(bytes_of(dependencies_))) {
    const bool is_replaced = std::any_of(place_.replaced.begin(), place_.replaced.end(),
                                         [&](const auto& one) { return one.first == path; });
    if (path.starts_with(place_.folder) || path.starts_with(kDeviceFolder) || is_replaced) continue;
    headers.push_back({path, state_of(path)});
  }
  return headers;
}

/// Whether an include of a text would now find a file that was not read.
bool CachedRun::has_newcomers(const std::string& text, const std::string& folder,
                              const std::vector<Header>& headers) const {
  std::vector<std::string> folders = {folder};
  append(folders, place_.include);
  folders.push_back(place_.sources);
  std::error_code error;
  for (std::size_t at = text.find("include"); at != std::string::npos;
       at = text.find("include", at + 7)) {
    const std::size_t begin = text.find_first_of("\"<\n", at);
    if (begin == std::string::npos || text[begin] == '\n') continue;
    const std::size_t end = text.find_first_of("\">\n", begin + 1);
    if (end == std::string::npos || text[end] == '\n') continue;
    const std::string name = text.substr(begin + 1, end - begin - 1);
    for (const std::string& one : folders) {
      const fs::path path = fs::path(one) / name;
      if (one.empty() || !fs::exists(path, error)) continue;
      const bool is_known = std::any_of(headers.begin(), headers.end(), [&](const Header& header) {
        return fs::path(header.path).lexically_normal() == path.lexically_normal();
      });
      const bool is_replaced = std::any_of(
          place_.replaced.begin(), place_.replaced.end(),
          [&](const auto& header) { return fs::path(header.first) == path.lexically_normal(); });
      if (!is_known && !is_replaced) return true;
      break;
    }
  }
  return false;
}

/// Whether a file of the project now stands where Clang looks before it finds a header of the system.
bool CachedRun::is_hidden(const std::string& path, const std::vector<Header>& headers) const {
  std::vector<std::string> folders = place_.include;
  folders.push_back(place_.sources);
  for (const std::string& system : system_header_folders()) {
    const std::string begin = fs::path(system).lexically_normal().string() + "/";
    const std::string whole = fs::path(path).lexically_normal().string();
    if (!whole.starts_with(begin)) continue;
    for (const std::string& folder : folders) {
      const std::string other = folder + "/" + whole.substr(begin.size());
      if (!folder.empty() && access(other.c_str(), F_OK) == 0 &&
          std::none_of(headers.begin(), headers.end(),
                       [&](const Header& one) { return one.path == other; }))
        return true;
    }
  }
  return false;
}

bool CachedRun::is_current(const std::vector<Header>& headers) const {
  for (const Header& header : headers) {
    if (header.state != state_of(header.path)) return false;
    if (reads_folders_) continue;
    if (is_installed(header.path)
            ? is_hidden(header.path, headers)
            : has_newcomers(header.state, fs::path(header.path).parent_path().string(), headers))
      return false;
  }
  return dependencies_.empty() || !has_newcomers(main_, "", headers);
}

std::optional<ClangOutput> CachedRun::find() const {
  const std::optional<std::string> bytes = cache_.find(key_);
  if (!bytes) return std::nullopt;
  std::string_view rest = *bytes;
  std::string count;
  if (!take_part(rest, count)) return std::nullopt;
  std::vector<Header> headers(static_cast<std::size_t>(
      std::clamp<std::int64_t>(parse_integer(count).value_or(0), 0, 20'000)));
  for (Header& header : headers)
    if (!take_part(rest, header.path) || !take_part(rest, header.state)) return std::nullopt;
  ClangOutput known;
  std::string file;
  if (!take_part(rest, known.output) || !take_part(rest, known.errors) || !take_part(rest, file) ||
      !rest.empty())
    return std::nullopt;
  known.good = count != kRefused;
  if (!known.good && !keeps_refusals_) return std::nullopt;
  if (known.good && !is_current(headers)) return std::nullopt;
  known.output = absolute(std::move(known.output));
  known.errors = absolute(std::move(known.errors));
  if (known.good && !output_.empty()) write_input(output_, file);
  return known;
}

void CachedRun::keep(const ClangOutput& made) const {
  if (!cache_.is_on() || (!made.good && !keeps_refusals_)) return;
  std::vector<Header> headers;
  if (made.good && (reads_folders_ || !dependencies_.empty())) {
    headers = read_headers(made);
    if (headers.empty() && !fs::exists(dependencies_)) return;  // nobody knows what it read
    // One that changed meanwhile may be another than the one that was read.
    if (std::any_of(headers.begin(), headers.end(), [&](const Header& header) {
          return header.state != "none" && change_time(header.path) >= started_;
        }))
      return;
  }
  std::string bytes;
  put_part(bytes, made.good ? fmt::format("{}", headers.size()) : std::string(kRefused));
  for (const Header& header : headers) {
    put_part(bytes, header.path);
    put_part(bytes, header.state);
  }
  put_part(bytes, relative(made.output));
  put_part(bytes, relative(made.errors));
  put_part(bytes, output_.empty() || !made.good ? "" : bytes_of(output_));
  cache_.keep(key_, bytes);
}

}  // namespace heddle::kernel::cxx
