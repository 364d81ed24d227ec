#include "sim/units/l2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

/// An L2 with what it needs. Lines are numbered as they lie: pages are not shuffled.
class Bench {
 public:
  explicit Bench(config::Gpu gpu, std::int64_t bytes = 64 << 20)
      : gpu_(std::move(gpu)), pages_(bytes, gpu_.pages), map(gpu_, pages_), l2(gpu_, map, 1) {}

  LinePlace at(std::uint32_t line) const { return map.place(line); }
  L2Counts counts() const {
    L2Counts sum;
    for (const L2Counts& channel : l2.channels()) sum += channel;
    return sum;
  }
  L2::Reply read(std::uint32_t line, SectorMask sectors) { return l2.read(at(line), sectors, 0); }
  L2::Reply write(std::uint32_t line, SectorMask sectors) { return l2.write(at(line), sectors, 0); }
  L2::Reply atomic(std::uint32_t line, SectorMask sectors) {
    return l2.atomic(at(line), sectors, 0);
  }
  /// Reads lines of the set of `line` until it must have gone (LRU).
  void drive_out(std::uint32_t line) {
    const std::uint32_t set = at(line).set;
    int found = 0;
    for (std::uint32_t other = 0; found < 2 * gpu_.l2.shape.ways; ++other) {
      if (other == line || at(other).set != set) continue;
      read(other, 0xf);
      ++found;
    }
    ASSERT_FALSE(l2.holds(at(line)));
  }

 private:
  config::Gpu gpu_;
  Pages pages_;

 public:
  LineMap map;
  L2 l2;
};

config::Gpu mi300x() {
  return testing::one_die("mi300x");
}

TEST(L2, full_line_write_counts_one_miss_and_one_hit) {
  Bench bench(mi300x());
  EXPECT_FALSE(bench.write(9, 0x3).hit);
  EXPECT_TRUE(bench.write(9, 0xc).hit);
  const L2Counts counts = bench.counts();
  EXPECT_EQ(counts.cache.requests, 2);
  EXPECT_EQ(counts.cache.misses, 1);
  EXPECT_EQ(counts.cache.hits, 1);
  EXPECT_EQ(counts.writes, 2);
  EXPECT_EQ(counts.reads, 0);
}

TEST(L2, write_fetches_nothing) {
  Bench bench(mi300x());
  EXPECT_EQ(bench.write(9, 0x1).fetched_sectors, 0);
  EXPECT_EQ(bench.counts().fabric_reads(), 0);
}

TEST(L2, cold_read_counts_one_miss_and_one_fetch_of_128_bytes) {
  Bench bench(mi300x());
  const L2::Reply reply = bench.read(9, 0x1);
  EXPECT_FALSE(reply.hit);
  EXPECT_EQ(reply.fetched_sectors, 4);
  const L2Counts counts = bench.counts();
  EXPECT_EQ(counts.cache.requests, 1);
  EXPECT_EQ(counts.cache.misses, 1);
  EXPECT_EQ(counts.reads, 1);
  EXPECT_EQ(counts.fabric_reads_128, 1);
  EXPECT_EQ(counts.fabric_reads(), 1);
  ASSERT_EQ(bench.l2.events().size(), 1U);
  EXPECT_EQ(bench.l2.events()[0].line, 9U);
  EXPECT_EQ(bench.l2.events()[0].sectors, 0xf);
  EXPECT_EQ(bench.l2.events()[0].misses, 1);
}

TEST(L2, hit_on_pending_line_counts_as_hit) {
  Bench bench(mi300x());
  bench.read(9, 0xf);
  EXPECT_TRUE(bench.read(9, 0xf).hit);  // no time has passed: the fill is on its way
  EXPECT_EQ(bench.counts().cache.hits, 1);
  EXPECT_EQ(bench.counts().fabric_reads(), 1);
}

