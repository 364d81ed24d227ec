#include "tiles/find.h"

#include "kernel/testing.h"

namespace heddle::tiles {
namespace {

using heddle::testing::HasSubstr;
using heddle::testing::Integers;
using heddle::testing::Words;

const Words kTensors = {"x: fp32[4096]", "ids: int32[64]"};

TileSpace space_of(const std::string& body, const Integers& grid, Words words = {}) {
  words.insert(words.begin(), kTensors.begin(), kTensors.end());
  config::Launch launch = heddle::testing::launch_of(words, "k");
  launch.grid = Grid(grid);
  const std::string text = heddle::testing::kernel_text(body, words);
  return find_tile_space(heddle::testing::program_of(text, words, "k"), launch);
}

/// A store of tile (`row`, `column`) of a plane of 64 columns.
const std::string kStore = "tl.store(x + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n";

TEST(FindTileSpace, RowByRow) {
  const TileSpace space = space_of("p = tl.program_id(0)\ni = p // 5\nj = p % 5\n" + kStore, {35});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.order, "identity");
  EXPECT_TRUE(space.is_plain());
  EXPECT_EQ(space.tiles.at(6), 6);
}

TEST(FindTileSpace, ColumnByColumn) {
  const TileSpace space = space_of("p = tl.program_id(0)\ni = p % 7\nj = p // 7\n" + kStore, {35});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.order, "columns");
  EXPECT_EQ(space.tiles.at(1), 5);
}

TEST(FindTileSpace, GroupedWithARaggedLastGroup) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfirst = p // 20 * 4\nheight = min(7 - first, 4)\n"
      "i = first + p % 20 % height\nj = p % 20 // height\n" +
          kStore,
      {35});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.order, "group(4)");
}

/// first and p % height would be a box as well; the variable nearer to the work is meant.
TEST(FindTileSpace, GroupedWithoutARaggedGroup) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfirst = p // 20\nlocal = p % 20 % 4\n"
      "i = first * 4 + local\nj = p % 20 // 4\n" +
          kStore,
      {40});
  EXPECT_EQ(space.box_text(), "8 x 5 (i x j)");
  EXPECT_EQ(space.order, "group(4)");
}

TEST(FindTileSpace, NoFamilyGivesARotation) {
  const TileSpace space =
      space_of("p = tl.program_id(0)\ni = p // 5\nj = (p + 2 * i) % 5\n" + kStore, {35});
  ASSERT_TRUE(space.is_found()) << space.refusal;
  EXPECT_EQ(space.order, "");
  EXPECT_EQ(space.order_text(), "an order of its own");
  EXPECT_EQ(space.tiles.at(5), 5 + 2);
}

/// The block's index tells blocks apart, but the work sees i and j alone.
TEST(FindTileSpace, BlocksThatComputeOneTileAreRefused) {
  const TileSpace space = space_of("p = tl.program_id(0)\ni = p % 5\nj = p // 7\n" + kStore, {35});
  EXPECT_THAT(space.refusal, HasSubstr("compute one tile"));
  const TileSpace loaded = space_of(
      "p = tl.program_id(0)\ni = p % 5\nj = p // 7\ne = tl.load(ids + i)\n"
      "tl.store(x + e * 512 + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
      {35});
  EXPECT_THAT(loaded.refusal, HasSubstr("compute one tile"));
}

TEST(FindTileSpace, PackedExpressionsAreUnpacked) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nb = p // 6\nh = p % 6\n"
      "tl.store(x + (b * 6 + h) * 2 + tl.arange(0, 2), 1.0)\n",
      {24});
  EXPECT_EQ(space.box_text(), "4 x 6 (b x h)");
}

/// A walk in blocks of 4 x 3 tiles: the sums are the coordinates, with names or without.
TEST(FindTileSpace, SumsOfABlockedWalkAreCoordinates) {
  const std::string digits =
      "p = tl.program_id(0)\ni = p % 4\nj = p // 4 % 3\ngi = p // 12 % 2\ngj = p // 24\n";
  const TileSpace named = space_of(digits +
                                       "r = gi * 4 + i\nc = gj * 3 + j\n"
                                       "tl.store(x + r * 64 + c * 2 + tl.arange(0, 2), 1.0)\n",
                                   {48});
  EXPECT_EQ(named.box_text(), "8 x 6 (r x c)");
  const TileSpace space = space_of(
      digits + "tl.store(x + (gi * 4 + i) * 64 + (gj * 3 + j) * 2 + tl.arange(0, 2), 1.0)\n", {48});
  EXPECT_EQ(space.box_text(), "8 x 6 ((gi * 4) + i x (gj * 3) + j)");
  EXPECT_EQ(space.tiles, named.tiles);
}

