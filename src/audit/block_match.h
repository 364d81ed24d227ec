// Which tile of one kernel each block of another does, found from what they access.
//
//   match_blocks({before, launch}, {after, launch}, AccessForm::stream)
//     tile_of  0 2 4 6 1 3 5 7      a permutation
//
// Rules
//   1. A block does a tile if their lists of accesses (tile_accesses.h) are equal. Digests find the
//      candidates; for a permutation the lists are then compared, number by number: those that were
//      kept, or where they are too long for that, traced again. Different digests are proof enough
//      that there is none.
//   2. Several tiles may have equal lists: blocks take them in ascending order.
//      Blocks and tiles with an empty list are idle. Where one launch has more blocks than the
//      other, idle ones may be left over.
//   3. All blocks are looked at, or none: more work than `most_work` is an Error, and so is a tile
//      that cannot be traced.
//   4. Two threads at most; the result does not depend on them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "audit/tile_accesses.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "trace/tracer.h"

namespace heddle::audit {

/// A kernel as it is launched. Both must outlive what is made of them.
struct LaunchedKernel {
  const kernel::KernelProgram* program = nullptr;  ///< whole, not reduced
  const config::Launch* launch = nullptr;

  std::int64_t blocks() const { return launch->grid.count(); }
};

inline constexpr std::int64_t kNoTile = -1;

struct BlockMatch {
  /// Two blocks that do one tile.
  struct Repeat {
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::int64_t tile = 0;
  };
  std::vector<std::int64_t> tile_of;         ///< per block; kNoTile: of no tile
  std::int64_t strangers = 0;                ///< blocks that do no tile
  std::optional<std::int64_t> stranger;      ///< the first of them
  std::int64_t repeats = 0;                  ///< blocks that do a tile again
  std::optional<Repeat> repeat;              ///< the first of them
  std::int64_t missing = 0;                  ///< tiles that no block does
  std::optional<std::int64_t> missing_tile;  ///< the first of them
  std::int64_t idle = 0;                     ///< blocks that do nothing and no idle tile
  std::int64_t twins = 0;                    ///< tiles whose list another tile has too
  std::vector<trace::Fault> faults_before;
  std::vector<trace::Fault> faults_after;

  bool is_permutation() const { return strangers == 0 && repeats == 0 && missing == 0; }
  /// Every block that is not idle does the tile of its own number.
  bool is_identity() const;
};

/// "blocks 3 and 5 have the index values of tile 3"; empty: each tile has one block.
std::string misfit_text(const BlockMatch& match, const Grid& tiles, const Grid& blocks);

/// "9"; "(1, 2)" where there are several axes.
std::string place_text(const Grid& grid, std::int64_t id);

inline constexpr std::int64_t kMostWork = 500'000'000;  ///< steps, runs and numbers, one kernel

inline constexpr std::size_t kMostKept = std::size_t{1} << 21;  ///< numbers, 16 MiB a kernel

/// Lists of more than `most_kept` numbers together are not kept.
BlockMatch match_blocks(const LaunchedKernel& before, const LaunchedKernel& after, AccessForm form,
                        std::int64_t most_work = kMostWork, std::size_t most_kept = kMostKept);

/// About how much work one pass over all blocks is; throws Error beyond `most_work`.
std::int64_t check_work(const LaunchedKernel& kernel, AccessForm form, std::int64_t most_work);

/// Runs both at the same time; the first error, of `one` if both fail, is thrown.
void run_both(const std::function<void()>& one, const std::function<void()>& other);

}  // namespace heddle::audit
