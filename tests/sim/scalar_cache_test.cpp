#include "sim/units/scalar_cache.h"

#include <gtest/gtest.h>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

using Reply = ScalarCache::Reply;

config::CacheShape small() {
  return {1024, 4, 64, config::Replacement::lru};
}  // 4 sets

TEST(ScalarCache, request_to_a_line_on_its_way_is_a_duplicate_miss) {
  ScalarCache cache(small());
  const ScalarCache::Answer first = cache.read(7, 100);
  ASSERT_EQ(first.reply, Reply::miss);
  *first.ready = 500;
  const ScalarCache::Answer second = cache.read(7, 499);
  EXPECT_EQ(second.reply, Reply::duplicate);
  EXPECT_EQ(*second.ready, 500);
  EXPECT_EQ(cache.read(7, 500).reply, Reply::hit);
}

TEST(ScalarCache, the_least_recent_line_of_a_set_goes) {
  ScalarCache cache(small());
  for (std::uint32_t k = 0; k < 4; ++k) *cache.read(4 * k, 0).ready = 0;
  EXPECT_EQ(cache.read(0, 1).reply, Reply::hit);
  EXPECT_EQ(cache.read(16, 1).reply, Reply::miss);  // takes the place of line 4
  EXPECT_EQ(cache.read(0, 2).reply, Reply::hit);
  EXPECT_EQ(cache.read(8, 2).reply, Reply::hit);
  EXPECT_EQ(cache.read(4, 2).reply, Reply::miss);
  EXPECT_EQ(cache.read(1, 2).reply, Reply::miss);  // another set
}

TEST(ScalarCache, random_victims_keep_some_of_a_walk_that_does_not_fit) {
  // Six lines of one set of four ways, again and again: the oldest is always the next one needed.
  const auto hits_of = [](config::Replacement replacement) {
    config::CacheShape shape = small();
    shape.replacement = replacement;
    ScalarCache cache(shape);
    int hits = 0;
    for (std::uint32_t k = 0; k < 600; ++k) {
      const ScalarCache::Answer answer = cache.read(4 * (k % 6), k);
      if (answer.reply == Reply::miss) *answer.ready = 0;
      if (answer.reply == Reply::hit) ++hits;
    }
    return hits;
  };
  EXPECT_EQ(hits_of(config::Replacement::lru), 0);
  EXPECT_GT(hits_of(config::Replacement::random), 150);
}

TEST(ScalarCache, duplicates_are_neither_hits_nor_misses_and_do_not_reach_the_l2) {
  // Units 0 and 1 share a scalar cache; two blocks ask for one line within a few cycles.
  config::Gpu gpu = testing::one_die("mi300x");
  gpu.compute.compute_units = 2;
  gpu.compute.shader_engines = 1;
  testing::Script script;
  const Shape* load = script.uniform_read(0, {{0, 0x1}});
  script.tile({{load, 3}});
  script.tile({{load, 3}});
  const SimResult result = testing::drive(gpu, 1 << 20, script);
  ASSERT_TRUE(result.scalar);
  EXPECT_EQ(result.scalar->cache.requests, 1);
  EXPECT_EQ(result.scalar->cache.misses, 1);
  EXPECT_EQ(result.scalar->cache.hits, 0);
  EXPECT_EQ(result.scalar->duplicate_misses, 1);
  EXPECT_EQ(result.l2.cache.requests, 1);
  EXPECT_EQ(result.l1.cache.requests, 0);
}

TEST(ScalarCache, one_block_after_the_other_hits) {
  config::Gpu gpu = testing::one_die("mi300x");
  gpu.compute.compute_units = 1;
  gpu.compute.shader_engines = 1;
  testing::Script script;
  const Shape* load = script.uniform_read(0, {{0, 0x1}});
  const Shape* other_half = script.uniform_read(0, {{0, 0x4}});
  script.tile({{load, 3}, {load, 3}});
  script.tile({{load, 3}, {other_half, 3}});
  const SimResult result = testing::drive(gpu, 1 << 20, script);
  EXPECT_EQ(result.scalar->cache.requests, 4);
  EXPECT_EQ(result.scalar->cache.misses, 2);  // lines of 64 B: the other half is another line
  EXPECT_EQ(result.scalar->duplicate_misses, 0);
  EXPECT_EQ(result.l2.cache.requests, 2);
  EXPECT_EQ(result.l2.cache.hits, 1);  // of which the L2 had fetched all 128 B
}

TEST(ScalarCache, gpus_without_one_use_the_l1) {
  testing::Script script;
  const Shape* load = script.uniform_read(0, {{0, 0x1}});
  script.tile({{load, 3}, {load, 3}});
  const SimResult result = testing::drive(testing::one_die("h200"), 1 << 20, script);
  EXPECT_FALSE(result.scalar);
  EXPECT_EQ(result.l1.cache.requests, 2);
  EXPECT_EQ(result.l1.cache.hits, 1);
}

}  // namespace
}  // namespace heddle::sim