TEST(FindTileSpace, PersistentStrided) {
  const TileSpace space = space_of(
      "for t in range(tl.program_id(0), 35, 8):\n  i = t // 5\n  j = t % 5\n  " + kStore, {8});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.order_text(), "persistent, strided: row by row");
  EXPECT_EQ(Integers(space.tiles.begin(), space.tiles.begin() + 5), (Integers{0, 8, 16, 24, 32}));
}

TEST(FindTileSpace, PersistentChunked) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfor t in range(p * 5, p * 5 + 5):\n  i = t % 7\n  j = t // 7\n  " +
          kStore,
      {7});
  EXPECT_EQ(space.order_text(), "persistent, chunked: column by column");
}

/// Index code of group(4) on a plane of 7 x 6 tiles.
const std::string kGrouped =
    "first = p // 24 * 4\nheight = min(7 - first, 4)\ni = first + p % 24 % height\n"
    "j = p % 24 // height\n";

/// Six tiles of the plane at a time are no six dies: nothing of the index is divided by 6.
TEST(FindTileSpace, SeveralCoordinatesAreFastest) {
  const TileSpace space =
      space_of("b = tl.program_id(0)\nh = tl.program_id(1)\np = tl.program_id(2)\n" + kGrouped +
                   "tl.store(x + b * 1024 + h * 512 + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
               {3, 2, 42});
  EXPECT_EQ(space.box_text(), "7 x 6 x 2 x 3 (i x j x h x b)");
  EXPECT_EQ(space.order_text(), "Triton's grouped order, group(4), h and b fastest");
  EXPECT_EQ(space.tiles.at(1), 1);
  EXPECT_EQ(space.tiles.at(6), 6 * 6);
}

TEST(FindTileSpace, DiesThatTheIndexIsDividedByAreNamed) {
  const TileSpace space =
      space_of("pid = tl.program_id(0)\np = pid % 6 * 7 + pid // 6\n" + kGrouped + kStore, {42});
  EXPECT_EQ(space.order_text(), "xcd(6) | group(4)");
  const TileSpace shifted = space_of(
      "pid = tl.program_id(0)\np = (pid & 1) * 21 + (pid >> 1)\n" + kGrouped + kStore, {42});
  EXPECT_EQ(shifted.order_text(), "xcd(2) | group(4)");
}

/// 40 of the 42 turns are xcd_chunk(8, 5), too, but nothing is divided by 5.
TEST(FindTileSpace, BlocksInAnOrderOfTheirOwn) {
  const TileSpace space = space_of(
      "pid = tl.program_id(0)\nfor t in range(pid % 8 * 5 + pid // 8, 42, 40):\n"
      "  i = t // 6\n  j = t % 6\n  " +
          kStore,
      {40});
  EXPECT_EQ(space.order_text(), "persistent, strided: xcd(8) of the blocks, row by row");
}

TEST(FindTileSpace, PersistentAlongAnAxisOfTheLaunch) {
  const TileSpace space = space_of(
      "s = tl.program_id(1)\nfor p in range(tl.program_id(0), 42, 12):\n"
      "  first = p // 24 * 4\n  height = min(7 - first, 4)\n"
      "  i = first + p % 24 % height\n  j = p % 24 // height\n"
      "  tl.store(x + s * 512 + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
      {12, 2});
  EXPECT_EQ(space.box_text(), "7 x 6 x 2 (i x j x s)");
  EXPECT_EQ(space.order_text(),
            "persistent, strided along axis 0 for each s: Triton's grouped order, group(4)");
  EXPECT_EQ(space.first.at(1), 4);
  EXPECT_EQ(Integers(space.tiles.begin(), space.tiles.begin() + 2), (Integers{0, 3 * 2}));
}

TEST(FindTileSpace, TwoCoordinatesAreOneAxisOfTheGroups) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfirst = p // 48 * 4\nheight = min(7 - first, 4)\n"
      "i = first + p % 48 % height\nu = p % 48 // height\nj = u // 2\ns = u % 2\n"
      "tl.store(x + s * 512 + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
      {84});
  EXPECT_EQ(space.box_text(), "7 x 6 x 2 (i x j x s)");
  EXPECT_EQ(space.order_text(), "Triton's grouped order, group(4), j and s as one axis");
}

