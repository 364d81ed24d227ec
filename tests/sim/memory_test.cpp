#include "sim/units/memory.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::sim {
namespace {

/// 1000 MHz: a cycle is a nanosecond.
config::Gpu gpu_of(double read, double write, double copy) {
  config::Gpu gpu;
  gpu.compute.clock_mhz = 1000;
  gpu.memory.read_bytes_per_second = read;
  gpu.memory.write_bytes_per_second = write;
  gpu.memory.copy_bytes_per_second = copy;
  gpu.memory.latency_cycles = 600;
  return gpu;
}

double backlog_cycles(const Memory& memory) {
  return static_cast<double>(memory.backlog_ticks()) / static_cast<double>(kTicks);
}

TEST(Memory, reads_take_what_a_kernel_of_reads_measured) {
  Memory memory(gpu_of(1e12, 2e12, 1.5e12));  // 1000 bytes a cycle
  memory.advance({1'000'000, 0, 1'000'000, 0}, 0);
  EXPECT_NEAR(backlog_cycles(memory), 1000, 0.1);
}

TEST(Memory, writes_take_what_a_kernel_of_writes_measured) {
  Memory memory(gpu_of(1e12, 2e12, 1.5e12));
  memory.advance({0, 1'000'000, 0, 1'000'000}, 0);
  EXPECT_NEAR(backlog_cycles(memory), 500, 0.1);
}

TEST(Memory, an_even_mix_takes_what_a_copy_measured) {
  for (const double copy : {0.5e12, 1.5e12, 3e12}) {
    Memory memory(gpu_of(1e12, 2e12, copy));
    memory.advance({500'000, 500'000, 500'000, 500'000}, 0);
    EXPECT_NEAR(backlog_cycles(memory), 1e6 / copy * 1e9, 0.1);
  }
}

TEST(Memory, work_left_over_is_carried_on) {
  Memory memory(gpu_of(1e12, 1e12, 1e12));
  const std::int64_t epoch = 512 * kTicks;
  // Ten epochs ask for twice what an epoch moves, then nothing is asked for.
  for (int k = 1; k <= 10; ++k) {
    memory.advance({1'024'000, 0, 1'024'000, 0}, epoch);
    EXPECT_NEAR(backlog_cycles(memory), 512.0 * k, 0.1);
    EXPECT_EQ(memory.delay(0).miss_ticks, 600 * kTicks + memory.backlog_ticks());
  }
  for (int k = 9; k >= 0; --k) {
    memory.advance({}, epoch);
    EXPECT_NEAR(backlog_cycles(memory), 512.0 * k, 0.1);
  }
  memory.advance({}, epoch);
  EXPECT_EQ(memory.backlog_ticks(), 0);
  EXPECT_EQ(memory.delay(0).miss_ticks, 600 * kTicks);
}

TEST(Memory, busy_time_is_the_work_asked_for_whatever_the_epochs) {
  std::mt19937_64 random(2);
  Memory memory(gpu_of(1e12, 2e12, 1e12));
  Memory reads_only(gpu_of(1e12, 2e12, 1e12));
  std::int64_t bytes = 0;
  double last = 0;
  for (int k = 0; k < 1000; ++k) {
    const auto read = static_cast<std::int64_t>(random() % 2'000'000);
    const auto written = static_cast<std::int64_t>(random() % 1'000'000);
    const auto ticks = static_cast<std::int64_t>(random() % 100'000);
    memory.advance({read, written, read, written}, ticks);
    reads_only.advance({read, 0, read, 0}, ticks);
    bytes += read;
    // The queue never shrinks by more than the time that passed.
    EXPECT_GE(static_cast<double>(memory.backlog_ticks()), last - static_cast<double>(ticks) - 1);
    last = static_cast<double>(memory.backlog_ticks());
  }
  EXPECT_NEAR(reads_only.memory_busy_ticks() / static_cast<double>(kTicks),
              static_cast<double>(bytes) / 1000, 1);
}

config::Gpu with_last_level() {
  config::Gpu gpu = gpu_of(1e12, 1e12, 1e12);
  gpu.last_level.emplace();
  gpu.last_level->latency_cycles = 400;
  gpu.last_level->bytes_per_second = 4e12;
  return gpu;
}

TEST(Memory, the_last_level_has_a_queue_of_its_own_and_the_longer_one_counts) {
  Memory cached(with_last_level());
  cached.advance({8'000'000, 0, 0, 0}, 0);  // all of it was there: 4000 bytes a cycle
  EXPECT_NEAR(backlog_cycles(cached), 2000, 0.1);
  EXPECT_EQ(cached.memory_busy_ticks(), 0);
  Memory both(with_last_level());
  both.advance({8'000'000, 0, 8'000'000, 0}, 0);
  EXPECT_NEAR(backlog_cycles(both), 8000, 0.1);
}

TEST(Memory, a_miss_costs_the_last_levels_latency_or_the_memorys) {
  const std::int64_t epoch = 512 * kTicks;
  Memory memory(with_last_level());
  for (int k = 0; k < 60; ++k) {
    memory.advance({1000, 0, 0, 0}, epoch);
    memory.fetched(0, 1000, 0);
  }
  EXPECT_NEAR(static_cast<double>(memory.delay(0).miss_ticks), 400.0 * kTicks, 2 * kTicks);
  for (int k = 0; k < 60; ++k) {
    memory.advance({1000, 0, 1000, 0}, epoch);
    memory.fetched(0, 1000, 1000);
  }
  EXPECT_NEAR(static_cast<double>(memory.delay(0).miss_ticks), 600.0 * kTicks, 2 * kTicks);
}

}  // namespace
}  // namespace heddle::sim
