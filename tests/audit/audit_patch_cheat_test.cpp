// Changes that are not what they say, and launches.
#include <gmock/gmock.h>

#include "patching.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

std::string line_index(const std::string& index) {
  return line_kernel(index + kLineRest);
}

PatchAudit line_change(const std::string& part, const std::string& other) {
  return audit(kLine, with(kLine, part, other));
}

PatchAudit gemm_change(const std::string& part, const std::string& other) {
  return audit(gemm(kGemmIndex, kGemmRest), gemm(kGemmIndex, with(kGemmRest, part, other)),
               kGemmJob);
}

void expect_verdicts(const PatchAudit& audit, const std::string& wanted) {
  EXPECT_EQ(verdicts(audit), wanted) << words(audit);
}

// ---- orders that are no permutations ----------------------------------------------------------

TEST(PatchCheats, AnXcdRemapThatForgetsTheRemainder) {
  const PatchAudit result = audit(kLine, line_index("    p = tl.program_id(0)\n"
                                                    "    share = tl.num_programs(0) // 8\n"
                                                    "    pid = p % 8 * share + p // 8\n"));
  expect_verdicts(result, "RRPP");
  EXPECT_THAT(words(result.order), HasSubstr("block 1 and block 8 both compute tile 1"));
  EXPECT_THAT(words(result.order), HasSubstr("no block computes tile 8"));
  EXPECT_THAT(words(result.bytes), HasSubstr("no longer written"));
  EXPECT_THAT(words(result.bytes), HasSubstr("by tile 8 of the original"));
}

TEST(PatchCheats, AnOrderThatLeavesTheGrid) {
  const PatchAudit result =
      audit(kLine, line_index("    p = tl.program_id(0)\n    pid = p + p // 8\n"));
  expect_verdicts(result, "RRPP");
  EXPECT_THAT(words(result.order), HasSubstr("block 8 does nothing"));
}

TEST(PatchCheats, OneTileForAll) {
  expect_verdicts(audit(kLine, line_index("    pid = tl.program_id(0) * 0\n")), "RRPP");
}

TEST(PatchCheats, SkippedTiles) {
  const PatchAudit result =
      audit(kLine, line_index("    pid = tl.program_id(0)\n    if pid > 6:\n        return\n"));
  expect_verdicts(result, "RRRP");
  EXPECT_THAT(words(result.order), HasSubstr("block 7 does nothing"));
  EXPECT_THAT(words(result.code), HasSubstr("a branch: if pid > 6"));
}

// ---- work that is left out --------------------------------------------------------------------

TEST(PatchCheats, AShortenedLoop) {
  const PatchAudit result = gemm_change("range(0, K, BLOCK)", "range(0, K - BLOCK, BLOCK)");
  expect_verdicts(result, "RRRP");
  EXPECT_THAT(words(result.bytes), HasSubstr("no longer read"));
  EXPECT_THAT(words(result.code), HasSubstr("a loop: K -> K - BLOCK"));
}

TEST(PatchCheats, ALoopShortenedByAScalarLine) {
  const PatchAudit result =
      gemm_change("    total = tl.zeros", "    K = K - BLOCK\n    total = tl.zeros");
  EXPECT_EQ(result.code.verdict, Verdict::refuted) << words(result);
  EXPECT_EQ(result.bytes.verdict, Verdict::refuted) << words(result);
}

TEST(PatchCheats, ALoopShortenedForSomeBlocks) {
  const std::string before = gemm(kGemmIndex + "    last = K\n",
                                  with(kGemmRest, "range(0, K, BLOCK)", "range(0, last, BLOCK)"));
  const PatchAudit result =
      audit(before, with(before, "last = K", "last = K - BLOCK * (row_tile // 4)"), kGemmJob);
  expect_verdicts(result, "RRRP");
}

TEST(PatchCheats, ANarrowedMask) {
  const PatchAudit result = line_change("offsets < n", "offsets < n - 4");
  expect_verdicts(result, "RRRP");
  EXPECT_THAT(words(result.bytes), HasSubstr("y_ptr: 16 bytes are no longer written"));
  EXPECT_THAT(words(result.order), HasSubstr("block 8 does what no tile of the original does"));
}

TEST(PatchCheats, AConstantInsteadOfTheResult) {
  const PatchAudit result =
      audit(kLine, line_kernel("    pid = tl.program_id(0)\n"
                               "    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
                               "    mask = offsets < n\n"
                               "    tl.store(y_ptr + offsets, 1.0, mask=mask)\n"));
  expect_verdicts(result, "RRRP");
  EXPECT_THAT(words(result.bytes), HasSubstr("x_ptr: 544 bytes are no longer read"));
}

