// Changes that are what they say: reorderings in many ways of writing.
#include "audit/patch.h"

#include <gmock/gmock.h>

#include "emit/kernel_rewriter.h"
#include "order/compact.h"
#include "patching.h"
#include "proof/proven_order.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

void expect_verdicts(const PatchAudit& audit, const std::string& wanted) {
  EXPECT_EQ(verdicts(audit), wanted) << words(audit);
}

std::string line_index(const std::string& index) {
  return line_kernel(index + kLineRest);
}

const std::string kXcd =
    "    p = tl.program_id(0)\n"
    "    blocks = tl.num_programs(0)\n"
    "    share = blocks // 8\n"
    "    more = blocks % 8\n"
    "    die = p % 8\n"
    "    pid = die * share + min(die, more) + p // 8\n";

TEST(PatchHonest, TheSameFile) {
  const PatchAudit result = audit(kLine, kLine);
  expect_verdicts(result, "PPPP");
  EXPECT_EQ(result.code.finding, "the files are the same");
  EXPECT_TRUE(result.changes.empty());
  EXPECT_THAT(words(result.order), HasSubstr("the launch order"));
  EXPECT_THAT(words(result.bytes), HasSubstr("y_ptr: 544 bytes written, each by one block"));
  EXPECT_EQ(result.verdict(), Verdict::proved);
}

TEST(PatchHonest, CommentsAndLayout) {
  const std::string after = with(with(kLine, "    pid =", "    # the tile\n    pid  =  "),
                                 "n, BLOCK: tl.constexpr", "n,\n           BLOCK: tl.constexpr,\n");
  const PatchAudit result = audit(kLine, with(after, "def kernel(", "def kernel(\n    "));
  expect_verdicts(result, "PPPP");
  EXPECT_EQ(result.code.finding, "nothing but comments or layout changed");
}

TEST(PatchHonest, DocumentationAndLineEnds) {
  std::string after = with(kLine, "    pid =", "    \"\"\"Doubles.\"\"\"\n    pid =");
  std::string dos;
  for (const char c : after) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  expect_verdicts(audit(kLine, dos), "PPPP");
}

TEST(PatchHonest, AnXcdRemapWithTheRemainder) {
  const PatchAudit result = audit(kLine, line_index(kXcd));
  expect_verdicts(result, "PPPP");
  EXPECT_THAT(words(result.order), HasSubstr("the order is xcd(8)"));
  EXPECT_THAT(result.code.finding, HasSubstr("only index lines changed"));
  for (const CodeChange& change : result.changes)
    EXPECT_EQ(change.kind, CodeChange::Kind::index) << change.after;
}

TEST(PatchHonest, AHelperForTheIndex) {
  const std::string helper =
      "@triton.jit\ndef remap(p, blocks, DIES: tl.constexpr):\n"
      "    \"\"\"A run of tiles for each die.\"\"\"\n"
      "    share = blocks // DIES\n"
      "    die = p % DIES\n"
      "    return die * share + min(die, blocks % DIES) + p // DIES\n\n\n";
  const std::string after =
      with(with(kLine, "@triton.jit\n", helper + "@triton.jit\n"), "pid = tl.program_id(0)",
           "pid = remap(tl.program_id(0), tl.num_programs(0), 8)");
  expect_verdicts(audit(kLine, after), "PPPP");
  // And from one helper to another.
  const std::string other = with(after, "p // DIES", "p // DIES + 0");
  expect_verdicts(audit(after, other), "PPPP");
}

TEST(PatchHonest, AHelperThatReturnsEarly) {
  const std::string helper =
      "@triton.jit\ndef remap(p, n):\n"
      "    if p >= n // 8 * 8:\n"
      "        return p\n"
      "    else:\n"
      "        return p % 8 * (n // 8) + p // 8\n\n\n";
  const std::string after =
      with(with(kLine, "@triton.jit\n", helper + "@triton.jit\n"), "pid = tl.program_id(0)",
           "pid = remap(tl.program_id(0), tl.num_programs(0))");
  expect_verdicts(audit(kLine, after), "PPPP");
  expect_verdicts(audit(kLine, with(after, "return p\n", "return n - 2\n")), "RRPP");
}

