// Orders for a 1-D launch that yield a row and a column: the names and the tile space are found in
// the text, and what is not clear is asked for.
#include "order/tile_reading.h"

#include <fmt/format.h>

#include "order/axis_name.h"
#include "order/testing.h"

namespace heddle::testing {
namespace {

using Extents = std::vector<std::int64_t>;
using Names = std::vector<std::string>;
using order::axis_of;
using order::TileReading;

constexpr const char* kCounts =
    "pid = tl.program_id(0)\n"
    "num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)\n"
    "num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)\n";

/// The swizzle of Triton's matrix multiplication tutorial.
const std::string kGrouped = std::string(kCounts) +
                             "num_pid_in_group = GROUP_SIZE_M * num_pid_n\n"
                             "group_id = pid // num_pid_in_group\n"
                             "first_pid_m = group_id * GROUP_SIZE_M\n"
                             "group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)\n"
                             "pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)\n"
                             "pid_n = (pid % num_pid_in_group) // group_size_m\n";

std::string sizes(std::int64_t m, std::int64_t n, std::int64_t group = 4) {
  return fmt::format("M={},N={},BLOCK_SIZE_M=32,BLOCK_SIZE_N=64,GROUP_SIZE_M={}", 32 * m - 5,
                     64 * n - 63, group);
}

TileReading reading(const Text& text, std::optional<std::int64_t> blocks) {
  return order::read_tiles(text.order(), text.bindings(), blocks);
}

/// The map under the reading, with its own results and tile space.
Map map_of(const Text& text, const TileReading& found) {
  const Order order =
      found.results.empty() ? text.order() : text.order().with_results(found.results, found.note);
  return order::materialize(order, found.tiles.empty() ? launch({1}) : tiled(found.tiles),
                            text.bindings());
}

Error refusal(const Text& text, std::optional<std::int64_t> blocks) {
  return thrown_by([&] { reading(text, blocks); });
}

/// Bands of `group` rows, column by column; counted here, without any of heddle's code.
Map bands(std::int64_t m, std::int64_t n, std::int64_t group) {
  Map map;
  for (std::int64_t first = 0; first < m; first += group) {
    for (std::int64_t col = 0; col < n; ++col) {
      for (std::int64_t row = first; row < std::min(m, first + group); ++row)
        map.push_back(row * n + col);
    }
  }
  return map;
}

TEST(TileReading, TheTutorialsSwizzleOnEverySmallSpace) {
  for (std::int64_t m = 1; m <= 9; ++m) {
    for (std::int64_t n = 1; n <= 9; ++n) {
      for (const std::int64_t group : {1, 2, 3, 8}) {
        const Text text = triton(kGrouped, sizes(m, n, group));
        for (const auto& blocks : {std::optional(m * n), std::optional<std::int64_t>()}) {
          const TileReading found = reading(text, blocks);
          ASSERT_EQ(found.results, (Names{"pid_m", "pid_n"})) << m << " " << n;
          ASSERT_EQ(found.tiles, (Extents{m, n}));
          ASSERT_EQ(map_of(text, found), bands(m, n, group)) << m << " " << n << " " << group;
          ASSERT_TRUE(found.doubt.empty());
        }
      }
    }
  }
}

/// Ways to write the same walk: all mean rows and columns, in that order.
TEST(TileReading, ManyWaysToWriteOneWalk) {
  const std::string counts = kCounts;
  const std::vector<Text> texts = {
      triton(counts + "pid_n = pid % num_pid_n\npid_m = pid // num_pid_n\n"),
      triton(counts + "pid_m, pid_n = pid // num_pid_n, pid % num_pid_n\n"),
      triton(counts + "pid_m, pid_n = divmod(pid, num_pid_n)\n"),
      triton(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\npid_m, pid_n\n"),
      triton(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n"
                      "num_tiles = num_pid_m * num_pid_n\n"),
      triton(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n"
                      "is_last = pid_m == num_pid_m - 1\n"),
      triton(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n"
                      "start_m = pid_m * BLOCK_SIZE_M\nstart_n = pid_n * BLOCK_SIZE_N\n"),
      triton(counts + "pid_m = pid // num_pid_n\nlane = pid % 8\npid_n = pid % num_pid_n\n"),
      triton(counts + "pid = pid + 0\npid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n"),
      triton(counts + "if pid >= num_pid_n:\n    pid_m = pid // num_pid_n\nelse:\n    pid_m = 0\n"
                      "pid_n = pid - pid_m * num_pid_n\n"),
      triton("pid = tl.program_id(0)\npid_m = pid // tl.cdiv(N, BLOCK_SIZE_N)\n"
             "pid_n = pid % tl.cdiv(N, BLOCK_SIZE_N)\n"),
      triton("def split(p, n):\n    return p // n, p % n\n" + counts +
             "pid_m, pid_n = split(pid, num_pid_n)\n"),
      triton("def up(a, b):\n    return (a + b - 1) // b\npid = tl.program_id(0)\n"
             "rows = up(M, BLOCK_SIZE_M)\ncols = up(N, BLOCK_SIZE_N)\n"
             "row = pid // cols\ncol = pid % cols\n"),
      c_like("int tiles_n = (N + BLOCK_SIZE_N - 1) / BLOCK_SIZE_N;\n"
             "int tiles_m = (M + BLOCK_SIZE_M - 1) / BLOCK_SIZE_M;\n"
             "int row = blockIdx.x / tiles_n;\nint col = blockIdx.x % tiles_n;\n"),
      c_like("const int gridN = (N + BLOCK_SIZE_N - 1) / BLOCK_SIZE_N;\n"
             "const int gridM = (M + BLOCK_SIZE_M - 1) / BLOCK_SIZE_M;\n"
             "int bn = blockIdx.x % gridN;\nint bm = blockIdx.x / gridN;\n"),
      c_like("unsigned tiles_x = (N + BLOCK_SIZE_N - 1) / BLOCK_SIZE_N;\n"
             "unsigned tiles_y = (M + BLOCK_SIZE_M - 1) / BLOCK_SIZE_M;\n"
             "unsigned tile_x = blockIdx.x % tiles_x;\nunsigned tile_y = blockIdx.x / tiles_x;\n"),
  };
  for (const Text& each : texts) {
    for (const auto& [m, n] :
         {std::pair<std::int64_t, std::int64_t>{3, 5}, {5, 3}, {4, 4}, {1, 7}}) {
      Text text = each;
      text.let = sizes(m, n);
      const TileReading found = reading(text, m * n);
      ASSERT_EQ(found.tiles.size(), 2u) << text.text;
      const Map map = map_of(text, found);
      ASSERT_TRUE(order::invert(map)) << text.text << m << "x" << n;
      const bool rows_first = axis_of(found.results.empty() ? "m" : found.results[0]) != "x";
      if (!rows_first) continue;
      EXPECT_EQ(found.tiles, (Extents{m, n})) << text.text;
      EXPECT_EQ(map, counting(m * n)) << text.text;
    }
  }
}

TEST(TileReading, AFunctionThatReturnsThem) {
  Text text = triton(
      "@triton.jit\ndef swizzle(pid, num_pid_m, num_pid_n):\n    pid_m = pid % num_pid_m\n"
      "    pid_n = pid // num_pid_m\n    return pid_m, pid_n\n",
      "num_pid_m=4,num_pid_n=6");
  const TileReading found = reading(text, 24);
  EXPECT_EQ(found.tiles, (Extents{4, 6}));
  EXPECT_TRUE(found.results.empty());
  EXPECT_TRUE(order::invert(map_of(text, found)));
}

TEST(TileReading, ABatchARowAndAColumn) {
  const std::string counts = kCounts;
  const Text text = triton(counts +
                               "per_batch = num_pid_m * num_pid_n\nbatch = pid // per_batch\n"
                               "rest = pid % per_batch\npid_m = rest // num_pid_n\n"
                               "pid_n = rest % num_pid_n\n",
                           sizes(3, 5));
  for (const std::int64_t batches : {2, 3, 7}) {
    const TileReading found = reading(text, 15 * batches);
    EXPECT_EQ(found.results, (Names{"batch", "pid_m", "pid_n"}));
    EXPECT_EQ(found.tiles, (Extents{batches, 3, 5}));
    EXPECT_EQ(map_of(text, found), counting(15 * batches));
  }
  EXPECT_TRUE(contains(refusal(text, 31).hint(), "--tiles"));
  EXPECT_TRUE(contains(refusal(text, std::nullopt).message(), "no grid"));
}

TEST(TileReading, AnAxisThatTheTextDoesNotCountTakesWhatIsLeft) {
  const Text text = triton(
      "pid = tl.program_id(0)\nnum_pid_m = tl.cdiv(M, BLOCK_SIZE_M)\n"
      "pid_m = pid % num_pid_m\npid_n = pid // num_pid_m\n",
      sizes(4, 6));
  EXPECT_EQ(reading(text, 24).tiles, (Extents{4, 6}));
  EXPECT_EQ(reading(text, 28).tiles, (Extents{4, 7}));
  EXPECT_TRUE(contains(refusal(text, 25).message(), "pid_m"));
}

TEST(TileReading, SkewedAndMirroredColumnsAreStillTwoNames) {
  const std::string counts = kCounts;
  for (const char* end : {"pid_n = (pid_n + pid_m) % num_pid_n\n",
                          "pid_n = tl.where(pid_m % 2 == 0, pid_n, num_pid_n - 1 - pid_n)\n",
                          "if pid_m % 2 == 1:\n    pid_n = num_pid_n - 1 - pid_n\n"}) {
    const Text text =
        triton(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n" + end, sizes(3, 5));
    const TileReading found = reading(text, 15);
    EXPECT_EQ(found.tiles, (Extents{3, 5})) << end;
    EXPECT_TRUE(order::invert(map_of(text, found))) << end;
  }
}

/// The wrong extent is not found by trying: a column in the place of a row stays wrong.
TEST(TileReading, MixedUpExtentsAreNotReadAsCorrect) {
  const std::string counts = kCounts;
  const Text text =
      triton(counts + "pid_m = pid // num_pid_m\npid_n = pid % num_pid_m\n", sizes(3, 5));
  const TileReading found = reading(text, 15);
  EXPECT_EQ(found.tiles, (Extents{3, 5}));
  EXPECT_FALSE(order::invert(map_of(text, found)));
}

TEST(TileReading, TheForgottenRemainderIsRead) {
  std::string text = kGrouped;
  const std::string clamp = "min(num_pid_m - first_pid_m, GROUP_SIZE_M)";
  text.replace(text.find(clamp), clamp.size(), "GROUP_SIZE_M");
  const Text wrong = triton(text, sizes(6, 5, 4));
  const TileReading found = reading(wrong, 30);
  EXPECT_EQ(found.tiles, (Extents{6, 5}));
  EXPECT_FALSE(order::invert(map_of(wrong, found)));
  const Text divides = triton(text, sizes(8, 5, 4));
  EXPECT_TRUE(order::invert(map_of(divides, reading(divides, 40))));
}

TEST(TileReading, OneNameIsALinearId) {
  const std::string counts = kCounts;
  const std::vector<std::string> texts = {
      "pid = tl.program_id(0)\npid = pid + 1 - 1\n",
      "pid = tl.program_id(0)\nx = pid % 8\npid = pid + x - x\n",
      counts +
          "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n"
          "tile = pid_n * num_pid_m + pid_m\n",
      counts + "row = pid // num_pid_n\ncol = pid % num_pid_n\npid = row * num_pid_n + col\n",
      "(p0 % 8) * (g0 // 8) + p0 // 8",
      "pid = tl.program_id(0)\nnum_rows = g0\nrow = num_rows - 1 - pid\n",
  };
  for (const std::string& text : texts) {
    const TileReading found = reading(triton(text, sizes(3, 5)), 15);
    EXPECT_TRUE(found.tiles.empty()) << text;
    EXPECT_TRUE(found.doubt.empty()) << text << found.doubt;
  }
}

TEST(TileReading, WhatIsNotClearIsAskedFor) {
  const std::string counts = kCounts;
  const auto asks = [&](const std::string& text, std::int64_t blocks, const char* part) {
    const Error error = refusal(triton(text, sizes(3, 5)), blocks);
    EXPECT_TRUE(contains(error.message(), part)) << error.message();
    EXPECT_TRUE(contains(error.hint(), "--tiles")) << error.hint();
  };
  asks(counts + "pid_m = pid // num_pid_n\npid_n = pid % num_pid_n\n", 16,
       "num_pid_m x num_pid_n = 3x5");
  asks("pid = tl.program_id(0)\na = pid // 4\nb = pid % 4\n", 16, "a, b");
  asks("pid = tl.program_id(0)\nr = tl.cdiv(M, 32)\nu = pid // r\nv = pid % r\n", 15, "u, v");
  asks(counts + "pid_m = pid // num_pid_n\ntile_m = pid % num_pid_m\npid_n = pid % num_pid_n\n", 15,
       "same axis");
  asks("pid = tl.program_id(0)\nw = pid % 2\nx = pid % 3\ny = pid % 5\nz = pid % 7\n", 210, "w, x");
  EXPECT_TRUE(contains(refusal(triton("p0 + 1"), std::nullopt).message(), "no grid"));
  EXPECT_TRUE(contains(
      refusal(triton(counts + "pid_m = pid % num_pid_m\n", sizes(3, 5)), std::nullopt).message(),
      "no grid"));
}

/// Names that nothing reads stand beside the one that was taken: a refutation would say too much.
TEST(TileReading, DeadNamesLeaveADoubt) {
  const TileReading found =
      reading(triton("pid = tl.program_id(0)\ndie = pid % 8\nrun = g0 // 8\nhalf = pid // 2\n"
                     "tile = half * 2 + pid % 2\n"),
              16);
  EXPECT_TRUE(found.tiles.empty());
  EXPECT_TRUE(contains(found.doubt, "die, tile")) << found.doubt;
}

TEST(TileReading, TheLaunchMayCountToo) {
  const Text text = triton(
      "pid = tl.program_id(0)\nnum_pid_n = tl.cdiv(N, BLOCK_SIZE_N)\n"
      "num_pid_m = tl.num_programs(0) // num_pid_n\npid_m = pid // num_pid_n\n"
      "pid_n = pid % num_pid_n\n",
      sizes(3, 5));
  EXPECT_EQ(reading(text, 15).tiles, (Extents{3, 5}));
  EXPECT_EQ(reading(text, 35).tiles, (Extents{7, 5}));
  EXPECT_TRUE(contains(refusal(text, std::nullopt).message(), "no grid"));
}

TEST(TileReading, AllSizesFollowTheTileSpace) {
  const Order order = triton(kGrouped).order();
  const auto axes = [&](const std::string& let) {
    return order::read_tile_axes(order, Bindings({let}));
  };
  const std::string blocks = ",BLOCK_SIZE_M=32,BLOCK_SIZE_N=64,GROUP_SIZE_M=4";
  const order::TileAxes follows = axes("M=32*t0,N=64*t1" + blocks);
  EXPECT_EQ(follows.axes, 2);
  EXPECT_TRUE(follows.follows);
  EXPECT_EQ(follows.results, (Names{"pid_m", "pid_n"}));
  const order::TileAxes fixed = axes("M=4096,N=4096" + blocks);
  EXPECT_FALSE(fixed.follows);
  EXPECT_TRUE(contains(fixed.reason, "128x64")) << fixed.reason;
  EXPECT_FALSE(axes("M=32*t1,N=64*t0" + blocks).follows);
  EXPECT_EQ(order::read_tile_axes(triton("p0 + 1").order(), {}).axes, 1);
}

TEST(AxisName, SpeaksOfAnAxis) {
  for (const char* name : {"pid_m", "num_pid_m", "tiles_m", "m_tiles", "row", "num_rows", "n_rows",
                           "BLOCK_SIZE_M", "blockM", "bm", "grid_m", "gridM", "M", "tile_row"})
    EXPECT_EQ(axis_of(name), "m") << name;
  for (const char* name : {"pid_n", "num_pid_n", "n_tiles_n", "col", "columns", "bn", "nb", "N"})
    EXPECT_EQ(axis_of(name), "n") << name;
  for (const char* name : {"pid", "tile", "num_tiles", "tile_id", "block", "linear_id"})
    EXPECT_EQ(axis_of(name), "") << name;
  for (const char* name : {"first_pid_m", "group_size_m", "num_pid_in_group", "GROUP_SIZE_M"})
    EXPECT_NE(axis_of(name), "m") << name;
  EXPECT_EQ(axis_of("batch"), axis_of("pid_b"));
  EXPECT_TRUE(order::is_count_name("num_pid_m"));
  EXPECT_FALSE(order::is_count_name("M"));
  EXPECT_FALSE(order::is_count_name("BLOCK_M"));
}

}  // namespace
}  // namespace heddle::testing
