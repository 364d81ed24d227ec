// An output folder as heddle view shows it: the files that may be read, and nothing else.
//
// Rules
//   1. A file is served only if the walk over the folder finds it: a regular file, reached without a
//      link, at most 5 folders deep, no part of whose name begins with a dot.
//   2. It is opened part by part below the folder, links refused: what changes between the walk and
//      the read cannot lead outside.
//   3. At most 20,000 entries are looked at, and 64 MiB of a file are read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace heddle::tool {

class ViewFolder {
 public:
  /// Throws Error if it is not a folder that can be read.
  explicit ViewFolder(const std::string& path);
  ~ViewFolder();
  ViewFolder(const ViewFolder&) = delete;
  ViewFolder& operator=(const ViewFolder&) = delete;

  /// Paths below the folder, "run1/report.html", sorted.
  std::vector<std::string> files() const;
  /// What a file holds; nothing if it may not be read, or is too large.
  std::optional<std::string> read(const std::string& path) const;

 private:
  int folder_ = -1;
};

}  // namespace heddle::tool
