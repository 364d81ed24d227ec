#include "support/temporary_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "support/error.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "heddle-run-";
constexpr std::size_t kRandomLetters = 6;
constexpr int kMostTries = 100;

/// "heddle-run-4711-a8Xk2Q".
bool is_own_name(std::string_view name) {
  if (!name.starts_with(kStart)) return false;
  name.remove_prefix(kStart.size());
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos || dash == 0 || name.size() - dash - 1 != kRandomLetters)
    return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dash), is_digit);
}

/// The folder with its lock; -1 where somebody else has it, or it is gone.
int lock(const std::string& path) {
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat status {};
  const bool is_ours = flock(folder, LOCK_EX | LOCK_NB) == 0 && fstat(folder, &status) == 0 &&
                       status.st_uid == geteuid() && status.st_nlink > 0;
  if (is_ours) return folder;
  close(folder);
  return -1;
}

/// Folders of runs that were killed.
void remove_left_behind(const fs::path& base) {
  std::error_code error;
  for (fs::directory_iterator it(base, fs::directory_options::skip_permission_denied, error), end;
       !error && it != end; it.increment(error)) {
    if (!is_own_name(it->path().filename().string())) continue;
    const int folder = lock(it->path().string());
    if (folder < 0) continue;
    std::error_code ignored;
    fs::remove_all(it->path(), ignored);
    close(folder);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error) base = "/tmp";
  remove_left_behind(base);
  // Another run may take a new folder for one that was left behind, before it is locked.
  for (int tries = 0; tries < kMostTries && lock_ < 0; ++tries) {
    path_ = (base / fmt::format("{}{}-XXXXXX", kStart, getpid())).string();
    if (mkdtemp(path_.data()) == nullptr) break;
    lock_ = lock(path_);
  }
  if (lock_ < 0)
    throw Error(fmt::format("no folder can be made in '{}'", base.string()),
                "set TMPDIR to a folder that can be written", ExitCode::missing);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace heddle
