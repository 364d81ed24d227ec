// An L2 in two halves: which requests cross, and what copies there are.
#include <gtest/gtest.h>

#include "sim/driving.h"
#include "sim/units/l2.h"

namespace heddle::sim {
namespace {

using config::Replication;

struct PartitionBench {
  /// `smaller`: the L2 has so many times fewer sets.
  explicit PartitionBench(Replication replication, int smaller = 1) {
    gpu = testing::one_die("h200");
    gpu.partitions->replication = replication;
    gpu.l2.shape.bytes /= smaller;
    pages = std::make_unique<Pages>(256 << 20, gpu.pages);
    map = std::make_unique<LineMap>(gpu, *pages);
    l2 = std::make_unique<L2>(gpu, *map, 1);
  }
  /// A line whose home is this side.
  std::uint32_t line_of(int side, int number = 0) const {
    for (std::uint32_t line = 0;; ++line) {
      if (home(line) != side) continue;
      if (number-- == 0) return line;
    }
  }
  /// Sides as replies tell: a read that does not cross is at home.
  int home(std::uint32_t line) const { return map->place(line).set < map->sets() / 2 ? 0 : 1; }
  L2::Reply read(std::uint32_t line, int side) { return l2->read(map->place(line), 0xf, side); }
  std::int64_t hits() const {
    std::int64_t sum = 0;
    for (const L2Counts& channel : l2->channels()) sum += channel.cache.hits;
    return sum;
  }

