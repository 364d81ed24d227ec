// The way from compute units to channels of the L2.
#include "sim/units/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sim/driving.h"

namespace heddle::sim {
namespace {

using testing::Driven;
using testing::Script;

config::Gpu gpu_with(int distance_cycles) {
  config::Gpu gpu = config::read_gpu("mi210");
  gpu.l2.distance_cycles = distance_cycles;
  return gpu;
}

TEST(Distances, all_ways_are_alike_where_the_file_says_nothing) {
  const config::Gpu gpu = gpu_with(0);
  const Distances distances(gpu);
  for (int unit = 0; unit < gpu.compute.compute_units; ++unit)
    for (int channel = 0; channel < gpu.l2.channels; ++channel)
      EXPECT_EQ(distances.from(unit)[channel], 0);
}

TEST(Distances, the_mean_way_is_the_usual_one_and_the_ends_are_farthest) {
  const config::Gpu gpu = gpu_with(90);
  const Distances distances(gpu);
  const int units = gpu.compute.compute_units;
  const int channels = gpu.l2.channels;
  std::int64_t sum = 0;
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  for (int unit = 0; unit < units; ++unit) {
    const std::int64_t* const ways = distances.from(unit);
    sum += std::accumulate(ways, ways + channels, std::int64_t{0});
    shortest = std::min(shortest, *std::min_element(ways, ways + channels));
    longest = std::max(longest, *std::max_element(ways, ways + channels));
  }
  EXPECT_LT(std::abs(sum), std::int64_t{units} * channels) << "less than a tick each";
  EXPECT_EQ(longest, distances.from(0)[channels - 1]);
  EXPECT_EQ(longest, distances.from(units - 1)[0]);
  EXPECT_NEAR(static_cast<double>(longest - shortest) / static_cast<double>(kTicks), 90, 3);
  // The farther, the longer; both ends see the same.
  EXPECT_TRUE(std::is_sorted(distances.from(0), distances.from(0) + channels));
  for (int channel = 0; channel < channels; ++channel)
    EXPECT_EQ(distances.from(0)[channel], distances.from(units - 1)[channels - 1 - channel]);
}

TEST(Distances, a_load_from_the_far_end_takes_longer_by_that) {
  const auto cycles = [](int distance_cycles, std::uint32_t line) {
    const config::Gpu gpu = gpu_with(distance_cycles);
    Script script;
    script.tile({{script.awaited_read(0, {{0, 0x3}}), line}});
    Driven driven(gpu, 1 << 20, script, {.places = 1});
    driven.run();
    return driven.cycles();
  };
  // The only block runs on unit 0. Lines of 64 B: channel 0, and channel 31 of 256 B each.
  const std::uint32_t far = 31 * 256 / 64;
  EXPECT_NEAR(cycles(0, far), cycles(0, 0), 1);
  EXPECT_NEAR(cycles(90, far) - cycles(90, 0), 90.0 * 31 / 32, 3);
}

}  // namespace
}  // namespace heddle::sim
