// Rows on the disk: each worker appends to a file of its own, a line a unit.
//
//   5d41402a...32 digits 7a3f09c2 D 1834 {"verb":"optimize","job":"gemm.toml",...}
//   key                  CRC-32   |  ms  the row
//                                 D: a result, F: failed
//
// Rules
//   1. append returns when the line is on the disk (fsync): from then on the unit is acknowledged,
//      and no kill or loss of power takes it back. The file is made with the first line.
//   2. A line that cannot be written whole is an Error (ExitCode::missing): the disk is full. Nothing
//      is appended after it.
//   3. A line without its end, or with another checksum, is nobody's: it is left out. Files only
//      grow, so that they can be read while workers write.
//   4. The time is of the worker, for estimates; results do not hold it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sweep/key.h"

namespace heddle::sweep {

struct StoredLine {
  Key key;
  bool failed = false;
  std::int64_t took_ms = 0;
  std::string_view row;  ///< JSON; valid while it is visited
};

class LineWriter {
 public:
  explicit LineWriter(std::string path) : path_(std::move(path)) {}
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;

  void append(const StoredLine& line);

 private:
  void open();
  std::string path_;
  int file_ = -1;
};

/// A file in memory for as long as it lives; the system reads it as it is looked at.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view text() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Calls visit for every whole line; the number of others.
std::size_t each_line(std::string_view text, const std::function<void(const StoredLine&)>& visit);

}  // namespace heddle::sweep
