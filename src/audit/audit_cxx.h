// Judges somebody's change to a C++ kernel: the four verdicts of audit_patch.h.
//
// Rules
//   1. `order` and `bytes` are found by tracing every block (patch_traces.h).
//   2. `code` is PROVED if the texts differ in nothing but index code (cxx_changes.h), and either
//      blockIdx alone has other values, or `order` is PROVED. Where `order` is PROVED, the index
//      values that the work sees must be those of the original, permuted (cxx_values.h). A text
//      that differs in anything else is REFUTED, whatever it means.
//   3. A new kernel that cannot be compiled leaves `order` and `bytes` UNKNOWN with the compiler's
//      words.
#pragma once

#include <optional>
#include <string>

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

/// The check `code`; `order` is what was found of the order, `reason` why the new kernel could not
/// be compiled (empty: it could).
CheckResult judge_cxx_code(const CxxPatchSide& before, const CxxPatchSide& after,
                           const CxxChanges& changes, Verdict order);

}  // namespace heddle::audit
