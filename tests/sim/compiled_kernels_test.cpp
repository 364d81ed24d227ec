// Registers and shared memory of compiled kernels beside what heddle estimates.
//
// Measured with Triton 3.6 on an H200: the kernels of validation/families, first shapes and those
// others that compile differently.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pipeline.h"
#include "sim/occupancy.h"
#include "trace/contiguity.h"

namespace heddle::sim {
namespace {

struct CompiledKernel {
  const char* family;
  const char* overrides;
  int registers;
  std::int64_t shared_bytes;
};

constexpr CompiledKernel kCompiled[] = {
    {"gemm_row", "", 219, 98304},
    {"gemm_grouped_bf16", "", 193, 147456},
    {"gemm_bias_gelu", "", 116, 98304},
    {"gemm_at_b", "", 208, 98304},
    {"gemm_fp8", "", 193, 98304},
    {"gemm_int8", "", 198, 98304},
    {"gemm_small_tiles", "", 64, 49152},
    {"gemm_tf32", "", 123, 98304},
    {"gemm_swiglu", "", 254, 147456},
    {"gemm_w8a16", "", 125, 57344},
    {"batched_gemm", "", 219, 98304},
    {"gemm_splitk", "", 200, 98304},
    {"conv2d", "", 255, 98304},
    {"moe_gemm", "", 118, 98304},
    {"attention_causal_1axis", "", 174, 98304},
    {"attention_cross", "", 220, 49152},
    {"attention_gqa", "", 170, 98304},
    {"attention_window", "", 254, 49152},
    {"attention_decode", "", 96, 71680},
    {"attention_dkdv", "", 185, 49664},
    {"attention_paged", "", 72, 38916},
    {"linear_attention_chunk", "", 62, 49152},
    {"linear_attention_output", "", 75, 57344},
    {"conv1d_depthwise", "", 64, 512},
    {"conv2d_depthwise", "", 150, 4096},
    {"rms_norm", "", 32, 32},
    {"group_norm", "", 40, 32},
    {"softmax_cross_entropy", "", 32, 32},
    {"row_reduce", "", 61, 64},
    {"column_reduce", "", 56, 2048},
    {"stencil_9point", "", 64, 0},
    {"stencil_3d_7point", "", 32, 0},
    {"fdtd_2d", "", 48, 0},
    {"lattice_boltzmann", "", 72, 2048},
    {"n_body", "", 255, 512},
    {"pairwise_distance", "", 80, 2048},
    {"transpose_padded", "", 30, 8192},
    {"gather_rows", "", 32, 0},
    {"nchw_to_nhwc", "", 30, 4096},
    {"spmm", "", 48, 0},
    {"broadcast_add", "", 32, 256},
    {"upsample_bilinear", "", 32, 2048},
    {"rope", "", 32, 0},
    {"outer_product", "", 28, 0},
    {"batched_matvec", "", 72, 512},
    {"dropout_chain", "", 48, 0},
    {"average_pool", "", 32, 0},
    {"blur_vertical", "", 40, 0},
    {"fft_stage", "", 54, 0},
    {"adam_step", "", 40, 4096},
    {"attention_causal_1axis", "heads=16,sequence=8192,SIZE=64", 123, 49152},
    {"attention_gqa", "batches=1,sequence=8192,heads=16,GROUP=8,SIZE=64", 122, 49152},
    {"conv2d_depthwise", "images=4,height=112,width=112,channels=256", 147, 4096},
    {"rms_norm", "rows=3000,columns=5000", 96, 8192},
    {"column_reduce", "rows=4096,columns=5000,rows_per_split=128", 96, 0},
    {"stencil_9point", "rows=2048,columns=2048,BLOCK_ROWS=8,BLOCK_COLUMNS=64", 32, 0},
    {"stencil_3d_7point", "size_z=128,size_y=768,size_x=768,BLOCK_X=256", 48, 0},
    {"fdtd_2d", "rows=1500,columns=2600,BLOCK_ROWS=4", 32, 0},
    {"lattice_boltzmann", "rows=700,columns=1000,BLOCK_COLUMNS=64", 48, 1024},
    {"transpose_padded", "rows=2000,columns=3000,BLOCK_ROWS=32", 25, 4096},
    {"nchw_to_nhwc", "images=8,channels=1000,pixels=1024", 32, 4096},
    {"broadcast_add", "rows=2000,columns=5000", 40, 0},
    {"upsample_bilinear", "planes=16,height=128,width=1024,out_height=200,out_width=2500", 40,
     2048},
    {"outer_product", "rows=3000,columns=3000", 40, 0},
    {"blur_vertical", "rows=2160,columns=3840,RADIUS=16,BLOCK_ROWS=4", 26, 0},
    {"gemm_grouped_bf16", "M=6144,N=2048,BLOCK_SIZE_N=128,stages=4", 116, 131072},
    {"gemm_tf32", "M=5000,N=3000,K=1000", 172, 98304},
    {"attention_window", "heads=16,window=4096,SIZE=128,warps=8", 184, 98304},
    {"attention_decode", "batches=64,keys=2048,SPLITS=2,kv_heads=16,SIZE=64", 64, 36864},
    {"attention_dkdv", "heads=16,sequence=4096,BLOCK_KEYS=128,warps=8", 186, 66048},
    {"attention_paged", "sequences=32,kv_heads=32,pages_per_sequence=16,SIZE=64", 60, 20484},
    {"conv1d_depthwise", "sequences=2,tokens=16384,channels=3072,BLOCK_TOKENS=64", 254, 512},
    {"rms_norm", "rows=65536,columns=768,warps=4", 25, 16},
    {"row_reduce", "rows=32768,columns=12288,BLOCK_ROWS=32", 127, 128},
    {"column_reduce", "rows=16384,columns=16384,BLOCK_COLUMNS=64", 39, 1024},
    {"stencil_9point", "rows=4096,columns=16384,BLOCK_ROWS=2,BLOCK_COLUMNS=512", 34, 0},
    {"lattice_boltzmann", "rows=4096,columns=2048,BLOCK_ROWS=1,BLOCK_COLUMNS=256", 40, 1024},
    {"n_body", "bodies=50000,BLOCK_TARGETS=32,SPLITS=2", 189, 256},
    {"pairwise_distance", "x_points=2000,y_points=3000,dimensions=512", 80, 0},
    {"transpose_padded", "rows=16384,columns=8192,BLOCK_ROWS=128,padding=0", 40, 16384},
    {"gather_rows", "tokens=50000,vocabulary=200000,features=768,BLOCK_FEATURES=128", 20, 0},
    {"nchw_to_nhwc", "images=16,channels=64,pixels=65536,BLOCK_CHANNELS=64", 35, 8192},
    {"spmm", "rows=32768,columns=60000,features=1024,NONZEROS=16,BLOCK_FEATURES=64", 32, 0},
    {"broadcast_add", "rows=16384,columns=12288,BLOCK_ROWS=4,BLOCK_COLUMNS=512", 30, 1024},
    {"upsample_bilinear",
     "planes=12,height=1080,width=1920,out_height=1440,out_width=2560,BLOCK_Y=16", 48, 4096},
    {"outer_product", "rows=20000,columns=20000,BLOCK_COLUMNS=128", 30, 512},
    {"batched_matvec", "heads=4,M=4096,K=3000,batches=6", 72, 256},
    {"dropout_chain", "count=100000000,BLOCK=4096,warps=8", 64, 0},
    {"adam_step", "count=60000000,BLOCK=2048,warps=8", 40, 8192},
    {"gemm_row", "M=3000,N=5000,K=1000", 255, 32768},
    {"gemm_grouped_bf16", "M=1920,N=7000,K=1024", 242, 81920},
    {"gemm_small_tiles", "M=4096,N=1024,BLOCK_K=32,stages=5", 60, 40960},
    {"gemm_row", "BLOCK_N=256,K=2048,warps=8,stages=4", 209, 196608},
};

constexpr double kRegistersWithin = 0.20;
constexpr double kSharedWithin = 0.10;
constexpr double kLeastShare = 0.80;

bool is_within(std::int64_t estimate, std::int64_t measured, double part) {
  return std::abs(static_cast<double>(estimate - measured)) <= part * static_cast<double>(measured);
}

kernel::LoadedKernel family(const char* name, const std::string& overrides) {
  const std::string job =
      std::string(HEDDLE_TESTS_DIR) + "/../validation/families/" + name + ".toml";
  return load_kernel(
      job, overrides.empty() ? std::vector<std::string>{} : std::vector<std::string>{overrides});
}

kernel::Needs needs_of(const char* name, const std::string& overrides) {
  const kernel::LoadedKernel kernel = family(name, overrides);
  return kernel.program.needs(kernel.launch, config::read_gpu("h200"));
}

TEST(CompiledKernels, registers_and_shared_memory_are_mostly_right) {
  std::size_t registers = 0;
  std::size_t shared = 0;
  std::string wrong;
  for (const CompiledKernel& kernel : kCompiled) {
    const kernel::Needs needs = needs_of(kernel.family, kernel.overrides);
    const bool registers_fit = is_within(needs.registers, kernel.registers, kRegistersWithin);
    const bool shared_fits = is_within(needs.shared_bytes, kernel.shared_bytes, kSharedWithin);
    registers += registers_fit ? 1 : 0;
    shared += shared_fits ? 1 : 0;
    if (!registers_fit || !shared_fits)
      wrong += std::string(kernel.family) + " " + kernel.overrides + ": " +
               std::to_string(needs.registers) + " of " + std::to_string(kernel.registers) +
               " registers, " + std::to_string(needs.shared_bytes) + " of " +
               std::to_string(kernel.shared_bytes) + " B\n";
  }
  const double all = static_cast<double>(std::size(kCompiled));
  EXPECT_GE(static_cast<double>(registers), kLeastShare * all) << wrong;
  EXPECT_GE(static_cast<double>(shared), kLeastShare * all) << wrong;
}

TEST(CompiledKernels, loads_that_cannot_be_asynchronous_have_one_buffer) {
  // Rows of 5000 elements: b is loaded two bytes at a time, and so is a, of rows of 1000.
  EXPECT_EQ(needs_of("gemm_row", "").shared_bytes, 3 * 2 * 16384);
  EXPECT_EQ(needs_of("gemm_row", "M=3000,N=5000,K=1000").shared_bytes, 2 * 16384);
}

TEST(CompiledKernels, short_lists_are_loaded_again_by_every_thread) {
  // 64 elements are fewer than 128 threads. A sum of 64 x 64 that a loop carries lies in 2 x 2 warps
  // of 1 x 32 lanes: 32 rows and a column a thread. Nsight Compute counted 136 lookups a round.
  const kernel::LoadedKernel kernel = family("pairwise_distance", "");
  const config::Gpu gpu = config::read_gpu("h200");
  const std::vector<std::int64_t> lookups = kernel.program.work(kernel.launch, gpu, {}).lookups;
  EXPECT_EQ(lookups, (std::vector<std::int64_t>{4 * 32, 4, 0}));
  EXPECT_TRUE(kernel.program.work(kernel.launch, config::read_gpu("mi300x"), {}).lookups.empty());
}

TEST(CompiledKernels, block_pointers_that_a_loop_moves_are_contiguous) {
  const kernel::LoadedKernel gemm =
      load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../examples/gemm_wide.toml", {});
  const std::vector<trace::ContiguityBound> bounds =
      trace::contiguity_bounds(gemm.program, gemm.launch);
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_EQ(bounds[0][1], 64) << "a";
  EXPECT_EQ(bounds[1][1], 256) << "b";
  EXPECT_EQ(bounds[2][1], 256) << "c";
}

TEST(CompiledKernels, strides_of_one_are_contiguous) {
  // As 128 x 256 tiles of gemm_grouped_bf16, which take 193 registers, but all strides are passed.
  const kernel::LoadedKernel gemm =
      load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../examples/gemm.toml", {"stages=3"});
  const kernel::Needs needs = gemm.program.needs(gemm.launch, config::read_gpu("h200"));
  EXPECT_TRUE(is_within(needs.registers, 193, kRegistersWithin)) << needs.registers;
  EXPECT_EQ(needs.shared_bytes, 147456);
}

TEST(CompiledKernels, more_registers_than_a_thread_can_have_are_spills) {
  const kernel::Needs misaligned = needs_of("gemm_row", "M=3000,N=5000,K=1000");
  EXPECT_EQ(misaligned.registers, 255);
  EXPECT_TRUE(misaligned.spills);  // 222 to 312 words of each thread were measured
  EXPECT_FALSE(needs_of("gemm_row", "").spills);
  kernel::LoadedKernel given = family("gemm_row", "M=3000,N=5000,K=1000");
  given.launch.registers = 128;
  EXPECT_FALSE(given.program.needs(given.launch, config::read_gpu("h200")).spills);
}

TEST(CompiledKernels, lists_along_blocks_that_are_computed_are_spread_as_those) {
  // Rows of all pairs, and the sums that they are added to: 16 elements of a thread, six times.
  EXPECT_EQ(needs_of("n_body", "").registers, 255);
  const kernel::Needs narrow = needs_of("n_body", "bodies=50000,BLOCK_TARGETS=32,SPLITS=2");
  EXPECT_TRUE(is_within(narrow.registers, 189, kRegistersWithin)) << narrow.registers;
}

TEST(CompiledKernels, buffers_beyond_a_compute_unit_do_not_fit) {
  const kernel::LoadedKernel gemm = load_kernel(
      std::string(HEDDLE_TESTS_DIR) + "/../examples/gemm.toml", {"BLOCK_N=256", "stages=6"});
  const config::Gpu h200 = config::read_gpu("h200");
  const Occupancy occupancy = find_occupancy(gemm.program, gemm.launch, h200);
  EXPECT_GT(occupancy.shared_bytes, h200.compute.shared_bytes);
  EXPECT_TRUE(occupancy.does_not_fit);
  EXPECT_EQ(occupancy.blocks, 1);
}

TEST(CompiledKernels, known_sums_and_transposes_go_through_shared_memory) {
  EXPECT_EQ(needs_of("rms_norm", "").shared_bytes, 8 * 4);             // a number for each wave
  EXPECT_EQ(needs_of("column_reduce", "").shared_bytes, 128 * 4 * 4);  // of each column
  EXPECT_EQ(needs_of("transpose_padded", "").shared_bytes, 64 * 32 * 4);
  EXPECT_EQ(needs_of("stencil_9point", "").shared_bytes, 0);
}

}  // namespace
}  // namespace heddle::sim
