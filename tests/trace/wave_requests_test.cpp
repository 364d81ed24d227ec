#include "trace/wave_requests.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/error.h"
#include "trace/layout.h"
#include "trace/pattern_counts.h"
#include "trace/random_pattern.h"

namespace heddle::trace {
namespace {

/// a[i] of so many threads.
AccessPattern row_of_threads(std::int64_t threads, int element_bytes) {
  AccessPattern pattern;
  pattern.by_thread = true;
  pattern.base = std::int64_t{1} << 32;
  pattern.element_bytes = element_bytes;
  pattern.axes = 1;
  pattern.axis[0].extent = pattern.axis[0].last = threads;
  pattern.axis[0].stride = element_bytes;
  return pattern;
}

struct Found {
  std::vector<Request> requests;
  WaveTotals totals;
};

Found found(const AccessPattern& pattern, const WaveOptions& options) {
  Found result;
  result.totals = append_wave_requests(pattern, options, result.requests);
  return result;
}

/// What an MI210 does.
WaveOptions mi210(int element_bytes, bool atomic = false) {
  return {64, 64, element_bytes >= 8 ? 4 : 16, atomic};
}

// ---- the rules, literally -----------------------------------------------------------------------

/// How often each address is asked for, by line.
using Turns = std::map<std::uint64_t, std::map<std::uint64_t, std::int32_t>>;

std::int32_t most_turns(const std::map<std::uint64_t, std::int32_t>& addresses, bool one_by_one) {
  std::int32_t most = 1;
  for (const auto& [address, turns] : addresses) most = std::max(most, one_by_one ? turns : 1);
  return most;
}

Found expected(const AccessPattern& pattern, const WaveOptions& options) {
  std::map<std::int64_t, std::map<std::uint64_t, std::uint32_t>> sectors;  // by wave and line
  std::map<std::int64_t, Turns> turns_of_wave;
  std::map<std::pair<std::int64_t, std::int64_t>, Turns> turns_of_group;
  std::map<std::int64_t, std::set<std::uint64_t>> addresses;
  const auto line_bytes = static_cast<std::uint64_t>(options.line_bytes);
  const std::int64_t at_once = options.lanes_at_once > 0 ? options.lanes_at_once : options.lanes;
  for (const sample::Element& element : sample::elements_of(pattern)) {
    std::int64_t thread = 0;
    for (int k = 0; k < pattern.axes; ++k)
      thread = thread * pattern.axis[static_cast<std::size_t>(k)].extent +
               element.index[static_cast<std::size_t>(k)];
    const std::int64_t wave = thread / options.lanes;
    const std::int64_t group = thread % options.lanes / at_once;
    addresses[wave].insert(element.address);
    std::set<std::uint64_t> lines;
    for (int byte = 0; byte < pattern.element_bytes; ++byte) {
      const std::uint64_t at = element.address + static_cast<std::uint64_t>(byte);
      const std::uint64_t line = at / line_bytes * line_bytes;
      sectors[wave][line] |= 1U << (at - line) / kSectorBytes;
      lines.insert(line);
    }
    for (const std::uint64_t line : lines) {
      ++turns_of_wave[wave][line][element.address];
      ++turns_of_group[{wave, group}][line][element.address];
    }
  }
  Found result;
  for (const auto& [wave, lines] : sectors)
    for (const auto& [line, mask] : lines)
      result.requests.insert(
          result.requests.end(),
          static_cast<std::size_t>(most_turns(turns_of_wave[wave][line], options.one_by_one)),
          {line, mask, static_cast<std::int32_t>(wave)});
  for (const auto& [group, lines] : turns_of_group)
    for (const auto& [line, its] : lines)
      result.totals.accesses += most_turns(its, options.one_by_one);
  result.totals.instructions = static_cast<std::int64_t>(sectors.size());
  for (const auto& [wave, its] : addresses)
    result.totals.uniform = result.totals.uniform && its.size() == 1;
  return result;
}

TEST(WaveRequests, AreWhatTheRulesSay) {
  sample::PatternMaker maker(17);
  for (int round = 0; round < 4000; ++round) {
    sample::OwnedPattern owned = maker.make();
    AccessPattern& pattern = owned.pattern;
    pattern.by_thread = true;
    if (maker.below(4) == 0) pattern.element_bytes = 16;
    WaveOptions options;
    options.lanes = maker.below(2) == 0 ? 32 : 64;
    options.line_bytes = 32 << maker.below(4);
    options.lanes_at_once = maker.below(3) == 0 ? 0 : 1 << maker.below(7);
    options.one_by_one = maker.below(3) == 0;
    const Found fast = found(pattern, options);
    const Found slow = expected(pattern, options);
    ASSERT_EQ(fast.requests, slow.requests)
        << sample::describe(pattern) << " lanes " << options.lanes;
    ASSERT_EQ(fast.totals.accesses, slow.totals.accesses) << sample::describe(pattern);
    ASSERT_EQ(fast.totals.instructions, slow.totals.instructions) << sample::describe(pattern);
    ASSERT_EQ(fast.totals.uniform, slow.totals.uniform) << sample::describe(pattern);
  }
}

// ---- as counted on an MI210 ---------------------------------------------------------------------

TEST(WaveRequests, NeighbouringDoublesAreLookedUpFourAtATime) {
  const Found doubles = found(row_of_threads(64, 8), mi210(8));
  EXPECT_EQ(doubles.totals.accesses, 16);
  ASSERT_EQ(doubles.requests.size(), 8U);
  for (const Request& request : doubles.requests) EXPECT_EQ(request.sectors, 0b11U);
  const Found floats = found(row_of_threads(64, 4), mi210(4));
  EXPECT_EQ(floats.totals.accesses, 4);
  EXPECT_EQ(floats.requests.size(), 4U);
}

TEST(WaveRequests, LanesOnTheirOwnLinesAreLookedUpOneByOne) {
  AccessPattern pattern = row_of_threads(64, 8);
  pattern.axis[0].stride = 4096;
  const Found columns = found(pattern, mi210(8));
  EXPECT_EQ(columns.totals.accesses, 64);
  EXPECT_EQ(columns.requests.size(), 64U);
}

TEST(WaveRequests, AtomicsOnOneAddressTakeTurns) {
  AccessPattern pattern = row_of_threads(64, 8);
  pattern.axis[0].stride = 0;
  const Found all = found(pattern, mi210(8, true));
  EXPECT_EQ(all.requests.size(), 64U);
  EXPECT_EQ(all.totals.accesses, 64);
  EXPECT_TRUE(all.totals.uniform);
  pattern.axis[0].last = 1;
  const Found one = found(pattern, mi210(8, true));
  EXPECT_EQ(one.requests.size(), 1U);
  EXPECT_EQ(one.totals.accesses, 1);
  // Neighbours of a line go together.
  EXPECT_EQ(found(row_of_threads(64, 4), mi210(4, true)).requests.size(), 4U);
}

TEST(WaveRequests, ALaneMayLieOnTwoLines) {
  AccessPattern pattern = row_of_threads(1, 16);
  pattern.base += 56;
  const Found both = found(pattern, mi210(16));
  ASSERT_EQ(both.requests.size(), 2U);
  EXPECT_EQ(both.requests[0].sectors, 0b10U);
  EXPECT_EQ(both.requests[1].sectors, 0b01U);
  EXPECT_EQ(both.totals.accesses, 2);
}

TEST(WaveRequests, WavesWithoutAnActiveLaneAskForNothing) {
  AccessPattern pattern = row_of_threads(256, 4);
  pattern.axis[0].first = 70;
  pattern.axis[0].last = 80;
  const Found some = found(pattern, mi210(4));
  EXPECT_EQ(some.totals.instructions, 1);
  for (const Request& request : some.requests) EXPECT_EQ(request.wave_instruction, 1);
  pattern.scalar_active = false;
  EXPECT_TRUE(found(pattern, mi210(4)).requests.empty());
}

TEST(WaveRequests, BlocksOfAnyNumberOfWavesNeedNoLayout) {
  const AccessPattern pattern = row_of_threads(192, 4);  // 3 waves
  const LayoutOptions options{3, 64};
  std::vector<Request> requests;
  append_requests(pattern, blocked_layout(pattern, options), 128, requests);
  EXPECT_EQ(requests, found(pattern, {64, 128}).requests);
  PatternCounter counter(options, 128);
  EXPECT_EQ(counter.count(pattern).requests, 6);
  EXPECT_EQ(counter.count(pattern).wave_instructions, 3);
  EXPECT_EQ(counter.count(pattern).sectors, 24);
}

TEST(WaveRequests, RefusesOddLines) {
  EXPECT_THROW(found(row_of_threads(64, 4), {64, 96}), Error);
  EXPECT_THROW(found(row_of_threads(64, 4), {64, 16}), Error);
}

}  // namespace
}  // namespace heddle::trace
