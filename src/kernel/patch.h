// Two files of one kernel, before and after somebody changed it: what a language says of them.
//
//   auto patch = Patch::open(before, after);      // two sources of one language
//   patch->compare_launches(old, now, given)      // the check `launch`
//   patch->compare_code(old, now)                 // what differs, and what blocks see of their index
//
// Rules
//   1. Everything that a launch can reach must be the same program outside index code; the list of
//      what index code may be is closed. What is neither is a doubt, with the construct named:
//      with one, nothing is proved.
//   2. Where the work of both is the same, `index` shows what it sees of the block, in both. A block
//      that sees what a block of the original sees does the same, arithmetic included.
//   3. Of persistent kernels it shows what each turn of a loop over tiles sees. A turn that sees what
//      a turn of the original sees does the same, in whichever block: nothing goes from one to the
//      next but index values, which are shown.
//   4. Nothing of the files is executed. One implementation a language (triton/patch, cxx/patch);
//      verdicts are for the folder audit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/job.h"
#include "config/launch.h"
#include "kernel/index_values.h"
#include "kernel/program.h"
#include "results/patch_audit.h"
#include "support/grid.h"

namespace heddle::kernel {

class Source;

/// One of the two files, for one launch. The source must outlive it.
struct PatchSide {
  Source* source = nullptr;
  std::string function;  ///< Source::find's name
  config::Launch launch;
  std::vector<config::NamedValue> names;  ///< whatever expressions of the launch can name
  std::optional<KernelProgram> program;   ///< nothing: it could not be read
  std::string reason;                     ///< why not
  bool is_persistent = false;             ///< blocks do several tiles, turn by turn
};

struct LaunchComparison {
  CheckResult check;
  Grid after_grid{{1}};       ///< on which the new kernel is to be traced
  bool is_by_bytes = false;   ///< another grid: whether all is done decides (`bytes`)
  bool is_grid_known = true;  ///< else `after_grid` is the original's
  bool is_of_job = true;      ///< the original's own launches give the job's grid, or are not known
};

/// A launch of the kernel in host code.
struct HostPlace {
  int line = 0;
  std::string grid;  ///< as written
};

/// What all languages say alike. `compare` is asked about each launch of the new file, in order,
/// until it has nothing more to look at (false); the original has as many, or none.
LaunchComparison compare_launches(
    const PatchSide& before, const PatchSide& after, const std::optional<Grid>& given,
    const std::vector<HostPlace>& old_launches, const std::vector<HostPlace>& new_launches,
    const std::function<bool(std::size_t, LaunchComparison&)>& compare);

/// The new kernel has another grid: `bytes` says whether that is enough.
void set_other_grid(LaunchComparison& comparison, const Grid& before, const Grid& after,
                    const std::string& source);

/// What the work of two kernels sees of the block: programs that do nothing but show it.
struct IndexPrograms {
  KernelProgram before;
  KernelProgram after;
  config::Launch launch_before;
  config::Launch launch_after;
  bool by_ids = false;   ///< equal once other values stand in for the ids of the block
  std::string if_moved;  ///< why a block must not do another one's tile all the same; may be empty
  /// Sites at which a turn of a loop over tiles begins, in both; empty: blocks are looked at whole.
  std::vector<std::int32_t> turns = {};
  bool has_outer = false;  ///< with turns: code outside the loops sees the block, too
};

/// Sizes that index code may know by heart are beyond: so many tiles are tried in any case.
inline constexpr std::int64_t kSmallNumber = 17;

/// A part of a file.
struct CodeSpan {
  int line = 0;
  int column = 0;
  int end_line = 0;
  int end_column = 0;

  bool holds(int at_line, int at_column) const {
    const auto at = std::pair(at_line, at_column);
    return at >= std::pair(line, column) && at < std::pair(end_line, end_column);
  }
};

struct CodeComparison {
  std::vector<CodeChange> changes;      ///< in the order of the files
  std::vector<std::string> doubts;      ///< constructs that leave it open whether code is the same
  std::int64_t renamed = 0;             ///< variables of the kernel
  std::vector<std::int64_t> constants;  ///< new ones of index code beyond small ones, ascending
  bool is_other_inside = false;         ///< other changes are in the kernel's body alone
  std::set<int> guards;                 ///< lines of new branches that let blocks return
  std::vector<CodeSpan> hints;          ///< that hold wherever the tiles are right
  bool is_same_text = false;
  bool has_launches = false;             ///< grids are compared as launches, not as code
  std::string index_lines;               ///< of the new kernel, as they are written
  std::vector<IndexDecision> decisions;  ///< of the new kernel on this launch
  std::optional<IndexPrograms> index;    ///< nothing: there are doubts, or `reason`
  std::string reason;                    ///< why the work is not the same
  int line_before = 0;                   ///< where
  int line_after = 0;

  bool has_other() const;
};

/// Numbers that host code of the new file hands to its kernel, and the original's does not: new
/// parameters, other values.
struct HandedValues {
  std::vector<config::Argument> numbers;
  std::string reason;     ///< why one is not known; empty: all are
  bool is_of_job = true;  ///< the original's host code hands over what the job says
};

/// The config of the new file that stands for one of the original's.
struct ConfigPartner {
  std::optional<std::int64_t> number;       ///< nothing: it has none
  std::vector<config::NamedValue> changed;  ///< what it gives another value
};

/// a // b, or a % b, of numbers that are the same in all blocks.
struct LaunchQuotient {
  int line = 0;
  int column = 0;
  std::int64_t a = 0;
  std::int64_t b = 0;
  bool is_remainder = false;
};

class Patch {
 public:
  /// Throws Error where the languages differ. Both must outlive this.
  static std::unique_ptr<Patch> open(Source& before, Source& after);

  Patch() = default;
  virtual ~Patch() = default;
  Patch(const Patch&) = delete;
  Patch& operator=(const Patch&) = delete;

  /// The new file with what new modules of its own bring; nothing: the file is the whole.
  virtual std::optional<std::string> whole_text() const { return std::nullopt; }
  virtual LaunchComparison compare_launches(const PatchSide& before, const PatchSide& after,
                                            const std::optional<Grid>& given) = 0;
  /// On the launch of `before`, by the kernel `after` of the new file.
  virtual HandedValues handed_values(const PatchSide& /*before*/, const std::string& /*after*/) {
    return {};
  }
  /// One for each config of the original's kernel, where the new file lists others; else empty.
  virtual std::vector<ConfigPartner> config_partners(const std::string& /*before*/,
                                                     const std::string& /*after*/) {
    return {};
  }
  /// Of a kernel with a program, where the language knows them.
  virtual std::vector<LaunchQuotient> quotients(const PatchSide& /*side*/) { return {}; }
  /// `before` has a program.
  virtual CodeComparison compare_code(const PatchSide& before, const PatchSide& after) = 0;
};

}  // namespace heddle::kernel
