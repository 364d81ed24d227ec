#include "trace/coalesce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/error.h"
#include "trace/random_pattern.h"

namespace heddle::trace {
namespace {

AccessPattern rows_block(std::int64_t rows, std::int64_t columns, int element_bytes,
                         std::int64_t pitch) {
  AccessPattern pattern;
  pattern.base = std::int64_t{1} << 32;
  pattern.element_bytes = element_bytes;
  pattern.axes = 2;
  pattern.axis[0].extent = pattern.axis[0].last = rows;
  pattern.axis[0].stride = pitch;
  pattern.axis[1].extent = pattern.axis[1].last = columns;
  pattern.axis[1].stride = element_bytes;
  return pattern;
}

AccessPattern transposed(AccessPattern pattern) {
  std::swap(pattern.axis[0], pattern.axis[1]);
  return pattern;
}

using Parts = std::array<std::int64_t, 2>;

void expect_layout(const AccessPattern& pattern, LayoutOptions options, Parts order, Parts elements,
                   Parts lanes, Parts waves) {
  const BlockedLayout layout = blocked_layout(pattern, options);
  const auto two = [](const auto& values) { return Parts{values[0], values[1]}; };
  EXPECT_EQ(two(layout.order), order);
  EXPECT_EQ(two(layout.elements), elements);
  EXPECT_EQ(two(layout.lanes), lanes);
  EXPECT_EQ(two(layout.waves), waves);
}

// What Triton prints for these blocks (blocked<{sizePerThread, threadsPerWarp, warpsPerCTA,
// order}>).
TEST(Layout, AsTritonHasThem) {
  expect_layout(rows_block(64, 64, 4, 4096), {4, 32}, {1, 0}, {1, 4}, {2, 16}, {4, 1});
  expect_layout(transposed(rows_block(64, 64, 4, 4096)), {4, 32}, {0, 1}, {4, 1}, {16, 2}, {1, 4});
  expect_layout(rows_block(128, 32, 2, 8192), {4, 32}, {1, 0}, {1, 8}, {8, 4}, {4, 1});
  expect_layout(rows_block(32, 128, 2, 8192), {4, 32}, {1, 0}, {1, 8}, {2, 16}, {4, 1});
  expect_layout(rows_block(128, 64, 2, 16384), {4, 64}, {1, 0}, {1, 8}, {8, 8}, {4, 1});
  expect_layout(rows_block(32, 32, 2, 16384), {4, 64}, {1, 0}, {1, 4}, {8, 8}, {4, 1});
}

TEST(Layout, AlignmentNarrowsVectors) {
  AccessPattern pattern = rows_block(128, 64, 2, 16384);
  pattern.base += 2;
  EXPECT_EQ(blocked_layout(pattern, {4, 32}).elements[1], 1);
  pattern.base += 6;
  EXPECT_EQ(blocked_layout(pattern, {4, 32}).elements[1], 4);
  pattern.base += 8;
  EXPECT_EQ(blocked_layout(pattern, {4, 32}).elements[1], 8);
  pattern.axis[0].stride = 16384 + 4;
  EXPECT_EQ(blocked_layout(pattern, {4, 32}).elements[1], 2);
}

TEST(Layout, WithoutContiguityTheFirstAxisComesFirst) {
  AccessPattern pattern = rows_block(16, 16, 4, 4096);
  pattern.axis[1].stride = 64;
  expect_layout(pattern, {4, 32}, {0, 1}, {1, 1}, {16, 2}, {1, 4});
}

TEST(Layout, WhatACompilerCannotKnowToBeContiguousIsNot) {
  const AccessPattern pattern = rows_block(32, 32, 1, 4096);
  ContiguityBound bound{};
  bound.fill(kNoBound);
  bound[1] = 1;  // (column - 1) % columns
  LayoutOptions options{4, 32};
  options.bound = &bound;
  expect_layout(pattern, options, {0, 1}, {1, 1}, {32, 1}, {1, 4});
  bound[1] = 4;
  EXPECT_EQ(blocked_layout(pattern, options).elements[1], 4);
}

TEST(Layout, ALaneHoldsWhatItsNeighboursInTheCodeHold) {
  AccessPattern pattern = rows_block(32, 32, 2, 16384);
  pattern.base += 2;  // no longer aligned: one element at a time
  LayoutOptions options{4, 64};
  EXPECT_EQ(blocked_layout(pattern, options).elements[1], 1);
  EXPECT_EQ(blocked_layout(pattern, options).parts, 1);
  options.lane_elements = 4;
  EXPECT_EQ(blocked_layout(pattern, options).elements[1], 4);
  EXPECT_EQ(blocked_layout(pattern, options).parts, 4);
}

TEST(Layout, AMaskSplitsWhatALaneLoads) {
  const AccessPattern pattern = rows_block(32, 32, 4, 16384);
  ContiguityBound mask{};
  mask.fill(kNoBound);
  mask[1] = 1;
  LayoutOptions options{4, 64};
  options.lane_elements = 4;
  EXPECT_EQ(blocked_layout(pattern, options).parts, 1);
  options.mask = &mask;
  EXPECT_EQ(blocked_layout(pattern, options).elements[1], 4) << "lanes hold what they did";
  EXPECT_EQ(blocked_layout(pattern, options).parts, 4);
}

TEST(Layout, TablesHaveTheContiguityTheyHave) {
  AccessPattern pattern = rows_block(64, 32, 4, 4096);
  std::vector<std::int64_t> wrapped(32);
  for (std::size_t i = 0; i < wrapped.size(); ++i)
    wrapped[i] = static_cast<std::int64_t>((i + 30) % 32) * 4;
  pattern.axis[1].table = wrapped.data();  // 30 31 | 0 1 | 2 3 ...: pairs stay together
  EXPECT_EQ(blocked_layout(pattern, {4, 32}).elements[1], 2);
}

TEST(Layout, RefusesOddCounts) {
  EXPECT_THROW(blocked_layout(rows_block(8, 8, 2, 64), {3, 32}), Error);
  EXPECT_THROW(blocked_layout(rows_block(8, 8, 2, 64), {4, 0}), Error);
}

std::vector<Request> requests_of(const AccessPattern& pattern, const LayoutOptions& options,
                                 int line_bytes) {
  std::vector<Request> requests;
  append_requests(pattern, blocked_layout(pattern, options), line_bytes, requests);
  return requests;
}

TEST(Requests, HalfLines) {
  const auto requests = requests_of(rows_block(32, 32, 2, 16384), {4, 64}, 128);
  ASSERT_EQ(requests.size(), 32U);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(requests[i].wave_instruction, static_cast<int>(i / 8));
    EXPECT_EQ(requests[i].sectors, 0b0011U);
    EXPECT_EQ(requests[i].line, (std::uint64_t{1} << 32) + i * 16384);
  }
}

TEST(Requests, ColumnsOfARowMajorBlockAskForEveryLine) {
  // One element a lane, each on its own line: the waves cannot share.
  AccessPattern pattern = rows_block(1, 256, 4, 0);
  pattern.axis[1].stride = 4096;
  EXPECT_EQ(requests_of(pattern, {4, 32}, 128).size(), 256U);
}

TEST(Requests, CopiesAskForNothing) {
  // 32 elements for 256 lanes: one lane in eight has an element of its own.
  const auto requests = requests_of(rows_block(1, 32, 4, 0), {4, 64}, 128);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].sectors, 0b1111U);
}