TEST(L2, read_of_a_half_written_line_fetches_the_other_half) {
  Bench bench(mi300x());
  bench.write(9, 0x3);
  const L2::Reply reply = bench.read(9, 0xf);
  EXPECT_FALSE(reply.hit);
  EXPECT_EQ(reply.fetched_sectors, 2);
  EXPECT_EQ(bench.counts().fabric_reads_64, 1);
  EXPECT_EQ(bench.counts().fabric_reads(), 1);
  EXPECT_EQ(bench.l2.events().back().sectors, 0xc);
  EXPECT_TRUE(bench.read(9, 0xf).hit);
}

TEST(L2, read_of_written_sectors_hits) {
  Bench bench(mi300x());
  bench.write(9, 0x3);
  EXPECT_TRUE(bench.read(9, 0x2).hit);
  EXPECT_EQ(bench.counts().fabric_reads(), 0);
}

TEST(L2, full_dirty_line_leaves_as_two_writes_of_64_bytes) {
  Bench bench(mi300x());
  bench.write(9, 0x3);
  bench.write(9, 0xc);
  bench.drive_out(9);
  EXPECT_EQ(bench.counts().fabric_writes_64, 2);
  EXPECT_EQ(bench.counts().fabric_writes_32, 0);
  EXPECT_EQ(bench.counts().writebacks, 1);
}

TEST(L2, half_dirty_line_leaves_as_one_64_byte_write) {
  Bench bench(mi300x());
  bench.read(9, 0xf);
  bench.write(9, 0xc);
  bench.drive_out(9);
  EXPECT_EQ(bench.counts().fabric_writes_64, 1);
  EXPECT_EQ(bench.counts().fabric_writes_32, 0);
  EXPECT_EQ(bench.counts().writebacks, 1);
}

TEST(L2, single_sector_leaves_as_32_bytes) {
  Bench bench(mi300x());
  bench.write(9, 0x2);
  bench.write(10, 0x6);  // one sector of each half
  bench.drive_out(9);
  bench.drive_out(10);
  EXPECT_EQ(bench.counts().fabric_writes_32, 3);
  EXPECT_EQ(bench.counts().fabric_writes_64, 0);
  EXPECT_EQ(bench.counts().write_bytes(), 96);
}

TEST(L2, clean_line_leaves_without_a_trace) {
  Bench bench(mi300x());
  bench.read(9, 0xf);
  bench.drive_out(9);
  EXPECT_EQ(bench.counts().fabric_writes(), 0);
  EXPECT_EQ(bench.counts().writebacks, 0);
}

TEST(L2, the_line_thrown_out_is_the_one_written_back) {
  config::Gpu gpu = mi300x();
  Bench bench(gpu);
  bench.write(12345, 0x3);
  bench.l2.events().clear();
  bench.drive_out(12345);
  std::vector<std::uint32_t> written;
  for (const FabricEvent& event : bench.l2.events())
    if (event.kind == FabricEvent::write) written.push_back(event.line);
  EXPECT_THAT(written, ::testing::ElementsAre(12345U));
}

TEST(L2, flush_at_kernel_end_writes_dirty_lines_back) {
  for (const char* name : {"mi300x", "mi210", "h200"}) {
    Bench bench(testing::one_die(name));
    bench.write(9, 0xf);
    bench.write(100, 0x1);
    bench.read(50, 0xf);
    bench.l2.events().clear();
    bench.l2.flush(nullptr);
    EXPECT_EQ(bench.counts().fabric_writes_64, 2) << name;
    EXPECT_EQ(bench.counts().fabric_writes_32, 1) << name;
    EXPECT_EQ(bench.counts().writebacks, 2) << name;
    EXPECT_EQ(bench.l2.events().size(), 2U) << name;
  }
}

