#include "kernel/cxx/clang_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "config/fingerprint.h"
#include "kernel/cxx/device_headers.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "heddle clang 3\n";
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

/// The user's own, a folder, and nobody else's to enter.
bool is_private(const std::string& folder) {
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == geteuid() && (found.st_mode & 077U) == 0;
}

/// Empty where there is none, or none that can be trusted.
std::string cache_folder() {
  const std::string wish = variable("HEDDLE_CACHE");
  if (wish == "off" || wish == "0" || wish == "no") return {};
  std::string base = variable("XDG_CACHE_HOME");
  if (base.empty() || base.front() != '/') {
    const std::string home = variable("HOME");
    if (home.empty() || home.front() != '/') return {};
    base = home + "/.cache";
  }
  std::error_code error;
  fs::create_directories(base, error);
  for (const char* const part : {"/heddle", "/clang"}) {
    base += part;
    mkdir(base.c_str(), 0700);
    if (!is_private(base)) return {};
  }
  return base;
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::string size_and_time(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "none";
  return fmt::format("{} {} {} {}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                     found.st_ino);
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

void put(std::string& out, std::string_view part) {
  const std::uint64_t size = part.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += part;
}

/// False where the text ends before the part does.
bool take(std::string_view& in, std::string& part) {
  std::uint64_t size = 0;
  if (in.size() < sizeof size) return false;
  std::memcpy(&size, in.data(), sizeof size);
  in.remove_prefix(sizeof size);
  if (size > in.size()) return false;
  part = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

/// Of texts of many MiB; the same for one build of heddle.
std::string sum_of(std::string_view bytes) {
  return fmt::format("{:016x}", std::hash<std::string_view>{}(bytes));
}

/// Takes the sum off the end of an entry; false where it is another one.
bool is_whole(std::string_view& bytes) {
  constexpr std::size_t kSumBytes = 16;
  if (bytes.size() < kSumBytes) return false;
  const std::string_view sum = bytes.substr(bytes.size() - kSumBytes);
  bytes.remove_suffix(kSumBytes);
  return sum_of(bytes) == sum;
}

/// An entry's bytes, if it is the user's own file; empty otherwise.
std::string entry_bytes(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  struct stat found {};
  std::string bytes;
  const bool is_good = fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                       found.st_uid == geteuid() && (found.st_mode & 077U) == 0 &&
                       found.st_size > 0 &&
                       static_cast<std::size_t>(found.st_size) <= kMostEntryBytes;
  if (is_good) {
    bytes.resize(static_cast<std::size_t>(found.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t some = read(file, bytes.data() + done, bytes.size() - done);
      if (some <= 0) break;
      done += static_cast<std::size_t>(some);
    }
    if (done < bytes.size()) bytes.clear();
    futimens(file, nullptr);  // used now: it goes last
  }
  close(file);
  return bytes;
}

void write_entry(const std::string& folder, const std::string& path, const std::string& bytes) {
  std::string name = folder + "/new-XXXXXX";
  const int file = mkstemp(name.data());
  if (file < 0) return;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t some = write(file, bytes.data() + done, bytes.size() - done);
    if (some <= 0) break;
    done += static_cast<std::size_t>(some);
  }
  close(file);
  if (done < bytes.size() || rename(name.c_str(), path.c_str()) != 0) unlink(name.c_str());
}

/// Removes the oldest entries until there is room.
void make_room(const std::string& folder, std::size_t wanted) {
  struct Entry {
    fs::file_time_type used;
    std::size_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::size_t all = wanted;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code own;
    const auto bytes = static_cast<std::size_t>(fs::file_size(at->path(), own));
    if (own) continue;
    all += bytes;
    entries.push_back({fs::last_write_time(at->path(), own), bytes, at->path()});
  }
  if (all <= kMostCacheBytes) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (all <= kMostCacheBytes / 4 * 3) break;
    fs::remove(entry.path, error);
    all -= entry.bytes;
  }
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
    : place_(place), keeps_refusals_(keeps_refusals), folder_(cache_folder()) {
  if (folder_.empty()) return;
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);  // the clock of files
  started_ = nanoseconds(now);
  const std::string program = program_path(command.front());
  key_ = fmt::format("{}\n{}\n{}\n", program, size_and_time(program), own_headers());
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
    put(key_, is_made ? relative(bytes) : bytes);
    main_ = bytes;
  }
  if (is_one_of(std::string(kHeaderName), command)) put(key_, bytes_of(header_path(place)));
  for (const auto& [path, replacement] : place.replaced) {
    key_ += path + '\n';
    put(key_, bytes_of(replacement));
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
  if (folder_.empty()) return std::nullopt;
  const std::string bytes = entry_bytes(folder_ + "/" + sum_of(key_));
  std::string_view rest = bytes;
  if (!rest.starts_with(kMagic) || !is_whole(rest)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  std::string part;
  if (!take(rest, part) || part != key_) return std::nullopt;
  std::string count;
  if (!take(rest, count)) return std::nullopt;
  std::vector<Header> headers(static_cast<std::size_t>(
      std::clamp<std::int64_t>(parse_integer(count).value_or(0), 0, 20'000)));
  for (Header& header : headers)
    if (!take(rest, header.path) || !take(rest, header.state)) return std::nullopt;
  ClangOutput known;
  std::string file;
  if (!take(rest, known.output) || !take(rest, known.errors) || !take(rest, file) || !rest.empty())
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
  if (folder_.empty() || (!made.good && !keeps_refusals_)) return;
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
  std::string bytes(kMagic);
  put(bytes, key_);
  put(bytes, made.good ? fmt::format("{}", headers.size()) : std::string(kRefused));
  for (const Header& header : headers) {
    put(bytes, header.path);
    put(bytes, header.state);
  }
  put(bytes, relative(made.output));
  put(bytes, relative(made.errors));
  put(bytes, output_.empty() || !made.good ? "" : bytes_of(output_));
  bytes += sum_of(bytes);
  if (bytes.size() > kMostEntryBytes) return;
  make_room(folder_, bytes.size());
  write_entry(folder_, folder_ + "/" + sum_of(key_), bytes);
}

}  // namespace heddle::kernel::cxx