/// The second walk over the tiles adds to what the first one wrote.
TEST(FindTileSpace, BlocksThatComeBackDoTilesTwice) {
  const TileSpace space = space_of(
      "for s in range(2):\n  for t in range(tl.program_id(0), 35, 8):\n    i = t // 5\n"
      "    j = t % 5\n    c = x + i * 64 + j * 2 + tl.arange(0, 2)\n    if s == 0:\n"
      "      tl.store(c, 1.0)\n    else:\n      tl.store(c, tl.load(c) + 1.0)\n",
      {8});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.walk, TileSpace::Walk::several);
  EXPECT_EQ(space.order_text(), "persistent: blocks come back to their tiles, 70 turns on 35");
  ASSERT_EQ(space.first.at(1), 10);
  EXPECT_EQ(space.tiles.at(0), space.tiles.at(5));
}

TEST(FindTileSpace, ALoadedTileIsRefused) {
  const TileSpace space =
      space_of("t = tl.load(ids + tl.program_id(0))\ni = t // 5\nj = t % 5\n" + kStore, {35});
  EXPECT_EQ(space.refusal, "i is loaded from ids");
}

/// The loaded row is an offset; the block is still what tells tiles apart.
TEST(FindTileSpace, ALoadedOffsetIsNot) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nrow = tl.load(ids + p)\n"
      "tl.store(x + row * 64 + tl.arange(0, 2), 1.0)\n",
      {35});
  EXPECT_EQ(space.box_text(), "35 (p)");
}

TEST(FindTileSpace, ATriangleIsRefused) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\ni = tl.where(p < 1, 0, tl.where(p < 3, 1, 2))\n"
      "j = p - i * (i + 1) // 2\n" +
          kStore,
      {6});
  EXPECT_EQ(space.refusal, "the tiles fill 6 of the 9 places of i x j");
}

TEST(FindTileSpace, BlocksThatReturnAreTiles) {
  const TileSpace space = space_of(
      "i = tl.program_id(0)\nj = tl.program_id(1)\nif j > i:\n  return\n" + kStore, {3, 3});
  EXPECT_EQ(space.box_text(), "3 x 3 (i x j)");
  EXPECT_EQ(space.returning, 3);
}

/// A loop inside the tile: blocks count, not how often they store.
TEST(FindTileSpace, BlocksThatReturnAreCountedOnce) {
  const TileSpace space = space_of(
      "i = tl.program_id(0)\nj = tl.program_id(1)\nif j > i:\n  return\n"
      "for s in range(4):\n  tl.store(x + i * 256 + s * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
      {3, 3});
  EXPECT_EQ(space.box_text(), "3 x 3 (i x j)");
  EXPECT_EQ(space.returning, 3);
}

TEST(FindTileSpace, SharedTilesAreRefused) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfor s in range(p * 5, min(p * 5 + 5, 36)):\n  t = s // 4\n"
      "  i = t // 3\n  j = t % 3\n  k = s % 4\n  "
      "tl.store(x + i * 64 + j * 2 + tl.arange(0, 2), k * 1.0)\n",
      {7});
  EXPECT_FALSE(space.is_plain());
}

/// Row 0 stores in one branch, the other rows in another.
TEST(FindTileSpace, BranchesThatBothStoreAreOneSpace) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\ni = p // 5\nj = p % 5\nif i == 0:\n  " + kStore + "else:\n  " + kStore,
      {35});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.idle_blocks(), 0);
  EXPECT_EQ(space.order, "identity");
}

/// In turns of the same block, too.
TEST(FindTileSpace, BranchesOfAPersistentLoopAreOneSpace) {
  const TileSpace space = space_of(
      "for t in range(tl.program_id(0), 35, 8):\n  i = t // 5\n  j = t % 5\n  if i < 4:\n    " +
          kStore + "  else:\n    " + kStore,
      {8});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.order_text(), "persistent, strided: row by row");
}

TEST(FindTileSpace, BlocksThatDoOtherWorkAreRefused) {
  const TileSpace space = space_of(
      "p = (tl.program_id(0) + 3) % 49\nif p < 35:\n  i = p // 5\n  j = p % 5\n  " + kStore +
          "else:\n  q = p - 35\n  tl.store(x + 3000 + q + tl.arange(0, 1), 1.0)\n",
      {49});
  EXPECT_THAT(space.refusal, HasSubstr("do other work (line"));
}

TEST(FindTileSpace, OnlyBlocksWithoutAStoreAreIdle) {
  const TileSpace space =
      space_of("p = tl.program_id(0)\nif p < 35:\n  i = p // 5\n  j = p % 5\n  " + kStore, {40});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.idle_blocks(), 5);
}