TEST(PatchHonest, HintsThatBothKernelsHave) {
  const std::string hints = "    tl.assume(pid >= 0)\n    tl.assume(n > 0)\n";
  const std::string before = line_index("    pid = tl.program_id(0)\n" + hints);
  expect_verdicts(audit(before, line_index(kXcd + hints)), "PPPP");
  // What is not assumed any more does no harm.
  expect_verdicts(audit(before, line_index(kXcd)), "PPPP");
}

TEST(PatchCheat, HintsThatTheOriginalDoesNotHave) {
  const std::string before = line_index("    pid = tl.program_id(0)\n    tl.assume(pid >= 0)\n");
  for (const char* index : {
           "    pid = tl.program_id(0)\n    tl.assume(pid >= 3)\n",
           "    pid = tl.program_id(0)\n    tl.assume(pid >= 0)\n    tl.assume(n % 16 == 0)\n",
           // The name means something else where it is assumed.
           "    pid = -1\n    tl.assume(pid >= 0)\n    pid = tl.program_id(0)\n",
       })
    EXPECT_NE(audit(before, line_index(index)).code.verdict, Verdict::proved) << index;
}

/// Tiles of 16 elements, on three blocks that stride over them.
std::string persistent_kernel(const std::string& loop, const std::string& index) {
  std::string rest = kLineRest;
  for (std::size_t at = 0; (at = rest.find("    ", at)) != std::string::npos;
       at = rest.find('\n', at))
    rest.insert(at, "    ");
  return line_kernel("    blocks = tl.num_programs(0)\n    tiles = tl.cdiv(n, BLOCK)\n" + loop +
                     index + rest);
}

const std::string kStride = "    for tile in range(tl.program_id(0), tiles, blocks):\n";
const std::string kThreeBlocks = "grid = [3]\n" + kLineJob.substr(kLineJob.find('\n') + 1);

TEST(PatchPersistent, TilesMayChangeBlocks) {
  const std::string before = persistent_kernel(kStride, "        pid = tile\n");
  const PatchAudit result =
      audit(before, persistent_kernel(kStride, "        pid = tiles - 1 - tile\n"), kThreeBlocks);
  EXPECT_EQ(verdicts(result).substr(0, 2), "PP") << words(result);
  EXPECT_THAT(words(result.order), HasSubstr("blocks compute several tiles each"));
}

TEST(PatchPersistent, TilesMayNotBeLeftOutOrDoneTwice) {
  const std::string before = persistent_kernel(kStride, "        pid = tile\n");
  for (const std::string& after : {
           persistent_kernel("    for tile in range(tl.program_id(0), tiles - 1, blocks):\n",
                             "        pid = tile\n"),
           persistent_kernel(kStride, "        pid = tile // 2 * 2\n"),
           // Right in the first round only.
           persistent_kernel(kStride, "        pid = tl.where(tile < blocks, tile, 0)\n"),
       }) {
    const PatchAudit result = audit(before, after, kThreeBlocks);
    EXPECT_NE(result.order.verdict, Verdict::proved) << after << words(result);
    EXPECT_NE(result.bytes.verdict, Verdict::proved) << after << words(result);
  }
}

TEST(PatchHonest, TritonsOwnGroups) {
  expect_verdicts(
      audit(gemm(kGemmIndex, kGemmRest),
            gemm("    row_tile, column_tile = tl.swizzle2d(tl.program_id(0), tl.program_id(1),\n"
                 "        tl.num_programs(0), tl.num_programs(1), 2)\n",
                 kGemmRest),
            kGemmJob),
      "PPPP");
}

TEST(PatchHonest, ANumberOfTheFile) {
  const std::string reversed =
      with(kLine, "pid = tl.program_id(0)", "pid = LAST - tl.program_id(0)");
  const auto with_number = [&](const std::string& line) {
    return with(reversed, "@triton.jit\n", line + "\n\n\n@triton.jit\n");
  };
  expect_verdicts(audit(kLine, with_number("LAST = tl.constexpr(8)")), "PPPP");
  // Not if the file knows the name already, or if somebody else might.
  for (const std::string line : {"LAST = tl.constexpr(8)\ntriton = 3", "LAST = 8\n__name__ = 3",
                                 "LAST = tl.constexpr(8)\nother = print()"})
    EXPECT_EQ(audit(kLine, with_number(line)).code.verdict, Verdict::refuted) << line;
}

