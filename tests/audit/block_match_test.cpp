// Blocks and tiles by their accesses: what is kept of them, and how much is too much.
#include "audit/block_match.h"

#include <gtest/gtest.h>

#include "pipeline.h"

namespace heddle::audit {
namespace {

constexpr std::size_t kFewWords = 50;

LoadedKernel copy_of(std::int64_t blocks) {
  return load_kernel(HEDDLE_TESTS_DIR "/../examples/copy.toml",
                     {"elements=" + std::to_string(blocks * 1024)});
}

/// Lists that are kept are compared as they are, the others after a second trace: the answer is one.
TEST(BlockMatch, is_the_same_with_lists_kept_and_traced_again) {
  const LoadedKernel kernel = copy_of(40);
  const LaunchedKernel launched{&kernel.program, &kernel.launch};
  for (const std::size_t most_kept : {std::size_t{0}, kFewWords, kMostKept}) {
    const BlockMatch match =
        match_blocks(launched, launched, AccessForm::bytes, kMostWork, most_kept);
    EXPECT_TRUE(match.is_permutation()) << most_kept;
    EXPECT_TRUE(match.is_identity()) << most_kept;
    EXPECT_EQ(match.tile_of.size(), 40u) << most_kept;
  }
}

/// Small launches are looked at whole, large ones probed first: both have the same limit.
TEST(BlockMatch, refuses_more_work_than_it_may_do) {
  for (const std::int64_t blocks : {1, 16, 17, 200}) {
    const LoadedKernel kernel = copy_of(blocks);
    const LaunchedKernel launched{&kernel.program, &kernel.launch};
    const std::int64_t work = check_work(launched, AccessForm::stream, kMostWork);
    EXPECT_NO_THROW(match_blocks(launched, launched, AccessForm::stream, work)) << blocks;
    EXPECT_THROW(match_blocks(launched, launched, AccessForm::stream, work - 1), Error) << blocks;
  }
}

/// Of launches with other numbers of blocks: what does nothing may be left over.
TEST(BlockMatch, leaves_idle_blocks_out) {
  const LoadedKernel kernel = copy_of(40);
  const LaunchedKernel launched{&kernel.program, &kernel.launch};
  config::Launch other = kernel.launch;
  other.grid = Grid({48});
  const BlockMatch more = match_blocks(launched, {&kernel.program, &other}, AccessForm::stream);
  EXPECT_TRUE(more.is_permutation());
  EXPECT_TRUE(more.is_identity());
  EXPECT_EQ(more.idle, 8);
  EXPECT_EQ(more.tile_of[40], kNoTile);
  other.grid = Grid({39});
  const BlockMatch fewer = match_blocks(launched, {&kernel.program, &other}, AccessForm::stream);
  EXPECT_FALSE(fewer.is_permutation());
  EXPECT_EQ(fewer.missing, 1);
  EXPECT_EQ(misfit_text(fewer, kernel.launch.grid, other.grid),
            "no block has the index values of tile 39");
}

}  // namespace
}  // namespace heddle::audit