TEST(Requests, BroadcastRowsAreAskedForByEveryWave) {
  AccessPattern pattern = rows_block(32, 32, 4, 0);
  EXPECT_EQ(requests_of(pattern, {4, 32}, 128).size(), 8U);  // 4 waves, 2 instructions each
}

TEST(Requests, ScalarAndInactive) {
  AccessPattern pattern;
  pattern.base = 1000;
  pattern.element_bytes = 8;
  EXPECT_THAT(requests_of(pattern, {4, 32}, 128), ::testing::ElementsAre(Request{896, 0b1000, 0}));
  pattern.scalar_active = false;
  EXPECT_TRUE(requests_of(pattern, {4, 32}, 128).empty());
}

TEST(Requests, RefusesOddLines) {
  EXPECT_THROW(requests_of(rows_block(8, 8, 2, 64), {4, 32}, 96), Error);
  EXPECT_THROW(requests_of(rows_block(8, 8, 2, 64), {4, 32}, 16), Error);
}

/// Element by element: which wave instruction moves it, and which sectors it lies on.
std::vector<Request> obvious_requests(const AccessPattern& pattern, const BlockedLayout& layout,
                                      int line_bytes) {
  std::map<std::int64_t, std::map<std::uint64_t, std::uint32_t>> instructions;
  for (const sample::Element& element : sample::elements_of(pattern)) {
    std::int64_t step = 0;
    std::int64_t wave = 0;
    std::int64_t waves = 1;
    for (int position = layout.axes - 1; position >= 0; --position) {  // slowest first
      const auto k = static_cast<std::size_t>(layout.order[static_cast<std::size_t>(position)]);
      const std::int64_t vector = element.index[k] / layout.elements[k];
      const std::int64_t of_wave = vector / layout.lanes[k];
      const std::int64_t covered = layout.elements[k] * layout.lanes[k] * layout.waves[k];
      const std::int64_t steps = (pattern.axis[k].extent + covered - 1) / covered;
      wave = wave * layout.waves[k] + of_wave % layout.waves[k];
      step = step * steps + of_wave / layout.waves[k];
      waves *= layout.waves[k];
    }
    for (int i = 0; i < pattern.element_bytes; ++i) {
      const std::uint64_t byte = element.address + static_cast<std::uint64_t>(i);
      const std::uint64_t within = byte % static_cast<std::uint64_t>(line_bytes);
      instructions[step * waves + wave][byte - within] |= 1U << (within / 32);
    }
  }
  std::vector<Request> requests;
  for (const auto& [number, lines] : instructions) {
    for (const auto& [line, sectors] : lines)
      requests.push_back({line, sectors, static_cast<std::int32_t>(number)});
  }
  return requests;
}

