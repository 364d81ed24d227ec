#include "sim/units/memory_rows.h"

#include <gtest/gtest.h>

#include "config/gpu.h"
#include "sim/die.h"

namespace heddle::sim {
namespace {

/// 32 channels of 256 B, rows of 2 KiB: the first row of channel 0 holds the chunks at 0, 8 KiB,
/// ...
class Rows : public testing::Test {
 protected:
  void SetUp() override {
    gpu_ = config::read_gpu("mi210");
    gpu_.rows->miss_cycles = 100;
    gpu_.memory.read_bytes_per_second = 32.0 * 32 * gpu_.compute.clock_mhz * 1e6;
  }
  static std::uint32_t line_at(std::int64_t byte) { return static_cast<std::uint32_t>(byte / 128); }

  config::Gpu gpu_;
};

TEST_F(Rows, AChannelSendsASectorACycleHere) {
  gpu_.rows->miss_cycles = 0;
  MemoryRows rows(gpu_, 1);
  EXPECT_EQ(rows.fetch(0, line_at(0), 4, 0), 4 * kTicks);
  EXPECT_EQ(rows.fetch(0, line_at(0), 4, 0), 8 * kTicks) << "in order";
  EXPECT_EQ(rows.fetch(1, line_at(256), 4, 0), 4 * kTicks) << "another channel has its own";
  EXPECT_EQ(rows.fetch(0, line_at(0), 4, 100 * kTicks), 104 * kTicks);
}

TEST_F(Rows, ARowStaysOpen) {
  MemoryRows rows(gpu_, 1);
  EXPECT_EQ(rows.fetch(0, line_at(0), 4, 0), 104 * kTicks);
  for (int chunk = 0; chunk < 8; ++chunk) rows.fetch(0, line_at(chunk * 8192), 4, 0);
  EXPECT_EQ(rows.misses(), 1);
  rows.fetch(0, line_at(8 * 8192), 4, 0);
  EXPECT_EQ(rows.misses(), 2) << "the next row";
}

TEST_F(Rows, ABankHasOneRowOpen) {
  MemoryRows rows(gpu_, 1);
  const std::int64_t row_span = 8 * 8192;
  // Rows of one bank, whatever the hash: two of so many must share it.
  const auto misses_of = [&](std::int64_t streams) {
    MemoryRows fresh(gpu_, 1);
    for (int round = 0; round < 8; ++round) {
      for (std::int64_t stream = 0; stream < streams; ++stream)
        fresh.fetch(0, line_at(stream * row_span + round * 8192), 4, 0);
    }
    return fresh.misses();
  };
  EXPECT_EQ(misses_of(16), 16) << "few streams keep their rows";
  EXPECT_EQ(misses_of(1024), 8 * 1024) << "many throw each other out";
}

TEST_F(Rows, ASampleDoesNotFollowThem) {
  MemoryRows rows(gpu_, 8);
  EXPECT_EQ(rows.fetch(0, line_at(0), 1, 0), 8 * kTicks) << "it stands for eight";
  rows.fetch(0, line_at(1 << 20), 1, 0);
  EXPECT_EQ(rows.misses(), 0);
}

TEST_F(Rows, AreOnlyWhereTheGpuHasThem) {
  EXPECT_TRUE(MemoryRows(gpu_, 1).exist());
  EXPECT_FALSE(MemoryRows(config::read_gpu("mi300x"), 1).exist());
}

}  // namespace
}  // namespace heddle::sim
