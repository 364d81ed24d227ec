#include "view_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "support/error.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

constexpr int kMostDepth = 5;
constexpr std::size_t kMostEntries = 20'000;
constexpr std::int64_t kMostViewBytes = std::int64_t{64} << 20;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool is_shown(std::string_view name) {
  return !name.empty() && !name.starts_with('.');
}

/// Takes over `folder`, an open one.
void walk(int folder, const std::string& prefix, int depth, std::size_t& entries,
          std::vector<std::string>& found) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(folder), closedir);
  if (!listing) {
    close(folder);
    return;
  }
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (!is_shown(name)) continue;
    if (++entries > kMostEntries) return;
    struct stat status {};
    if (fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(status.st_mode)) found.push_back(prefix + name);
    if (!S_ISDIR(status.st_mode) || depth == kMostDepth) continue;
    const int inner = openat(folder, name.c_str(), kFolderFlags);
    if (inner >= 0) walk(inner, prefix + name + "/", depth + 1, entries, found);
  }
}

/// The whole of an open file, or nothing.
std::optional<std::string> content_of(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMostViewBytes)
    return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::read(file, text.data() + done, text.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

}  // namespace

ViewFolder::ViewFolder(const std::string& path)
    : folder_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0)
    throw Error(fmt::format("{} is not a folder that can be read", path),
                "name a folder that heddle optimize -o wrote, or one that holds several of them");
}

ViewFolder::~ViewFolder() {
  close(folder_);
}

std::vector<std::string> ViewFolder::files() const {
  std::vector<std::string> found;
  std::size_t entries = 0;
  const int again = openat(folder_, ".", kFolderFlags);
  if (again >= 0) walk(again, "", 0, entries, found);
  std::ranges::sort(found);
  return found;
}

std::optional<std::string> ViewFolder::read(const std::string& path) const {
  const std::vector<std::string_view> parts = split(path, '/');
  if (parts.empty() || parts.size() > kMostDepth + 1 || !std::ranges::all_of(parts, is_shown))
    return {};
  int at = openat(folder_, ".", kFolderFlags);
  for (std::size_t i = 0; at >= 0 && i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    const int flags = is_last ? O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK : kFolderFlags;
    const int next = openat(at, std::string(parts[i]).c_str(), flags);
    close(at);
    at = next;
  }
  if (at < 0) return {};
  std::optional<std::string> text = content_of(at);
  close(at);
  return text;
}

}  // namespace heddle::tool