/// Largest power of two that divides all, by trying.
std::int64_t obvious_vector(const AccessPattern& pattern, int axis, const LayoutOptions& options) {
  const auto k = static_cast<std::size_t>(axis);
  AccessPattern all = pattern;  // the layout does not look at masks
  all.scalar_active = true;
  all.active = nullptr;
  for (PatternAxis& each : all.axis) {
    each.first = 0;
    each.last = each.extent;
    each.flags = nullptr;
  }
  std::map<std::vector<std::int64_t>, std::uint64_t> address_of;
  for (const sample::Element& element : sample::elements_of(all))
    address_of[element.index] = element.address;
  const std::int64_t share = std::max<std::int64_t>(
      1, all.elements() / (std::int64_t{options.waves} * options.wave_lanes));
  std::int64_t best = 1;
  for (std::int64_t width = 2;
       width <= share && width * all.element_bytes <= options.vector_bytes &&
       all.axis[k].extent % width == 0;
       width *= 2) {
    bool fits = true;
    for (const auto& [index, address] : address_of) {
      std::vector<std::int64_t> first = index;
      first[k] -= index[k] % width;
      const auto distance = static_cast<std::uint64_t>((index[k] % width) * all.element_bytes);
      fits = fits && address == address_of[first] + distance &&
             address_of[first] % static_cast<std::uint64_t>(width * all.element_bytes) == 0;
    }
    if (!fits) break;
    best = width;
  }
  return best;
}

TEST(Requests, AgreeWithElementByElement) {
  sample::PatternMaker maker(2);
  int vectors = 0;
  for (int round = 0; round < 20000; ++round) {
    const sample::OwnedPattern owned = maker.make();
    const AccessPattern& pattern = owned.pattern;
    LayoutOptions options;
    options.waves = 1 << maker.below(4);
    options.wave_lanes = maker.below(2) == 0 ? 2 : 32 << maker.below(2);
    const int line_bytes = 32 << maker.below(3);
    const BlockedLayout layout = blocked_layout(pattern, options);
    std::vector<Request> requests;
    append_requests(pattern, layout, line_bytes, requests);
    ASSERT_EQ(requests, obvious_requests(pattern, layout, line_bytes))
        << round << ": " << sample::describe(pattern);
    if (pattern.axes == 0) continue;
    const int first = layout.order[0];
    const std::int64_t vector = layout.elements[static_cast<std::size_t>(first)];
    ASSERT_EQ(vector, obvious_vector(pattern, first, options))
        << round << ": " << sample::describe(pattern);
    vectors += vector > 1 ? 1 : 0;
    std::int64_t lanes = 1;
    std::int64_t waves = 1;
    for (std::size_t k = 0; k < static_cast<std::size_t>(layout.axes); ++k) {
      lanes *= layout.lanes[k];
      waves *= layout.waves[k];
    }
    ASSERT_EQ(lanes, options.wave_lanes);
    ASSERT_EQ(waves, options.waves);
  }
  EXPECT_GT(vectors, 500);  // the comparison saw vectors at all
}

}  // namespace
}  // namespace heddle::trace
