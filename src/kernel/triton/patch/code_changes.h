// What differs between the texts of two kernel files, statement by statement.
//
//   line 16 -> 21   index   column_tile = tl.program_id(1) -> column_tile = t // g0
//   line 30 -> 35   other   a constant: 0.125 -> 0.25
//
// Rules
//   1. Comments, documentation texts, blank lines and layout are not looked at.
//   2. In the kernel, index arithmetic (scalar_names.h) may differ, and with it helpers that are
//      nothing else; so may the names of its own variables, one for one. Scalar lines that feed
//      index arithmetic alone are index lines. So are guards, `if pid >= tiles: return`, and an
//      `if pid < tiles:` around all of the work.
//   3. Everything else that differs is other: signature, decorators, imports, code of the file,
//      other functions, files beside it that are read (file_changes.h).
//   4. Index code of either file that is not on the closed list is a doubt: with one, nothing is
//      proved, whatever else was found.
//   5. Expressions in `ignored` (the grids of launches) are taken to be equal.
//
// Does not see: what an unchanged line means now that other lines changed (program_match.h does).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/launch.h"
#include "kernel/patch.h"
#include "kernel/triton/source.h"
#include "results/patch_audit.h"

namespace heddle::kernel::triton {

struct TunedConfigs;

struct CodeSide {
  TritonSource* source = nullptr;
  const Node* function = nullptr;
  const config::Launch* launch = nullptr;  ///< says which parameters are numbers
  std::set<const Node*> ignored;
  std::vector<const Node*> handed;  ///< numbers that host code hands over now (handed_numbers.h)
  const TunedConfigs* tuned = nullptr;  ///< null: the configs are the same, or compared as code
};

struct CodeChanges {
  std::vector<CodeChange> changes;
  std::vector<std::string> doubts;  ///< "line 4: exec('...'): ..."
  /// Whole numbers beyond small ones in the new file's index code, and not in the original's.
  std::vector<std::int64_t> constants;
  /// Names of the new kernel's variables -> those of the original, where they were renamed.
  std::map<std::string, std::string> renamed;
  /// Every name that the new kernel gives a value: renaming must keep them apart.
  std::set<std::string> locals;

  std::set<int> guards;           ///< lines of new ones
  std::vector<CodeSpan> hints;    ///< of the new kernel, judged as guards (hints.h)
  std::vector<CodeSpan> implied;  ///< of these, those that hold wherever the tiles are right

  /// Other changes are all in the kernel's body: its program says what they make of it.
  bool is_other_inside = false;
  std::string index_lines;  ///< scalar statements of the new kernel, as they are written

  bool has_other() const;
};

CodeChanges find_changes(const CodeSide& before, const CodeSide& after);

/// The new file with the original's names for its variables, and hints that are judged as guards.
Node renamed_root(const Module& module, const Node& function, const CodeChanges& changes);

}  // namespace heddle::kernel::triton
