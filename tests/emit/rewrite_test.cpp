// The text of rewritten kernels: what changes, and that nothing else does.
#include "emit/rewrite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emit/diff.h"
#include "rewriting.h"
#include "support/text.h"

namespace heddle::emit_tests {
namespace {

using testing::HasSubstr;

constexpr const char* kImports = "import triton\nimport triton.language as tl\n\n\n";
constexpr const char* kComments =
    "    # reverse: proved a permutation for every grid under 2^31 blocks\n"
    "    # tiles: assumed independent, not traced\n";

std::string kernel_of(const std::string& body, const std::string& signature = "x_ptr, n") {
  return std::string(kImports) + "@triton.jit\ndef kernel(" + signature + "):\n" + body;
}

/// The body of the new kernel.
std::string new_body(const std::string& body, const std::string& order, int axes = 1) {
  const std::string text = rewritten(kernel_of(body), proven_family(order, axes));
  const std::string head = kernel_of("");
  EXPECT_EQ(text.substr(0, head.size()), head);
  return text.substr(head.size());
}

TEST(Rewrite, AStatementOfItsOwnTakesTheIndex) {
  EXPECT_EQ(new_body("    pid = tl.program_id(0)\n    tl.store(x_ptr + pid, n)\n", "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n"
                "    g0 = tl.num_programs(0)\n"
                "    pid = g0 - 1 - p0\n"
                "    tl.store(x_ptr + pid, n)\n");
}

TEST(Rewrite, OtherUsesTakeAName) {
  EXPECT_EQ(new_body("    at = x_ptr + tl.program_id(0) * 2\n    tl.store(at, n)\n", "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n"
                "    g0 = tl.num_programs(0)\n"
                "    tile = g0 - 1 - p0\n"
                "    at = x_ptr + tile * 2\n"
                "    tl.store(at, n)\n");
}

TEST(Rewrite, UsedTwice) {
  EXPECT_EQ(new_body("    pid = tl.program_id(0)\n"
                     "    pid = pid + 1\n"
                     "    tl.store(x_ptr + pid, tl.program_id(axis=0))\n",
                     "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n"
                "    g0 = tl.num_programs(0)\n"
                "    tile = g0 - 1 - p0\n"
                "    pid = tile\n"
                "    pid = pid + 1\n"
                "    tl.store(x_ptr + pid, tile)\n");
}

TEST(Rewrite, AxesInAnyOrder) {
  EXPECT_EQ(new_body("    pid_n = tl.program_id(1)\n"
                     "    pid_m = tl.program_id(axis=0)  # rows\n"
                     "    tl.store(x_ptr + pid_m * n + pid_n, 0)\n",
                     "columns", 2),
            "    # columns: proved a permutation for every grid under 2^31 blocks\n"
            "    # tiles: assumed independent, not traced\n"
            "    p0 = tl.program_id(0)\n"
            "    g0 = tl.num_programs(0)\n"
            "    p1 = tl.program_id(1)\n"
            "    g1 = tl.num_programs(1)\n"
            "    t = p0 + p1 * g0\n"
            "    columns = t // g1\n"
            "    pid_n = t - columns * g1\n"
            "    pid_m = columns  # rows\n"
            "    tl.store(x_ptr + pid_m * n + pid_n, 0)\n");
}

TEST(Rewrite, ALaterStatementTakesAName) {
  const std::string body = new_body(
      "    pid_m = tl.program_id(0)\n    row = pid_m * n\n    pid_n = tl.program_id(1)\n"
      "    tl.store(x_ptr + row + pid_n, 0)\n",
      "columns", 2);
  EXPECT_THAT(body, HasSubstr("    tile_y = t - columns * g1\n    pid_m = columns\n"));
  EXPECT_THAT(body, HasSubstr("    row = pid_m * n\n    pid_n = tile_y\n"));
}

TEST(Rewrite, ConditionsAndLoops) {
  EXPECT_EQ(new_body("    if n > 3:\n"
                     "        pid = tl.program_id(0)\n"
                     "        for i in range(tl.program_id(0), n, tl.num_programs(0)):\n"
                     "            tl.store(x_ptr + i, pid)\n",
                     "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n"
                "    g0 = tl.num_programs(0)\n"
                "    tile = g0 - 1 - p0\n"
                "    if n > 3:\n"
                "        pid = tile\n"
                "        for i in range(tile, n, tl.num_programs(0)):\n"
                "            tl.store(x_ptr + i, pid)\n");
}

TEST(Rewrite, SeveralOnOneLine) {
  const std::string body = new_body(
      "    i, j = tl.program_id(0), tl.program_id( axis = 1 )\n"
      "    tl.store(x_ptr + i * n + j, 0)\n",
      "columns", 2);
  EXPECT_THAT(body, HasSubstr("    tile_x = columns\n    tile_y = t - columns * g1\n"
                              "    i, j = tile_x, tile_y\n"));
}

TEST(Rewrite, MethodsOfAProgramId) {
  EXPECT_THAT(new_body("    pid = tl.program_id(0).to(tl.int64)\n    tl.store(x_ptr + pid, n)\n",
                       "reverse"),
              HasSubstr("    tile = g0 - 1 - p0\n    pid = tile.to(tl.int64)\n"));
}

TEST(Rewrite, ACallOverSeveralLines) {
  EXPECT_THAT(new_body("    pid = tl.program_id(\n        axis=0,\n    ) + n\n"
                       "    tl.store(x_ptr + pid, n)\n",
                       "reverse"),
              HasSubstr("    pid = tile + n\n    tl.store"));
}

TEST(Rewrite, CommentsAndDocstringsStay) {
  EXPECT_EQ(new_body("    \"\"\"Stores.\n\n    tl.program_id(0) is the row.\n    \"\"\"\n"
                     "    # tl.program_id(0) again\n\n"
                     "    # the row\n"
                     "    pid = tl.program_id(0)  # not the column\n"
                     "\n"
                     "    tl.store(x_ptr + pid, n)  # done\n",
                     "reverse"),
            "    \"\"\"Stores.\n\n    tl.program_id(0) is the row.\n    \"\"\"\n"
            "    # tl.program_id(0) again\n\n"
            "    # the row\n" +
                std::string(kComments) +
                "    p0 = tl.program_id(0)\n"
                "    g0 = tl.num_programs(0)\n"
                "    pid = g0 - 1 - p0  # not the column\n"
                "\n"
                "    tl.store(x_ptr + pid, n)  # done\n");
}

TEST(Rewrite, Tabs) {
  const std::string body =
      new_body("\tpid = tl.program_id(0)\n\ttl.store(x_ptr + pid, n)\n", "xcd_tail(4)");
  EXPECT_THAT(body, HasSubstr("\tif p0 >= run * 4:\n\t\txcd_tail = p0\n\telse:\n\t\tquotient"));
  EXPECT_THAT(body, HasSubstr("\n\tpid = xcd_tail\n"));
}

TEST(Rewrite, TwoBlanks) {
  EXPECT_THAT(new_body("  pid = tl.program_id(0)\n  tl.store(x_ptr + pid, n)\n", "xcd_tail(4)"),
              HasSubstr("\n  if p0 >= run * 4:\n    xcd_tail = p0\n  else:\n    quotient"));
}

TEST(Rewrite, CarriageReturns) {
  const std::string kernel =
      kernel_of("    pid = tl.program_id(0)\n    tl.store(x_ptr + pid, n)\n");
  const auto with = [](const std::string& text, const std::string& ending) {
    std::string result;
    for (const char c : text) result += c == '\n' ? ending : std::string(1, c);
    return result;
  };
  const proof::ProvenOrder order = proven_family("xcd_tail(4)", 1);
  for (const char* ending : {"\r\n", "\r"})
    EXPECT_EQ(rewritten(with(kernel, ending), order), with(rewritten(kernel, order), ending));
}

TEST(Rewrite, NoNewlineAtTheEnd) {
  EXPECT_EQ(new_body("    tl.store(x_ptr + tl.program_id(0), n)", "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n    g0 = tl.num_programs(0)\n"
                "    tile = g0 - 1 - p0\n    tl.store(x_ptr + tile, n)");
  EXPECT_EQ(new_body("    pid = tl.program_id(0)", "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n    g0 = tl.num_programs(0)\n    pid = g0 - 1 - p0");
}

TEST(Rewrite, StatementsThatShareALine) {
  EXPECT_EQ(new_body("    a = 1; pid = tl.program_id(0); b = tl.program_id(0)\n"
                     "    tl.store(x_ptr + pid, a + b)\n",
                     "reverse"),
            std::string(kComments) +
                "    p0 = tl.program_id(0)\n    g0 = tl.num_programs(0)\n    tile = g0 - 1 - p0\n"
                "    a = 1; pid = tile; b = tile\n"
                "    tl.store(x_ptr + pid, a + b)\n");
  EXPECT_THAT(new_body("    a = (1 +\n  2); \\\n    pid = tl.program_id(0)\n"
                       "    tl.store(x_ptr + pid, a)\n",
                       "reverse"),
              HasSubstr("    tile = g0 - 1 - p0\n    a = (1 +\n  2); \\\n    pid = tile\n"));
}

TEST(Rewrite, BeyondAscii) {
  EXPECT_THAT(
      new_body("    s = \"größe €\"; pid = tl.program_id(0)\n    tl.store(x_ptr + pid, n)\n",
               "reverse"),
      HasSubstr("    s = \"größe €\"; pid = tile\n"));
}

TEST(Rewrite, NamesAreNew) {
  const std::string text =
      rewritten(std::string(kImports) +
                    "quotient = 3\n\n\n@triton.jit\ndef kernel(x_ptr, die, g0):\n"
                    "    p0 = tl.program_id(0)\n    for quotient2 in range(3):\n"
                    "        tl.store(x_ptr + p0 + quotient2 + g0, die)\n",
                proven_family("xcd(8)", 1));
  EXPECT_THAT(text, HasSubstr("    p0_ = tl.program_id(0)\n    g0_ = tl.num_programs(0)\n"
                              "    quotient3 = p0_ // 8\n    die2 = p0_ - quotient3 * 8\n"
                              "    quotient4 = g0_ // 8\n"
                              "    p0 = die2 * quotient4 + min(die2, g0_ - quotient4 * 8)"
                              " + quotient3\n"));
}

TEST(Rewrite, NamesOfTheTile) {
  EXPECT_THAT(new_body("    tile = n\n    tl.store(x_ptr + tl.program_id(0), tile)\n", "reverse"),
              HasSubstr("    tile2 = g0 - 1 - p0\n    tl.store(x_ptr + tile2, tile)\n"));
}

TEST(Rewrite, MinimumOfAnotherKind) {
  const std::string kernel =
      kernel_of("    pid = tl.program_id(0)\n    tl.store(x_ptr + pid, n)\n");
  EXPECT_THAT(rewritten(kernel, proven_family("xcd(8)", 1)), HasSubstr("+ min(die, "));
  EXPECT_THAT(rewritten("from triton.language import min\n" + kernel, proven_family("xcd(8)", 1)),
              HasSubstr("+ tl.minimum(die, "));
  EXPECT_THAT(rewritten("from mine import *\n" + kernel, proven_family("xcd(8)", 1)),
              HasSubstr("+ tl.minimum(die, "));
}

TEST(Rewrite, HowTheLanguageIsCalled) {
  const auto with = [](const std::string& imports, const std::string& callee) {
    return rewritten(imports + "\n@triton.jit\ndef kernel(x_ptr):\n    pid = " + callee +
                         "(0)\n    pid.store(x_ptr)\n",
                     proven_family("reverse", 1));
  };
  EXPECT_THAT(with("import triton\nimport triton.language as language", "language.program_id"),
              HasSubstr("    g0 = language.num_programs(0)\n"));
  EXPECT_THAT(with("import triton\nfrom triton import language as L", "L.program_id"),
              HasSubstr("    p0 = L.program_id(0)\n"));
  EXPECT_THAT(with("import triton", "triton.language.program_id"),
              HasSubstr("    p0 = triton.language.program_id(0)\n"));
  EXPECT_THAT(with("import triton\nfrom triton.language import program_id", "program_id"),
              HasSubstr("    p0 = triton.language.program_id(0)\n"));
  EXPECT_THAT(with("import triton\nimport triton.language as tl\n"
                   "from triton.language import program_id as pid_of",
                   "pid_of"),
              HasSubstr("    p0 = tl.program_id(0)\n"));
}

TEST(Rewrite, AxesThatAreGlobals) {
  const std::string text =
      rewritten(std::string(kImports) +
                    "ROW: tl.constexpr = 0\nCOLUMN = tl.constexpr(1)\n\n\n@triton.jit\n"
                    "def kernel(x_ptr):\n    row = tl.program_id(ROW)\n"
                    "    column = tl.program_id(COLUMN)\n    tl.store(x_ptr + row, column)\n",
                proven_family("columns", 2));
  EXPECT_THAT(text, HasSubstr("    row = columns\n    column = t - columns * g1\n"));
}

TEST(Rewrite, ALinearTileIsTakenApart) {
  const std::string kernel =
      kernel_of("    i = tl.program_id(0)\n    j = tl.program_id(1)\n    tl.store(x_ptr + i, j)\n");
  EXPECT_THAT(rewritten(kernel, proven_formula("g0*g1 - 1 - (p1*g0 + p0)", "5x7")),
              HasSubstr("grid 5x7\n    # tiles: assumed independent, not traced\n"
                        "    p0 = tl.program_id(0)\n    g0 = tl.num_programs(0)\n"
                        "    p1 = tl.program_id(1)\n    g1 = tl.num_programs(1)\n"
                        "    tile = g0 * g1 - 1 - (p1 * g0 + p0)\n"
                        "    quotient = tile // g0\n"
                        "    i = tile - quotient * g0\n    j = quotient\n"));
}

TEST(Rewrite, ExtentsOfTheTilesAreTheGrids) {
  EXPECT_THAT(rewritten(kernel_of("    i = tl.program_id(0)\n    tl.store(x_ptr, i)\n"),
                        proven_formula("t0 - 1 - p0", "9")),
              HasSubstr("    g0 = tl.num_programs(0)\n    i = g0 - 1 - p0\n"));
}

TEST(Rewrite, NamesOfTheKernel) {
  const std::string kernel = kernel_of("    i = tl.program_id(0)\n    tl.store(x_ptr, i)\n",
                                       "x_ptr, M, BLOCK: tl.constexpr");
  EXPECT_EQ(emit::open_kernel(kernel_file(kernel), "", {})
                ->rewrite(proven_formula("M // BLOCK - 1 - p0", "1..8", {"M=32*g0,BLOCK=32"}),
                          emit::AssumedIndependent{}, {"M=32*g0", "BLOCK=32"}),
            kernel_of("    # M // BLOCK - 1 - p0: proved a permutation for grids 1..8\n"
                      "    # given M=32*g0, BLOCK=32\n"
                      "    # tiles: assumed independent, not traced\n"
                      "    p0 = tl.program_id(0)\n"
                      "    i = M // BLOCK - 1 - p0\n"
                      "    tl.store(x_ptr, i)\n",
                      "x_ptr, M, BLOCK: tl.constexpr"));
}

TEST(Rewrite, OnlyTheChosenKernelChanges) {
  const std::string other =
      "\n\n@triton.jit\ndef other(x_ptr):\n    tl.store(x_ptr, tl.program_id(0))\n\n\n"
      "def host(x):\n    kernel[(4,)](x, 3)\n";
  const std::string kernel = kernel_of("    tl.store(x_ptr + tl.program_id(0), n)\n") + other;
  const std::string text = rewritten(kernel, proven_family("reverse", 1), "kernel");
  EXPECT_EQ(text.substr(text.size() - other.size()), other);
  EXPECT_THAT(text, HasSubstr("    tl.store(x_ptr + tile, n)\n"));
}

TEST(Rewrite, AKernelInsideOfAFunction) {
  EXPECT_THAT(rewritten(std::string(kImports) +
                            "def make(n):\n    @triton.jit\n    def kernel(x_ptr):\n"
                            "        pid = tl.program_id(0)\n        tl.store(x_ptr + pid, n)\n"
                            "    return kernel\n",
                        proven_family("xcd_tail(4)", 1), "kernel"),
              HasSubstr("\n        else:\n            quotient = p0 // 4\n"));
}

TEST(Rewrite, TitlesCannotEndTheComment) {
  const std::string path = std::string(HEDDLE_WORK_DIR) + "/two\nlines.py";
  std::ofstream(path) << "pid = tl.program_id(0)\npid = tl.num_programs(0) - 1 - pid\n";
  const std::string text = rewritten(kernel_of("    tl.store(x_ptr + tl.program_id(0), n)\n"),
                                     proven_formula(path, "4"));
  EXPECT_THAT(text, HasSubstr("two lines.py: proved"));
}

TEST(Rewrite, LongCommentsAreBroken) {
  const std::string text = new_body(
      "    tl.store(x_ptr + tl.program_id(0), n)\n",
      "xcd(8) | reverse | xcd(4) | reverse | xcd(3) | reverse | xcd(5) | reverse | xcd(7)");
  for (const std::string_view line : split_lines(text)) {
    EXPECT_LE(line.size(), line.find('#') == std::string_view::npos ? 120u : 100u) << line;
  }
}

TEST(Rewrite, TheDiffIsSmall) {
  const std::string before = kernel_of(
      "    pid = tl.program_id(0)\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n"
      "    tl.store(x_ptr + pid, a + b + c + d)\n");
  const std::string diff =
      emit::unified_diff(before, rewritten(before, proven_family("reverse", 1)), "kernel.py");
  EXPECT_EQ(diff,
            "--- a/kernel.py\n+++ b/kernel.py\n@@ -4,7 +4,11 @@\n \n @triton.jit\n"
            " def kernel(x_ptr, n):\n"
            "-    pid = tl.program_id(0)\n"
            "+    # reverse: proved a permutation for every grid under 2^31 blocks\n"
            "+    # tiles: assumed independent, not traced\n"
            "+    p0 = tl.program_id(0)\n"
            "+    g0 = tl.num_programs(0)\n"
            "+    pid = g0 - 1 - p0\n"
            "     a = 1\n     b = 2\n     c = 3\n");
}

}  // namespace
}  // namespace heddle::emit_tests
