#include "sweep/lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "support/error.h"

namespace heddle::sweep {
namespace {

constexpr std::size_t kSumDigits = 8;
// key, blank, sum, blank, state, blank
constexpr std::size_t kHead = kKeyDigits + 1 + kSumDigits + 1;

Error cannot_write(const std::string& path) {
  return Error(fmt::format("'{}' cannot be written: {}", path, std::strerror(errno)),
               "is there room on the disk? What is acknowledged is kept: run the sweep again",
               ExitCode::missing);
}

std::uint32_t checksum(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

/// "D 1834 {...}".
bool read_rest(std::string_view rest, StoredLine& line) {
  if (rest.size() < 4 || (rest[0] != 'D' && rest[0] != 'F') || rest[1] != ' ') return false;
  line.failed = rest[0] == 'F';
  const char* const end = rest.data() + rest.size();
  const auto number = std::from_chars(rest.data() + 2, end, line.took_ms);
  if (number.ec != std::errc() || number.ptr == end || *number.ptr != ' ') return false;
  line.row = {number.ptr + 1, static_cast<std::size_t>(end - number.ptr - 1)};
  return true;
}

bool read_line(std::string_view text, StoredLine& line) {
  if (text.size() <= kHead || text[kKeyDigits] != ' ' || text[kHead - 1] != ' ') return false;
  const auto key = read_key(text.substr(0, kKeyDigits));
  std::uint32_t sum = 0;
  const char* const first = text.data() + kKeyDigits + 1;
  const auto number = std::from_chars(first, first + kSumDigits, sum, 16);
  if (!key || number.ec != std::errc() || number.ptr != first + kSumDigits) return false;
  const std::string_view rest = text.substr(kHead);
  if (checksum(text.substr(0, kKeyDigits)) + checksum(rest) != sum) return false;
  line.key = *key;
  return read_rest(rest, line);
}

}  // namespace

LineWriter::~LineWriter() {
  if (file_ >= 0) close(file_);
}

void LineWriter::open() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw cannot_write(path_);
  // The folder has to know its new file, too.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int parent = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent >= 0) {
    fsync(parent);
    close(parent);
  }
}

void LineWriter::append(const StoredLine& line) {
  if (file_ < 0) open();
  const std::string rest = fmt::format("{} {} {}", line.failed ? 'F' : 'D', line.took_ms, line.row);
  const std::string key = line.key.text();
  const std::string text = fmt::format("{} {:08x} {}\n", key, checksum(key) + checksum(rest), rest);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t now = write(file_, text.data() + written, text.size() - written);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;
    written += static_cast<std::size_t>(now);
  }
  if (written < text.size() || fsync(file_) != 0) throw cannot_write(path_);
}

MappedFile::MappedFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error(fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)),
                "check its permissions", ExitCode::missing);
  struct stat state {};
  if (fstat(file, &state) == 0 && S_ISREG(state.st_mode) && state.st_size > 0) {
    void* const data =
        mmap(nullptr, static_cast<std::size_t>(state.st_size), PROT_READ, MAP_PRIVATE, file, 0);
    if (data != MAP_FAILED) {
      data_ = static_cast<const char*>(data);
      size_ = static_cast<std::size_t>(state.st_size);
    }
  }
  close(file);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : data_(other.data_), size_(other.size_) {
  other.data_ = nullptr;
  other.size_ = 0;
}

std::size_t each_line(std::string_view text, const std::function<void(const StoredLine&)>& visit) {
  std::size_t bad = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    StoredLine line;
    if (end != std::string_view::npos && read_line(text.substr(0, end), line))
      visit(line);
    else
      ++bad;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return bad;
}

}  // namespace heddle::sweep