// ---- the same bytes, other results ------------------------------------------------------------

TEST(PatchCheats, ChangedConstant) {
  const PatchAudit result = line_change("2.0 * x", "2.5 * x");
  expect_verdicts(result, "PPRP");
  EXPECT_THAT(words(result.code), HasSubstr("a store: 2.0 -> 2.5"));
}

TEST(PatchCheats, SwappedTensors) {
  expect_verdicts(line_change("tl.load(x_ptr + offsets", "tl.load(y_ptr + offsets"), "RRRP");
  EXPECT_EQ(verdicts(gemm_change("tl.dot(a, b, total)", "tl.dot(b, a, total)")), "PPRP");
}

TEST(PatchCheats, OtherTypes) {
  expect_verdicts(gemm_change("dtype=tl.float32", "dtype=tl.float16"), "PPRP");
  expect_verdicts(gemm_change("total.to(tl.float16)", "total.to(tl.bfloat16)"), "PPRP");
}

TEST(PatchCheats, AtomicsForStores) {
  const PatchAudit result = line_change("tl.store(y_ptr + offsets, 2.0 * x + 1.0, mask=mask)",
                                        "tl.atomic_add(y_ptr + offsets, 2.0 * x + 1.0, mask=mask)");
  expect_verdicts(result, "RRRP");
  EXPECT_THAT(words(result.bytes), HasSubstr("updated by atomics"));
}

TEST(PatchCheats, CacheHintsAreNoIndexLines) {
  expect_verdicts(line_change("mask=mask)\n    tl.store",
                              "mask=mask, eviction_policy=\"evict_last\")\n    tl.store"),
                  "PPRP");
}

TEST(PatchCheats, AnotherValueForMaskedElements) {
  expect_verdicts(
      gemm_change("mask=row[:, None] < M, other=0.0", "mask=row[:, None] < M, other=1.0"), "PPRP");
}

/// Arithmetic on data that sees the block's number: no access shows it.
TEST(PatchCheats, AnIndexThatIsData) {
  const std::string rest = with(kLineRest, "2.0 * x + 1.0", "2.0 * x + weight");
  const std::string before =
      line_kernel("    pid = tl.program_id(0)\n    weight = pid * 2\n" + rest);
  const PatchAudit result = audit(before, with(before, "weight = pid * 2", "weight = pid * 3"));
  EXPECT_EQ(result.order.verdict, Verdict::unknown);
  EXPECT_EQ(result.code.verdict, Verdict::unknown) << words(result);
  // The index given another value between two uses.
  const PatchAudit late =
      audit(before, with(before, "    mask =", "    weight = 0 * pid\n    mask ="));
  EXPECT_NE(late.code.verdict, Verdict::proved) << words(late);
  // An honest order of the same kernel.
  const PatchAudit honest =
      audit(before, with(before, "pid = tl.program_id(0)", "pid = 8 - tl.program_id(0)"));
  expect_verdicts(honest, "PPPP");
}

// The program of the launch is the same, of others it may not be: never PROVED.
TEST(PatchCheats, ChangesInBranchesThatAreNotTaken) {
  const std::string before =
      with(kLine, "    mask = offsets < n\n",
           "    mask = offsets < n\n    if BLOCK > 64:\n        mask = offsets < n\n");
  const PatchAudit result =
      audit(before, with(before, "        mask = offsets < n", "        mask = offsets < n - 64"));
  expect_verdicts(result, "PPUP");
}

TEST(PatchCheats, ScalarsOfBranchesThatAreNotTaken) {
  const std::string before =
      with(kLine, "    mask =", "    if BLOCK > 64:\n        n = n\n    mask =");
  expect_verdicts(audit(before, with(before, "n = n", "n = n - 64")), "PPUP");
}

// ---- the file around the kernel ---------------------------------------------------------------

TEST(PatchCheats, ChangedTuning) {
  const std::string tuned = with(kLine, "@triton.jit\n",
                                 "@triton.autotune(configs=[triton.Config({}, num_warps=4)], "
                                 "key=[\"n\"])\n@triton.jit\n");
  const PatchAudit result = audit(tuned, with(tuned, "num_warps=4", "num_warps=8"));
  expect_verdicts(result, "PPUP");
  EXPECT_THAT(words(result.code), HasSubstr("not every config of the autotuner"));
}

