// A patch: a kernel's file, what somebody made of it, and how both are launched.
//
//   audit_patch({"gemm.py", "gemm_new.py", "gemm.toml"})   five verdicts (results/patch_audit.h)
//
// Rules
//   1. Both files are read once and judged on any launch of the job: `shapes` asks for many.
//   2. What differs is the language's to say (kernel/patch.h); what that means knows no language.
//   3. `order` and `bytes` are found by tracing every block (patch_traces.h), `code` by comparing
//      all that the launch can reach (patch_code.h). `shapes` are other sizes (shapes.cpp).
//   4. A new kernel that cannot be read leaves `order` and `bytes` UNKNOWN with the reader's words.
//   5. A file without such a kernel is an Error; so is an original that cannot be read for the job.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/block_match.h"
#include "audit/config_pick.h"
#include "audit/new_lines.h"
#include "audit/whole_quotients.h"
#include "kernel/patch.h"
#include "kernel/source.h"
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
  std::optional<std::int64_t> config;  ///< of those that the decorators list; nothing: the job's
};

/// The two files of a patch. Requests differ in sizes alone.
class PatchJudge {
 public:
  explicit PatchJudge(const PatchRequest& request);

  /// The grid that the job gives the original; of a persistent one its tiles.
  Grid grid(const PatchRequest& request);
  /// The original's file, too, launches it so, or does not say how.
  bool is_launched(const PatchRequest& request);
  /// All checks but `shapes`.
  PatchAudit audit(const PatchRequest& request);
  /// Whether each block has the index values of one tile, each tile's once, and all else is the
  /// same; nothing: not known. `by_turns`: of a persistent kernel, on the job's own grid alone.
  std::optional<bool> is_permuted(const PatchRequest& request, bool by_turns = false);
  /// That is not known of the last launch, since its index code takes too many steps.
  bool was_cut_short() const { return was_cut_short_; }
  /// That is not known, since the original divides by zero there, for example.
  bool was_undefined() const { return was_undefined_; }
  /// The original's index code can be run on the launch, and its quotients are whole.
  bool is_defined(const PatchRequest& request);
  /// Learns which quotients of the original have no remainder on the job's launch; `counts` are
  /// sizes of which each is a tile.
  void keep_whole(const PatchRequest& request, const std::set<std::int64_t>& counts);
  /// "line 9: group = HEADS // groups", one that has a remainder on this launch; empty: none has.
  std::string broken_quotient(const PatchRequest& request);
  /// Of a launch with too many tiles to look at all: what is wrong with the index code of some of
  /// them; empty: nothing is known to be. None: the original does not work there.
  std::optional<std::string> probe(const PatchRequest& request, std::int64_t tiles);
  /// Whole numbers of the new index code that the original's has not, and of new lines, but for
  /// small ones: sizes that it may know.
  const std::vector<std::int64_t>& constants() const { return constants_; }
  /// How far the tiles of neighbouring blocks often lie apart on large launches: a number that no
  /// line writes, as in pid * 32 - pid * 13. Along one size so many tiles may meet it.
  const std::set<std::int64_t>& strides() const { return strides_; }
  /// The new kernel's index lines, and "NAME=VALUE" for the numbers of the job.
  const std::string& index_lines() const { return index_lines_; }
  const std::vector<std::string>& numbers() const { return numbers_; }
  /// Numbers of the job that new lines name.
  const std::vector<NamedNumber>& named() const { return named_; }
  /// Whole numbers of the job that lines which came or went mention, and of these those that new
  /// lines leave out.
  const std::vector<NamedNumber>& touched() const { return touched_; }
  bool is_gone(const std::string& name) const { return lines_.is_gone(name); }
  /// Cases of new lines that came out one way on all launches so far, though the numbers differed.
  std::vector<std::string> lonely_cases() const { return cases_.lonely(); }
  /// The job's own launch can be.
  bool has_index() const { return has_index_; }
  /// No more launches can be judged by their index values.
  bool is_exhausted() const { return budget_ < kMostWork / 100; }
  /// Of a launch that is judged by its index: blocks, or tiles.
  static constexpr std::int64_t kMostBlocks = 1 << 17;
  /// A launch with so many tiles is judged by its turns alone.
  bool is_by_turns(std::int64_t tiles) const {
    constexpr std::int64_t kMostUnrolled = 1 << 9;
    return is_persistent_.value_or(false) && tiles > kMostUnrolled;
  }
  /// Whether the original left its tensors on the launch that was audited last, or computed what is
  /// not defined.
  bool is_original_outside() const { return is_original_outside_; }
  bool is_original_undefined() const { return is_original_undefined_; }
  /// Blocks do several tiles each, and numbers of the launch say how many there are.
  bool has_turns() const { return is_persistent_.value_or(false) && !block_counts_.empty(); }
  /// Whether turns see the same where so many blocks are launched; nothing: not known.
  std::optional<bool> is_same_in_turns(const PatchRequest& request, std::int64_t blocks);
  /// Why the last `is_permuted` is false; may be empty.
  const std::string& misfit() const { return misfit_; }
  /// How many configs the original's decorators list; 0: none is known.
  std::int64_t configs(const PatchRequest& request);
  /// Those that have other values in the new file.
  std::vector<std::int64_t> changed_configs(const PatchRequest& request);
  /// The request's config gives the new kernel its values: the job does not.
  bool takes_config(const PatchRequest& request);

