#include "history/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "history/database.h"
#include "support/error.h"

namespace heddle::history {
namespace {

// Offsets of SQLite's file format, section 1.3 of its description.
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kWriteVersionAt = 18;
constexpr std::size_t kReadVersionAt = 19;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;
constexpr int kRollbackJournal = 1;
constexpr int kWriteAhead = 2;

using Header = std::array<unsigned char, kHeaderBytes>;

std::int64_t number_at(const Header& header, std::size_t offset) {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = (number << 8) | header[offset + i];
  return number;
}

Error foreign(const std::string& path, const std::string& what) {
  return Error(fmt::format("'{}' is not a history of heddle: it is {}", path, what),
               "name another file with --history");
}

/// Throws unless these are the first bytes of a history of this version.
void check_header(const std::string& path, const Header& header) {
  if (!std::equal(kMagic.begin(), kMagic.end(), header.begin(),
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
    throw foreign(path, "not a database");
  if (number_at(header, kApplicationIdAt) != kApplicationId)
    throw foreign(path, "the database of another program");
  const std::int64_t version = number_at(header, kUserVersionAt);
  if (version > kVersion)
    throw Error(fmt::format("the history '{}' was written by a newer heddle: version {}, and this "
                            "one reads version {}",
                            path, version, kVersion),
                "use that heddle, or name another file with --history", ExitCode::missing);
  if (version != kVersion) throw damaged(path, fmt::format("there is no version {}", version));
  const int write_version = header[kWriteVersionAt];
  const int read_version = header[kReadVersionAt];
  if (write_version == kWriteAhead && read_version == kWriteAhead)
    throw Error(fmt::format("the history '{}' was put into write-ahead mode", path),
                "run: sqlite3 FILE 'PRAGMA journal_mode=DELETE'");
  if (write_version != kRollbackJournal || read_version != kRollbackJournal)
    throw damaged(path, "its format number is wrong");
}

}  // namespace

FileState check_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) return FileState::absent;
  if (fs::is_directory(status)) throw foreign(path, "a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) throw foreign(path, "not a regular file");
  std::ifstream stream(path, std::ios::binary);
  if (!fs::exists(status) || !stream)
    throw Error(fmt::format("cannot read the history '{}'", path),
                "check the path and its permissions", ExitCode::missing);
  std::array<char, kHeaderBytes> bytes{};
  stream.read(bytes.data(), kHeaderBytes);
  const auto count = static_cast<std::size_t>(stream.gcount());
  if (count == 0) return FileState::empty;
  const bool is_database = std::string_view(bytes.data(), count)
                               .starts_with(kMagic.substr(0, std::min(count, kMagic.size())));
  if (count < kHeaderBytes && is_database) throw damaged(path, "it ends within its first bytes");
  Header header{};
  std::ranges::transform(bytes, header.begin(),
                         [](char c) { return static_cast<unsigned char>(c); });
  check_header(path, header);
  return FileState::history;
}

}  // namespace heddle::history