TEST(PatchCheats, AnotherTileSizeFromTheConfig) {
  const std::string tuned =
      with(kLine, "@triton.jit\n",
           "@triton.autotune(configs=[triton.Config({\"BLOCK\": 16})], key=[\"n\"])\n"
           "@triton.jit\n");
  const std::string job = with(kLineJob, "[constexprs]\nBLOCK = 16\n", "");
  const PatchAudit result = audit(tuned, with(tuned, "\"BLOCK\": 16", "\"BLOCK\": 32"), job);
  EXPECT_EQ(verdicts(result), "UPUP") << words(result);
  EXPECT_THAT(words(result.order), HasSubstr("5 blocks for 9 tiles"));
  EXPECT_THAT(words(result.launch), HasSubstr("4 fewer"));
}

TEST(PatchCheats, MonkeyPatchesAndImports) {
  expect_verdicts(audit(kLine, kLine + "\n\ntriton.testing.do_bench = lambda *a, **k: 0.1\n"),
                  "PPRP");
  expect_verdicts(audit(kLine, "import torch\n" + kLine), "PPUP");
  const PatchAudit result = audit(kLine, with(kLine, "import triton\n", "import triton, os\n"));
  EXPECT_THAT(words(result.code), HasSubstr("an import"));
}

TEST(PatchCheats, ChangedHelper) {
  const std::string helper =
      with(with(kLine, "2.0 * x + 1.0", "scaled(x)"), "@triton.jit\n",
           "@triton.jit\ndef scaled(x):\n    return 2.0 * x\n\n\n@triton.jit\n");
  const PatchAudit result = audit(helper, with(helper, "2.0 * x", "2.5 * x"));
  expect_verdicts(result, "PPRP");
  EXPECT_THAT(words(result.code), HasSubstr("a helper function"));
}

/// A helper of scalars that decides how far a loop goes.
TEST(PatchCheats, AScalarHelperThatIsNoIndex) {
  const std::string before =
      with(gemm(kGemmIndex, with(kGemmRest, "range(0, K, BLOCK)", "range(0, last(K), BLOCK)")),
           "@triton.jit\n", "@triton.jit\ndef last(k):\n    return k\n\n\n@triton.jit\n");
  const PatchAudit result = audit(before, with(before, "return k\n", "return k - 16\n"), kGemmJob);
  EXPECT_EQ(result.code.verdict, Verdict::refuted) << words(result);
  EXPECT_EQ(result.bytes.verdict, Verdict::refuted) << words(result);
}

/// Scalar arithmetic that is no index: what a reduction combines with, reached in three ways.
TEST(PatchCheats, AScalarHelperOfAReduction) {
  const std::string helper = "@triton.jit\ndef joined(a, b):\n    return a + b\n\n\n";
  const std::string through =
      "@triton.jit\ndef whole(x):\n    return tl.reduce(x, 0, joined)\n\n\n";
  for (const auto& [file, use] : std::vector<std::pair<std::string, std::string>>{
           {helper, "tl.reduce(x, 0, joined)"},
           {helper + through, "whole(x)"},
           {helper + "JOINED = joined\n\n\n", "tl.reduce(x, 0, JOINED)"}}) {
    const std::string before =
        with(with(kLine, "2.0 * x + 1.0", "x + " + use), "@triton.jit\n", file + "@triton.jit\n");
    PatchRequest request = request_of(before, with(before, "a + b", "a * b"), kLineJob);
    request.function = "kernel";
    const PatchAudit result = audit_launch(request);
    EXPECT_EQ(result.code.verdict, Verdict::refuted) << use << "\n" << words(result);
  }
}

TEST(PatchCheats, TheBlocksNumberAsData) {
  const std::string before = with(kLine, "tl.store(y_ptr + offsets, 2.0 * x + 1.0, mask=mask)",
                                  "tl.store(y_ptr + offsets, x + pid, mask=mask)");
  const std::string reversed = with(before, "pid = tl.program_id(0)", "pid = 8 - tl.program_id(0)");
  expect_verdicts(audit(before, reversed), "PPPP");
  const PatchAudit result = audit(before, with(reversed, "x + pid", "x + tl.program_id(0)"));
  EXPECT_EQ(result.code.verdict, Verdict::unknown) << words(result);
}

/// What looks like a helper for the index takes the place of something else.
TEST(PatchCheats, AHelperWithSomebodysName) {
  const std::string before = "import torch\n" + kLine +
                             "\n\ndef test_kernel():\n    assert torch.allclose(run(), expected)\n";
  for (const std::string name : {"test_kernel", "torch", "run", "expected"}) {
    const PatchAudit result =
        audit(before, before + "\n\n@triton.jit\ndef " + name + "(p):\n    return p + 0\n");
    expect_verdicts(result, "PPRP");
  }
}

