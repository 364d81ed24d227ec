// Orders of a kernel's own tiles, put in place of its unpacking.
#include <gmock/gmock.h>

#include <fstream>

#include "emit/patched_kernel.h"
#include "order/compact.h"
#include "pipeline.h"
#include "rewriting.h"
#include "tiles/launch.h"
#include "tiles/other_launches.h"

namespace heddle {
namespace {

const std::string kKernels = std::string(HEDDLE_TESTS_DIR) + "/tiles/kernels/";

proof::ProvenOrder proven_on(const tiles::TileLaunch& launch, const std::string& order) {
  AllSizesReport report;
  auto proven =
      proof::prove_all_sizes(order::read_compact(order), emit::shape_of(launch), {}, {}, report);
  if (!proven) throw Error(order + " is not proved");
  return *proven;
}

/// The new text of a job's kernel; both are compared on this launch and on others.
std::string patched(const std::string& job, const std::string& order,
                    const std::vector<std::string>& overrides = {}) {
  const LoadedKernel loaded = load_kernel(job, overrides);
  const tiles::TileLaunch launch = tiles::tile_launch(std::make_shared<LoadedKernel>(loaded));
  if (!launch.is_lifted) throw Error("the launch is not lifted");
  const auto others = tiles::other_launches(job, overrides, launch.space);
  return emit::patch_tiles({launch, loaded, others}, proven_on(launch, order),
                           emit::AssumedIndependent{}, {}, compile_kernel)
      .after;
}

std::string job_of(const std::string& kernel, const std::string& rest) {
  const std::string path = emit_tests::kernel_file(kernel);
  const std::string job = path.substr(0, path.size() - 3) + ".toml";
  std::ofstream(job) << "kernel = \"" << path.substr(path.rfind('/') + 1) << "\"\n" << rest;
  return job;
}

const std::string kHead =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    "def k(x, y, rows, cols, BR: tl.constexpr, BC: tl.constexpr):\n";
const std::string kWork =
    "    at = (r * BR + tl.arange(0, BR))[:, None] * cols + (c * BC + tl.arange(0, BC))[None, :]\n"
    "    tl.store(y + at, tl.load(x + at))\n";
const std::string kJob =
    "grid = [\"cdiv(rows, BR) * cdiv(cols, BC)\"]\n"
    "[tensors.x]\ndtype = \"fp32\"\nshape = [\"rows\", \"cols\"]\n"
    "[tensors.y]\ndtype = \"fp32\"\nshape = [\"rows\", \"cols\"]\n"
    "[scalars]\nrows = 48\ncols = 80\n[constexprs]\nBR = 16\nBC = 16\n";

TEST(TileRewrite, ReplacesUnpackingAndTakesOutWhatNothingReads) {
  const std::string before = kHead +
                             "    pid = tl.program_id(0)\n"
                             "    nr = tl.cdiv(rows, BR)\n"
                             "    nc = tl.cdiv(cols, BC)\n"
                             "    width = 2 * nc\n"
                             "    first = pid // width * 2\n"
                             "    high = min(nr - first, 2)\n"
                             "    tl.assume(width > 0)\n"
                             "    r = first + pid % width % high\n"
                             "    c = pid % width // high\n" +
                             kWork;
  EXPECT_EQ(patched(job_of(before, kJob), "columns"),
            kHead +
                "    pid = tl.program_id(0)\n"
                "    nr = tl.cdiv(rows, BR)\n"
                "    # columns: proved a permutation for every grid under 2^31 blocks\n"
                "    # tiles: assumed independent, not traced\n"
                "    columns = pid // nr\n"
                "    r = pid - columns * nr\n"
                "    c = columns\n" +
                kWork);
}

TEST(TileRewrite, WritesTheTurnAndExtentsAnew) {
  const std::string before = kHead +
                             "    r = tl.program_id(0) // ((cols + BC - 1) // BC)\n"
                             "    c = tl.program_id(0) % ((cols + BC - 1) // BC)\n" +
                             kWork;
  EXPECT_EQ(patched(job_of(before, kJob), "columns"),
            kHead +
                "    # columns: proved a permutation for every grid under 2^31 blocks\n"
                "    # tiles: assumed independent, not traced\n"
                "    p0 = tl.program_id(0)\n"
                "    t0 = tl.num_programs(0) // ((cols + BC - 1) // BC)\n"
                "    columns = p0 // t0\n"
                "    r = p0 - columns * t0\n"
                "    c = columns\n" +
                kWork);
}

TEST(TileRewrite, KeepsWideCoordinates) {
  const std::string before = kHead +
                             "    nc = tl.cdiv(cols, BC)\n"
                             "    nr = tl.cdiv(rows, BR)\n"
                             "    r = (tl.program_id(0) // nc).to(tl.int64)\n"
                             "    c = tl.program_id(0) % nc\n" +
                             kWork;
  EXPECT_NE(
      patched(job_of(before, kJob), "columns").find("    r = (p0 - columns * nr).to(tl.int64)\n"),
      std::string::npos);
}

TEST(TileRewrite, ReplacesBothUnpackingsOfAPersistentLoop) {
  const std::string after = patched(kKernels + "persistent_grouped.toml", "columns");
  EXPECT_NE(after.find("m, n = t - columns * tiles_m, columns\n"), std::string::npos) << after;
  EXPECT_NE(after.find("m_out, n_out = done - columns"), std::string::npos) << after;
  EXPECT_NE(after.find("def unflatten("), std::string::npos);
}

TEST(TileRewrite, GivesALoopsCounterAnotherName) {
  const std::string after = patched(kKernels + "softmax_persistent.toml", "reverse");
  EXPECT_NE(after.find("for turn in tl.range(row_start, n_rows, row_step"), std::string::npos);
  EXPECT_NE(after.find("row_idx = n_rows - 1 - turn\n"), std::string::npos);
}

TEST(TileRewrite, ReplacesEveryBranch) {
  const std::string after = patched(kKernels + "bmm_repacked.toml", "reverse");
  EXPECT_EQ(after.find("pid_m, pid_n = pidx, pidy"), std::string::npos) << after;
  EXPECT_EQ(after.find("per_group = "), std::string::npos) << after;
}

/// In one round of the unrolled loop from_y is y: y has a statement of its own.
TEST(TileRewrite, NamesACoordinateByWhatGivesItItsValue) {
  const std::string job = std::string(HEDDLE_TESTS_DIR) + "/tiles/other/taps.toml";
  const std::string after = patched(job, "columns");
  EXPECT_THAT(after, ::testing::HasSubstr("from_y = y + (tap - 1)\n")) << after;
}

const std::string kHeads =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
    "def k(x, y, sums, n, heads, BLOCK: tl.constexpr):\n";
const std::string kHeadsWork =
    "    at = i * BLOCK + tl.arange(0, BLOCK)\n"
    "    v = tl.load(x + (b * heads + h) * n + at, mask=at < n, other=0.0)\n"
    "    tl.store(y + (b * heads + h) * n + at, v, mask=at < n)\n"
    "    tl.store(sums + z * tl.cdiv(n, BLOCK) + i, tl.sum(v, 0))\n";
const std::string kHeadsJob =
    "[sizes]\nB = 2\n"
    "[tensors.x]\ndtype = \"fp32\"\nshape = [\"B\", \"heads\", \"n\"]\n"
    "[tensors.y]\ndtype = \"fp32\"\nshape = [\"B\", \"heads\", \"n\"]\n"
    "[tensors.sums]\ndtype = \"fp32\"\nshape = [\"B\", \"heads\", \"cdiv(n, BLOCK)\"]\n"
    "[scalars]\nn = 80\nheads = 3\n[constexprs]\nBLOCK = 16\n";

/// b and h are unpacked from z, and z is an offset, too.
TEST(TileRewrite, PacksAnIndexAgainThatIsUsedByItself) {
  const std::string axis =
      "    i = tl.program_id(0)\n    z = tl.program_id(2)\n"
      "    b = z // heads\n    h = z % heads\n";
  const std::string after =
      patched(job_of(kHeads + axis + kHeadsWork,
                     "grid = [\"cdiv(n, BLOCK)\", 1, \"B * heads\"]\n" + kHeadsJob),
              "columns");
  EXPECT_EQ(after.find("z = tl.program_id(2)"), std::string::npos) << after;
  EXPECT_NE(after.find("* heads + "), std::string::npos) << after;
  const std::string line =
      "    pid = tl.program_id(0)\n    i = pid % tl.cdiv(n, BLOCK)\n"
      "    z = pid // tl.cdiv(n, BLOCK)\n"
      "    b = z // heads\n    h = z % heads\n";
  EXPECT_NE(patched(job_of(kHeads + line + kHeadsWork,
                           "grid = [\"cdiv(n, BLOCK) * B * heads\"]\n" + kHeadsJob),
                    "xcd(2) | columns")
                .find("* heads + "),
            std::string::npos);
}

/// The counter of row by row tiles packs them, too, and stays what counts the turns.
TEST(TileRewrite, CountersOfTurnsAreNotPackedAgain) {
  const std::string after = patched(kKernels + "persistent_strided.toml", "columns");
  EXPECT_THAT(after, ::testing::HasSubstr("for tile in range(")) << after;
}

TEST(TileRewrite, TakesExtentsThatHoldOnOtherSizes) {
  // 3 x 5 tiles of 16 x 16: `three` is 3 on this size alone.
  const std::string before = kHead +
                             "    three = cols // 26\n"
                             "    nc = tl.cdiv(cols, BC)\n"
                             "    r = tl.program_id(0) // nc\n"
                             "    c = tl.program_id(0) % nc + 0 * three\n" +
                             kWork;
  const std::string after = patched(job_of(before, kJob), "columns");
  EXPECT_NE(after.find("    t0 = tl.num_programs(0) // nc\n"), std::string::npos) << after;
}

/// An axis of the launch that has one block in this job has several in others.
TEST(TileRewrite, AnAxisWithOneBlockCounts) {
  const std::string before = kHead +
                             "    pid = tl.program_id(0)\n"
                             "    s = tl.program_id(1)\n"
                             "    nr = tl.cdiv(rows, BR)\n"
                             "    nc = tl.cdiv(cols, BC)\n"
                             "    r = pid // nc\n"
                             "    c = pid % nc\n"
                             "    x += s * rows * cols\n"
                             "    y += s * rows * cols\n" +
                             kWork;
  const std::string job =
      job_of(before,
             "grid = [\"cdiv(rows, BR) * cdiv(cols, BC)\", \"splits\"]\n[sizes]\nsplits = 1\n"
             "[tensors.x]\ndtype = \"fp32\"\nshape = [\"splits\", \"rows\", \"cols\"]\n"
             "[tensors.y]\ndtype = \"fp32\"\nshape = [\"splits\", \"rows\", \"cols\"]\n"
             "[scalars]\nrows = 48\ncols = 80\n[constexprs]\nBR = 16\nBC = 16\n");
  const std::string one = patched(job, "columns");
  EXPECT_THAT(one, testing::HasSubstr("tl.program_id(0) + tl.num_programs(0) * tl.program_id(1)"));
  EXPECT_EQ(one, patched(job, "columns", {"splits=3"}));
}

TEST(TileRewrite, RefusesWhatItCannotReplace) {
  EXPECT_EQ(emit_tests::refusal_of([] { patched(kKernels + "gemm_hilbert.toml", "columns"); }),
            "12:1: 'y', a tile coordinate, has no single statement that gives it its value");
  EXPECT_EQ(emit_tests::refusal_of([] { patched(kKernels + "gemm_morton.toml", "columns"); }),
            "17:5: nothing in the kernel says how many tiles 'row' has here");
  const std::string uses_id = kHead +
                              "    pid = tl.program_id(0)\n"
                              "    nc = tl.cdiv(cols, BC)\n"
                              "    r = pid // nc\n"
                              "    c = pid % nc\n"
                              "    tl.store(y + tl.program_id(0), 1.0)\n" +
                              kWork;
  EXPECT_NE(emit_tests::refusal_of([&] {
              patched(job_of(uses_id, kJob), "columns");
            }).find("the new kernel does other work"),
            std::string::npos);
}

TEST(TileRewrite, CxxDeclarationsAssignmentsAndStructs) {
  const std::string line = patched(kKernels + "bmm_line.toml", "reverse");
  EXPECT_NE(line.find("  block = slice;  // what is left is the batch\n"), std::string::npos)
      << line;
  const std::string grouped = patched(kKernels + "sgemm_grouped.toml", "columns");
  EXPECT_NE(grouped.find("const TileCoord tile = {p0 - columns * t0, columns};"), std::string::npos)
      << grouped;
  const std::string window = patched(kKernels + "window.toml", "columns");
  EXPECT_EQ(window.find("in_window"), std::string::npos) << window;
}

TEST(TileRewrite, CxxPersistentLoops) {
  for (const char* name : {"persistent_loop", "persistent_chunks"})
    EXPECT_NO_THROW(patched(kKernels + name + ".toml", "group(3)")) << name;
}

}  // namespace
}  // namespace heddle
