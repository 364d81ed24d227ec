// A patch: a kernel's file, what somebody made of it, and how both are launched.
//
//   audit_patch({"gemm.py", "gemm_new.py", "gemm.toml"})   five verdicts (results/patch_audit.h)
//
// Rules
//   1. Both files are read once and judged on any launch of the job: `shapes` asks for many.
//   2. One implementation a language (triton_patch.cpp, cxx_patch.cpp) and one line in open; what
//      other sizes are tried, and what they show, knows no language (shapes.cpp).
//   3. A file without such a kernel is an Error; so is an original that cannot be read for the job.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audit/host_launch.h"
#include "config/job.h"
#include "results/patch_audit.h"
#include "support/grid.h"

namespace heddle::audit {

struct PatchRequest {
  std::string before;
  std::string after;
  std::string job_path;  ///< its kernel is replaced by `before`
  std::vector<std::string> overrides;
  std::string function;        ///< the kernel; empty: the job's, or the only one
  std::string after_function;  ///< where the new file calls it something else
  std::string after_job_path;  ///< empty: the same job
  std::optional<Grid> after_grid;
};

/// The two files of a patch. Requests differ in sizes alone.
class PatchJudge {
 public:
  static std::unique_ptr<PatchJudge> open(const PatchRequest& request);

  PatchJudge() = default;
  virtual ~PatchJudge() = default;
  PatchJudge(const PatchJudge&) = delete;
  PatchJudge& operator=(const PatchJudge&) = delete;

  /// The grid that the job gives the original.
  virtual Grid grid(const PatchRequest& request) = 0;
  /// All checks but `shapes`.
  virtual PatchAudit audit(const PatchRequest& request) = 0;
  /// Whether each block has the index values of one tile, each tile's once, and all else is the
  /// same; nothing: not known.
  virtual std::optional<bool> is_permuted(const PatchRequest& request) = 0;
  /// Of a launch with too many blocks to look at all: what is wrong with the index code of some of
  /// them; empty: nothing is known to be.
  virtual std::string probe(const PatchRequest& request) = 0;
  /// Whole numbers of the new index code that the original's has not: sizes that it may know.
  virtual std::vector<std::int64_t> constants() const = 0;
};

/// Of both languages: the triton_patch.cpp and the cxx_patch.cpp of open.
std::unique_ptr<PatchJudge> open_triton_patch(const PatchRequest& request);
std::unique_ptr<PatchJudge> open_cxx_patch(const PatchRequest& request);

/// The job of the original.
config::Job original_job(const PatchRequest& request);
/// The job of the new kernel, still with the original's function.
config::Job changed_job(const PatchRequest& request, const config::Job& original);
/// "line 12: ..." where there is one.
std::string reason_of_reading(const Error& error);

/// On the job's launch alone.
PatchAudit audit_launch(const PatchRequest& request);
/// The same, and again with other sizes for what the grid depends on.
PatchAudit audit_patch(const PatchRequest& request);

}  // namespace heddle::audit
