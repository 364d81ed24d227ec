#include "kernel/work.h"
#include "kernel/tile_layout.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "pipeline.h"

namespace heddle::sim {
namespace {

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// A kernel of these lines, on blocks of 1024 elements and four waves.
LoadedKernel kernel_of(const std::string& name, const std::string& body) {
  const std::string folder = std::string(HEDDLE_WORK_DIR) + "/work_";
  write_file(folder + name + ".py",
             "import triton\nimport triton.language as tl\n\n@triton.jit\n"
             "def k(a_ptr, b_ptr, c_ptr, n):\n"
             "    i = tl.program_id(0) * 1024 + tl.arange(0, 1024)\n" +
                 body);
  const std::string tensor = "dtype = \"fp32\"\nshape = [65536]\n";
  write_file(folder + name + ".toml", "kernel = \"work_" + name +
                                          ".py\"\ngrid = [64]\n[tensors.a_ptr]\n" + tensor +
                                          "[tensors.b_ptr]\n" + tensor + "[tensors.c_ptr]\n" +
                                          tensor + "[scalars]\nn = 65536\n");
  return load_kernel(folder + name + ".toml", {});
}

kernel::Work work_of(const std::string& name, const std::string& body, const char* gpu = "mi300x") {
  const LoadedKernel kernel = kernel_of(name, body);
  return kernel.program.work(kernel.launch, config::read_gpu(gpu));
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Work, random_numbers_cost_what_philox_does) {
  const kernel::Work work = work_of("random",
                                    "    x = tl.load(a_ptr + i)\n"
                                    "    tl.store(c_ptr + i, x + tl.rand(7, i))\n");
  // 1024 elements: 45 simple operations, 64 a cycle, and 20 products, 16 a cycle.
  EXPECT_NEAR(work.before[1], 1024.0 * (45.0 / 64 + 20.0 / 16), 150);
  EXPECT_LT(work.before[0], 100);
}

TEST(Work, quotients_of_amd_are_rounded_right) {
  const auto cycles = [](const char* name, const char* value) {
    return work_of(name, std::string("    x = tl.load(a_ptr + i)\n    tl.store(c_ptr + i, ") +
                             value + ")\n")
        .before[1];
  };
  // A reciprocal, 16 a cycle, and ten operations, 64 a cycle.
  EXPECT_NEAR(cycles("quotient_amd", "x / (x + 1)") - cycles("sum_amd", "x + 1"),
              1024.0 * (1.0 / 16 + 10.0 / 64), 1);
  // Scaled, and without corrections.
  EXPECT_NEAR(cycles("root_amd", "tl.sqrt(x + 1)") - cycles("sum_amd", "x + 1"),
              1024.0 * (1.0 / 16 + 5.0 / 64), 1);
}

TEST(Work, loads_that_need_nothing_of_each_other_stand_side_by_side) {
  const kernel::Work work = work_of("group",
                                    "    x = tl.load(a_ptr + i)\n"
                                    "    y = tl.exp(x)\n"
                                    "    z = tl.load(b_ptr + i)\n"
                                    "    tl.store(c_ptr + i, y + z)\n");
  EXPECT_GT(work.before[0], 0);   // addresses of both
  EXPECT_EQ(work.before[1], 0);   // nothing between them
  EXPECT_GT(work.before[2], 60);  // the exponentials, 16 a cycle
}

TEST(Work, a_load_that_needs_another_waits_for_the_work_between) {
  const kernel::Work work = work_of("chain",
                                    "    x = tl.load(a_ptr + i)\n"
                                    "    j = (tl.exp(x) * 8).to(tl.int32)\n"
                                    "    z = tl.load(b_ptr + j)\n"
                                    "    tl.store(c_ptr + i, z)\n");
  EXPECT_GT(work.before[1], 60);
}

TEST(Work, addresses_and_sums_cost_nothing_beside_matrix_units_that_run_on) {
  const std::string body =
      "    r = tl.arange(0, 64)\n"
      "    total = tl.zeros([64, 64], tl.float32)\n"
      "    for s in range(0, n, 64):\n"
      "        at = r[:, None] * 64 + r[None, :] + s\n"
      "        total += tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at))\n"
      "    tl.store(c_ptr + r[:, None] * 64 + r[None, :], total)\n";
  const LoadedKernel kernel = kernel_of("matrix", body);
  config::Gpu gpu = config::read_gpu("h200");
  const auto cycles = [&](bool beside) {
    gpu.arithmetic.matrix_beside_vector = beside;
    const kernel::Work work = kernel.program.work(kernel.launch, gpu);
    return work.before[0] + work.before[1] + work.after[0] + work.after[1];
  };
  const double product =
      64.0 * 64 * 64 / (gpu.arithmetic.matrix_fp32 * gpu.arithmetic.matrix_share / 2);
  EXPECT_GT(cycles(false), cycles(true) + product / 2);
  EXPECT_GE(cycles(true), product);
}

/// A product of two loaded blocks of fp16, `rows` x 64 x `columns`, in a loop.
kernel::Work product_work(const std::string& name, int rows, int columns, int waves,
                          const std::string& second = "tl.load(b_ptr + y)") {
  const std::string folder = std::string(HEDDLE_WORK_DIR) + "/work_";
  const std::string r = std::to_string(rows);
  const std::string c = std::to_string(columns);
  write_file(folder + name + ".py",
             "import triton\nimport triton.language as tl\n\n@triton.jit\n"
             "def k(a_ptr, b_ptr, c_ptr, n):\n"
             "    i = tl.arange(0, " +
                 r + ")[:, None]\n    j = tl.arange(0, " + c +
                 ")[None, :]\n    u = tl.arange(0, 64)\n"
                 "    total = tl.zeros([" +
                 r + ", " + c +
                 "], tl.float32)\n"
                 "    for s in range(0, n, 64):\n"
                 "        x = i * n + s + u[None, :]\n        y = (s + u[:, None]) * " +
                 c + " + j\n        total = tl.dot(tl.load(a_ptr + x), " + second +
                 ", total)\n"
                 "    tl.store(c_ptr + i * " +
                 c + " + j, total)\n");
  const std::string tensor = "shape = [65536]\ndtype = ";
  write_file(folder + name + ".toml",
             "kernel = \"work_" + name + ".py\"\ngrid = [1]\n[tensors.a_ptr]\n" + tensor +
                 "\"fp16\"\n[tensors.b_ptr]\n" + tensor + "\"fp16\"\n[tensors.c_ptr]\n" + tensor +
                 "\"fp32\"\n[scalars]\nn = 256\n[launch]\nwarps = " + std::to_string(waves) +
                 "\nstages = 3\n");
  const LoadedKernel kernel = load_kernel(folder + name + ".toml", {});
  return kernel.program.work(kernel.launch, config::read_gpu("h200"));
}

/// Of a round, addresses included.
double of_loads(const kernel::Work& work) {
  return work.before[0] + work.before[1] + work.after[0] + work.after[1];
}
constexpr double kMostForAddresses = 140;

TEST(Work, products_take_as_long_as_the_slower_of_matrix_units_and_shared_memory) {
  // 128 x 128 x 64: 640 cycles at 0.8 of 2048 multiply-adds. 80 KiB of shared memory, 128 B a cycle:
  // 16 KiB of a and 32 of b, for both halves of the rows, are read, and 32 KiB written.
  const double square = of_loads(product_work("square", 128, 128, 4));
  EXPECT_GE(square, 640);
  EXPECT_LE(square, 640 + kMostForAddresses);
  // 64 x 64 x 64: 160 cycles of products, 16 KiB read and 16 KiB written.
  const double small = of_loads(product_work("small", 64, 64, 4));
  EXPECT_GE(small, 256);
  EXPECT_LE(small, 256 + kMostForAddresses);
}

TEST(Work, products_that_read_registers_take_turns_with_shared_memory) {
  // 32 rows are too few for matrix units that read shared memory by themselves: 40 cycles at 0.63
  // of the rate, then 4 KiB of a twice or b, 8 KiB, as often as waves share it, and 12 KiB written.
  const double cycles = of_loads(product_work("narrow", 32, 64, 4));
  EXPECT_GT(cycles, 80 / 0.63 + 160);
  EXPECT_LT(cycles, 80 / 0.63 + 420);
}

TEST(Work, a_computed_second_operand_is_written_to_shared_memory_once_more) {
  const double loaded = of_loads(product_work("loaded", 64, 128, 4));
  const double computed =
      of_loads(product_work("computed", 64, 128, 4, "(tl.load(b_ptr + y) + 1)"));
  EXPECT_GE(computed, loaded);
}

TEST(Work, sums_over_lanes_make_their_block_wait) {
  const std::string body =
      "    x = tl.load(a_ptr + i)\n"
      "    s = tl.sum(x, axis=0)\n"
      "    tl.store(c_ptr + i, x * s)\n";
  const kernel::Work nvidia = work_of("sum", body, "h200");
  // 32 lanes in five halves, then four waves through shared memory.
  EXPECT_DOUBLE_EQ(sum(nvidia.wait_before) + sum(nvidia.wait_after), 25 * (5 + 4));
  const kernel::Work without =
      work_of("no_sum", "    tl.store(c_ptr + i, tl.load(a_ptr + i))\n", "h200");
  EXPECT_EQ(sum(without.wait_before) + sum(without.wait_after), 0);
}

TEST(Work, lanes_that_exchange_take_turns) {
  const std::string body =
      "    p = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]\n"
      "    s = tl.sum(tl.load(a_ptr + p), axis=1)\n"
      "    tl.store(c_ptr + tl.arange(0, 32), s)\n";
  const LoadedKernel kernel = kernel_of("rows", body);
  config::Gpu gpu = config::read_gpu("h200");
  const kernel::Work with = kernel.program.work(kernel.launch, gpu);
  gpu.arithmetic.exchange = 0;
  const kernel::Work without = kernel.program.work(kernel.launch, gpu);
  // Eight rows in each of four waves, five halves: 160 instructions of 32 lanes, one a clock.
  const double more = sum(with.before) + sum(with.after) - sum(without.before) - sum(without.after);
  EXPECT_GT(more, 100);
  EXPECT_LE(more, 160);
}

TEST(Work, a_block_waits_for_the_rows_of_a_wave_one_after_the_other) {
  const std::string body =
      "    p = tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]\n"
      "    s = tl.sum(tl.load(a_ptr + p), axis=1)\n"
      "    tl.store(c_ptr + tl.arange(0, 32), s)\n";
  const kernel::Work rows = work_of("rows_in_turn", body, "h200");
  EXPECT_DOUBLE_EQ(sum(rows.wait_before) + sum(rows.wait_after), 25 * 5 * 8);
}

TEST(Work, lanes_load_together_what_is_known_to_be_aligned) {
  const LoadedKernel kernel = kernel_of("vectors",
                                        "    x = tl.load(a_ptr + i + 2)\n"
                                        "    y = tl.load(b_ptr + i, mask=i < n - 3)\n"
                                        "    tl.store(c_ptr + i, x + y)\n");
  const auto vectors = kernel::lane_vectors(kernel.program, kernel.launch, {4, 32});
  ASSERT_EQ(vectors.size(), 3U);
  EXPECT_EQ(vectors[0].vector, 2) << "8 bytes into a line";
  EXPECT_EQ(vectors[1].vector, 4);
  EXPECT_EQ(vectors[1].masked, 1) << "the mask may end anywhere";
  EXPECT_EQ(vectors[2].masked, 4);
}

TEST(Needs, blocks_of_many_axes_are_estimated) {
  const LoadedKernel kernel = kernel_of("axes",
                                        "    p = tl.expand_dims(a_ptr + i, 0)\n"
                                        "    for axis in tl.static_range(7):\n"
                                        "        p = tl.expand_dims(p, 0)\n"
                                        "    x = tl.load(p)\n"
                                        "    tl.store(c_ptr + i, tl.reshape(x, [1024]) + 1)\n");
  EXPECT_GT(kernel.program.needs(kernel.launch, config::read_gpu("h200")).registers, 0);
}

TEST(Needs, programs_that_are_too_long_take_all_registers) {
  const LoadedKernel kernel = kernel_of("long",
                                        "    x = tl.load(a_ptr + i)\n"
                                        "    for step in tl.static_range(21000):\n"
                                        "        x = x * 2\n"
                                        "    tl.store(c_ptr + i, x)\n");
  EXPECT_EQ(kernel.program.needs(kernel.launch, config::read_gpu("h200")).registers, 255);
}

TEST(Work, functions_cost_what_compilers_make_of_them) {
  const auto cycles = [](const std::string& name, const std::string& call) {
    return sum(
        work_of(name, "    x = tl.load(a_ptr + i)\n    tl.store(c_ptr + i, " + call + ")\n", "h200")
            .before);
  };
  const double power = cycles("exp2", "tl.exp2(x)");
  EXPECT_GT(cycles("erf", "tl.erf(x)"), 2 * power);
  EXPECT_GT(cycles("quotient", "x / (x + 1)"), power);
}

TEST(Work, conversions_from_and_to_small_integers_take_the_special_units) {
  const auto cycles = [](const char* name, const std::string& value) {
    return work_of(name, "    x = tl.load(a_ptr + i)\n    tl.store(c_ptr + i, " + value + ")\n",
                   "h200")
        .before[1];
  };
  // 1024 elements, 16 a cycle; what 32 bits of an integer become, and other floats, 64 a cycle.
  const double plain = cycles("same", "x");
  EXPECT_NEAR(cycles("whole", "x.to(tl.int32)"), 1024.0 / 16, 1);
  EXPECT_NEAR(cycles("small", "x.to(tl.int8)"), 2 * 1024.0 / 16, 1);
  EXPECT_NEAR(cycles("half", "x.to(tl.float16)"), plain + 2 * 1024.0 / 64, 1);
  const double flags = cycles("flags", "(x > 0).to(tl.float32) + (x > 1).to(tl.float32)");
  EXPECT_NEAR(flags, plain + 4 * 1024.0 / 64, 1);
}

TEST(Work, of_a_loop_belongs_to_its_rounds) {
  const kernel::Work work = work_of("loop",
                                    "    s = tl.zeros([1024], tl.float32)\n"
                                    "    for r in range(0, 8):\n"
                                    "        s += tl.exp(tl.load(a_ptr + i))\n"
                                    "    tl.store(c_ptr + i, s)\n");
  EXPECT_GT(work.after[0], 60);   // each round
  EXPECT_LT(work.before[1], 60);  // once
}

TEST(Work, products_of_integers_are_slower_where_the_gpu_file_says_so) {
  const std::string body =
      "    x = tl.load(a_ptr + i)\n"
      "    tl.store(c_ptr + i, x * tl.randint(7, i).to(tl.float32))\n";
  const kernel::Work amd = work_of("product_amd", body, "mi300x");
  const kernel::Work nvidia = work_of("product_nvidia", body, "h200");
  EXPECT_GT(sum(amd.before), 1.5 * sum(nvidia.before));
}

TEST(Work, code_of_a_copy_is_what_instruction_caches_were_seen_to_fetch) {
  const LoadedKernel copy =
      load_kernel(std::string(HEDDLE_TESTS_DIR) + "/../examples/copy.toml", {});
  const kernel::Work work = copy.program.work(copy.launch, config::read_gpu("mi300x"));
  EXPECT_EQ((work.code_bytes + 63) / 64, 20);
}

}  // namespace
}  // namespace heddle::sim