  config::Gpu gpu;
  std::unique_ptr<Pages> pages;
  std::unique_ptr<LineMap> map;
  std::unique_ptr<L2> l2;
};

TEST(Partitions, half_of_the_lines_are_at_home_on_each_side) {
  const PartitionBench bench(Replication::none);
  int left = 0;
  for (std::uint32_t line = 0; line < 100'000; ++line) left += bench.home(line) == 0 ? 1 : 0;
  EXPECT_NEAR(left, 50'000, 500);
}

TEST(Partitions, near_reads_do_not_cross) {
  for (const Replication rule :
       {Replication::none, Replication::opportunistic, Replication::full, Replication::probation}) {
    PartitionBench bench(rule);
    EXPECT_FALSE(bench.read(bench.line_of(0), 0).far);
    EXPECT_FALSE(bench.read(bench.line_of(1), 1).far);
  }
}

TEST(Partitions, without_replication_every_far_read_crosses) {
  PartitionBench bench(Replication::none);
  const std::uint32_t line = bench.line_of(1);
  EXPECT_TRUE(bench.read(line, 0).far);
  const L2::Reply again = bench.read(line, 0);
  EXPECT_TRUE(again.far);
  EXPECT_TRUE(again.hit);
}

TEST(Partitions, with_copies_the_second_far_read_stays_near) {
  for (const Replication rule :
       {Replication::opportunistic, Replication::full, Replication::probation}) {
    PartitionBench bench(rule);
    const std::uint32_t line = bench.line_of(1);
    EXPECT_TRUE(bench.read(line, 0).far);
    const L2::Reply again = bench.read(line, 0);
    EXPECT_FALSE(again.far);
    EXPECT_TRUE(again.hit);
    EXPECT_EQ(again.fetched_sectors, 0);
  }
}

TEST(Partitions, a_far_read_counts_on_its_own_side_and_at_home) {
  for (const Replication rule :
       {Replication::none, Replication::opportunistic, Replication::full, Replication::probation}) {
    PartitionBench bench(rule);
    const std::uint32_t line = bench.line_of(1);
    for (int k = 0; k < 5; ++k) bench.read(line, 0);
    std::int64_t misses = 0;
    std::int64_t fetches = 0;
    for (const L2Counts& channel : bench.l2->channels()) {
      misses += channel.cache.misses;
      fetches += channel.fabric_reads();
    }
    // Without copies every read misses near and, after the first, hits at home; with them only the
    // first one does.
    const bool copies = rule != Replication::none;
    EXPECT_EQ(misses, copies ? 4 + 4 : 5 * 4 + 4);
    EXPECT_EQ(bench.hits(), 4 * 4);
    EXPECT_EQ(fetches, 1);
  }
}

TEST(Partitions, a_far_write_hits_on_both_sides) {
  PartitionBench bench(Replication::full);
  const LinePlace place = bench.map->place(bench.line_of(1));
  EXPECT_TRUE(bench.l2->write(place, 0xf, 0).far);
  EXPECT_FALSE(bench.l2->write(place, 0xf, 1).far);
  EXPECT_EQ(bench.hits(), 4 + 4 + 4);
}

TEST(Partitions, copies_have_the_sectors_that_were_fetched) {
  PartitionBench bench(Replication::full);
  const LinePlace place = bench.map->place(bench.line_of(1));
  bench.l2->read(place, 0x1, 0);
  EXPECT_FALSE(bench.l2->read(place, 0x3, 0).far);
  EXPECT_TRUE(bench.l2->read(place, 0x7, 0).far);
}

/// How many of `count` lines a reader of side 0 finds again after having read all of them once.
int found_again(Replication rule, std::uint32_t count) {
  PartitionBench bench(rule);
  for (std::uint32_t line = 0; line < count; ++line) bench.read(line, 0);
  const std::int64_t before = bench.hits();
  for (std::uint32_t line = 0; line < count; ++line) bench.read(line, 0);
  return static_cast<int>((bench.hits() - before) / 4);
}

TEST(Partitions, opportunistic_copies_never_take_the_place_of_lines) {
  // 45 MiB of an L2 of 50 MiB: all there without copies, and all there with copies that give way.
  // Full replication needs 67 MiB for it.
  const std::uint32_t count = (45 << 20) / 128;
  const int without = found_again(Replication::none, count);
  EXPECT_EQ(found_again(Replication::opportunistic, count), without);
  EXPECT_LT(found_again(Replication::full, count), without * 9 / 10);
}

// Almost as many lines as there is room for. Where each is read by one side a round, copies on
// probation leave the room to lines; where both sides read each twice, they take as much as full
// ones.
TEST(Partitions, copies_on_probation_stay_only_if_they_are_used) {
  constexpr int kSmaller = 16;
  const std::uint32_t count = (45 << 20) / 128 / kSmaller;
  const auto fetched_again = [&](Replication rule, int reads) {
    PartitionBench bench(rule, kSmaller);
    int fetched = 0;
    for (int round = 0; round < 3; ++round) {
      fetched = 0;
      for (std::uint32_t line = 0; line < count; ++line) {
        for (int k = 0; k < reads; ++k) {
          const int side = reads == 1 ? (static_cast<int>(line) + round) % 2 : k % 2;
          fetched += bench.read(line, side).fetched_sectors > 0 ? 1 : 0;
        }
      }
    }
    return fetched;
  };
  EXPECT_LT(fetched_again(Replication::probation, 1), fetched_again(Replication::full, 1) / 2);
  EXPECT_NEAR(fetched_again(Replication::probation, 4), fetched_again(Replication::full, 4),
              count / 20.0);
}

TEST(Partitions, copies_of_small_data_leave_nothing_far) {
  for (const Replication rule :
       {Replication::opportunistic, Replication::full, Replication::probation}) {
    PartitionBench bench(rule);
    const std::uint32_t count = (8 << 20) / 128;
    for (std::uint32_t line = 0; line < count; ++line) bench.read(line, 0);
    int far = 0;
    for (std::uint32_t line = 0; line < count; ++line) far += bench.read(line, 0).far ? 1 : 0;
    EXPECT_EQ(far, 0);
  }
}

TEST(Partitions, machine_counts_sectors_that_cross_and_waits_longer_for_them) {
  config::Gpu gpu = testing::one_die("h200");
  gpu.partitions->replication = Replication::none;
  gpu.compute.compute_units = 2;
  gpu.compute.shader_engines = 1;
  const auto cycles_of = [&](int side, bool far_is_free) {
    config::Gpu changed = gpu;
    if (far_is_free) changed.partitions->far_latency_cycles = 0;
    const PartitionBench bench(Replication::none);
    testing::Script script;
    const Shape* load = script.awaited_read(0, {{0, 0xf}});
    script.begin();
    for (int k = 0; k < 1000; ++k)  // cold, then again and again, past the L1
      script.add(load, bench.line_of(side, k));
    for (int k = 0; k < 1000; ++k) script.add(load, bench.line_of(side, k));
    script.end();
    changed.l1.shape.bytes = 64 * 128;
    testing::Driven driven(changed, 64 << 20, script);
    driven.run();
    return std::pair(driven.cycles(), *driven.result().far_sectors);
  };
  // The only block runs on unit 0, beside one of the halves.
  const auto one = cycles_of(0, false);
  const auto other = cycles_of(1, false);
  EXPECT_EQ(std::min(one.second, other.second), 0);
  EXPECT_EQ(std::max(one.second, other.second), 2000 * 4);
  // Cold reads wait for memory, the others 220 cycles more.
  EXPECT_NEAR(std::abs(one.first - other.first), 1000.0 * gpu.partitions->far_latency_cycles,
              0.01 * one.first);
  EXPECT_NEAR(cycles_of(0, true).first, cycles_of(1, true).first, 0.01 * one.first);
}

}  // namespace
}  // namespace heddle::sim
