#include "sim/units/memory_rows.h"

#include <gtest/gtest.h>

#include "config/gpu.h"
#include "sim/die.h"

namespace heddle::sim {
namespace {

/// 32 channels of 256 B, 8 banks: bank 0 of channel 0 holds the chunks at 0, 64 KiB, 128 KiB, ...
class Rows : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu_ = config::read_gpu("mi210");
    gpu_.rows->banks = 8;
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
  EXPECT_EQ(rows.fetch(0, line_at(0), 4, 0), 4 * kTicks);
  EXPECT_EQ(rows.fetch(0, line_at(128), 4, 0), 8 * kTicks) << "the other line of the chunk";
  EXPECT_EQ(rows.misses(), 1);
}

TEST_F(Rows, ABankTakesTimeToOpenAnother) {
  MemoryRows rows(gpu_, 1);
  rows.fetch(0, line_at(0), 4, 0);
  EXPECT_EQ(rows.fetch(0, line_at(65536), 4, 0), 104 * kTicks) << "a row of the same bank";
  EXPECT_EQ(rows.fetch(0, line_at(131072), 4, 0), 204 * kTicks);
  EXPECT_EQ(rows.fetch(0, line_at(131072 + 128), 4, 0), 204 * kTicks) << "it comes with that row";
}

TEST_F(Rows, OtherBanksDoNotWait) {
  MemoryRows rows(gpu_, 1);
  for (int bank = 0; bank < 8; ++bank)
    EXPECT_EQ(rows.fetch(0, line_at(bank * 8192), 4, 0), (bank + 1) * 4 * kTicks) << bank;
  EXPECT_EQ(rows.fetch(0, line_at(65536), 4, 0), 104 * kTicks);
  EXPECT_EQ(rows.fetch(1, line_at(65536 + 256), 4, 0), 4 * kTicks) << "another channel";
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
