// Reading whole files with a bound on their size; writing them so that none is ever left cut.
//
//   write_text("report.json", text);       // the old file stays until the new one is whole
//
// Rules
//   1. A file is written under another name beside its own, brought to the disk, and renamed. What
//      goes wrong before that is an Error and leaves the old file as it was.
//   2. Devices, pipes, and files in folders that cannot be written are written in place.
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// The text of a file, or of standard input where the name is "-".
/// Throws Error if it cannot be read or is larger than the limit.
std::string read_text(const std::string& name, std::size_t limit_bytes);

/// "<stdin>" for "-", else the name: how messages call it.
std::string display_name(const std::string& name);

/// A file that is not there under its name until commit().
class PendingFile {
 public:
  explicit PendingFile(const std::string& name);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Where to write; the file is there, and empty.
  const std::string& path() const { return path_; }
  void commit();

 private:
  std::string name_;  ///< as the user gave it
  std::string target_;
  std::string path_;
};

void write_text(const std::string& name, const std::string& text);

}  // namespace heddle
