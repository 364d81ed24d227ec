// Patches of persistent kernels: each turn of the loop over tiles must see what a turn of the original
// sees, and nothing but index values may go from one turn to the next.
#include <gmock/gmock.h>

#include "patching.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

std::string indented(std::string text) {
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text.insert(at, "    ");
  return text;
}

/// Tiles of 16 elements; `head` and `foot` stand in front of the loop and at the end of its body.
std::string tiles_kernel(const std::string& head, const std::string& index,
                         const std::string& rest = indented(kLineRest),
                         const std::string& foot = "") {
  return line_kernel(
      "    start = tl.program_id(0)\n    blocks = tl.num_programs(0)\n"
      "    tiles = tl.cdiv(n, BLOCK)\n" +
      head + index + rest + foot);
}

const std::string kFor = "    for tile in tl.range(start, tiles, blocks):\n";
const std::string kPlain = "        pid = tile\n";
/// n = 136: nine tiles on four blocks, so that the first has one more.
const std::string kFourBlocks = "grid = [4]\n" + kLineJob.substr(kLineJob.find('\n') + 1);

PatchAudit audit_tiles(const std::string& before, const std::string& after) {
  return audit(before, after, kFourBlocks);
}

void expect_turns_proved(const std::string& before, const std::string& after) {
  const PatchAudit result = audit_tiles(before, after);
  EXPECT_EQ(verdicts(result), "PPPP") << after << words(result);
}

void expect_turns_open(const std::string& before, const std::string& after,
                       const std::string& why = "") {
  const PatchAudit result = audit_tiles(before, after);
  EXPECT_NE(result.code.verdict, Verdict::proved) << after << words(result);
  EXPECT_THAT(words(result.code), HasSubstr(why)) << after;
}

TEST(PersistentHonest, AnotherOrderOfTiles) {
  const std::string before = tiles_kernel(kFor, kPlain);
  expect_turns_proved(before, tiles_kernel(kFor, "        pid = tiles - 1 - tile\n"));
  // By a branch, with a name of its own.
  expect_turns_proved(before, tiles_kernel(kFor,
                                           "        half = tiles // 2\n"
                                           "        pid = tile\n"
                                           "        if tile < half:\n"
                                           "            pid = half - 1 - tile\n"));
}

TEST(PersistentHonest, AnotherShareOfTiles) {
  // Runs of successive tiles: as many as fit, or one more for the first blocks.
  const std::string loop = "    for tile in tl.range(first, last):\n";
  expect_turns_proved(tiles_kernel("    share = (tiles + blocks - 1) // blocks\n"
                                   "    first = start * share\n"
                                   "    last = min(first + share, tiles)\n" +
                                       loop,
                                   kPlain),
                      tiles_kernel("    first = start * (tiles // blocks) + min(start, tiles % "
                                   "blocks)\n"
                                   "    last = first + tiles // blocks\n"
                                   "    if start < tiles % blocks:\n"
                                   "        last += 1\n" +
                                       loop,
                                   kPlain));
}

TEST(PersistentHonest, AWhileLoop) {
  const std::string head = "    tile = start\n    while tile < tiles:\n";
  const std::string foot = "        tile += blocks\n";
  const std::string rest = indented(kLineRest);
  expect_turns_proved(tiles_kernel(head, kPlain, rest, foot),
                      tiles_kernel(head, "        pid = tiles - 1 - tile\n", rest, foot));
}

/// The loads and the stores have a counter each, as in Triton's tutorial.
std::string two_counters(const std::string& load_index, const std::string& step,
                         const std::string& store_index) {
  return tiles_kernel("    done = start - blocks\n" + kFor, load_index,
                      "        offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
                      "        x = tl.load(x_ptr + offsets, mask=offsets < n)\n" +
                          step + store_index +
                          "        places = out * BLOCK + tl.arange(0, BLOCK)\n"
                          "        tl.store(y_ptr + places, 2.0 * x + 1.0, mask=places < n)\n");
}