TEST(PatchHonest, BranchesInTheIndex) {
  expect_verdicts(audit(kLine, line_index("    pid = tl.program_id(0)\n"
                                          "    if pid < 8:\n"
                                          "        pid = 7 - pid\n"
                                          "    else:\n"
                                          "        pid = pid + 0\n")),
                  "PPPP");
}

TEST(PatchHonest, ALoopInTheIndex) {
  expect_verdicts(audit(kLine, line_index("    pid = tl.program_id(0)\n"
                                          "    left = 2\n"
                                          "    while left > 0:\n"
                                          "        pid = (pid + 1) % tl.num_programs(0)\n"
                                          "        left -= 1\n")),
                  "PPPP");
}

TEST(PatchHonest, GroupsOfRows) {
  const std::string index =
      "    t = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)\n"
      "    rows = tl.cdiv(M, BLOCK)\n"
      "    columns = tl.cdiv(N, BLOCK)\n"
      "    group = t // (2 * columns)\n"
      "    height = min(rows - group * 2, 2)\n"
      "    row_tile = group * 2 + t % (2 * columns) % height\n"
      "    column_tile = t % (2 * columns) // height\n";
  const std::string grouped = gemm(index, kGemmRest);
  expect_verdicts(audit(gemm(kGemmIndex, kGemmRest), grouped, kGemmJob), "PPPP");
  // From one grouping to another, and back.
  const std::string four =
      with(with(index, "height = min(rows - group * 2, 2)", "height = min(rows - group * 4, 4)"),
           "group = t // (2 * columns)", "group = t // (4 * columns)");
  const std::string wide =
      gemm(with(with(with(four, "row_tile = group * 2", "row_tile = group * 4"),
                     "t % (2 * columns) %", "t % (4 * columns) %"),
                "t % (2 * columns) //", "t % (4 * columns) //"),
           kGemmRest);
  expect_verdicts(audit(grouped, wide, kGemmJob), "PPPP");
  expect_verdicts(audit(wide, gemm(kGemmIndex, kGemmRest), kGemmJob), "PPPP");
}

TEST(PatchHonest, RenamedVariables) {
  std::string after = gemm(kGemmIndex, kGemmRest);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"total", "accumulator"},
                                                        {"a_ptrs", "zz_left"},
                                                        {"b_ptrs", "aa_right"},
                                                        {"row_tile", "pm"}}) {
    for (std::size_t at = after.find(from); at != std::string::npos; at = after.find(from, at))
      after.replace(at, from.size(), to);
  }
  const PatchAudit result = audit(gemm(kGemmIndex, kGemmRest), after, kGemmJob);
  expect_verdicts(result, "PPPP");
  EXPECT_THAT(words(result.code), HasSubstr("3 variables renamed"));
}

TEST(PatchHonest, NamesExchanged) {
  const std::string after = gemm(
      kGemmIndex,
      with(with(with(with(kGemmRest, "        a = tl.load(a_ptrs,", "        b = tl.load(a_ptrs,"),
                     "        b = tl.load(b_ptrs,", "        a = tl.load(b_ptrs,"),
                "tl.dot(a, b, total)", "tl.dot(b, a, total)"),
           "", ""));
  expect_verdicts(audit(gemm(kGemmIndex, kGemmRest), after, kGemmJob), "PPPP");
}

TEST(PatchHonest, WhatEmitWrites) {
  for (const std::string text :
       {"reverse", "columns", "xcd(3)", "xcd_chunk(2, 2)", "group(2)", "hilbert", "morton"}) {
    const std::string before = gemm(kGemmIndex, kGemmRest);
    AllSizesReport report;
    const auto proven =
        proof::prove_all_sizes(order::read_compact(text), {2, 2, false}, {}, {}, report);
    ASSERT_TRUE(proven) << text;
    const std::string after = emit::open_kernel(work_file("emitted.py", before), "", {})
                                  ->rewrite(*proven, emit::AssumedIndependent{}, {});
    const PatchAudit result = audit(before, after, kGemmJob);
    EXPECT_EQ(verdicts(result), "PPPP") << text << "\n" << words(result);
  }
}

