// The folder of a sweep, which any number of workers on any number of machines share.
//
//   DIR/lines/HOST-PID-N.lines   rows as they come (lines.h), a file a worker
//   DIR/claims/PLAN/             who does what, where workers share the folder (claims.h)
//   DIR/workers/                 who lives (claims.h)
//   DIR/base/COMMIT/             files of the base revision (revision.h)
//   DIR/results.jsonl, .csv, report.html, patches/     what merge makes of it
//
// Rules
//   1. Of rows with one key, one with a result goes before one that failed; among equals the first by
//      its bytes. So what is found depends on no order of files or workers.
//   2. `known` are folders of other sweeps, or their line files: rows in them are not made again.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep/lines.h"

namespace heddle::sweep {

/// Every row there is, by key.
class StoredRows {
 public:
  /// `folder` may be without rows yet, or not be there.
  StoredRows(const std::string& folder, const std::vector<std::string>& known);

  std::optional<StoredLine> find(const Key& key) const;
  /// Distinct keys.
  std::size_t size() const { return lines_.size(); }
  /// Whole lines, repeated ones included.
  std::size_t line_count() const { return line_count_; }
  /// Of a unit, on average; nothing: no row is there.
  std::optional<double> mean_ms() const;

 private:
  void add_file(const std::string& path);
  void add_folder(const std::string& folder);

  std::vector<MappedFile> files_;
  std::vector<StoredLine> lines_;  ///< sorted by key
  std::size_t line_count_ = 0;
  double total_ms_ = 0;
};

/// The folders of a sweep, made. An Error where that cannot be.
void make_store(const std::string& folder);

std::string lines_folder(const std::string& folder);

}  // namespace heddle::sweep
