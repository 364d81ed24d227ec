#include "support/private_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <vector>

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "heddle cache 1\n";
constexpr std::size_t kMostEntryBytes = std::size_t{48} << 20;

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
std::string cache_folder(const std::string& name) {
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
  for (const std::string& part : {std::string("heddle"), name}) {
    base += '/' + part;
    mkdir(base.c_str(), 0700);
    if (!is_private(base)) return {};
  }
  return base;
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

}  // namespace

PrivateCache::PrivateCache(const std::string& name, std::size_t most_bytes)
    : folder_(cache_folder(name)), most_bytes_(most_bytes) {}

std::string PrivateCache::path(const std::string& key) const {
  return folder_ + "/" + sum_of(key);
}

std::optional<std::string> PrivateCache::find(const std::string& key) const {
  if (!is_on()) return std::nullopt;
  const std::string bytes = entry_bytes(path(key));
  std::string_view rest = bytes;
  if (!rest.starts_with(kMagic) || !is_whole(rest)) return std::nullopt;
  rest.remove_prefix(kMagic.size());
  std::string part;
  if (!take_part(rest, part) || part != key) return std::nullopt;
  return std::string(rest);
}

void PrivateCache::keep(const std::string& key, std::string_view value) const {
  if (!is_on()) return;
  std::string bytes(kMagic);
  put_part(bytes, key);
  bytes += value;
  bytes += sum_of(bytes);
  if (bytes.size() > kMostEntryBytes) return;
  make_room(bytes.size());
  write_entry(folder_, path(key), bytes);
}

void PrivateCache::make_room(std::size_t wanted) const {
  struct Entry {
    fs::file_time_type used;
    std::size_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::size_t all = wanted;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code own;
    const auto bytes = static_cast<std::size_t>(fs::file_size(at->path(), own));
    if (own) continue;
    all += bytes;
    entries.push_back({fs::last_write_time(at->path(), own), bytes, at->path()});
  }
  if (all <= most_bytes_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (all <= most_bytes_ / 4 * 3) break;
    fs::remove(entry.path, error);
    all -= entry.bytes;
  }
}

void put_part(std::string& out, std::string_view part) {
  const std::uint64_t size = part.size();
  out.append(reinterpret_cast<const char*>(&size), sizeof size);
  out += part;
}

bool take_part(std::string_view& in, std::string& part) {
  std::uint64_t size = 0;
  if (in.size() < sizeof size) return false;
  std::memcpy(&size, in.data(), sizeof size);
  in.remove_prefix(sizeof size);
  if (size > in.size()) return false;
  part = in.substr(0, size);
  in.remove_prefix(size);
  return true;
}

std::string size_and_time(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "none";
  return fmt::format("{} {} {} {}", found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec,
                     found.st_ino);
}

}  // namespace heddle