TEST(L2, atomic_counts_as_atomic_and_dirties) {
  Bench bench(mi300x());
  const L2::Reply reply = bench.atomic(9, 0x1);
  EXPECT_FALSE(reply.hit);
  EXPECT_EQ(reply.fetched_sectors, 4);  // it reads first
  EXPECT_TRUE(bench.atomic(9, 0x1).hit);
  EXPECT_EQ(bench.counts().atomics, 2);
  EXPECT_EQ(bench.counts().reads, 0);
  EXPECT_EQ(bench.counts().writes, 0);
  EXPECT_EQ(bench.counts().cache.requests, 2);
  bench.l2.flush(nullptr);
  EXPECT_EQ(bench.counts().fabric_writes_32, 1);
  EXPECT_EQ(bench.counts().fabric_writes_64, 0);
}

TEST(L2, requests_are_counted_in_the_channel_of_their_address) {
  config::Gpu gpu = mi300x();
  gpu.l2.channel_bits = {{8}, {9}, {10}, {11}};
  Bench bench(gpu);
  for (std::uint32_t line = 0; line < 32; ++line) bench.read(line, 0xf);  // 4 KiB
  for (const L2Counts& channel : bench.l2.channels()) EXPECT_EQ(channel.cache.requests, 2);
  for (std::uint32_t k = 0; k < 10; ++k) bench.read(32 * k + 6, 0xf);  // 4 KiB apart: one channel
  EXPECT_EQ(bench.l2.channels()[3].cache.requests, 12);
}

TEST(L2, nvidia_counts_sectors_found_as_hits_and_sectors_fetched_as_misses) {
  Bench bench(testing::one_die("h200"));
  bench.read(9, 0x1);  // one sector is asked for, 64 B are fetched
  L2Counts counts = bench.counts();
  EXPECT_EQ(counts.cache.requests, 2);
  EXPECT_EQ(counts.cache.misses, 2);
  EXPECT_EQ(counts.read_bytes(), 64);
  const L2::Reply reply = bench.read(9, 0x7);
  EXPECT_FALSE(reply.hit);
  EXPECT_EQ(reply.fetched_sectors, 2);
  counts = bench.counts();
  EXPECT_EQ(counts.cache.hits, 2);
  EXPECT_EQ(counts.cache.misses, 4);
  EXPECT_EQ(counts.cache.requests, 6);
  EXPECT_EQ(counts.read_bytes(), 128);
}

TEST(L2, nvidia_written_sectors_are_hits) {
  Bench bench(testing::one_die("h200"));
  bench.write(9, 0xf);
  EXPECT_EQ(bench.counts().cache.requests, 4);
  EXPECT_EQ(bench.counts().cache.hits, 4);
  EXPECT_EQ(bench.counts().cache.misses, 0);
  EXPECT_EQ(bench.counts().fabric_reads(), 0);
}

TEST(L2, fill_bytes_is_the_least_that_a_miss_fetches) {
  config::Gpu gpu = mi300x();
  gpu.l2.fill_bytes = 64;
  Bench halves(gpu);
  EXPECT_EQ(halves.read(9, 0x4).fetched_sectors, 2);
  EXPECT_TRUE(halves.read(9, 0xc).hit);
  EXPECT_FALSE(halves.read(9, 0x1).hit);
  EXPECT_EQ(halves.counts().fabric_reads_64, 2);
  gpu.l2.fill_bytes = 32;
  Bench sectors(gpu);
  EXPECT_EQ(sectors.read(9, 0x4).fetched_sectors, 1);
  EXPECT_EQ(sectors.counts().fabric_reads_32, 1);
}

TEST(L2, in_shadow_says_whether_a_cache_without_sets_would_have_the_sectors) {
  Bench bench(mi300x());
  bench.l2.watch_conflicts();
  bench.read(9, 0xf);
  bench.drive_out(9);  // 32 lines of one set: far fewer than the L2 holds
  bench.read(9, 0xf);
  EXPECT_TRUE(bench.l2.events().back().in_shadow);
  // No cache has what was never there: the other half of a line that was half written.
  bench.write(100, 0x3);
  bench.read(100, 0xf);
  EXPECT_FALSE(bench.l2.events().back().in_shadow);
}

}  // namespace
}  // namespace heddle::sim
