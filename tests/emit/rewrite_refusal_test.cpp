// What is not rewritten, with the place and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rewriting.h"

namespace heddle::emit_tests {
namespace {

constexpr const char* kImports = "import triton\nimport triton.language as tl\n\n";

std::string kernel_of(const std::string& body, const std::string& signature = "x_ptr, n") {
  return std::string(kImports) + "@triton.jit\ndef kernel(" + signature + "):\n" + body;
}

TEST(RewriteRefusal, NothingToReplace) {
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, n)\n")),
            "5:1: the kernel 'kernel' uses no tl.program_id");
}

TEST(RewriteRefusal, HostCode) {
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id(0))\n") +
                        "\ndef host(x):\n    kernel[(1,)](x, 2)\n",
                    "host"),
            "8:1: 'host' is not a @triton.jit function: emit does not change host code");
}

TEST(RewriteRefusal, AxesThatAreNotKnown) {
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id(n))\n")),
            "6:35: the axis of tl.program_id is not 0, 1 or 2");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id(axis=n))\n")),
            "6:40: the axis of tl.program_id is not 0, 1 or 2");
  EXPECT_EQ(
      refusal(kernel_of("    tl.store(x_ptr, tl.program_id(AXIS))\n", "x_ptr, AXIS: tl.constexpr")),
      "6:35: the axis of tl.program_id is not 0, 1 or 2");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id(3))\n")),
            "6:35: the axis of tl.program_id is not 0, 1 or 2");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id(-1))\n")),
            "6:35: the axis of tl.program_id is not 0, 1 or 2");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr, tl.program_id())\n")),
            "6:21: the axis of tl.program_id is not 0, 1 or 2");
  // A global that a name of the function hides is not taken.
  EXPECT_EQ(
      refusal("AXIS = 0\n" + kernel_of("    AXIS = n\n    tl.store(x_ptr, tl.program_id(AXIS))\n")),
      "8:35: the axis of tl.program_id is not 0, 1 or 2");
}

