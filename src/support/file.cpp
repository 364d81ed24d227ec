#include "support/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "support/error.h"

namespace heddle {
namespace {

std::string read_stream(std::istream& stream, const std::string& shown, std::size_t limit_bytes) {
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit_bytes) {
      throw Error(fmt::format("{} is larger than {} bytes", shown, limit_bytes),
                  "cut it down to the part that matters");
    }
  }
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);  // a byte order mark
  return text;
}

}  // namespace

std::string display_name(const std::string& name) {
  return name == "-" ? "<stdin>" : name;
}

std::string read_text(const std::string& name, std::size_t limit_bytes) {
  if (name == "-") return read_stream(std::cin, "standard input", limit_bytes);
  std::error_code status;
  if (std::filesystem::is_directory(name, status)) {
    throw Error(fmt::format("'{}' is a directory", name), "name a file in it");
  }
  std::ifstream stream(name, std::ios::binary);
  if (!stream) {
    throw Error(fmt::format("cannot read '{}'", name), "check the path and its permissions");
  }
  return read_stream(stream, fmt::format("'{}'", name), limit_bytes);
}

namespace {

Error cannot_write(const std::string& name, int error) {
  const std::string what = fmt::format("cannot write '{}'", name);
  if (error == ENOENT) return Error(what, "check that the directory exists");
  const std::string whole = fmt::format("{}: {}", what, std::strerror(error));
  if (error == EACCES || error == EPERM || error == EROFS || error == EISDIR)
    return Error(whole, "name another file");
  return Error(whole, "make room on the disk, or name another place", ExitCode::missing);
}

/// A file that did not exist, with the rights that a new one gets; empty where none can be made.
std::string make_beside(const std::string& target, int& error) {
  for (int number = 0; number < 100; ++number) {
    std::string path = fmt::format("{}.{}-{}.part", target, getpid(), number);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error = errno;
    if (file < 0 && error == EEXIST) continue;
    if (file < 0) break;
    struct stat old {};
    if (stat(target.c_str(), &old) == 0) fchmod(file, old.st_mode & 07777);
    close(file);
    return path;
  }
  return {};
}

}  // namespace

PendingFile::PendingFile(const std::string& name) : name_(name), target_(name) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(name, ignored)) {
    const auto behind = std::filesystem::canonical(name, ignored);
    if (!ignored) target_ = behind.string();
  }
  struct stat old {};
  const bool is_there = stat(target_.c_str(), &old) == 0;
  if (is_there && !S_ISREG(old.st_mode)) {
    path_ = target_;
    return;
  }
  int error = 0;
  path_ = make_beside(target_, error);
  if (!path_.empty()) return;
  if (!is_there || access(target_.c_str(), W_OK) != 0) throw cannot_write(name_, error);
  path_ = target_;
}

PendingFile::~PendingFile() {
  if (path_ != target_ && !path_.empty()) unlink(path_.c_str());
}

void PendingFile::commit() {
  if (path_ == target_) return;
  const int file = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) throw cannot_write(name_, errno);
  const int error = fsync(file) != 0 ? errno : 0;
  if (close(file) != 0 || error != 0) throw cannot_write(name_, error != 0 ? error : errno);
  if (rename(path_.c_str(), target_.c_str()) != 0) throw cannot_write(name_, errno);
  path_.clear();
}

void write_text(const std::string& name, const std::string& text) {
  PendingFile pending(name);
  errno = 0;
  std::ofstream stream(pending.path(), std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw cannot_write(name, errno != 0 ? errno : EIO);
  pending.commit();
}

}  // namespace heddle
