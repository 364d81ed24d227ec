#include "trace/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/error.h"
#include "trace/random_pattern.h"

namespace heddle::trace {
namespace {

using ::testing::ElementsAre;
using Piece = Run;  // GoogleTest has a Run of its own

AccessPattern block(std::int64_t base, int element_bytes,
                    std::vector<std::pair<std::int64_t, std::int64_t>> extents_and_strides) {
  AccessPattern pattern;
  pattern.base = base;
  pattern.element_bytes = element_bytes;
  pattern.axes = static_cast<int>(extents_and_strides.size());
  for (std::size_t k = 0; k < extents_and_strides.size(); ++k) {
    pattern.axis[k].extent = pattern.axis[k].last = extents_and_strides[k].first;
    pattern.axis[k].stride = extents_and_strides[k].second;
  }
  return pattern;
}

std::vector<Run> runs_of(const AccessPattern& pattern) {
  std::vector<Run> runs;
  append_runs(pattern, runs);
  return runs;
}

std::vector<std::uint64_t> lines_of(const AccessPattern& pattern, int line_bytes) {
  std::vector<std::uint64_t> lines;
  append_lines(pattern, line_bytes, lines);
  return lines;
}

TEST(Runs, RowsOfABlock) {
  EXPECT_THAT(runs_of(block(4096, 2, {{3, 1024}, {32, 2}})),
              ElementsAre(Piece{4096, 64}, Piece{5120, 64}, Piece{6144, 64}));
}

TEST(Runs, RowsThatTouchAreOne) {
  EXPECT_THAT(runs_of(block(4096, 2, {{3, 64}, {32, 2}})), ElementsAre(Piece{4096, 192}));
}

TEST(Runs, BroadcastAxesCountOnce) {
  EXPECT_THAT(runs_of(block(4096, 4, {{8, 0}, {16, 4}})), ElementsAre(Piece{4096, 64}));
}

TEST(Runs, TransposedBlockHasTheSameRows) {
  EXPECT_THAT(runs_of(block(4096, 2, {{32, 2}, {2, 1024}})),
              ElementsAre(Piece{4096, 64}, Piece{5120, 64}));
}

TEST(Runs, PiecesAreTheBytesOfTheElements) {
  sample::PatternMaker maker(23);
  for (int i = 0; i < 2000; ++i) {
    const sample::OwnedPattern owned = maker.make();
    std::set<std::uint64_t> bytes;
    std::set<std::uint64_t> expected;
    for_each_piece(owned.pattern, [&](const Piece& run) {
      for (std::uint64_t byte = 0; byte < run.bytes; ++byte) bytes.insert(run.address + byte);
    });
    for_each_active(owned.pattern, [&](std::uint64_t address) {
      for (int byte = 0; byte < owned.pattern.element_bytes; ++byte)
        expected.insert(address + static_cast<std::uint64_t>(byte));
    });
    ASSERT_EQ(bytes, expected) << i;
  }
}

TEST(Runs, BackwardsIsAscending) {
  EXPECT_THAT(runs_of(block(4096, 4, {{2, -1024}, {4, -4}})),
              ElementsAre(Piece{3060, 16}, Piece{4084, 16}));
}

TEST(Runs, WindowsThatOverlapAreOneRow) {
  // A sliding window: 5 positions a pixel apart, 3 pixels each, pixels 100 B apart.
  EXPECT_THAT(runs_of(block(0, 4, {{5, 100}, {3, 100}})),
              ElementsAre(Piece{0, 4}, Piece{100, 4}, Piece{200, 4}, Piece{300, 4}, Piece{400, 4},
                          Piece{500, 4}, Piece{600, 4}));
}

TEST(Runs, InterleavedRowsAreSorted) {
  // Rows of the second axis lie between those of the first.
  EXPECT_THAT(runs_of(block(0, 4, {{2, 100}, {3, 70}})),
              ElementsAre(Piece{0, 4}, Piece{70, 4}, Piece{100, 4}, Piece{140, 4}, Piece{170, 4},
                          Piece{240, 4}));
}

TEST(Runs, OnlyActiveRows) {
  AccessPattern pattern = block(4096, 2, {{4, 1024}, {32, 2}});
  pattern.axis[0].first = 1;
  pattern.axis[0].last = 3;
  pattern.axis[1].last = 16;
  EXPECT_THAT(runs_of(pattern), ElementsAre(Piece{5120, 32}, Piece{6144, 32}));
  pattern.scalar_active = false;
  EXPECT_TRUE(runs_of(pattern).empty());
}

TEST(Runs, Scalar) {
  EXPECT_THAT(runs_of(block(96, 8, {})), ElementsAre(Piece{96, 8}));
}

TEST(Runs, EarlierEntriesAreLeftAlone) {
  std::vector<Piece> runs = {{4000, 96}};
  append_runs(block(4096, 2, {{32, 2}}), runs);
  EXPECT_THAT(runs, ElementsAre(Piece{4000, 96}, Piece{4096, 64}));
  std::vector<std::uint64_t> lines = {4096};
  append_lines(block(4096, 2, {{32, 2}}), 128, lines);
  EXPECT_THAT(lines, ElementsAre(4096, 4096));
}

TEST(Lines, HalfLinesOfTwoRowsMeet) {
  // Rows of 64 B, 96 B apart: the second begins in the line where the first ends.
  EXPECT_THAT(lines_of(block(4096, 2, {{3, 96}, {32, 2}}), 128), ElementsAre(4096, 4224));
}

TEST(Lines, AtTheEndOfTheAddressSpace) {
  const auto top = static_cast<std::int64_t>(~std::uint64_t{0} - 127);
  EXPECT_THAT(lines_of(block(top, 4, {{32, 4}}), 128), ElementsAre(~std::uint64_t{0} - 127));
}

TEST(Lines, WildStridesEnd) {
  const std::int64_t wild = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(runs_of(block(wild, 4, {{4, wild}, {2, -wild}})).empty(), false);
  EXPECT_EQ(lines_of(block(-5, 4, {{16, wild / 3}}), 64).empty(), false);
}

TEST(Lines, RefusesOddSizes) {
  EXPECT_THROW(lines_of(block(0, 4, {{4, 4}}), 96), Error);
  EXPECT_THROW(lines_of(block(0, 4, {{4, 4}}), 0), Error);
}

/// The bytes as maximal runs, from a set of all of them.
std::vector<Run> obvious_runs(const AccessPattern& pattern) {
  std::set<std::uint64_t> bytes;
  for (const sample::Element& element : sample::elements_of(pattern)) {
    for (int i = 0; i < pattern.element_bytes; ++i)
      bytes.insert(element.address + static_cast<std::uint64_t>(i));
  }
  std::vector<Run> runs;
  for (const std::uint64_t byte : bytes) {
    if (!runs.empty() && runs.back().address + runs.back().bytes == byte)
      ++runs.back().bytes;
    else
      runs.push_back({byte, 1});
  }
  return runs;
}

TEST(Runs, AgreeWithASetOfBytes) {
  sample::PatternMaker maker(1);
  for (int round = 0; round < 20000; ++round) {
    const sample::OwnedPattern owned = maker.make();
    const AccessPattern& pattern = owned.pattern;
    const std::vector<Piece> expected = obvious_runs(pattern);
    ASSERT_EQ(runs_of(pattern), expected) << round << ": " << sample::describe(pattern);
    for (const int line_bytes : {32, 64, 128}) {
      std::set<std::uint64_t> lines;
      const auto size = static_cast<std::uint64_t>(line_bytes);
      for (const Piece& run : expected) {
        for (std::uint64_t byte = run.address; byte < run.address + run.bytes; ++byte)
          lines.insert(byte / size * size);
      }
      ASSERT_EQ(lines_of(pattern, line_bytes), std::vector(lines.begin(), lines.end()))
          << round << ": " << sample::describe(pattern);
    }
    std::vector<std::uint64_t> addresses;
    append_elements(pattern, addresses);
    std::vector<std::uint64_t> expected_addresses;
    for (const sample::Element& element : sample::elements_of(pattern))
      expected_addresses.push_back(element.address);
    ASSERT_EQ(addresses, expected_addresses) << round << ": " << sample::describe(pattern);
    ASSERT_EQ(active_elements(pattern), static_cast<std::int64_t>(addresses.size()))
        << round << ": " << sample::describe(pattern);
  }
}

}  // namespace
}  // namespace heddle::trace
