// What an audit of a changed kernel found, as plain data.
//
//   order   PROVED   each of the 65,536 blocks computes one tile of the original, each tile once
//   bytes   PROVED   the same 134,217,728 bytes of output_ptr are written, each by one block
//   code    PROVED   only index lines changed: 16 added, 2 changed
//   launch  PROVED   neither file launches the kernel; the job's grid 256x256 is that of both
//
// Rules
//   1. Each check has one of three verdicts. REFUTED carries evidence, UNKNOWN its reason (both are
//      in `finding` and `evidence`).
//   2. A verdict speaks of the launch in `traced_on`; `code` speaks of the texts besides, and
//      `shapes` of the other launches that `sizes` counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/check.h"

namespace heddle {

/// A statement that differs between the two files.
struct CodeChange {
  enum class Kind {
    index,  ///< it only reaches the tile's index
    other,
  };
  Kind kind = Kind::other;
  int line_before = 0;  ///< 0: it is new
  int line_after = 0;   ///< 0: it is gone
  std::string what;     ///< "a store", "a loop", "a decorator"; for index changes empty
  std::string before;   ///< its first line, or the part of it that differs
  std::string after;
};

struct PatchAudit {
  std::string before;  ///< files, as the user named them
  std::string after;
  std::string function_before;
  std::string function_after;
  std::vector<std::int64_t> grid_before;
  std::vector<std::int64_t> grid_after;
  std::string traced_on;  ///< sizes and data of the launch
  std::string sizes;      ///< for which it speaks: "grid 4x6 and 110 other sizes"
  CheckResult order;
  CheckResult bytes;
  CheckResult code;
  CheckResult launch;
  std::optional<CheckResult> shapes;     ///< nothing: no other sizes could be tried
  std::vector<CodeChange> changes;       ///< in the order of the files
  std::vector<std::string> not_checked;  ///< "shapes (the grid depends on no number of the job)"

  /// The checks with their names, in the order in which they are printed.
  struct Named {
    std::string_view name;
    const CheckResult* check;
  };
  std::vector<Named> checks() const;
  /// REFUTED if a check is, else UNKNOWN if one is.
  Verdict verdict() const;
};

}  // namespace heddle
