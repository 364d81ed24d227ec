// Block p of a rewritten kernel makes exactly the accesses that tile order(p) of the original
// makes: the examples at small sizes and small kernels of one to three axes, under many orders.
#include <gtest/gtest.h>

#include <memory>

#include "catalogue.h"
#include "emit/agreement.h"
#include "emit/kernel_rewriter.h"
#include "pipeline.h"
#include "rewriting.h"

namespace heddle::emit_tests {
namespace {

constexpr emit::AgreementOptions kAllBlocks{{}, 1 << 20, std::int64_t{1} << 40};

std::string example(const std::string& name) {
  return std::string(HEDDLE_TESTS_DIR) + "/../examples/" + name + ".toml";
}

/// A kernel as it was, read once.
struct Original {
  explicit Original(LoadedKernel kernel)
      : loaded(std::move(kernel)),
        rewriter(emit::open_kernel(loaded.launch.kernel_path, loaded.program.function, {})) {}

  LoadedKernel loaded;
  std::unique_ptr<emit::KernelRewriter> rewriter;
};

emit::Agreement agreement_of(const Original& original, const proof::ProvenOrder& put_in,
                             const proof::ProvenOrder& expected,
                             const emit::AgreementOptions& options = kAllBlocks) {
  const LoadedKernel& loaded = original.loaded;
  const auto changed =
      kernel::Source::open(loaded.launch.kernel_path,
                           original.rewriter->rewrite(put_in, emit::AssumedIndependent{}, {}));
  return emit::compare_blocks(loaded.program, changed->compile(loaded.launch), loaded.launch,
                              expected, options);
}

void expect_agreement(const Original& original, const proof::ProvenOrder& proven) {
  const emit::Agreement agreement = agreement_of(original, proven, proven);
  EXPECT_EQ(agreement.blocks, original.loaded.launch.grid.count()) << proven.order().title();
  if (agreement.first)
    ADD_FAILURE() << proven.order().title() << ": block " << agreement.first->block.value;
}

struct Example {
  std::string name;
  std::string settings;
  int axes = 1;
};

void PrintTo(const Example& example, std::ostream* stream) {
  *stream << example.name << " " << example.settings;
}

class RewrittenExample : public testing::TestWithParam<Example> {};

TEST_P(RewrittenExample, MakesTheAccessesOfTheOrdersTiles) {
  const Original original(load_kernel(example(GetParam().name), {GetParam().settings}));
  std::vector<std::string> orders = {"reverse", "xcd(3)", "inverse(xcd_chunk(3, 2)) | reverse"};
  if (GetParam().axes > 1) {
    for (const char* text : {"hilbert", "xcd(8) | group(2)", "inverse(group_columns_snake(3))"})
      orders.push_back(text);
  }
  for (const std::string& text : orders)
    expect_agreement(original, proven_family(text, GetParam().axes));
}

INSTANTIATE_TEST_SUITE_P(
    Examples, RewrittenExample,
    testing::Values(
        Example{"attention_causal",
                "BATCH=2,heads=2,sequence=72,SIZE=16,BLOCK_QUERIES=32,BLOCK_KEYS=16", 2},
        Example{"attention_fwd", "sequence=64,HEADS=2,SIZE=32", 1},
        Example{"attention_gqa",
                "HEADS=4,GROUP=2,sequence=72,SIZE=32,BLOCK_QUERIES=32,BLOCK_KEYS=16", 2},
        Example{"attention_heads", "HEADS=3,sequence=72,SIZE=32,BLOCK_QUERIES=32,BLOCK_KEYS=16", 2},
        Example{"copy", "elements=5000,BLOCK=512", 1},
        Example{"fused_elementwise", "ROWS=5,columns=100,BLOCK=128", 1},
        Example{"gemm", "M=40,N=50,K=40,BLOCK_M=16,BLOCK_N=32,BLOCK_K=16", 2},
        Example{"gemm_9216", "M=96,N=64,K=32,PART=16,BLOCK_N=32,BLOCK_K=16", 1},
        Example{"gemm_grouped", "M=72,N=70,K=40,BLOCK_M=16,BLOCK_N=32,BLOCK_K=16,GROUP_M=2", 1},
        Example{"gemm_wide", "M=40,N=72,K=40,BLOCK_M=16,BLOCK_N=32,BLOCK_K=16", 2},
        Example{"histogram", "elements=1000,bins=37,BLOCKS=3,BLOCK=128", 1},
        Example{"ising", "rows=40,columns=64,BLOCK=16", 2},
        Example{"layer_norm", "ROWS=3,columns=300,BLOCK=128", 1},
        Example{"softmax", "ROWS=3,columns=200", 1},
        Example{"spmv", "ROWS=9,COLUMNS=300,DENSITY=0.5,BLOCK=32", 1},
        Example{"stencil_2d", "rows=70,columns=50", 2},
        Example{"stencil_3d", "size_z=6,size_y=12,size_x=40,BLOCK_Z=2,BLOCK_Y=4,BLOCK_X=16", 3},
        Example{"transpose", "rows=70,columns=40,BLOCK=16", 2}),
    [](const auto& each) { return each.param.name; });

/// A kernel whose every tile reads and writes other bytes, as few as possible.
Original marking_kernel(const std::vector<std::int64_t>& grid) {
  const auto axes = static_cast<int>(grid.size());
  std::string kernel =
      "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef mark(x_ptr";
  std::string at;
  for (int axis = 0; axis < axes; ++axis) {
    kernel += ", s" + std::to_string(axis);
    at += (axis > 0 ? " + i" : "i") + std::to_string(axis) + " * s" + std::to_string(axis);
  }
  kernel += "):\n";
  for (int axis = 0; axis < axes; ++axis)
    kernel += "    i" + std::to_string(axis) + " = tl.program_id(" + std::to_string(axis) + ")\n";
  kernel += "    at = x_ptr + " + at + "\n    tl.store(at, tl.load(at) + 1)\n";
  const std::string path = kernel_file(kernel);
  std::string job = "kernel = \"" + path + "\"\ngrid = [";
  std::string scalars;
  std::int64_t count = 1;
  for (int axis = 0; axis < axes; ++axis) {
    const std::int64_t extent = grid[static_cast<std::size_t>(axis)];
    job += (axis > 0 ? ", " : "") + std::to_string(extent);
    scalars += "s" + std::to_string(axis) + " = " + std::to_string(count) + "\n";
    count *= extent;
  }
  job += "]\n[tensors.x_ptr]\ndtype = \"fp32\"\nshape = [" + std::to_string(count) +
         "]\n[scalars]\n" + scalars;
  const std::string job_path = path + ".toml";
  std::ofstream(job_path) << job;
  return Original(load_kernel(job_path, {}));
}

void try_all_orders(const std::vector<std::vector<std::int64_t>>& grids) {
  const auto axes = static_cast<int>(grids.front().size());
  std::vector<Original> kernels;
  for (const auto& grid : grids) kernels.push_back(marking_kernel(grid));
  std::size_t next = 0;
  for (const std::string& text : some_texts()) {
    if (!fits(order::read_compact(text), {axes, axes, false})) continue;
    expect_agreement(kernels[next++ % kernels.size()], proven_family(text, axes));
  }
}

TEST(RewrittenKernel, EveryFamilyOnALine) {
  try_all_orders({{1}, {7}, {64}, {101}});
}
TEST(RewrittenKernel, EveryFamilyOnAPlane) {
  try_all_orders({{5, 7}, {8, 8}, {1, 9}, {13, 3}});
}
TEST(RewrittenKernel, EveryFamilyInSpace) {
  try_all_orders({{3, 4, 2}, {5, 2, 3}, {4, 4, 4}});
}

TEST(RewrittenKernel, Formulas) {
  const Original plane = marking_kernel({6, 10});
  expect_agreement(plane, proven_formula("g0*g1 - 1 - (p1*g0 + p0)", "6x10"));
  expect_agreement(plane, proven_formula("g0 - 1 - p0, p1", "6x10"));
  expect_agreement(plane, proven_formula("(p0 + p1) % g0, p1", "6x10"));
  expect_agreement(
      plane,
      proven_formula("long long u = (long long)(blockIdx.x + gridDim.x * blockIdx.y) * 7 % 60;",
                     "6x10"));
  const Original space = marking_kernel({3, 4, 5});
  expect_agreement(space, proven_formula("59 - (p0 + 3*p1 + 12*p2)", "3x4x5"));
  expect_agreement(space, proven_formula("2 - p0, 3 - p1", "3x4x5"));
}

TEST(RewrittenKernel, ProgramIdsThatWereNotFound) {
  const Original original = marking_kernel({4, 4});
  const auto source = kernel::Source::open(original.loaded.launch.kernel_path);
  const auto uses = source->index_uses("", {});
  EXPECT_NO_THROW(uses->check_program(original.loaded.program));
  uses->uses.pop_back();
  EXPECT_EQ(refusal_of([&] { uses->check_program(original.loaded.program); }),
            "8:10: a program id is taken in 'mark' in a way that cannot be replaced");
}

TEST(RewrittenKernel, WhatWasTracedIsSaid) {
  const Original original = marking_kernel({4, 4});
  IndependenceReport report;
  const auto independent =
      trace::find_independence(original.loaded.program, original.loaded.launch, {}, report);
  ASSERT_TRUE(independent.has_value());
  const std::string text =
      original.rewriter->rewrite(proven_family("reverse", 2), *independent, {});
  EXPECT_NE(text.find("    # tiles: independent as traced on grid 4x4; s0=1, s1=4\n"),
            std::string::npos)
      << text;
}

TEST(ComparedBlocks, OtherOrdersDisagree) {
  const Original original = marking_kernel({9});
  const emit::Agreement agreement =
      agreement_of(original, proven_family("reverse", 1), proven_family("xcd(3)", 1));
  ASSERT_TRUE(agreement.first.has_value());
  EXPECT_EQ(agreement.first->block.value, 0);
  EXPECT_EQ(agreement.blocks, 0);
  EXPECT_TRUE(agreement_of(original, proven_family("identity", 1), proven_family("reverse", 1))
                  .first.has_value());
}

TEST(ComparedBlocks, ASampleOfALargeGrid) {
  const Original original = marking_kernel({1000, 1000});
  const proof::ProvenOrder proven = proven_family("xcd(8)", 2);
  EXPECT_EQ(agreement_of(original, proven, proven, {}).blocks, 64);
  emit::AgreementOptions little;
  little.most_steps = 1;
  EXPECT_EQ(agreement_of(original, proven, proven, little).blocks, 1);
}

}  // namespace
}  // namespace heddle::emit_tests
