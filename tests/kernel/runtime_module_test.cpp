// What a machine with a GPU gets of a Triton file.
#include "kernel/triton/runtime_module.h"

#include "kernel/testing.h"

namespace heddle::testing {
namespace {

using ::testing::Not;

std::string module_of(const std::string& text, const std::string& function = "k",
                      const std::vector<config::Argument>& arguments = {}) {
  const std::string path = write_file("k.py", text);
  config::Launch launch;
  launch.function = function;
  launch.arguments = arguments;
  return kernel::triton::runtime_module(path, text, launch);
}

TEST(RuntimeModule, HostCodeAndTunersStayBehind) {
  const std::string text = module_of(
      "import torch\nimport triton\nimport triton.language as tl\nDEVICE = torch.device('cuda')\n"
      "@triton.autotune(configs=make(), key=['n'])\n@triton.heuristics({'E': lambda a: 1})\n"
      "@triton.jit(do_not_specialize=['n'], launch_metadata=told)\n"
      "def k(o, n, E: tl.constexpr):\n    tl.store(o, helper(n))\n"
      "@triton.jit\ndef helper(n):\n    return n * TWO\nTWO = tl.constexpr(2)\nTHREE = 3\n"
      "print('runs')\nk[(1,)](torch.empty(3, device=DEVICE), 3)\n");
  EXPECT_EQ(text,
            "# k of k.py, and what it needs.\nimport triton\nimport triton.language\n"
            "import triton.language as tl\n"
            "\n@triton.jit(do_not_specialize=['n'])\n"
            "def k(o, n, E: tl.constexpr):\n    tl.store(o, helper(n))\n"
            "\n@triton.jit\ndef helper(n):\n    return n * TWO\n\nTWO = tl.constexpr(2)\n");
}

TEST(RuntimeModule, FilesBesideAreTakenIn) {
  write_file("helpers.py",
             "import triton\nimport triton.language as tl\nSIZE: tl.constexpr = 4\n"
             "@triton.jit\ndef twice(x):\n    return x * SIZE\n"
             "@triton.jit\ndef other(x):\n    return x\n");
  const std::string text = module_of(
      "import triton\nimport triton.language as tl\nimport helpers\n"
      "from helpers import twice as double\nSIZE = tl.constexpr(8)\n"
      "@triton.jit\ndef k(o):\n    tl.store(o, helpers.twice(1) + double(2) + SIZE)\n");
  // Two files, two sizes: one gets a new name.
  EXPECT_THAT(text, HasSubstr("tl.store(o, twice(1) + twice(2) + SIZE_2)"));
  EXPECT_THAT(text, HasSubstr("SIZE: tl.constexpr = 4"));
  EXPECT_THAT(text, HasSubstr("SIZE_2 = tl.constexpr(8)"));
  EXPECT_THAT(text, Not(HasSubstr("other")));
  EXPECT_THAT(text, Not(HasSubstr("import helpers")));
}

TEST(RuntimeModule, ANewNameReachesEveryUse) {
  write_file("helpers.py",
             "import triton\n@triton.jit\ndef act(x):\n    return x\n"
             "@triton.jit\ndef both(act_in):\n    act = act_in\n    return act\n"
             "@triton.jit\ndef calls(x):\n    return act(x)\n");
  const std::string text = module_of(
      "import triton\nfrom helpers import both, calls\n@triton.jit\ndef act(x):\n    return -x\n"
      "@triton.jit\ndef k(o):\n    act(both(calls(o)))\n");
  EXPECT_THAT(text, HasSubstr("    act_2(both(calls(o)))"));
  EXPECT_THAT(text, HasSubstr("def act_2(x):\n    return -x\n"));
  EXPECT_THAT(text, HasSubstr("    return act(x)\n"));
  // A variable of that name is another thing.
  EXPECT_THAT(text, HasSubstr("    act = act_in\n    return act\n"));
}

TEST(RuntimeModule, BranchesOfTheModuleAreKeptWhole) {
  const std::string text = module_of(
      "import triton\nimport triton.language as tl\n"
      "try:\n    from triton.language.extra.cuda.libdevice import rsqrt\n"
      "except ImportError:\n    from triton.language.extra.libdevice import rsqrt\n"
      "def is_hip():\n    return triton.runtime.driver.active.get_current_target().backend == "
      "'hip'\n"
      "if is_hip():\n    WIDTH = tl.constexpr(64)\nelse:\n    WIDTH = tl.constexpr(32)\n"
      "if __name__ == '__main__':\n    WIDTH = 7\n"
      "@triton.jit\ndef k(o):\n    tl.store(o, rsqrt(WIDTH))\n");
  EXPECT_THAT(text, HasSubstr("try:\n    from triton.language.extra.cuda.libdevice import rsqrt"));
  EXPECT_THAT(text, HasSubstr("def is_hip():"));
  EXPECT_THAT(text, HasSubstr("else:\n    WIDTH = tl.constexpr(32)"));
  EXPECT_THAT(text, Not(HasSubstr("__main__")));
}

TEST(RuntimeModule, ABranchAroundAKernelStaysBehind) {
  const std::string text = module_of(
      "from torch.utils._triton import has_triton\n"
      "if has_triton():\n    import triton\n    import triton.language as tl\n"
      "    EPS = 1e-12\n    if EPS:\n        TWO: tl.constexpr = 2\n"
      "    CONFIGS = [triton.Config({})]\n"
      "    @triton.autotune(configs=CONFIGS, key=[])\n    @triton.jit\n"
      "    def k(o):\n        tl.store(o, EPS * TWO)\n"
      "    def host(x):\n        k[(triton.cdiv(x, 2),)](x)\n");
  EXPECT_EQ(text,
            "# k of k.py, and what it needs.\nimport triton\nimport triton.language\n"
            "import triton.language as tl\n"
            "\nEPS = 1e-12\n\nTWO: tl.constexpr = 2\n"
            "\n@triton.jit\ndef k(o):\n    tl.store(o, EPS * TWO)\n");
}

TEST(RuntimeModule, WhatTheJobSetsIsSet) {
  const std::string text = module_of(
      "import triton\nimport triton.language as tl\nWIDTH = ask_the_gpu()\n"
      "@triton.jit\ndef k(o, B: tl.constexpr):\n    tl.store(o, WIDTH + B)\n",
      "k", {{"B", {std::int64_t{4}}, true, {}}, {"WIDTH", {std::int64_t{64}}, true, {}}});
  EXPECT_THAT(text, HasSubstr("WIDTH = triton.language.constexpr(64)\n"));
  EXPECT_THAT(text, Not(HasSubstr("ask_the_gpu")));
}

TEST(RuntimeModule, AKernelInAFunctionStandsAlone) {
  const std::string text = module_of(
      "import triton\nimport triton.language as tl\n"
      "def make():\n    @triton.jit\n    def k(o):\n        if True:\n            tl.store(o, 1)\n"
      "    return k\n");
  EXPECT_THAT(text, HasSubstr("@triton.jit\ndef k(o):\n    if True:\n        tl.store(o, 1)\n"));
}

TEST(RuntimeModule, WhatCannotBeReadStaysAsItIs) {
  EXPECT_EQ(module_of("def k(:\n"), "def k(:\n");
  EXPECT_EQ(module_of("x = 1\n"), "x = 1\n");
}

}  // namespace
}  // namespace heddle::testing
