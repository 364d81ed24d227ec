#include "sim/units/line_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "config/gpu.h"
#include "sim/driving.h"

namespace heddle::sim {
namespace {

/// Bit by bit: the set over all channels of a physical address.
std::uint32_t obvious_set(const config::Gpu& gpu, std::uint64_t address) {
  const auto index = [&](const config::IndexBits& groups) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      int ones = 0;
      for (const int bit : groups[k]) ones += (address >> bit & 1) != 0 ? 1 : 0;
      if (ones % 2 == 1) value += 1U << k;
    }
    return value;
  };
  return index(gpu.l2.channel_bits) * static_cast<std::uint32_t>(gpu.sets_of_channel()) +
         index(gpu.l2.set_bits);
}

std::uint64_t obvious_address(const Pages& pages, std::uint32_t line) {
  const std::uint64_t compact = std::uint64_t{line} * 128;
  const std::uint64_t frame_bytes = std::uint64_t{1} << pages.frame_shift();
  return pages.frames()[compact / frame_bytes] * frame_bytes + compact % frame_bytes;
}

/// What the caches see of it: the frame's number in the whole memory.
std::uint64_t obvious_physical(const Pages& pages, std::uint32_t line) {
  const std::uint64_t address = obvious_address(pages, line);
  const std::uint64_t frame_bytes = std::uint64_t{1} << pages.frame_shift();
  return pages.physical()[address / frame_bytes] * frame_bytes + address % frame_bytes;
}

class Maps : public ::testing::TestWithParam<std::string> {};

TEST_P(Maps, place_and_physical_line_are_each_others_way_back) {
  const config::Gpu gpu = config::read_gpu(GetParam());
  const Pages pages(96 << 20, gpu.pages);
  const LineMap map(gpu, pages);
  const auto lines = static_cast<std::uint32_t>(pages.bytes() / 128);
  std::set<std::uint64_t> taken;
  for (std::uint32_t line = 0; line < lines; ++line) {
    const LinePlace place = map.place(line);
    ASSERT_LT(place.set, map.sets());
    ASSERT_LT(place.tag, map.tag_limit());
    const std::uint32_t physical = place.physical;
    ASSERT_EQ(std::uint64_t{physical} * 128, obvious_address(pages, line));
    ASSERT_EQ(map.physical_at(place), physical) << line;
    const LinePlace again = map.place_of_physical(physical);
    ASSERT_EQ(again.set, place.set);
    ASSERT_EQ(again.tag, place.tag);
    if (line % 7 == 0) {
      ASSERT_TRUE(taken.insert(std::uint64_t{place.tag} << 32 | place.set).second) << line;
    }
  }
}

TEST_P(Maps, every_set_gets_its_share_of_a_whole_number_of_l2s) {
  config::Gpu gpu = config::read_gpu(GetParam());
  gpu.pages.placement = config::Placement::contiguous;
  const Pages pages(4 * gpu.l2.shape.bytes, gpu.pages);
  const LineMap map(gpu, pages);
  EXPECT_EQ(map.sets(), static_cast<std::uint32_t>(gpu.l2.shape.sets()));
  std::vector<int> lines(map.sets());
  for (std::uint32_t line = 0; line < 4 * gpu.l2.shape.lines(); ++line)
    ++lines[map.place_of_physical(line).set];
  for (const int count : lines) ASSERT_EQ(count, 4 * gpu.l2.shape.ways);
}

TEST_P(Maps, channels_change_every_interleave_bytes) {
  const config::Gpu gpu = config::read_gpu(GetParam());
  const Pages pages(16 << 20, gpu.pages);
  const LineMap map(gpu, pages);
  const int lines = gpu.l2.interleave_bytes / 128;
  int changes = 0;
  for (std::uint32_t line = 1; line < 8192; ++line) {
    const bool same =
        map.channel_of(map.place(line).set) == map.channel_of(map.place(line - 1).set);
    if (line % static_cast<std::uint32_t>(lines) != 0) {
      ASSERT_TRUE(same) << line;
    } else {
      changes += same ? 0 : 1;
    }
  }
  EXPECT_GT(changes, 8192 / lines * 9 / 10);
}

