#include "config/launch_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"

namespace heddle::config {
namespace {

using ::testing::HasSubstr;

Launch limited_launch(Grid grid, int warps = 4) {
  Launch launch;
  launch.grid = std::move(grid);
  launch.warps = warps;
  return launch;
}

TEST(LaunchLimits, BlocksAlongTheLaterAxes) {
  const Target cuda{Vendor::nvidia, "sm_90", 32}, hip{Vendor::amd, "gfx942", 64};
  EXPECT_EQ(launch_refusal(limited_launch(Grid({7, 65'535, 1})), cuda), "");
  EXPECT_THAT(launch_refusal(limited_launch(Grid({1, 65'536})), cuda),
              HasSubstr("65,536 blocks along axis 1"));
  EXPECT_THAT(launch_refusal(limited_launch(Grid({1, 1, 70'000})), cuda), HasSubstr("axis 2"));
  EXPECT_EQ(launch_refusal(limited_launch(Grid({1, 65'536})), hip), "");
}

TEST(LaunchLimits, ThreadsOfABlock) {
  EXPECT_EQ(launch_refusal(limited_launch(Grid({1}), 32), {Vendor::nvidia, "sm_90", 32}), "");
  EXPECT_THAT(launch_refusal(limited_launch(Grid({1}), 32), {Vendor::amd, "gfx942", 64}),
              HasSubstr("2,048 threads"));
  Launch threads = limited_launch(Grid({1}));
  threads.threads = {64, 32, 1};
  EXPECT_THAT(launch_refusal(threads, {Vendor::amd, "gfx942", 64}), HasSubstr("2,048 threads"));
}

TEST(LaunchLimits, SharedMemoryThatTheJobGives) {
  const Gpu gpu = read_gpu("h200");
  Launch launch = limited_launch(Grid({1}));
  launch.shared_bytes = gpu.compute.shared_bytes;
  EXPECT_NO_THROW(check_limits(launch, gpu, "job.toml"));
  *launch.shared_bytes += 1;
  EXPECT_THROW(check_limits(launch, gpu, "job.toml"), Error);
}

}  // namespace
}  // namespace heddle::config