/// The address takes the index modulo the grid, the data does not.
TEST(PatchCheats, AnIndexOfNoTile) {
  const std::string before = with(with(kLine, "pid * BLOCK", "pid % 9 * BLOCK"), "+ 1.0", "+ pid");
  const PatchAudit result =
      audit(before, with(before, "pid = tl.program_id(0)", "pid = tl.program_id(0) + 9"));
  expect_verdicts(result, "UUUP");
  EXPECT_THAT(words(result.code), HasSubstr("index values that no tile of the original has"));
  expect_verdicts(
      audit(before, with(before, "pid = tl.program_id(0)", "pid = 8 - tl.program_id(0)")), "PPPP");
}

/// Code behind what looks like a comment: Python reads the file as it says that it is written.
TEST(PatchCheats, AnEncodingThatHidesCode) {
  const std::string hidden = "# +AAo-import os\n";
  expect_verdicts(audit(kLine, "# coding: utf_7\n" + hidden + kLine), "PPRP");
  expect_verdicts(audit(kLine, "#!/usr/bin/python\n# vim: fileencoding=UTF-7\n" + kLine), "PPRP");
  expect_verdicts(audit(kLine, "# -*- coding: utf-8 -*-\n" + kLine), "PPPP");
  expect_verdicts(audit(kLine, kLine + "# coding: utf_7\n"), "PPPP");  // too late to count
}

TEST(PatchCheats, TilesThatDependOnOneAnother) {
  const std::string chain = line_kernel(
      "    pid = tl.program_id(0)\n"
      "    offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
      "    before = tl.load(y_ptr + offsets - BLOCK, mask=(offsets >= BLOCK) & (offsets < n))\n"
      "    tl.store(y_ptr + offsets, before + 1.0, mask=offsets < n)\n");
  const PatchAudit result =
      audit(chain, with(chain, "pid = tl.program_id(0)", "pid = 8 - tl.program_id(0)"));
  expect_verdicts(result, "UPPP");
  EXPECT_THAT(words(result.order), HasSubstr("depend on one another"));
  expect_verdicts(audit(chain, chain), "PPPP");
}

TEST(PatchCheats, LeavesItsTensors) {
  const PatchAudit result = line_change("    x = tl.load(x_ptr + offsets, mask=mask)",
                                        "    x = tl.load(x_ptr + offsets)");
  EXPECT_EQ(result.bytes.verdict, Verdict::refuted) << words(result);
  EXPECT_EQ(result.code.verdict, Verdict::refuted);
}

// ---- other ways to cut the work ---------------------------------------------------------------

const std::string kPersistent = line_kernel(
    "    for pid in range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)):\n"
    "        offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
    "        mask = offsets < n\n"
    "        x = tl.load(x_ptr + offsets, mask=mask)\n"
    "        tl.store(y_ptr + offsets, 2.0 * x + 1.0, mask=mask)\n");

TEST(PatchRegrouped, APersistentKernel) {
  PatchRequest request = request_of(kLine, kPersistent, kLineJob);
  request.after_grid = Grid({4});
  const PatchAudit result = audit_launch(request);
  expect_verdicts(result, "UPRP");
  EXPECT_EQ(result.grid_after, (std::vector<std::int64_t>{4}));
  EXPECT_THAT(words(result.order), HasSubstr("4 blocks for 9 tiles"));
  EXPECT_THAT(words(result.launch), HasSubstr("5 fewer"));
}

TEST(PatchRegrouped, ThatForgetsTheLastTile) {
  PatchRequest request =
      request_of(kLine, with(kPersistent, "tl.cdiv(n, BLOCK)", "n // BLOCK"), kLineJob);
  request.after_grid = Grid({4});
  expect_verdicts(audit_launch(request), "URRR");
}

TEST(PatchRegrouped, ThatDoesSomeTilesTwice) {
  PatchRequest request = request_of(
      kLine, with(kPersistent, "tl.num_programs(0))", "tl.num_programs(0) - 1)"), kLineJob);
  request.after_grid = Grid({4});
  const PatchAudit result = audit_launch(request);
  EXPECT_EQ(result.bytes.verdict, Verdict::refuted) << words(result);
  EXPECT_THAT(words(result.bytes), HasSubstr("written by more than one block"));
}

TEST(PatchRegrouped, AtomicsAreCounted) {
  const std::string before =
      with(kLine, "tl.store(y_ptr + offsets", "tl.atomic_add(y_ptr + offsets");
  const std::string after = with(kPersistent, "tl.store(", "tl.atomic_add(");
  PatchRequest request = request_of(before, after, kLineJob);
  request.after_grid = Grid({4});
  EXPECT_EQ(audit_launch(request).bytes.verdict, Verdict::unknown);
  request =
      request_of(before, with(after, "tl.num_programs(0))", "tl.num_programs(0) - 1)"), kLineJob);
  request.after_grid = Grid({4});
  EXPECT_EQ(audit_launch(request).bytes.verdict, Verdict::refuted);
}