TEST(RewriteRefusal, Helpers) {
  const std::string helper =
      std::string(kImports) + "@triton.jit\ndef row(n):\n    return tl.program_id(0) * n\n\n";
  EXPECT_EQ(refusal(helper + "@triton.jit\ndef kernel(x_ptr, n):\n"
                             "    tl.store(x_ptr + row(n), tl.program_id(0))\n"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  // Also through another helper, and one that is only passed on.
  EXPECT_EQ(refusal(helper + "@triton.jit\ndef twice(n):\n    return row(n) * 2\n\n"
                             "@triton.jit\ndef kernel(x_ptr, n):\n"
                             "    tl.store(x_ptr + twice(n), tl.program_id(0))\n"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  EXPECT_EQ(refusal(helper + "@triton.jit\ndef kernel(x_ptr, n):\n"
                             "    tl.store(x_ptr, tl.reduce(tl.program_id(0), 0, row))\n"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  // A name of the kernel's own that hides the helper is another thing.
  EXPECT_EQ(refusal(helper + "@triton.jit\ndef kernel(x_ptr, n):\n    row = n\n"
                             "    tl.store(x_ptr + row, tl.program_id(0))\n",
                    "kernel"),
            "nothing was refused");
}

TEST(RewriteRefusal, HelpersInAnotherFile) {
  const std::string folder = HEDDLE_WORK_DIR;
  std::ofstream(folder + "/beside_kernel.py")
      << kImports << "@triton.jit\ndef row(n):\n    return tl.program_id(0) * n\n\n"
      << "@triton.jit\ndef plain(n):\n    return n\n";
  const auto use = [](const std::string& import, const std::string& call) {
    return refusal(import + kernel_of("    tl.store(x_ptr + " + call + ", tl.program_id(0))\n"));
  };
  EXPECT_EQ(use("from beside_kernel import row\n", "row(n)"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  EXPECT_EQ(use("import beside_kernel\n", "beside_kernel.row(n)"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  EXPECT_EQ(use("from .beside_kernel import row as f\n", "f(n)"),
            "6:12: tl.program_id is used in the helper 'row', which the kernel calls");
  EXPECT_EQ(use("from beside_kernel import plain\n", "plain(n)"), "nothing was refused");
}

TEST(RewriteRefusal, FunctionsThatAreNowhere) {
  EXPECT_EQ(refusal("from elsewhere import row\n" +
                    kernel_of("    tl.store(x_ptr + row(n), tl.program_id(0))\n")),
            "7:22: 'row' is not in this file, nor in one beside it: it may use tl.program_id");
  EXPECT_EQ(refusal("import elsewhere.inside as e\n" +
                    kernel_of("    tl.store(x_ptr + e.row(n), tl.program_id(0))\n")),
            "7:22: 'e.row' is not in this file, nor in one beside it: it may use tl.program_id");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr + row(n), tl.program_id(0))\n")),
            "6:22: 'row' is not in this file, nor in one beside it: it may use tl.program_id");
  EXPECT_EQ(refusal(kernel_of("    tl.store(x_ptr + n(1), tl.program_id(0))\n")),
            "6:22: 'n' is not in this file, nor in one beside it: it may use tl.program_id");
  EXPECT_EQ(
      refusal("from torch._inductor.runtime import triton_helpers\n"
              "from triton.language.extra import libdevice\nimport math\n" +
              kernel_of("    y = libdevice.exp(n) + math.log(2) + float(min(n, 3))\n"
                        "    tl.store(x_ptr + triton_helpers.maximum(y, 1), tl.program_id(0))\n")),
      "nothing was refused");
  EXPECT_EQ(refusal(kernel_of("    if n == 7:\n        raise ValueError(\"seven\")\n"
                              "    tl.store(x_ptr + tl.program_id(0), n)\n")),
            "nothing was refused");
}

TEST(RewriteRefusal, PassedOnRatherThanCalled) {
  EXPECT_EQ(refusal(kernel_of("    f = tl.program_id\n    tl.store(x_ptr, f(0))\n")),
            "6:9: tl.program_id is passed on rather than called");
  EXPECT_EQ(
      refusal(std::string(kImports) + "get = tl.program_id\n\n@triton.jit\ndef kernel(x_ptr):\n"
                                      "    tl.store(x_ptr + tl.program_id(0), get(0))\n"),
      "4:7: tl.program_id is passed on rather than called");
}

TEST(RewriteRefusal, InsideOfFunctionsAndTexts) {
  EXPECT_EQ(refusal(kernel_of("    def f():\n        return tl.program_id(0)\n"
                              "    tl.store(x_ptr + tl.program_id(0), f())\n")),
            "7:16: tl.program_id is used in a function inside the kernel");
  EXPECT_EQ(refusal(kernel_of("    f = lambda: tl.program_id(0)\n"
                              "    tl.store(x_ptr + tl.program_id(0), f())\n")),
            "6:17: tl.program_id is used in a function inside the kernel");
  EXPECT_THAT(refusal(kernel_of("    tl.device_print(f\"{tl.program_id(0)}\")\n"
                                "    tl.store(x_ptr + tl.program_id(0), n)\n")),
              testing::EndsWith("tl.program_id is used in a formatted text"));
}

TEST(RewriteRefusal, NumbersOfBlocksInAssembly) {
  EXPECT_EQ(refusal(kernel_of("    b = tl.inline_asm_elementwise(\"mov.u32 $0, %ctaid.x;\", \"=r\","
                              " [], tl.int32, True, 1)\n"
                              "    tl.store(x_ptr + tl.program_id(0), b)\n")),
            "6:35: a text here names 'ctaid': the block's number in assembly");
}

TEST(RewriteRefusal, KernelsThatAreNotLaunched) {
  EXPECT_EQ(refusal(std::string(kImports) +
                        "@triton.jit\ndef row(x_ptr):\n    tl.store(x_ptr, tl.program_id(0))\n\n"
                        "@triton.jit\ndef kernel(x_ptr):\n    row(x_ptr)\n",
                    "row"),
            "5:1: 'row' is called by 'kernel': it is a helper, not what is launched");
}

TEST(RewriteRefusal, TwoDefinitions) {
  EXPECT_THAT(refusal(std::string(kImports) + "if 1:\n    @triton.jit\n    def kernel(x_ptr):\n"
                                              "        tl.store(x_ptr, tl.program_id(0))\nelse:\n"
                                              "    @triton.jit\n    def kernel(x_ptr):\n"
                                              "        tl.store(x_ptr, tl.program_id(0))\n"),
              testing::EndsWith("5: 'kernel' is defined more than once"));
}

TEST(RewriteRefusal, NoNameForTheLanguage) {
  EXPECT_EQ(refusal("from triton import jit\nfrom triton.language import program_id, store\n\n"
                    "@jit\ndef kernel(x_ptr):\n    store(x_ptr, program_id(0))\n"),
            "6:18: the file has no name for triton.language");
}

TEST(RewriteRefusal, AnotherNumberOfAxes) {
  const std::string kernel =
      kernel_of("    tl.store(x_ptr + tl.program_id(1), tl.program_id(0))\n");
  EXPECT_EQ(refusal_of([&] { rewritten(kernel, proven_family("reverse", 1)); }),
            "6:22: the kernel is launched on 2-D grids, the order is of 1-D grids");
  EXPECT_EQ(refusal_of([&] { rewritten(kernel, proven_family("reverse", 3)); }),
            "6:22: the kernel is launched on 2-D grids, the order is of 3-D grids");
}

TEST(RewriteRefusal, OrdersThatDoNotFit) {
  const std::string kernel = kernel_of("    tl.store(x_ptr + tl.program_id(0), n)\n");
  EXPECT_EQ(refusal_of([&] { rewritten(kernel, proven_formula("p0", "6", {}, "3x2")); }),
            "0:0: the order's tile space is not the launch grid");
  EXPECT_EQ(refusal_of([&] {
              rewritten(kernel, proven_formula("int t = blockIdx.x;\nif (t >= 6) return;\n"
                                               "int u = 5 - t;\n",
                                               "6"));
            }),
            "0:0: the order has blocks that do nothing");
}

TEST(RewriteRefusal, NamesTheKernelDoesNotHave) {
  const auto with = [](const std::string& body) {
    return refusal_of(
        [&] { rewritten(kernel_of(body), proven_formula("M - 1 - p0", "1..9", {"M=g0"})); });
  };
  EXPECT_EQ(with("    tl.store(x_ptr + tl.program_id(0), n)\n"),
            "6:5: the order uses 'M', which is not a kernel parameter with a known value here");
  // A name that gets its value in the kernel has it too late, or too often.
  EXPECT_EQ(with("    M = n\n    tl.store(x_ptr + tl.program_id(0), M)\n"),
            "7:5: the order uses 'M', which is not a kernel parameter with a known value here");
  EXPECT_EQ(refusal_of([&] {
              rewritten(
                  kernel_of("    M += 1\n    tl.store(x_ptr + tl.program_id(0), M)\n", "x_ptr, M"),
                  proven_formula("M - 1 - p0", "1..9", {"M=g0"}));
            }),
            "7:5: the order uses 'M', which is not a kernel parameter with a known value here");
}

TEST(RewriteRefusal, ABodyOnTheLineOfItsDef) {
  EXPECT_EQ(refusal_of([&] {
              rewritten(std::string(kImports) +
                            "@triton.jit\ndef kernel(x_ptr): tl.store(x_ptr, tl.program_id(0))\n",
                        proven_family("reverse", 1));
            }),
            "5:20: the function's body stands on the line of its 'def'");
}

TEST(RewriteRefusal, DeepHelpersEnd) {
  std::string text = kImports;
  for (int i = 0; i < 800; ++i)
    text += "@triton.jit\ndef f" + std::to_string(i) + "(x):\n    return f" +
            std::to_string(i + 1) + "(x)\n\n";
  EXPECT_THAT(refusal(text + "@triton.jit\ndef f800(x):\n    return f0(x)\n\n"
                             "@triton.jit\ndef kernel(x_ptr):\n"
                             "    tl.store(x_ptr, f0(tl.program_id(0)))\n"),
              testing::HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace heddle::emit_tests
