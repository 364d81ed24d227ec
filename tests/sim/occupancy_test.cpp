#include "sim/occupancy.h"

#include <gtest/gtest.h>

#include "pipeline.h"
#include "support/error.h"

namespace heddle::sim {
namespace {

struct Case {
  int warps;
  int registers;
  std::int64_t shared_bytes;
};

/// With a job that says everything: the program does not matter.
Occupancy occupancy_of(const std::string& gpu, const Case& with) {
  config::Launch launch;
  launch.warps = with.warps;
  launch.registers = with.registers;
  launch.shared_bytes = with.shared_bytes;
  return find_occupancy({}, launch, config::read_gpu(gpu));
}

TEST(Occupancy, is_the_least_that_anything_allows) {
  // 256 threads of 64 registers on an MI300X: 131,072 / (256 x 64).
  EXPECT_EQ(occupancy_of("mi300x", {4, 64, 0}).blocks, 8);
  const Occupancy registers = occupancy_of("mi300x", {4, 128, 0});
  EXPECT_EQ(registers.blocks, 4);
  EXPECT_EQ(registers.limited_by, "registers");
  EXPECT_FALSE(registers.estimated);
  const Occupancy waves = occupancy_of("mi300x", {8, 8, 0});
  EXPECT_EQ(waves.blocks, 4);
  EXPECT_EQ(waves.limited_by, "waves");
  const Occupancy shared = occupancy_of("mi300x", {4, 64, 20 << 10});
  EXPECT_EQ(shared.blocks, 3);  // of 64 KiB
  EXPECT_EQ(shared.limited_by, "shared memory");
  const Occupancy blocks = occupancy_of("h200", {1, 8, 0});
  EXPECT_EQ(blocks.blocks, 32);  // 64 waves would allow 64
  EXPECT_EQ(blocks.limited_by, "blocks");
}

TEST(Occupancy, registers_are_rounded_up_to_the_granule) {
  const Occupancy occupancy = occupancy_of("mi300x", {4, 65, 0});
  EXPECT_EQ(occupancy.registers, 72);
  EXPECT_EQ(occupancy.blocks, 7);
}

TEST(Occupancy, waves_of_nvidia_have_32_lanes) {
  EXPECT_EQ(occupancy_of("h200", {8, 64, 0}).blocks, 4);  // 65,536 / (256 x 64)
}

TEST(Occupancy, a_block_that_does_not_fit_is_refused) {
  EXPECT_THROW(occupancy_of("mi300x", {64, 8, 0}), Error);
  EXPECT_THROW(occupancy_of("mi300x", {4, 8, 65 << 10}), Error);
  EXPECT_NO_THROW(occupancy_of("mi355x", {4, 8, 65 << 10}));
}

TEST(Occupancy, one_block_always_runs) {
  EXPECT_EQ(occupancy_of("mi300x", {32, 512, 0}).blocks, 1);
}

TEST(Occupancy, without_the_jobs_word_it_is_estimated) {
  const std::string examples = std::string(HEDDLE_TESTS_DIR) + "/../examples/";
  const config::Gpu gpu = config::read_gpu("mi300x");
  LoadedKernel gemm = load_kernel(examples + "gemm.toml", {"M=512", "N=512", "K=512"});
  const Occupancy guess = find_occupancy(gemm.program, gemm.launch, gpu);
  EXPECT_TRUE(guess.estimated);
  // 128 x 256 accumulators of fp32 over 512 threads are 64 registers, and addresses come on top.
  EXPECT_GT(guess.registers, 64);
  EXPECT_LE(guess.registers, 256);
  // a of 128 x 64 and b of 64 x 256, fp16, once for each stage under way.
  const int depth = gemm.program.load_depth(gemm.launch, config::read_gpu("h200"));
  EXPECT_EQ(depth, std::max(1, gemm.launch.stages - 1));
  EXPECT_EQ(guess.shared_bytes, std::int64_t{depth} * (128 * 64 + 64 * 256) * 2);
  gemm.launch.registers = 96;
  EXPECT_EQ(find_occupancy(gemm.program, gemm.launch, gpu).registers, 96);
  EXPECT_TRUE(find_occupancy(gemm.program, gemm.launch, gpu).estimated);
  gemm.launch.shared_bytes = 0;
  EXPECT_FALSE(find_occupancy(gemm.program, gemm.launch, gpu).estimated);
}

TEST(Occupancy, kernels_without_matrix_units_have_one_round_under_way) {
  const std::string examples = std::string(HEDDLE_TESTS_DIR) + "/../examples/";
  const LoadedKernel copy = load_kernel(examples + "copy.toml", {"elements=8192"});
  EXPECT_EQ(copy.program.load_depth(copy.launch, config::read_gpu("mi300x")), 1);
  const Occupancy occupancy = find_occupancy(copy.program, copy.launch, config::read_gpu("mi300x"));
  EXPECT_EQ(occupancy.shared_bytes, 0);
}

TEST(Occupancy, operands_of_one_product_make_room_for_those_of_the_next) {
  const auto shared_of = [](const std::string& name, const std::vector<std::string>& overrides) {
    const LoadedKernel kernel =
        load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../examples/" + name + ".toml", overrides);
    return find_occupancy(kernel.program, kernel.launch, config::read_gpu("mi300x")).shared_bytes;
  };
  // Keys, then values, 32 x 128 of fp32 each; loaded ahead, both are there at a time.
  EXPECT_EQ(shared_of("attention_fwd", {}), 16 << 10);
  EXPECT_EQ(shared_of("attention_fwd", {"stages=3"}), 64 << 10);
}

}  // namespace
}  // namespace heddle::sim
