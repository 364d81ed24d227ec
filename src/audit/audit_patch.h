// Judges somebody's change to a Triton kernel: two files, one launch, four verdicts.
//
//   audit_triton(before, after, launch)
//     order   PROVED   each of the 65,536 blocks does one tile of the original, ...
//     bytes   PROVED   the blocks write, update and read what the tiles of the original do
//     code    PROVED   only index lines changed: 14 added, 2 changed
//     launch  PROVED   neither file launches the kernel; ...
//
// Rules
//   1. Nothing of the files is executed.
//   2. `order` and `bytes` are found by tracing every block (patch_traces.h).
//   3. `code` is PROVED only if the texts differ in nothing but index arithmetic (code_changes.h)
//      and the programs of this launch are the same but for it (program_match.h), with index values
//      that tiles of the original have, or that stand in for program ids. A text that differs in
//      anything else is REFUTED, whatever it means.
//   4. A new kernel that cannot be read leaves `order` and `bytes` UNKNOWN with the reader's words.
#pragma once

#include <optional>
#include <string>

#include "audit/code_changes.h"
#include "audit/host_launch.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "kernel/triton/source.h"
#include "results/patch_audit.h"

namespace heddle::audit {

/// One of the two files. What it points to must outlive the audit.
struct PatchSide {
  std::string name;  ///< as the user called the file
  kernel::triton::TritonSource* source = nullptr;
  const kernel::triton::Node* function = nullptr;
  config::Launch launch;
  std::optional<kernel::KernelProgram> program;  ///< nothing: it could not be read
  std::string reason;                            ///< why not
};

/// What differs between the texts of the two files.
CodeChanges changes_of(const PatchSide& before, const PatchSide& after,
                       const LaunchJudgement& launch);

/// `before` has a program.
PatchAudit audit_triton(const PatchSide& before, const PatchSide& after,
                        const LaunchJudgement& launch);

}  // namespace heddle::audit