/// 36 steps of 12 tiles on 8 blocks: the last block of a tile stores, the others add.
TEST(FindTileSpace, StreamKIsRefused) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\ns = p * 4 + min(p, 4)\nend = (p + 1) * 4 + min(p + 1, 4)\n"
      "while s < end:\n  stop = min(s + 3 - s % 3, end)\n  t = s // 3\n"
      "  if stop % 3 == 0:\n    tl.store(x + t * 2 + tl.arange(0, 2), 1.0)\n"
      "  else:\n    tl.atomic_add(x + t * 2 + tl.arange(0, 2), 1.0)\n"
      "  s = stop\n",
      {8});
  EXPECT_THAT(space.refusal, HasSubstr("blocks share tiles of t: 0 and 1"));
}

/// Whole tiles in one loop, shared ones in the next; partial sums go to a slot of the block.
TEST(FindTileSpace, StreamKBehindWholeTilesIsRefused) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfor t in range(p, 32, 16):\n  i = t // 5\n  j = t % 5\n  " + kStore +
          "tl.store(y + p + tl.arange(0, 1), 0.0)\n"
          "if p < 9:\n  t = 32 + p // 3\n  i = t // 5\n  j = t % 5\n"
          "  if p % 3 == 0:\n    " +
          kStore + "  else:\n    tl.store(y + p * 2 + i * 0 + j * 0 + tl.arange(0, 1), 1.0)\n",
      {16}, {"y: fp32[64]"});
  EXPECT_THAT(space.refusal, HasSubstr("blocks share tiles of i x j"));
}

/// Neither arm of a choice is the coordinate.
TEST(FindTileSpace, AChosenCoordinateIsTheChoice) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nj = p // 7\ni = tl.where(j % 2 == 0, p % 7, 6 - p % 7)\n" + kStore,
      {35});
  EXPECT_EQ(space.box_text(), "7 x 5 (i x j)");
  EXPECT_EQ(space.tiles.at(7), 6 * 5 + 1);
}

TEST(FindTileSpace, TheArmsOfAChoiceAreNoCoordinates) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nj = tl.program_id(1)\n"
      "i = tl.where(j % 2 == 0, p * 2, (6 - p) * 2)\n" +
          kStore,
      {7, 5});
  EXPECT_THAT(space.refusal, HasSubstr("i depends on a condition on the block's index"));
}

/// pid % height: the rows of the last group begin in the middle.
TEST(FindTileSpace, GroupedButForARotatedLastGroup) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nfirst = p // 20 * 4\nheight = min(7 - first, 4)\n"
      "i = first + p % height\nj = p % 20 // height\n" +
          kStore,
      {35});
  EXPECT_EQ(space.order, "");
  EXPECT_EQ(space.order_text(), "group(4) but for the last group");
  EXPECT_EQ(space.tiles.at(20), 6 * 5);
}

TEST(FindTileSpace, TheLoadedDivisorIsNamed) {
  const TileSpace space = space_of(
      "p = tl.program_id(0)\nb = tl.program_id(1)\nstart = tl.load(ids + b)\n"
      "width = tl.load(ids + 8 + b)\ni = p // width\nj = p % width\n"
      "tl.store(x + start + i * 64 + j * 2 + tl.arange(0, 2), 1.0)\n",
      {35, 2});
  EXPECT_EQ(space.refusal, "width is loaded from ids");
}

TEST(FindTileSpace, AxesThatAreCountedInOnePieceAreTheTiles) {
  const std::string body =
      "i = tl.program_id(0)\nj = tl.program_id(1)\nrow = i * tl.num_programs(1) + j\n"
      "tl.store(x + row * 4 + tl.arange(0, 4), 1.0)\n";
  const TileSpace space = space_of(body, {8, 4});
  EXPECT_EQ(space.box_text(), "8 x 4 (i x j)");
  EXPECT_TRUE(space.is_launch_grid);
  // Counted as the launch does: a line of tiles.
  EXPECT_EQ(space_of("p = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)\n"
                     "tl.store(x + p * 4 + tl.arange(0, 4), 1.0)\n",
                     {8, 4})
                .box_text(),
            "32 (p)");
}

TEST(FindTileSpace, WithoutTheBlocksIndex) {
  const TileSpace space = space_of("tl.store(x + tl.arange(0, 2), 1.0)\n", {4});
  EXPECT_THAT(space.refusal, HasSubstr("depends on its block's index"));
}

}  // namespace
}  // namespace heddle::tiles
