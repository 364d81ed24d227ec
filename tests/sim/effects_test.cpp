// What is left of the predicted effects of orders.
#include "sim/effects.h"

#include <gtest/gtest.h>

#include <cmath>

#include "config/gpu.h"

namespace heddle::sim {
namespace {

TEST(Effects, gains_and_losses_shrink_alike_and_keep_their_ranks) {
  const config::Gpu gpu = config::read_gpu("h200");
  const double share = effect_share(gpu);
  EXPECT_LT(share, 1);
  const double faster = time_beside(80, 100, false, gpu);
  EXPECT_GT(faster, 80);
  EXPECT_LT(faster, 100);
  EXPECT_NEAR(faster * time_beside(125, 100, false, gpu), 100 * 100, 1e-6);
  EXPECT_LT(faster, time_beside(81, 100, false, gpu));
  EXPECT_EQ(time_beside(100, 100, false, gpu), 100);
  EXPECT_NEAR(std::log(100 / faster), share * std::log(100 / 80.0), 1e-12);
}

TEST(Effects, of_amd_stay) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  EXPECT_EQ(effect_share(gpu), 1);
  EXPECT_EQ(time_beside(80, 100, false, gpu), 80);
}

TEST(Effects, registers_that_spill_leave_no_gain) {
  for (const char* const name : {"h200", "mi300x"}) {
    const config::Gpu gpu = config::read_gpu(name);
    EXPECT_EQ(time_beside(80, 100, true, gpu), 100);
    EXPECT_GT(time_beside(125, 100, true, gpu), 100);
  }
}

TEST(Effects, what_a_time_is_compared_with_goes_along) {
  const config::Gpu gpu = config::read_gpu("h200");
  SimResult order;
  order.time_us = 80;
  order.dies = {DieResult{}, DieResult{}};
  order.dies[1].time_us = 80;
  order.utilization = {{"memory", 90}};
  order.intervals.time_us = Interval{72, 96};
  auto run = std::make_shared<TileRun>();
  run->turns = {{0, 40, 3}};
  order.tiles = run;
  put_beside(order, 100, gpu);
  const double factor = time_beside(80, 100, false, gpu) / 80;
  EXPECT_DOUBLE_EQ(order.time_us, 80 * factor);
  EXPECT_DOUBLE_EQ(order.dies[1].time_us, 80 * factor);
  EXPECT_DOUBLE_EQ(order.utilization[0].percent, 90 / factor);  // as many bytes, in more time
  EXPECT_DOUBLE_EQ(order.intervals.time_us->low, 72 * factor);
  EXPECT_NEAR(order.tiles->turns[0].end_us, 40 * factor, 1e-3);
  EXPECT_EQ(order.tiles->turns[0].l2_misses, 3);
  EXPECT_EQ(run->turns[0].end_us, 40);  // others may share it
}

}  // namespace
}  // namespace heddle::sim