 private:
  struct Pair {
    kernel::PatchSide before;
    kernel::PatchSide after;
    kernel::LaunchComparison launch;
    std::optional<config::Launch> rolled_before;  ///< the job's own, where it is persistent
    std::optional<config::Launch> rolled_after;
    bool is_of_job = true;   ///< host code hands over what the job says
    bool is_uneven = false;  ///< persistent: the launches with a tile a block differ in blocks
  };
  Pair pair_of(const PatchRequest& request);
  ConfigPick pick_of(const config::Job& job, const Pair& pair);
  void take_handed(Pair& pair);
  void unroll(Pair& pair);
  Pair rolled_pair(const Pair& pair);
  void judge_rolled(const Pair& pair, PatchAudit& result);
  std::optional<bool> has_same_turns(const Pair& pair);
  void note_cases(const kernel::CodeComparison& code);
  void note_constants(const kernel::CodeComparison& code);
  void read(Pair& pair);
  std::optional<Pair> readable_pair(const PatchRequest& request,
                                    const std::function<void(Pair&)>& prepare);
  std::optional<int> broken_line(const Pair& pair) const;
  void launch_blocks(Pair& pair, std::int64_t blocks) const;

  std::unique_ptr<kernel::Source> before_;
  std::unique_ptr<kernel::Source> after_;
  std::unique_ptr<kernel::Patch> patch_;
  std::vector<std::int64_t> constants_;
  std::set<std::int64_t> strides_;
  std::vector<NamedNumber> named_;
  std::vector<NamedNumber> touched_;
  std::string index_lines_;
  std::vector<std::string> numbers_;
  NewLines lines_;
  WholeQuotients quotients_;
  CaseLog cases_;
  std::int64_t budget_ = kMostWork;  ///< steps of index code, for all launches
  bool was_cut_short_ = false;
  bool was_undefined_ = false;
  bool is_original_outside_ = false;
  bool is_original_undefined_ = false;
  std::string misfit_;
  std::optional<bool>
      is_persistent_;  ///< the original on the job's own launch; nothing: not looked
  std::vector<std::string> block_counts_;  ///< numbers of the launch that follow its blocks
  std::vector<std::string> new_block_counts_;
  bool has_index_ = false;     ///< the work is the same on the job's own launch
  bool is_regrouped_ = false;  ///< the job's own launch has more blocks, or fewer
};

/// On the job's launch alone.
PatchAudit audit_launch(const PatchRequest& request);
/// The same, and again with other sizes for what the grid depends on.
PatchAudit audit_patch(const PatchRequest& request);

}  // namespace heddle::audit