const std::string kStep = "        done += blocks\n";
const std::string kBackIn = "        pid = tiles - 1 - tile\n";
const std::string kBackOut = "        out = tiles - 1 - done\n";

TEST(PersistentHonest, ACounterThatTurnsHandOn) {
  expect_turns_proved(two_counters(kPlain, kStep, "        out = done\n"),
                      two_counters(kBackIn, kStep, kBackOut));
}

TEST(PersistentCheat, ACounterThatGoesAstray) {
  const std::string before = two_counters(kPlain, kStep, "        out = done\n");
  // Right in the first turn of every block.
  expect_turns_open(before,
                    two_counters(kBackIn,
                                 "        done += blocks + done // blocks - done // "
                                 "blocks * (tile // blocks)\n",
                                 "        out = tiles - 1 - done if done < tiles else 0\n"));
  expect_turns_open(
      before,
      two_counters(kBackIn, "        done = start if done < 0 else done + blocks - 1\n", kBackOut));
  // Stores of the tile before.
  expect_turns_open(before, two_counters(kBackIn, "        out = tiles - 1 - done\n", kStep));
  // Loads and stores of different tiles, each of them once.
  expect_turns_open(before, two_counters(kPlain, kStep, kBackOut));
}

TEST(PersistentCheat, LaterTurnsDoSomethingElse) {
  const std::string before = tiles_kernel(kFor, kPlain);
  for (const char* index : {
           "        pid = tl.where(tile < blocks, tile, 0)\n",
           "        pid = tl.where(tile < blocks, tile, tile // 2 * 2)\n",
           "        pid = tile if tile < tiles - 1 else 0\n",
           "        pid = min(tile, tiles - 2)\n",
           "        pid = tile - tile // blocks\n",
       })
    expect_turns_open(before, tiles_kernel(kFor, index));
  // By a number that is handed on.
  expect_turns_open(before, tiles_kernel("    turn = 0\n" + kFor,
                                         "        pid = tile if turn < 2 else 0\n"
                                         "        turn += 1\n"));
}

TEST(PersistentCheat, TurnsThatAreLeftOut) {
  const std::string before = tiles_kernel(kFor, kPlain);
  for (const char* head : {
           "    for tile in tl.range(start, tiles - 1, blocks):\n",
           "    for tile in tl.range(start, tiles - tiles % blocks, blocks):\n",
           "    for tile in tl.range(start, tiles, 2 * blocks):\n",
           "    for tile in tl.range(start, min(tiles, 2 * blocks), blocks):\n",
       })
    expect_turns_open(before, tiles_kernel(head, kPlain));
}

/// Right for all sizes that are unrolled: the cube overflows with more than 1290 tiles.
TEST(PersistentCheat, WrongWithManyTiles) {
  const std::string after =
      tiles_kernel(kFor, "        pid = tile * tile * tile // max(tile * tile, 1)\n");
  const PatchAudit result = audit_patch(request_of(tiles_kernel(kFor, kPlain), after, kFourBlocks));
  EXPECT_EQ(result.code.verdict, Verdict::proved) << words(result);
  ASSERT_TRUE(result.shapes);
  EXPECT_NE(result.shapes->verdict, Verdict::proved) << words(*result.shapes);
}

TEST(PersistentHonest, ManySizes) {
  const PatchAudit result =
      audit_patch(request_of(tiles_kernel(kFor, kPlain),
                             tiles_kernel(kFor, "        pid = tiles - 1 - tile\n"), kFourBlocks));
  ASSERT_TRUE(result.shapes);
  EXPECT_EQ(result.shapes->verdict, Verdict::proved) << words(*result.shapes);
}

TEST(PersistentCheat, TurnsThatAreDoneTwice) {
  expect_turns_open(tiles_kernel(kFor, kPlain),
                    tiles_kernel("    for tile in tl.range(start, tiles + blocks, blocks):\n",
                                 "        pid = tile % tiles\n"));
}

