// Judges somebody's change to a C++ kernel: the four verdicts of audit_patch.h.
//
// Rules
//   1. `order` and `bytes` are found by tracing every block (patch_traces.h).
//   2. `code` is PROVED if everything that the launch can reach is the same program but for index
//      code, and the work sees of the block what it sees of a block of the original, one to one
//      (cxx_changes.h). What differs outside index code is REFUTED, whatever it means; what heddle
//      cannot read is UNKNOWN, with its name.
//   3. A new kernel that cannot be compiled leaves `order` and `bytes` UNKNOWN with the compiler's
//      words.
#pragma once

#include <optional>
#include <string>

#include "audit/cxx_changes.h"
#include "audit/cxx_launch.h"
#include "config/launch.h"
#include "kernel/cxx/source.h"
#include "kernel/program.h"
#include "results/patch_audit.h"

namespace heddle::audit {

/// One of the two files. What it points to must outlive the audit.
struct CxxPatchSide {
  std::string name;  ///< as the user called the file
  CxxCodeSide code;
  config::Launch launch;
  std::optional<kernel::KernelProgram> program;  ///< nothing: it could not be compiled
  std::string reason;                            ///< why not
};

/// `before` has a program.
PatchAudit audit_cxx(const CxxPatchSide& before, const CxxPatchSide& after,
                     const LaunchJudgement& launch);

/// The check `code`.
CheckResult judge_cxx_code(const CxxPatchSide& before, const CxxPatchSide& after,
                           const CxxChanges& changes);

}  // namespace heddle::audit
