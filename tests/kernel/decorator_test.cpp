// @triton.autotune and @triton.heuristics, with a job file on top.
#include "config/gpu.h"
#include "kernel/run_program.h"
#include "kernel/source.h"
#include "kernel/triton/language.h"

namespace heddle::testing {
namespace {

/// What the pipeline does: job, config, heuristics, launch.
config::Launch launch_from(const std::string& kernel, const std::string& job_text,
                           const std::vector<std::string>& overrides = {},
                           const config::Target& target = {}) {
  write_file("k.py", kImports + kernel);
  const config::Job job =
      config::read_job(write_file("k.toml", "kernel = \"k.py\"\n" + job_text), overrides, target);
  kernel::triton::TritonSource source(job.kernel_path);
  return kernel::triton::launch_of(source, job).launch;
}

std::string value_of_argument(const config::Launch& launch, const std::string& name) {
  const config::Argument* argument = launch.find(name);
  return argument == nullptr ? "nothing" : config::value_text(argument->value);
}

const std::string kTuned =
    "@triton.autotune(configs=[\n"
    "    triton.Config({'BLOCK': 64, 'MODE': 'a'}, num_warps=2),\n"
    "    triton.Config({'BLOCK': 128, 'MODE': 'b'}, num_warps=8, num_stages=5),\n"
    "    triton.Config({'BLOCK': 128, 'MODE': 'c'}, num_warps=4, pre_hook=None),\n"
    "], key=['n'])\n"
    "@triton.jit\n"
    "def k(o, n, BLOCK: tl.constexpr, MODE: tl.constexpr):\n"
    "    tl.store(o + tl.arange(0, BLOCK), 1)\n";
const std::string kJob =
    "grid = \"cdiv(n, BLOCK)\"\n"
    "[tensors.o]\ndtype = \"fp32\"\nshape = [1024]\n"
    "[scalars]\nn = 1024\n";

TEST(Decorator, TheFirstConfigUnlessTheJobPicks) {
  const config::Launch launch = launch_from(kTuned, kJob);
  EXPECT_EQ(value_of_argument(launch, "BLOCK"), "64");
  EXPECT_EQ(launch.grid.count(), 16);
  EXPECT_EQ(launch.warps, 2);
}

TEST(Decorator, ConfigByNumberOrValues) {
  const config::Launch second = launch_from(kTuned, "config = 1\n" + kJob);
  EXPECT_EQ(value_of_argument(second, "MODE"), "'b'");
  EXPECT_EQ(second.warps, 8);
  EXPECT_EQ(second.stages, 5);
  const config::Launch third =
      launch_from(kTuned, "config = {BLOCK = 128, num_warps = 4}\n" + kJob);
  EXPECT_EQ(value_of_argument(third, "MODE"), "'c'");
  EXPECT_EQ(third.grid.count(), 8);
  EXPECT_EQ(error_text(thrown_by([&] { launch_from(kTuned, "config = 3\n" + kJob); })),
            "k.py:3:2: there is no config 3\n  try: use 0 to 2");
  EXPECT_THAT(error_text(thrown_by([&] { launch_from(kTuned, "config = {BLOCK = 7}\n" + kJob); })),
              HasSubstr("no config of @triton.autotune agrees with the job's"));
}

TEST(Decorator, TheJobsOwnValuesWin) {
  const config::Launch launch =
      launch_from(kTuned, "config = 1\n" + kJob + "[constexprs]\nBLOCK = 256\n");
  EXPECT_EQ(value_of_argument(launch, "BLOCK"), "256");
  EXPECT_EQ(value_of_argument(launch, "MODE"), "'b'");
}

TEST(Decorator, ConfigsByComprehensionAndFunction) {
  const std::string kernel =
      "import itertools\n"
      "SIZES = [32, 64]\n"
      "def configs():\n"
      "    return [triton.Config({'BLOCK': b * f, 'MODE': m}, num_warps=w)\n"
      "            for b in SIZES for f in range(1, 3) for m, w in (('x', 4), ('y', 8))\n"
      "            if b * f != 64 or w == 4]\n"
      "@triton.autotune(configs() + [triton.Config({'BLOCK': 512, 'MODE': 'z'})], key=[])\n"
      "@triton.jit\n"
      "def k(o, n, BLOCK: tl.constexpr, MODE: tl.constexpr):\n"
      "    pass\n";
  const auto picked = [&](int index) {
    const config::Launch launch =
        launch_from(kernel, "config = " + std::to_string(index) + "\n" + kJob);
    return value_of_argument(launch, "BLOCK") + value_of_argument(launch, "MODE");
  };
  EXPECT_EQ(picked(0), "32'x'");
  EXPECT_EQ(picked(1), "32'y'");
  EXPECT_EQ(picked(2), "64'x'");
  EXPECT_EQ(picked(5), "128'y'");
  EXPECT_EQ(picked(6), "512'z'");
}

TEST(Decorator, ConfigsFilteredByAFunction) {
  const std::string kernel =
      "def is_fast():\n"
      "    try:\n"
      "        return triton.runtime.driver.active.get_current_target().backend == 'cuda'\n"
      "    except Exception:\n"
      "        return False\n"
      "def keep(conf):\n"
      "    return is_fast() and conf.kwargs['BLOCK'] > 32 and conf.num_warps == 4\n"
      "configs = [triton.Config(dict(BLOCK=b, MODE='m'), num_warps=w)\n"
      "           for b in (32, 64) for w in (2, 4)]\n"
      "@triton.autotune(configs=list(filter(keep, configs)), key=[])\n"
      "@triton.jit\n"
      "def k(o, n, BLOCK: tl.constexpr, MODE: tl.constexpr):\n"
      "    pass\n";
  const config::Launch launch = launch_from(kernel, "config = 0\n" + kJob);
  EXPECT_EQ(value_of_argument(launch, "BLOCK"), "64");
  EXPECT_EQ(launch.warps, 4);
}

const std::string kByGpu =
    "import torch\n"
    "def is_cuda():\n"
    "    return triton.runtime.driver.active.get_current_target().backend == 'cuda'\n"
    "def cuda_configs():\n"
    "    return [triton.Config({'BLOCK': 64, 'MODE': 'cuda'}, num_warps=2)]\n"
    "def hip_configs():\n"
    "    sizes = [{'BLOCK': 128, 'MODE': 'x'}, {'BLOCK': 256, 'MODE': 'hip'}]\n"
    "    return [triton.Config(s | {'MODE': 'hip', 'kpack': 2}, num_warps=8) for s in sizes]\n"
    "ON_HIP = torch.version.hip is not None\n"
    "@triton.autotune(configs=cuda_configs() if is_cuda() else hip_configs(), key=[])\n"
    "@triton.heuristics({'LANES': lambda a: triton.runtime.driver.active.get_current_target()"
    ".warp_size,\n"
    "                    'MAJOR': lambda a: torch.cuda.get_device_capability()[0]})\n"
    "@triton.jit\n"
    "def k(o, n, BLOCK: tl.constexpr, MODE: tl.constexpr, LANES: tl.constexpr,\n"
    "      MAJOR: tl.constexpr):\n"
    "    tl.store(o + tl.arange(0, 32 if ON_HIP else 16), 1)\n";

TEST(Decorator, ConfigsAndHeuristicsOfTheGpu) {
  const std::string job = "config = 0\n" + kJob;
  const config::Launch cuda = launch_from(kByGpu, job);
  EXPECT_EQ(value_of_argument(cuda, "MODE"), "'cuda'");
  EXPECT_EQ(value_of_argument(cuda, "LANES"), "32");
  EXPECT_EQ(value_of_argument(cuda, "MAJOR"), "9");
  const config::Launch b200 =
      launch_from(kByGpu, job, {}, config::target_of(config::read_gpu("b200")));
  EXPECT_EQ(value_of_argument(b200, "MAJOR"), "10");
  const config::Target amd = config::target_of(config::read_gpu("mi300x"));
  const config::Launch hip = launch_from(kByGpu, job, {}, amd);
  EXPECT_EQ(value_of_argument(hip, "MODE"), "'hip'");
  EXPECT_EQ(value_of_argument(hip, "BLOCK"), "128");
  EXPECT_EQ(value_of_argument(hip, "LANES"), "64");
  EXPECT_EQ(hip.warps, 8);
  EXPECT_EQ(value_of_argument(launch_from(kByGpu, job, {"config=1"}, amd), "BLOCK"), "256");
  EXPECT_THAT(error_text(thrown_by([&] { launch_from(kByGpu, job, {"config=1"}); })),
              HasSubstr("there is no config 1"));
}

TEST(Decorator, ModuleConstantsOfTheGpu) {
  write_file("k.py", kImports + kByGpu);
  const std::string job = write_file("k.toml", "kernel = \"k.py\"\n" + kJob);
  const auto stored = [&](const config::Target& target) {
    return kernel::load_kernel(job, {}, target).program.sites.at(0).shape;
  };
  EXPECT_EQ(stored({}), (std::vector<std::int64_t>{16}));
  EXPECT_EQ(stored(config::target_of(config::read_gpu("mi300x"))), (std::vector<std::int64_t>{32}));
}

TEST(Decorator, WhatTheGpuIs) {
  const auto value = [&](const std::string& expression, const std::string& gpu) {
    const config::Launch launch = launch_from(
        "from triton.language.target_info import *\n"
        "from triton._internal_testing import is_hip, is_cuda, is_hip_cdna3\n"
        "import torch\n"
        "target = triton.runtime.driver.active.get_current_target()\n"
        "@triton.heuristics({'X': lambda a: " +
            expression +
            "})\n"
            "@triton.jit\ndef k(o, n, X: tl.constexpr):\n    pass\n",
        "grid = 1\n" + kJob.substr(kJob.find('[')), {}, config::target_of(config::read_gpu(gpu)));
    return value_of_argument(launch, "X");
  };
  EXPECT_EQ(value("is_hip()", "mi300x"), "True");
  EXPECT_EQ(value("is_hip()", "h200"), "False");
  EXPECT_EQ(value("is_cuda()", "mi300x"), "False");
  EXPECT_EQ(value("is_cuda()", "h200"), "True");
  EXPECT_EQ(value("is_hip_cdna3()", "mi300x"), "True");
  EXPECT_EQ(value("is_hip_cdna3()", "mi355x"), "False");
  EXPECT_EQ(value("target.arch", "mi300x"), "'gfx942'");
  EXPECT_EQ(value("target.arch", "a100"), "80");
  EXPECT_EQ(value("list(torch.cuda.get_device_capability())", "mi300x"), "[9, 4]");
  EXPECT_EQ(value("list(torch.cuda.get_device_capability())", "mi210"), "[9, 0]");
  EXPECT_EQ(value("list(torch.cuda.get_device_capability())", "a100"), "[8, 0]");
  EXPECT_EQ(value("torch.version.cuda is None", "mi300x"), "True");
}

TEST(Decorator, ConfigsThatCannotBeKnown) {
  const std::string kernel =
      "import torch\n"
      "@triton.autotune(configs=torch.read_configs(), key=[])\n"
      "@triton.jit\n"
      "def k(o, n, BLOCK: tl.constexpr):\n"
      "    pass\n";
  EXPECT_EQ(error_text(thrown_by([&] { launch_from(kernel, "config = 0\n" + kJob); })),
            "k.py:4:2: the configs of @triton.autotune are not known here: 'torch.read_configs' is "
            "not in this file, nor in one beside it\n"
            "  try: give their values under [constexprs] in the job instead of 'config'");
  const config::Launch launch = launch_from(kernel, kJob + "[constexprs]\nBLOCK = 16\n");
  EXPECT_EQ(value_of_argument(launch, "BLOCK"), "16");
  EXPECT_THAT(error_text(thrown_by([&] {
                launch_from("@triton.jit\ndef k(o, n):\n    pass\n",
                            "config = 0\n" + kJob + "[constexprs]\nBLOCK = 16\n");
              })),
              HasSubstr("'k' has no @triton.autotune to pick a config from"));
}

TEST(Decorator, Heuristics) {
  const std::string kernel =
      "import torch\n"
      "def even(args):\n"
      "    if args['bias'] is None:\n"
      "        return args['n'] % args['BLOCK'] == 0\n"
      "    return False\n"
      "RULES = {'HALF': lambda args: args['o'].dtype == torch.float16}\n"
      "@triton.heuristics({'EVEN': even, 'ROWS': lambda args: args['o'].shape[0],\n"
      "                    'STEP': lambda a: a['o'].stride(1) + a['o'].numel()})\n"
      "@triton.heuristics(values=RULES)\n"
      "@triton.heuristics({'TWICE': lambda args: args['ROWS'] * 2})\n"
      "@triton.jit\n"
      "def k(o, n, bias, BLOCK: tl.constexpr, EVEN: tl.constexpr, ROWS: tl.constexpr,\n"
      "      STEP: tl.constexpr, HALF: tl.constexpr, TWICE: tl.constexpr):\n"
      "    pass\n";
  const std::string job =
      "grid = 1\n"
      "[tensors.o]\ndtype = \"fp16\"\nshape = [6, 4]\n"
      "[scalars]\nn = 1024\nbias = \"None\"\n"
      "[constexprs]\nBLOCK = 128\n";
  const config::Launch launch = launch_from(kernel, job);
  EXPECT_EQ(value_of_argument(launch, "EVEN"), "True");
  EXPECT_EQ(value_of_argument(launch, "ROWS"), "6");
  EXPECT_EQ(value_of_argument(launch, "STEP"), "25");
  EXPECT_EQ(value_of_argument(launch, "HALF"), "True");
  EXPECT_EQ(value_of_argument(launch, "TWICE"), "12");
  EXPECT_EQ(value_of_argument(launch_from(kernel, job, {"n=1000"}), "EVEN"), "False");
  EXPECT_EQ(value_of_argument(launch_from(kernel, job + "EVEN = false\n"), "EVEN"), "False");
}

/// Heuristics, constants of kernels and jobs have one arithmetic: Python's.
TEST(Decorator, HeuristicsComputeAsPythonDoes) {
  const std::vector<std::pair<std::string, std::string>> samples = {
      {"int(1.0 // 0.1)", "9"},
      {"int(-1.0 // 0.1)", "-10"},
      {"1.0 % 0.1 < 0.0999", "False"},
      {"-7 // 2", "-4"},
      {"-7 % 2", "1"},
      {"int(-7.5 % 2)", "0"},
      {"int(7.5 // -2)", "-4"},
      {"2 ** 10", "1024"},
      {"int(2 ** -1 * 8)", "4"},
      {"-7 >> 1", "-4"},
      {"2 ** 53 + 1 == 2.0 ** 53", "False"},
      {"int(-0.5)", "0"},
      {"int((2 ** 53 + 1) / 1 - 2 ** 53)", "0"}};
  for (const auto& [expression, value] : samples) {
    const std::string kernel = "@triton.heuristics({'X': lambda args: " + expression +
                               "})\n@triton.jit\ndef k(o, J: tl.constexpr, X: tl.constexpr):\n"
                               "    pass\n";
    const config::Launch launch =
        launch_from(kernel,
                    "grid = 1\n[tensors.o]\ndtype = \"fp16\"\nshape = [4]\n"
                    "[constexprs]\nJ = \"" +
                        expression + "\"\n");
    EXPECT_EQ(value_of_argument(launch, "X"), value) << expression;
    EXPECT_EQ(value_of_argument(launch, "J"), value) << expression;
  }
}

TEST(Decorator, HeuristicsThatCannotBeKnown) {
  const std::string kernel =
      "import os\n"
      "@triton.heuristics({'FAST': lambda args: os.environ.get('FAST')})\n"
      "@triton.jit\n"
      "def k(o, n, FAST: tl.constexpr):\n"
      "    pass\n";
  EXPECT_THAT(error_text(thrown_by([&] {
                launch_from(kernel,
                            "grid = 1\n[tensors.o]\ndtype = \"fp16\"\nshape = [4]\n"
                            "[scalars]\nn = 4\n");
              })),
              HasSubstr("k.py:4:2: the heuristic for 'FAST' is not known here"));
}

TEST(Decorator, RulesThatCannotBeKnownWhereTheJobSaysAll) {
  const std::string kernel =
      "import project\n"
      "@triton.heuristics(project.rules_of('k'))\n"
      "@triton.jit\n"
      "def k(o, n, FAST: tl.constexpr, BLOCK: tl.constexpr = 8):\n"
      "    pass\n";
  const std::string job =
      "grid = 1\n[tensors.o]\ndtype = \"fp16\"\nshape = [4]\n"
      "[scalars]\nn = 4\n[constexprs]\nFAST = true\n";
  EXPECT_EQ(value_of_argument(launch_from(kernel, job + "BLOCK = 4\n"), "FAST"), "True");
  EXPECT_THAT(error_text(thrown_by([&] { launch_from(kernel, job); })),  // BLOCK may be a rule's
              HasSubstr("k.py:4:2: the rules of @triton.heuristics are not known here"));
}

TEST(Decorator, UnknownThingsAreNotGuessed) {
  // `flags` is not at hand: neither True nor None can be said of it.
  const std::string before = "from flags import USE_FAST\n";
  EXPECT_THAT(error_of_body("if USE_FAST:\n    pass", {}, before),
              HasSubstr("'flags.USE_FAST' is not in this file, nor in one beside it"));
  EXPECT_THAT(error_of_body("if USE_FAST is None:\n    pass", {}, before),
              HasSubstr("flags.USE_FAST and None cannot be compared with Is"));
}

TEST(Decorator, OtherDecoratorsAreNotLookedAt) {
  const Words words = {"o: int32[4]"};
  EXPECT_EQ(run(program_of("@libentry()\n"
                           "@something.strange[3](set(), {1: (2, 3)}, **kw)\n"
                           "@triton.jit(repr=lambda x: undefined(x), launch_metadata=meta)\n"
                           "def k(o):\n"
                           "    tl.store(o, 1)\n",
                           words),
                words)
                .written_elements(),
            (Integers{0}));
}

}  // namespace
}  // namespace heddle::testing