INSTANTIATE_TEST_SUITE_P(Known, Maps, ::testing::ValuesIn(config::known_gpus()),
                         [](const auto& name) { return name.param; });

TEST(LineMap, index_bits_are_exclusive_ors_of_address_bits) {
  for (const char* name : {"mi300x", "mi210"}) {
    const config::Gpu gpu = config::read_gpu(name);
    const Pages pages(std::int64_t{512} << 20, gpu.pages);
    const LineMap map(gpu, pages);
    std::mt19937_64 random(3);
    for (int k = 0; k < 200'000; ++k) {
      const auto line = static_cast<std::uint32_t>(random() % ((512 << 20) / 128));
      ASSERT_EQ(map.place(line).set, obvious_set(gpu, obvious_physical(pages, line)))
          << name << " line " << line;
    }
  }
}

TEST(LineMap, hashed_bits_may_reach_above_pages) {
  config::Gpu gpu = config::read_gpu("mi300x");
  gpu.l2.channel_bits = {{8, 21, 25}, {9, 22}, {10, 12, 23}, {11, 13, 24, 26}};
  gpu.l2.set_bits = {{7}, {12, 18}, {13, 19, 27}, {14, 20}, {15, 21}, {16, 22}, {17, 28}};
  config::check_gpu(gpu);
  const Pages pages(std::int64_t{1} << 29, gpu.pages);
  const LineMap map(gpu, pages);
  std::mt19937_64 random(4);
  for (int k = 0; k < 200'000; ++k) {
    const auto line = static_cast<std::uint32_t>(random() % ((1 << 29) / 128));
    const LinePlace place = map.place(line);
    ASSERT_EQ(place.set, obvious_set(gpu, obvious_physical(pages, line)));
    ASSERT_EQ(map.physical_at(place), place.physical);
  }
}

TEST(LineMap, the_set_is_the_lower_part_of_the_index_and_the_channel_the_upper) {
  config::Gpu gpu = config::read_gpu("mi300x");
  testing::index_plainly(gpu);
  gpu.pages.placement = config::Placement::contiguous;
  const Pages pages(64 << 20, gpu.pages);
  const LineMap map(gpu, pages);
  EXPECT_EQ(map.channel_of(map.place(0x0300 / 128).set), 3U);
  EXPECT_EQ(map.place(0x0080 / 128).set, 1U);
  EXPECT_EQ(map.place(0x1000 / 128).set, 2U);
  EXPECT_EQ(map.place((0x20000 + 0xf00) / 128).set, 15U * 128 + 64);
  EXPECT_EQ(map.place(0x40000 / 128).set, 0U);  // bit 18 is of the tag
  EXPECT_NE(map.place(0x40000 / 128).tag, map.place(0).tag);
}

TEST(LineMap, without_index_bits_every_round_meets_every_channel_once) {
  config::Gpu gpu = config::read_gpu("h200");
  gpu.pages.placement = config::Placement::contiguous;
  const Pages pages(256 << 20, gpu.pages);
  const LineMap map(gpu, pages);
  const auto channels = static_cast<std::uint32_t>(gpu.l2.channels);
  const auto chunk_lines = static_cast<std::uint32_t>(gpu.l2.interleave_bytes / 128);
  std::set<std::uint32_t> starts;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t k = 0; k < channels; ++k)
      seen.insert(map.channel_of(map.place((round * channels + k) * chunk_lines).set));
    ASSERT_EQ(seen.size(), channels) << round;
    starts.insert(map.channel_of(map.place(round * channels * chunk_lines).set));
  }
  EXPECT_EQ(starts.size(), channels);  // rounds start everywhere
  // No stride of a row meets one channel only.
  for (std::uint32_t stride = 1; stride <= 4096; stride *= 2) {
    std::set<std::uint32_t> met;
    for (std::uint32_t k = 0; k < 400; ++k)
      met.insert(map.channel_of(map.place(k * stride * chunk_lines % (2U << 20)).set));
    EXPECT_GT(met.size(), 20U) << stride;
  }
}

}  // namespace
}  // namespace heddle::sim