TEST(PersistentCheat, TheTilesNumberIsData) {
  // What the kernel writes depends on the number of the turn, not on the tile alone.
  const std::string rest = indented(with(kLineRest, "2.0 * x + 1.0", "x + tile"));
  expect_turns_open(tiles_kernel(kFor, kPlain, rest),
                    tiles_kernel(kFor, "        pid = tiles - 1 - tile\n", rest));
  // Or on the block.
  const std::string block = indented(with(kLineRest, "2.0 * x + 1.0", "x + start"));
  expect_turns_open(tiles_kernel(kFor, kPlain, block),
                    tiles_kernel(kFor, "        pid = tiles - 1 - tile\n", block));
}

TEST(PersistentCheat, ValuesThatTurnsHandOn) {
  // A sum over the tiles of a block: another order gives other sums.
  const std::string rest = indented(with(kLineRest, "2.0 * x + 1.0", "total"));
  const std::string head = "    total = tl.zeros((BLOCK,), dtype=tl.float32)\n" + kFor;
  const std::string summed = with(rest, "        tl.store", "        total += x\n        tl.store");
  expect_turns_open(tiles_kernel(head, kPlain, summed),
                    tiles_kernel(head, "        pid = tiles - 1 - tile\n", summed),
                    "goes from one tile of a block to its next");
  // Set in some turns only: the others see that of a turn before.
  const std::string sometimes =
      with(rest, "        tl.store",
           "        if tile % 2 == 0:\n            total = x\n        tl.store");
  expect_turns_open(tiles_kernel(head, kPlain, sometimes),
                    tiles_kernel(head, "        pid = tiles - 1 - tile\n", sometimes),
                    "goes from one tile of a block to its next");
  // Read behind the loop.
  const std::string behind = "    tl.store(y_ptr + tl.arange(0, BLOCK), x)\n";
  expect_turns_open(tiles_kernel("    x = tl.zeros((BLOCK,), dtype=tl.float32)\n" + kFor, kPlain,
                                 indented(kLineRest), behind),
                    tiles_kernel("    x = tl.zeros((BLOCK,), dtype=tl.float32)\n" + kFor,
                                 "        pid = tiles - 1 - tile\n", indented(kLineRest), behind),
                    "goes from one tile of a block to its next");
}

/// Names that only some turns give a value: the others would see what is left of a turn before.
TEST(PersistentCheat, IndexValuesThatAreLeftOver) {
  const std::string pid = "        pid = tiles - 1 - tile\n";
  const std::string branch = "        if tile % 8 < 4:\n            at = tiles - 1 - tile\n";
  expect_turns_open(tiles_kernel(kFor, pid), tiles_kernel(kFor, branch + "        pid = at\n"));
  const std::string store = branch + "            tl.store(y_ptr + tile * BLOCK, 0.0)\n";
  expect_turns_open(tiles_kernel(kFor, store + pid),
                    tiles_kernel(kFor, store + "        pid = at\n"),
                    "goes from one tile of a block to its next");
}

TEST(PersistentCheat, CodeOutsideTheLoopSeesTheBlock) {
  const std::string head = "    tl.store(y_ptr + start, 0.0)\n" + kFor;
  expect_turns_open(tiles_kernel(head, kPlain),
                    tiles_kernel(head, "        pid = tiles - 1 - tile\n"));
}

TEST(PersistentCheat, TheWorkChanges) {
  const std::string before = tiles_kernel(kFor, kPlain);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"2.0 * x", "x"}, {"offsets < n", "offsets < n - 1"}, {"x_ptr + offsets", "x_ptr"}}) {
    const PatchAudit result =
        audit_tiles(before, tiles_kernel(kFor, "        pid = tiles - 1 - tile\n",
                                         indented(with(kLineRest, from, to))));
    EXPECT_EQ(result.code.verdict, Verdict::refuted) << from << words(result);
  }
}

}  // namespace
}  // namespace heddle::audit_tests
