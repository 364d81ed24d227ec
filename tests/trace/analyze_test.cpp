#include "trace/analyze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "trace/building.h"
#include "trace/line_set.h"
#include "trace/neighbours.h"
#include "trace/pattern_counts.h"
#include "trace/random_pattern.h"

namespace heddle::trace {
namespace {

using testing::Building;
using testing::DType;
using ::testing::ElementsAre;
using testing::kNoValue;
using testing::ValueId;

/// Copies x to y, both [rows, columns] of fp16, in tiles of 32 x 32; grid axis 0 is the row tile.
Building copy_tiles(std::int64_t row_tiles, std::int64_t column_tiles) {
  constexpr std::int64_t kTile = 32;
  const std::int64_t columns = column_tiles * kTile;
  Building kernel({row_tiles, column_tiles});
  kernel.launch.warps = 4;
  const ValueId x = kernel.tensor("x", DType::float16, {row_tiles * kTile, columns});
  const ValueId y = kernel.tensor("y", DType::float16, {row_tiles * kTile, columns});
  const auto along = [&](int axis) {
    return kernel.add(kernel.multiply(kernel.program_id(axis), kernel.constant(kTile)),
                      kernel.arange(0, kTile));
  };
  const ValueId row = kernel.multiply(kernel.expand(along(0), 1), kernel.constant(columns));
  const ValueId index = kernel.add(row, kernel.expand(along(1), 0));
  const ValueId value = kernel.load_value(kernel.add_pointer(x, index));
  kernel.store(kernel.add_pointer(y, index), value);
  return kernel;
}

TEST(Analyze, TilesOfHalfLines) {
  const Building kernel = copy_tiles(8, 8);
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  EXPECT_EQ(report.tiles, 64);
  EXPECT_EQ(report.tiles_traced, 64);
  EXPECT_EQ(report.sampled_because, "");
  ASSERT_EQ(report.accesses.size(), 2U);
  const AccessSummary& read = report.accesses[0];
  EXPECT_EQ(read.kind, AccessKind::read);
  EXPECT_EQ(read.tensor, "x");
  EXPECT_EQ(read.element, "fp16");
  EXPECT_THAT(read.shape, ElementsAre(32, 32));
  EXPECT_EQ(read.tiles, 64);
  EXPECT_EQ(read.instructions.most, 1);
  EXPECT_EQ(read.bytes.least, 2048);
  EXPECT_EQ(read.bytes.most, 2048);
  EXPECT_EQ(read.bytes.mean, 2048);
  EXPECT_EQ(read.lines.most, 32);
  EXPECT_EQ(read.active.most, 1024);
  EXPECT_EQ(read.elements, 64 * 1024);
  EXPECT_EQ(read.runs, 64 * 32);
  EXPECT_EQ(read.total_bytes, 64 * 2048);
  EXPECT_EQ(read.total_lines, 64 * 32);
  // 4 elements a lane, 8 lanes a row, 8 rows a wave: each row is half a line, two sectors.
  EXPECT_EQ(read.wave_instructions, 64 * 4);
  EXPECT_EQ(read.requests, 64 * 32);
  EXPECT_EQ(read.sectors, 64 * 64);
  EXPECT_EQ(read.distinct_lines, 64 * 16);
  EXPECT_EQ(report.accesses[1].kind, AccessKind::write);
  EXPECT_EQ(report.total_bytes(), 2 * 64 * 2048);
  EXPECT_EQ(report.distinct_lines(), 2 * 64 * 16);
  ASSERT_EQ(report.tensors.size(), 2U);
  EXPECT_EQ(report.tensors[0].name, "x");
  EXPECT_EQ(report.tensors[0].read_bytes, 64 * 2048);
  EXPECT_EQ(report.tensors[0].written_bytes, 0);
  EXPECT_EQ(report.tensors[0].touches, 64 * 32);
  EXPECT_EQ(report.tensors[1].written_bytes, 64 * 2048);
}

TEST(Analyze, NeighboursShareHalfLines) {
  const Building kernel = copy_tiles(8, 8);
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  EXPECT_GT(report.neighbours_sampled, 0);
  for (const AccessSummary& access : report.accesses) {
    ASSERT_EQ(access.neighbours.size(), 6U);  // distances 1, 2, 4 along two axes
    for (const NeighbourShare& share : access.neighbours) {
      if (share.axis == 1 && share.distance == 1)
        EXPECT_GT(share.share, 0.3) << "half of the neighbours have the other half of the lines";
      else
        EXPECT_EQ(share.share, 0) << share.axis << " " << share.distance;
    }
  }
  EXPECT_EQ(report.accesses[0].neighbours[0].axis, 0);
  EXPECT_EQ(report.accesses[0].neighbours[1].distance, 2);
}

TEST(Analyze, ATileForAllIsSharedAtAnyDistance) {
  Building kernel({4, 2});
  const ValueId x = kernel.tensor("x", DType::float32, {64});
  kernel.load(kernel.add_pointer(x, kernel.arange(0, 64)));
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  ASSERT_EQ(report.accesses.size(), 1U);
  ASSERT_EQ(report.accesses[0].neighbours.size(), 3U);
  for (const NeighbourShare& share : report.accesses[0].neighbours) EXPECT_EQ(share.share, 1);
  EXPECT_EQ(report.accesses[0].distinct_lines, 2);
  EXPECT_EQ(report.accesses[0].total_lines, 16);
}

TEST(Analyze, SitesOfOnePlaceAreOneAccess) {
  Building kernel({2});
  const ValueId x = kernel.tensor("x", DType::float32, {64});
  const ValueId y = kernel.tensor("y", DType::float32, {64});
  const ValueId index = kernel.arange(0, 32);
  kernel.load(kernel.add_pointer(x, index));
  kernel.load(kernel.add_pointer(x, index));
  kernel.load(kernel.add_pointer(y, index));
  for (kernel::Site& site : kernel.program.sites) site.place = kernel.program.sites[0].place;
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  ASSERT_EQ(report.accesses.size(), 2U);  // one per tensor
  EXPECT_EQ(report.accesses[0].instructions.most, 2);
  EXPECT_EQ(report.accesses[0].total_bytes, 2 * 2 * 128);
  EXPECT_EQ(report.accesses[1].tensor, "y");
  EXPECT_EQ(report.accesses[1].instructions.most, 1);
}

TEST(Analyze, MaskedTilesHaveFewerBytes) {
  Building kernel({3});
  const ValueId x = kernel.tensor("x", DType::float32, {40});
  const ValueId index =
      kernel.add(kernel.multiply(kernel.program_id(0), kernel.constant(16)), kernel.arange(0, 16));
  const ValueId mask = kernel.binary(kernel::Opcode::less, index, kernel.constant(40));
  kernel.load(kernel.add_pointer(x, index), mask);
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  ASSERT_EQ(report.accesses.size(), 1U);
  EXPECT_EQ(report.accesses[0].bytes.least, 32);
  EXPECT_EQ(report.accesses[0].bytes.most, 64);
  EXPECT_NEAR(report.accesses[0].bytes.mean, 160.0 / 3, 1e-9);
  EXPECT_EQ(report.accesses[0].active.least, 8);
  EXPECT_EQ(report.accesses[0].elements, 48);
  EXPECT_TRUE(report.faults.empty());
}

TEST(Analyze, FaultsAreListed) {
  Building kernel({3});
  const ValueId x = kernel.tensor("x", DType::float32, {40});
  const ValueId index =
      kernel.add(kernel.multiply(kernel.program_id(0), kernel.constant(16)), kernel.arange(0, 16));
  kernel.load(kernel.add_pointer(x, index));
  const TraceReport report = analyze(kernel.program, kernel.launch, {});
  ASSERT_EQ(report.faults.size(), 1U);
  EXPECT_EQ(report.faults[0].kind, "out of bounds");
  EXPECT_EQ(report.faults[0].tensor, "x");
  EXPECT_THAT(report.faults[0].tile, ElementsAre(2));
  EXPECT_EQ(report.faults[0].tiles, 1);  // probes and neighbours do not count
  EXPECT_EQ(report.faults[0].count, 1);
  AnalyzeOptions strict;
  strict.trace.strict = true;
  EXPECT_THROW(analyze(kernel.program, kernel.launch, strict), Error);
}

TEST(Analyze, TooManyTilesAreSampled) {
  const Building kernel = copy_tiles(64, 64);
  AnalyzeOptions options;
  options.most_work = 20'000;
  const TraceReport report = analyze(kernel.program, kernel.launch, options);
  EXPECT_EQ(report.tiles, 4096);
  EXPECT_LT(report.tiles_traced, 1000);
  EXPECT_GE(report.tiles_traced, 16);
  EXPECT_NE(report.sampled_because, "");
  EXPECT_EQ(report.accesses[0].bytes.mean, 2048);
  EXPECT_EQ(report.accesses[0].tiles, report.tiles_traced);
}

TEST(Analyze, OneTileThatCostsMoreThanAllIsFoundOut) {
  Building kernel({1000});
  const ValueId x = kernel.tensor("x", DType::float32, {64});
  constexpr std::int64_t kHeavy = 5;  // no probe
  const ValueId is_heavy = kernel.cast(
      kernel.binary(kernel::Opcode::equal, kernel.program_id(0), kernel.constant(kHeavy)),
      DType::int32);
  const ValueId turns = kernel.multiply(is_heavy, kernel.constant(200'000));
  kernel.for_range(kernel.constant(0), turns, kernel.constant(1),
                   [&](ValueId) { kernel.load(kernel.add_pointer(x, kernel.arange(0, 16))); });
  AnalyzeOptions options;
  options.most_work = 100'000;
  const TraceReport report = analyze(kernel.program, kernel.launch, options);
  EXPECT_EQ(report.tiles_traced, kHeavy + 1);
  EXPECT_NE(report.sampled_because.find("the first ones"), std::string::npos);
}

TEST(Analyze, SameInputSameReport) {
  const Building kernel = copy_tiles(16, 16);
  AnalyzeOptions options;
  options.most_work = 10'000;
  const TraceReport first = analyze(kernel.program, kernel.launch, options);
  const TraceReport second = analyze(kernel.program, kernel.launch, options);
  EXPECT_EQ(first.tiles_traced, second.tiles_traced);
  EXPECT_EQ(first.accesses[0].distinct_lines, second.accesses[0].distinct_lines);
  EXPECT_EQ(first.accesses[0].neighbours[2].share, second.accesses[0].neighbours[2].share);
}

TEST(TraceTile, ListsAccessesInProgramOrder) {
  const Building kernel = copy_tiles(8, 8);
  const TileReport report = trace_tile(kernel.program, kernel.launch, {1, 2, 0}, {});
  EXPECT_THAT(report.tile, ElementsAre(1, 2));
  ASSERT_EQ(report.accesses.size(), 2U);
  EXPECT_EQ(report.total, 2);
  const TileAccess& read = report.accesses[0];
  EXPECT_EQ(read.kind, AccessKind::read);
  EXPECT_EQ(read.tensor, "x");
  EXPECT_EQ(read.active, 1024);
  EXPECT_EQ(read.bytes, 2048);
  EXPECT_EQ(read.lines, 32);
  EXPECT_EQ(read.requests, 32);
  EXPECT_EQ(read.runs, 32);
  ASSERT_EQ(read.first_runs.size(), 2U);
  EXPECT_THAT(read.first_runs[0], ElementsAre(32 * 512 + 128, 64));
  EXPECT_THAT(read.first_runs[1], ElementsAre(33 * 512 + 128, 64));
  EXPECT_EQ(report.accesses[1].kind, AccessKind::write);
}

TEST(TraceTile, CountsWhatItDoesNotList) {
  Building kernel({1});
  const ValueId x = kernel.tensor("x", DType::float32, {64});
  kernel.for_range(kernel.constant(0), kernel.constant(10), kernel.constant(1),
                   [&](ValueId) { kernel.load(kernel.add_pointer(x, kernel.arange(0, 16))); });
  AnalyzeOptions options;
  options.most_listed = 3;
  const TileReport report = trace_tile(kernel.program, kernel.launch, {0, 0, 0}, options);
  EXPECT_EQ(report.accesses.size(), 3U);
  EXPECT_EQ(report.total, 10);
}

TEST(TraceTile, RefusesTilesOutsideOfTheGrid) {
  const Building kernel = copy_tiles(2, 2);
  EXPECT_THROW(trace_tile(kernel.program, kernel.launch, {2, 0, 0}, {}), Error);
  EXPECT_THROW(trace_tile(kernel.program, kernel.launch, {0, 0, 1}, {}), Error);
  EXPECT_THROW(trace_tile(kernel.program, kernel.launch, {-1, 0, 0}, {}), Error);
}

TEST(SpreadTiles, AreDifferentAscendingAndInTheGrid) {
  for (const std::int64_t tiles : {1, 2, 3, 17, 1000, 65536}) {
    for (const std::int64_t count : {2, 3, 16, 999}) {
      const std::vector<std::int64_t> spread = spread_tiles(tiles, count);
      EXPECT_EQ(static_cast<std::int64_t>(spread.size()), std::min(tiles, count));
      EXPECT_TRUE(std::is_sorted(spread.begin(), spread.end()));
      EXPECT_EQ(std::set(spread.begin(), spread.end()).size(), spread.size());
      EXPECT_EQ(spread.front(), 0);
      EXPECT_EQ(spread.back(), tiles - 1);
    }
  }
}

TEST(SpreadTiles, LeaveNoLargeGaps) {
  const std::vector<std::int64_t> spread = spread_tiles(65536, 64);
  for (std::size_t i = 1; i < spread.size(); ++i)
    EXPECT_LT(spread[i] - spread[i - 1], 3 * 65536 / 64);
}

TEST(LineSet, AgreesWithASet) {
  sample::PatternMaker maker(3);
  constexpr std::uint64_t kAddress = 1 << 16;
  constexpr std::int64_t kBytes = 40000;
  for (int round = 0; round < 300; ++round) {
    LineSet first(kAddress, kBytes, 128);
    LineSet second(kAddress, kBytes, 128);
    std::set<std::uint64_t> first_lines, second_lines, common;
    const auto fill = [&](LineSet& set, std::set<std::uint64_t>& lines) {
      for (std::int64_t i = 1 + maker.below(8); i > 0; --i) {
        const std::int64_t start = maker.below(kBytes);
        const std::int64_t most = std::min<std::int64_t>(20000, kBytes - start);
        const auto at = static_cast<std::uint64_t>(start);
        const auto bytes = 1 + static_cast<std::uint64_t>(maker.below(most));
        set.add({kAddress + at, bytes});
        for (std::uint64_t byte = at; byte < at + bytes; ++byte)
          lines.insert((kAddress + byte) / 128);
      }
    };
    if (round % 3 == 0) {  // clearing leaves nothing behind
      fill(first, first_lines);
      first.clear();
      first_lines.clear();
      EXPECT_EQ(first.count(), 0);
    }
    fill(first, first_lines);
    fill(second, second_lines);
    std::set_intersection(first_lines.begin(), first_lines.end(), second_lines.begin(),
                          second_lines.end(), std::inserter(common, common.begin()));
    EXPECT_EQ(first.count(), static_cast<std::int64_t>(first_lines.size()));
    EXPECT_EQ(first.count_common(second), static_cast<std::int64_t>(common.size()));
    first.unite(second);
    first_lines.insert(second_lines.begin(), second_lines.end());
    EXPECT_EQ(first.count(), static_cast<std::int64_t>(first_lines.size()));
    first.add({kAddress - 4096, 64});
    first.add({kAddress + 2 * kBytes, 64});
    EXPECT_EQ(first.count(), static_cast<std::int64_t>(first_lines.size()));
  }
}

TEST(PatternCounter, RememberedCountsAreThoseOfANewCount) {
  sample::PatternMaker maker(4);
  const LayoutOptions layout{2, 32};
  PatternCounter remembering(layout, 128);
  std::vector<sample::OwnedPattern> patterns;
  for (int i = 0; i < 40; ++i) patterns.push_back(maker.make());
  for (int round = 0; round < 4000; ++round) {
    AccessPattern pattern = patterns[static_cast<std::size_t>(maker.below(40))].pattern;
    pattern.base += maker.below(9) * 64;
    PatternCounter fresh(layout, 128);
    const PatternCounts expected = fresh.count(pattern);
    const PatternCounts& counts = remembering.count(pattern);
    ASSERT_EQ(counts.bytes, expected.bytes) << sample::describe(pattern);
    ASSERT_EQ(counts.lines, expected.lines) << sample::describe(pattern);
    ASSERT_EQ(counts.runs, expected.runs) << sample::describe(pattern);
    ASSERT_EQ(counts.active, expected.active) << sample::describe(pattern);
    ASSERT_EQ(counts.requests, expected.requests) << sample::describe(pattern);
    ASSERT_EQ(counts.sectors, expected.sectors) << sample::describe(pattern);
    ASSERT_EQ(counts.wave_instructions, expected.wave_instructions) << sample::describe(pattern);
    std::vector<std::uint64_t> lines;
    append_lines(pattern, 128, lines);
    ASSERT_EQ(counts.lines, static_cast<std::int64_t>(lines.size()));
  }
}

}  // namespace
}  // namespace heddle::trace
