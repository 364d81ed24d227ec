// What may change is on a list: names, heads of helpers, annotations, grids and files that are not.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "patching.h"

namespace heddle::audit_tests {
namespace {

using testing::HasSubstr;

const std::string kReversed = "    pid = turned(tl.program_id(0), tl.num_programs(0))\n";

std::string helper(const std::string& head) {
  return head + "\n    return n - 1 - p\n\n\n";
}

/// The line kernel in reversed order, by a helper with this head.
std::string with_helper(const std::string& head) {
  return with(line_kernel(kReversed + kLineRest), kImports, kImports + helper(head));
}

Verdict code_of(const std::string& before, const std::string& after) {
  return audit(before, after).code.verdict;
}

TEST(PatchList, HeadsOfHelpers) {
  for (const char* head : {"@triton.jit\ndef turned(p, n):", "@triton.jit()\ndef turned(p, n):",
                           "@triton.jit\ndef turned(p, n: tl.constexpr, k=-1):",
                           "@triton.jit\ndef turned(p: tl.int32, n: int) -> tl.tensor:"})
    EXPECT_EQ(code_of(kLine, with_helper(head)), Verdict::proved) << head;
  for (const char* head :
       {"@triton.jit\ndef turned(p, n, k=exec('x = 1')):",
        "@triton.jit\ndef turned(p, n, k=print()):",
        "@triton.jit\ndef turned(p: exec('x = 1'), n):",
        "@triton.jit\ndef turned(p, n) -> print():",
        "@triton.jit(debug=print())\ndef turned(p, n):", "@print\n@triton.jit\ndef turned(p, n):",
        "@triton.jit\ndef turned(p, n, *, k=[].append(1)):"})
    EXPECT_EQ(code_of(kLine, with_helper(head)), Verdict::unknown) << head;
}

TEST(PatchList, AnnotationsOfIndexLines) {
  for (const char* type : {"tl.int32", "int", "tl.constexpr"}) {
    const std::string line = fmt::format("pid: {} = 8 - tl.program_id(0)", type);
    EXPECT_NE(code_of(kLine, with(kLine, "pid = tl.program_id(0)", line)), Verdict::refuted)
        << type;
  }
  for (const char* annotation :
       {"tl.store(y_ptr, 1.0)", "[tl.store(y_ptr, 1.0)]", "int[print()]"}) {
    const std::string line = fmt::format("pid: {} = tl.program_id(0)", annotation);
    const PatchAudit result = audit(kLine, with(kLine, "pid = tl.program_id(0)", line));
    EXPECT_EQ(result.code.verdict, Verdict::unknown) << annotation;
    EXPECT_THAT(words(result.order), HasSubstr("annotation")) << "the reader refuses it as well";
  }
}

TEST(PatchList, MovedStatements) {
  const std::string before = gemm(kGemmIndex, kGemmRest);
  const std::string step = "    step = tl.arange(0, BLOCK)\n";
  const std::string total = "    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)\n";
  const auto moved = [&](const std::string& line, const std::string& to) {
    return audit(before, with(with(before, line, ""), to, line + to), kGemmJob).code.verdict;
  };
  // Whether a move changes something is not told by the text: the programs alone leave it open.
  EXPECT_EQ(moved(total, kGemmIndex), Verdict::unknown);
  EXPECT_EQ(moved(step, "    row = row_tile"), Verdict::unknown);
  // Past what reads it, or what it reads.
  EXPECT_NE(moved(total, "    c_ptrs = c_ptr"), Verdict::proved);
  const std::string again = with(before, "    c_ptrs = c_ptr", total + "    c_ptrs = c_ptr");
  EXPECT_NE(audit(before, again, kGemmJob).code.verdict, Verdict::proved);
  const std::string twice =
      with(before, step, "    first = 0\n    step = first + tl.arange(0, BLOCK)\n    first = 1\n");
  const std::string line = "    step = first + tl.arange(0, BLOCK)\n";
  EXPECT_NE(audit(twice, with(with(twice, line, ""), "    first = 1\n", "    first = 1\n" + line),
                  kGemmJob)
                .code.verdict,
            Verdict::proved);
}

TEST(PatchList, HintsOfRanges) {
  const std::string range = "tl.range(tl.program_id(0), tl.cdiv(n, BLOCK), tl.num_programs(0)";
  const std::string before =
      line_kernel("    for pid in " + range +
                  "):\n        offsets = pid * BLOCK + tl.arange(0, BLOCK)\n"
                  "        x = tl.load(x_ptr + offsets, mask=offsets < n)\n"
                  "        tl.store(y_ptr + offsets, 2.0 * x, mask=offsets < n)\n");
  const auto changed = [&](const std::string& rest) {
    return code_of(before, with(before, range, range + rest));
  };
  EXPECT_EQ(changed(", num_stages=3, flatten=True"), Verdict::proved);
  EXPECT_NE(changed(", num_stages=tl.program_id(0)"), Verdict::proved);
  EXPECT_NE(changed(" * 2, num_stages=3"), Verdict::proved);
}

TEST(PatchList, NamesThatStandForSomething) {
  const std::string host = kLine +
                           "\n\ndef test_line():\n    def inner(sweep):\n        return sweep\n"
                           "    return inner(1)\n\n\nasync def later():\n    pass\n\n\n"
                           "class Bench:\n    rows = 4\n\n\nfrom os import path as where\n";
  for (const char* name : {"test_line", "test_other", "later", "Bench", "where", "len", "range",
                           "triton", "tl", "rows", "_", "__all__", "pytestmark"})
    EXPECT_NE(code_of(host, host + "\n" + name + " = 0\n"), Verdict::proved) << name;
  for (const char* name : {"inner", "sweep"})
    EXPECT_EQ(code_of(host, host + "\n" + name + " = 0\n"), Verdict::unknown) << name;
  for (const char* number : {"DIES = 8", "_DIES = 8", "DIES = 4 * 2", "DIES = tl.constexpr(8)"})
    EXPECT_EQ(code_of(host, host + "\n" + number + "\n"), Verdict::proved) << number;
  EXPECT_EQ(code_of(host, host + "\nDIES = 8\nDIES = 4\n"), Verdict::unknown);
  EXPECT_THROW(code_of(host, host + "\nkernel = 0\n"), Error);  // there is no kernel any more
}

TEST(PatchList, ConstructsThatAreNotOnTheList) {
  for (const char* index :
       {"    pid = tl.program_id(0) + 0 * (m := n - 1)\n", "    pid = tl.program_id(0) ** 1\n",
        "    pid = somewhere(tl.program_id(0))\n"}) {
    const PatchAudit result = audit(kLine, line_kernel(index + kLineRest));
    EXPECT_EQ(result.code.verdict, Verdict::unknown) << index << words(result);
  }
}

TEST(PatchList, TilesWithEqualAccesses) {
  const std::string before =
      line_kernel("    tile = tl.program_id(0)\n    tl.atomic_add(y_ptr, tile * 3.0 + 1.0)\n");
  for (const char* index :
       {"tl.program_id(0) * 0", "tl.program_id(0) // 2", "tl.program_id(0) + 1"})
    EXPECT_NE(audit(before, with(before, "tl.program_id(0)", index)).verdict(), Verdict::proved)
        << index;
  EXPECT_EQ(audit(before, with(before, "tl.program_id(0)", "8 - tl.program_id(0)")).verdict(),
            Verdict::proved);
}

// ---- launches ---------------------------------------------------------------------------------

std::string launched_on(const std::string& grid) {
  return kLine + "\n\ndef run(x, y, n):\n    kernel[" + grid + "](x, y, n, BLOCK=16)\n";
}

TEST(PatchList, GridsThatOnlyGiveNumbers) {
  const std::string before = launched_on("(triton.cdiv(n, 16),)");
  for (const char* grid : {"((n + 15) // 16,)", "lambda META: (triton.cdiv(n, META[\"BLOCK\"]),)",
                           "[triton.cdiv(n, 16)]", "(triton.cdiv(n, 16), 1)"})
    EXPECT_EQ(audit(before, launched_on(grid)).launch.verdict, Verdict::proved) << grid;
  for (const char* grid :
       {"(triton.cdiv(n, 16) + 0 * (n := n - 8),)", "(triton.cdiv(n, 16), print() or 1)",
        "lambda META, x=print(): (triton.cdiv(n, 16),)",
        "(triton.cdiv(n, 16) if n < 4096 else print(),)",
        "tuple(triton.cdiv(n, 16) for _ in range(1) if (y := x) is not None)"})
    EXPECT_EQ(audit(before, launched_on(grid)).launch.verdict, Verdict::unknown) << grid;
}

TEST(PatchList, AGridThatAnotherLaunchUses) {
  const std::string before = kLine + R"py(

def run(x, y, n):
    grid = (triton.cdiv(n, 16),)
    kernel[grid](x, y, n, BLOCK=16)
    other[grid](x)
)py";
  const std::string after = with(before, "(triton.cdiv(n, 16),)", "((n + 15) // 16,)");
  EXPECT_EQ(audit(before, after).launch.verdict, Verdict::unknown);
  EXPECT_EQ(audit(with(before, "other[grid](x)", "pass"), with(after, "other[grid](x)", "pass"))
                .launch.verdict,
            Verdict::proved);
}

// ---- files beside the kernel ------------------------------------------------------------------

namespace fs = std::filesystem;

/// Two folders, each with the line kernel that imports a package, whose files are given.
class PatchClosure : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    for (const char* side : {"before", "after"}) {
      write(side, "kernel.py", "from pkg.first import SCALE\nimport triton_tools\n" + kLine);
      write(side, "pkg/__init__.py", "");
      write(side, "pkg/first.py", "from .second import SCALE\n");
      write(side, "pkg/second.py", "import third\nSCALE = third.SCALE\n");
      write(side, "third.py", "SCALE = 2\n");
      write(side, "triton_tools.py", "LIMIT = 1\n");
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& side, const std::string& name, const std::string& text) const {
    const fs::path path = root_ / side / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  CheckResult code() const {
    PatchRequest request;
    request.before = (root_ / "before/kernel.py").string();
    request.after = (root_ / "after/kernel.py").string();
    request.job_path = work_file("job.toml", "kernel = \"before.py\"\n" + kLineJob);
    return audit_launch(request).code;
  }

  const fs::path root_ =
      fs::path(HEDDLE_WORK_DIR) / (std::string("PatchClosure_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(PatchClosure, AreComparedAtAnyDepth) {
  EXPECT_EQ(code().verdict, Verdict::proved);
  for (const char* name :
       {"pkg/__init__.py", "pkg/first.py", "pkg/second.py", "third.py", "triton_tools.py"}) {
    SetUp();
    write("after", name, "SCALE = 3\nLIMIT = 3\n");
    const CheckResult result = code();
    EXPECT_EQ(result.verdict, Verdict::refuted) << name;
    ASSERT_FALSE(result.evidence.empty());
    EXPECT_THAT(result.evidence[0], HasSubstr(name));
  }
}

TEST_F(PatchClosure, MayHaveOtherComments) {
  write("after", "third.py", "# doubled\nSCALE = 2\n");
  EXPECT_EQ(code().verdict, Verdict::proved);
}

TEST_F(PatchClosure, ThatAreNewCount) {
  write("after", "third/__init__.py", "SCALE = 2\n");
  EXPECT_EQ(code().verdict, Verdict::refuted) << "a package goes before a module of its name";
}

}  // namespace
}  // namespace heddle::audit_tests