TEST(PatchHonest, WhatEmitWritesForTheExamples) {
  const std::string examples = std::string(HEDDLE_TESTS_DIR) + "/../examples/";
  const std::vector<std::pair<std::string, std::string>> jobs = {
      {"stencil_2d", "rows=200,columns=150"},
      {"gemm", "M=512,N=800,K=130"},
      {"gemm_grouped", "M=1100,N=800,K=128"},
      {"attention_heads", "sequence=512,HEADS=6"},
      {"spmv", "ROWS=50"},
      {"ising", "rows=96,columns=161"}};
  for (const auto& [name, sizes] : jobs) {
    PatchRequest request;
    request.job_path = examples + name + ".toml";
    request.overrides = {sizes};
    const LoadedKernel loaded = load_kernel(request.job_path, request.overrides);
    const auto kernel = emit::open_kernel(loaded.launch.kernel_path, loaded.program.function, {});
    for (const std::string order : {"xcd(8)", "reverse"}) {
      AllSizesReport report;
      const auto proven = proof::prove_all_sizes(
          order::read_compact(order), {kernel->axes(), kernel->axes(), false}, {}, {}, report);
      ASSERT_TRUE(proven) << order;
      request.before = loaded.launch.kernel_path;
      request.after =
          work_file(name + ".py", kernel->rewrite(*proven, emit::AssumedIndependent{}, {}));
      const PatchAudit result = audit_launch(request);
      EXPECT_EQ(verdicts(result), "PPPP") << name << "\n" << words(result);
      EXPECT_THAT(words(result.order), HasSubstr("the order is " + order)) << name;
    }
  }
}

// ---- the function, and files that are no kernels --------------------------------------------

TEST(PatchFiles, ARenamedKernelIsFound) {
  const PatchAudit result = audit(kLine, with(kLine, "def kernel(", "def faster("));
  expect_verdicts(result, "PPPP");
  EXPECT_EQ(result.function_after, "faster");
  EXPECT_THAT(words(result.code), HasSubstr("called 'faster' in the new file"));
}

TEST(PatchFiles, SeveralKernelsNeedAName) {
  const std::string two = with(kLine, "def kernel(", "def first(") +
                          "\n\n@triton.jit\ndef second(x_ptr):\n    tl.store(x_ptr, 0.0)\n";
  PatchRequest request = request_of(kLine, two, kLineJob);
  EXPECT_THROW(audit_launch(request), Error);
  request.after_function = "first";
  const PatchAudit result = audit_launch(request);
  EXPECT_EQ(verdicts(result), "PPRP") << words(result);  // a function was added
}

TEST(PatchFiles, HostileFilesAreErrors) {
  for (const std::string& after :
       {std::string(), std::string("\0\1\2", 3), std::string("def kernel(:\n"),
        std::string("x = 1\n"), kImports + "def kernel(x_ptr):\n    pass\n",
        kImports + "@triton.jit\ndef kernel(*, **other):\n    pass\n"}) {
    try {
      const PatchAudit result = audit(kLine, after);
      EXPECT_NE(result.verdict(), Verdict::proved) << after << words(result);
    } catch (const Error& error) {
      EXPECT_FALSE(error.message().empty());
    }
  }
}

TEST(PatchFiles, ANewKernelThatCannotBeReadIsUnknown) {
  const PatchAudit result = audit(kLine, line_index("    pid = nobody_knows(tl.program_id(0))\n"));
  EXPECT_EQ(result.order.verdict, Verdict::unknown);
  EXPECT_EQ(result.bytes.verdict, Verdict::unknown);
  EXPECT_NE(result.code.verdict, Verdict::proved);
  EXPECT_THAT(words(result.order), HasSubstr("nobody_knows"));
}

TEST(PatchFiles, AParameterThatTheJobDoesNotGive) {
  const PatchAudit result = audit(kLine, with(kLine, "n, BLOCK", "n, seed, BLOCK"));
  EXPECT_EQ(result.order.verdict, Verdict::unknown);
  EXPECT_EQ(result.code.verdict, Verdict::refuted);
  EXPECT_THAT(words(result.code), HasSubstr("the signature"));
}

TEST(PatchFiles, RecursionAndDepth) {
  std::string deep = "pid";
  for (int i = 0; i < 400; ++i) deep = "(" + deep + " + 0)";
  for (const std::string& after :
       {line_index("    pid = tl.program_id(0)\n    pid = " + deep + "\n"),
        with(line_index("    pid = remap(tl.program_id(0))\n"), "@triton.jit\n",
             "@triton.jit\ndef remap(p):\n    return remap(p)\n\n\n@triton.jit\n")}) {
    try {
      EXPECT_NE(audit(kLine, after).verdict(), Verdict::proved);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace heddle::audit_tests
