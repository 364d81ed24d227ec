#include "sim/units/l1.h"

#include <gtest/gtest.h>

#include <random>

#include "oracle/list_cache.h"

namespace heddle::sim {
namespace {

config::CacheShape shape_of(std::int64_t bytes, int ways, int line_bytes) {
  return {bytes, ways, line_bytes, config::Replacement::lru};
}

TEST(L1, miss_brings_the_whole_line) {
  L1 l1(shape_of(32 << 10, 64, 128), false, 1);
  EXPECT_EQ(l1.read(5, 0x1), 0xfU);
  EXPECT_EQ(l1.read(5, 0x8), 0U);
  L1 short_lines(shape_of(16 << 10, 64, 64), false, 1);
  EXPECT_EQ(short_lines.read(5, 0x1), 0x3U);
  EXPECT_EQ(short_lines.read(5, 0x2), 0U);
  EXPECT_EQ(short_lines.read(4, 0x2), 0x3U);
}

TEST(L1, sectored_miss_brings_the_sectors_asked_for) {
  L1 l1(shape_of(32 << 10, 64, 128), true, 1);
  EXPECT_EQ(l1.read(5, 0x1), 0x1U);
  EXPECT_EQ(l1.read(5, 0x3), 0x2U);
  EXPECT_EQ(l1.read(5, 0x3), 0U);
  EXPECT_EQ(l1.read(5, 0xf), 0xcU);
}

TEST(L1, sets_are_the_address_bits_above_the_line) {
  // 4 sets of 64 ways: 65 lines 512 B apart share one set, 65 neighbours do not.
  L1 apart(shape_of(32 << 10, 64, 128), false, 1);
  for (std::uint32_t k = 0; k < 65; ++k) EXPECT_NE(apart.read(4 * k, 1), 0U);
  EXPECT_NE(apart.read(0, 1), 0U);
  L1 close(shape_of(32 << 10, 64, 128), false, 1);
  for (std::uint32_t k = 0; k < 65; ++k) close.read(k, 1);
  EXPECT_EQ(close.read(0, 1), 0U);
}

TEST(L1, sets_may_be_a_remainder) {
  // What shared memory leaves of an NVIDIA L1: 28 KiB in 64 ways of 128 B are 3.5, so 3 sets.
  std::mt19937_64 random(5);
  for (const int sets : {1, 3, 5, 7, 28}) {
    L1 l1(shape_of(std::int64_t{sets} * 8 * 128, 8, 128), false, 1);
    oracle::ListCache twin(sets, 8, oracle::ListCache::Policy::lru, 0);
    for (int k = 0; k < 5000; ++k) {
      const auto line = static_cast<std::uint32_t>(random() % static_cast<unsigned>(sets * 10));
      const bool hit = twin.access(line % static_cast<unsigned>(sets),
                                   line / static_cast<unsigned>(sets), 0xf, 0)
                           .before.has_value();
      ASSERT_EQ(l1.read(line, 0x2) == 0, hit) << sets << " sets, read " << k;
    }
  }
}

TEST(L1, a_sampled_run_has_a_share_of_the_ways_and_three_to_spare) {
  // One of 8 sets is looked at: 8 + 3 of 64 ways stand for the cache.
  L1 l1(shape_of(32 << 10, 64, 128), false, 8);
  for (std::uint32_t k = 0; k < 11; ++k) l1.read(4 * k, 1);
  EXPECT_EQ(l1.read(0, 1), 0U);
  l1.read(4 * 11, 1);
  EXPECT_NE(l1.read(4, 1), 0U);
}

}  // namespace
TEST(L1, hashed_sets_spread_a_stride_of_all_sets) {
  // 32 lines, all a whole number of sets apart: in one set of 8 ways they push each other out.
  for (const bool hashed : {false, true}) {
    L1 l1(shape_of(32 * 8 * 128, 8, 128), false, 1, hashed);
    int hits = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (std::uint32_t k = 0; k < 32; ++k) hits += l1.read(k * 32, 0xf) == 0 ? 1 : 0;
    EXPECT_EQ(hits, hashed ? 32 : 0);
  }
}

}  // namespace heddle::sim