// ---- launches ---------------------------------------------------------------------------------

std::string launched(const std::string& grid) {
  return kLine + "\n\ndef run(x, y, n):\n    BLOCK = 16\n    grid = " + grid +
         "\n    kernel[grid](x, y, n, BLOCK=BLOCK)\n";
}

const std::string kGrid = "lambda META: (triton.cdiv(n, META[\"BLOCK\"]),)";

TEST(PatchLaunch, TheSameExpression) {
  const PatchAudit result = audit(launched(kGrid), launched(kGrid));
  expect_verdicts(result, "PPPP");
  EXPECT_THAT(words(result.launch), HasSubstr("the same launch expression"));
  EXPECT_THAT(words(result.launch), HasSubstr("triton.cdiv(n"));
}

TEST(PatchLaunch, WrittenInAnotherWay) {
  for (const std::string grid : {"((n + BLOCK - 1) // BLOCK,)", "(triton.cdiv(n, 16), 1, 1)",
                                 "lambda meta: [-(-n // meta[\"BLOCK\"])]"})
    expect_verdicts(audit(launched(kGrid), launched(grid)), "PPPP");
}

TEST(PatchLaunch, FewerBlocks) {
  const PatchAudit result = audit(launched(kGrid), launched("(n // BLOCK,)"));
  expect_verdicts(result, "URPR");
  EXPECT_THAT(words(result.launch), HasSubstr("launched on 8 instead of 9, 1 fewer"));
}

TEST(PatchLaunch, MoreBlocks) {
  const PatchAudit more = audit(launched(kGrid), launched("(triton.cdiv(n, BLOCK) + 3,)"));
  EXPECT_EQ(more.launch.verdict, Verdict::proved) << words(more);  // they do nothing
  const PatchAudit none = audit(launched(kGrid), launched("(n // 1000,)"));
  EXPECT_EQ(none.launch.verdict, Verdict::refuted) << words(none);
  EXPECT_THAT(words(none.launch), HasSubstr("has no blocks"));
}

/// The kernel is the same text, but sees the shape of its grid.
TEST(PatchLaunch, TheShapeOfTheGridAsData) {
  const std::string line = with(kLine, "pid = tl.program_id(0)",
                                "pid = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)");
  const auto host = [](const std::string& kernel, const std::string& grid) {
    return kernel + "\n\ndef run(x, y, n):\n    kernel[" + grid + "](x, y, n, BLOCK=16)\n";
  };
  const std::string seen = with(line, "+ 1.0", "+ tl.num_programs(0)");
  const std::string job = with(kLineJob, "cdiv(n, BLOCK)", "cdiv(n, BLOCK)\", \"1");
  const PatchAudit result = audit(host(seen, "(9, 1)"), host(seen, "(3, 3)"), job);
  EXPECT_EQ(result.code.verdict, Verdict::unknown) << words(result);
  expect_verdicts(audit(host(line, "(9, 1)"), host(line, "(3, 3)"), job), "PPPP");
}

TEST(PatchLaunch, WhatIsNotKnown) {
  const PatchAudit result = audit(launched(kGrid), launched("(count_blocks(x),)"));
  EXPECT_EQ(result.launch.verdict, Verdict::unknown) << words(result);
  EXPECT_EQ(audit(launched(kGrid), kLine).launch.verdict, Verdict::unknown);
  const std::string twice = with(launched(kGrid), "    kernel[grid]",
                                 "    if n > 100:\n        grid = (4,)\n    kernel[grid]");
  EXPECT_EQ(audit(launched(kGrid), twice).launch.verdict, Verdict::unknown);
}

TEST(PatchLaunch, HostCodeIsNoIndex) {
  const std::string before = launched(kGrid);
  expect_verdicts(audit(before, with(before, "BLOCK=BLOCK)", "BLOCK=BLOCK, num_warps=8)")), "PPRP");
}

TEST(PatchLaunch, AnotherJob) {
  PatchRequest request = request_of(kLine, kLine, kLineJob);
  request.after_job_path =
      work_file("other.toml", "kernel = \"unused.py\"\n" + with(kLineJob, "n = 136", "n = 128"));
  const PatchAudit result = audit_launch(request);
  EXPECT_EQ(result.order.verdict, Verdict::unknown);
  EXPECT_THAT(words(result.order), HasSubstr("different tensors"));
}

}  // namespace
}  // namespace heddle::audit_tests
