#include "sim/units/pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/error.h"

namespace heddle::sim {
namespace {

config::Tensor tensor_at(std::uint64_t address, std::int64_t bytes) {
  config::Tensor tensor;
  tensor.address = address;
  tensor.bytes = bytes;
  return tensor;
}

constexpr std::uint64_t kStart = 0x7f00'0000'0000;
constexpr std::int64_t kPage = 2 << 20;

config::Launch three_tensors() {
  config::Launch launch;
  launch.tensors = {tensor_at(kStart + 5 * kPage, 3 * kPage),      // pages 5, 6, 7
                    tensor_at(kStart + 100, 1000),                 // page 0
                    tensor_at(kStart + 7 * kPage + kPage - 1, 2),  // pages 7 and 8
                    tensor_at(kStart + 20 * kPage, 0)};            // nothing
  return launch;
}

TEST(Pages, only_pages_that_hold_a_tensor_have_a_frame_and_frames_have_no_gaps) {
  const config::Gpu gpu = config::read_gpu("mi300x");
  const Pages pages(three_tensors(), gpu);
  EXPECT_EQ(pages.frames().size(), 5U);  // 0, 5, 6, 7, 8
  EXPECT_EQ(pages.bytes(), 5 * kPage);
  std::vector<std::uint32_t> frames = pages.frames();
  std::sort(frames.begin(), frames.end());
  EXPECT_THAT(frames, ::testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST(Pages, compact_addresses_are_gapless_and_keep_the_place_in_a_page) {
  const Pages pages(three_tensors(), config::read_gpu("mi300x"));
  EXPECT_EQ(pages.compact(kStart + 100), 100U);
  EXPECT_EQ(pages.compact(kStart + 5 * kPage), std::uint64_t{1} * kPage);
  EXPECT_EQ(pages.compact(kStart + 7 * kPage + kPage - 1), std::uint64_t{4} * kPage - 1);
  EXPECT_EQ(pages.compact(kStart + 8 * kPage), std::uint64_t{4} * kPage);
}

TEST(Pages, shift_of_a_tensor_leads_to_its_compact_address) {
  const config::Launch launch = three_tensors();
  const Pages pages(launch, config::read_gpu("mi300x"));
  for (std::int32_t k = 0; k < 3; ++k) {
    const std::uint64_t address = launch.tensors[static_cast<std::size_t>(k)].address;
    EXPECT_EQ(address + static_cast<std::uint64_t>(pages.shift_of(k)), pages.compact(address));
  }
}

TEST(Pages, addresses_of_no_tensor_are_refused) {
  const Pages pages(three_tensors(), config::read_gpu("mi300x"));
  EXPECT_THROW(pages.compact(kStart + 3 * kPage), Error);
  EXPECT_THROW(pages.compact(kStart + 9 * kPage), Error);
  EXPECT_THROW(pages.compact(0), Error);
}

TEST(Pages, tensors_must_fit_the_memory) {
  config::Gpu gpu = config::read_gpu("mi300x");
  gpu.memory.bytes = 5 * kPage;
  EXPECT_NO_THROW(Pages(three_tensors(), gpu));
  gpu.memory.bytes = 5 * kPage - 1;
  EXPECT_THROW(Pages(three_tensors(), gpu), Error);
}

TEST(Pages, the_same_seed_gives_the_same_frames_and_another_seed_others) {
  config::GpuPages rules{kPage, config::Placement::shuffled, 1};
  const Pages one(64 * kPage, rules);
  EXPECT_EQ(one.frames(), Pages(64 * kPage, rules).frames());
  rules.seed = 2;
  EXPECT_NE(one.frames(), Pages(64 * kPage, rules).frames());
  rules.placement = config::Placement::contiguous;
  const Pages plain(64 * kPage, rules);
  EXPECT_TRUE(std::is_sorted(plain.frames().begin(), plain.frames().end()));
  EXPECT_FALSE(std::is_sorted(one.frames().begin(), one.frames().end()));
}

}  // namespace
}  // namespace heddle::sim
