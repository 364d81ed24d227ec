// Helper functions, their arguments and results; globals and imports.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

using Values = std::vector<double>;

Values results(const std::string& before, const std::string& body, const Words& words = {},
               std::array<std::int64_t, 3> tile = {0, 0, 0}) {
  return run_body(body, words, tile, before).written_values();
}

TEST(Function, ArgumentsByPlaceNameAndDefault) {
  const std::string before =
      "@triton.jit\n"
      "def f(a, b, c=5, d: tl.constexpr = 7, *, e=9):\n"
      "    return a * 10000 + b * 1000 + c * 100 + d * 10 + e\n";
  EXPECT_EQ(results(before,
                    "tl.store(o, f(1, 2))\n"
                    "tl.store(o, f(1, b=3, d=8))\n"
                    "tl.store(o, f(*(1, 2, 3), e=4))\n"
                    "tl.store(o, f(b=1, a=2))"),
            (Values{12579, 13589, 12374, 21579}));
  EXPECT_THAT(error_of_body("f(1)", {}, before), HasSubstr("'f' is called without 'b'"));
  EXPECT_THAT(error_of_body("f(1, 2, 3, 4, 5, 6)", {}, before),
              HasSubstr("'f' takes 5 arguments, not 6"));
  EXPECT_THAT(error_of_body("f(1, 2, g=3)", {}, before), HasSubstr("'f' has no parameter 'g'"));
}

TEST(Function, ANameAssignedAfterItsDefIsWhatWasAssigned) {
  const std::string functions =
      "@triton.jit\n"
      "def f(a):\n"
      "    return a\n"
      "@triton.jit\n"
      "def g(a):\n"
      "    return a + 1\n";
  EXPECT_EQ(results(functions + "f = g\n", "tl.store(o, f(1))"), (Values{2}));
  EXPECT_EQ(results("f = 3\n" + functions, "tl.store(o, f(1))"), (Values{1}));
  EXPECT_EQ(results(functions + "f = triton.jit(f)\n", "tl.store(o, f(1))"), (Values{1}));
  EXPECT_THAT(error_of_body("f(1)", {}, functions + "f = made_by(g)\n"),
              HasSubstr("the value of the global 'f' is not known"));
}

TEST(Function, TritonIsThereWhereItsImportIsTried) {
  const std::string before =
      "try:\n"
      "    import triton.language as tl2\n"
      "except ImportError:\n"
      "    tl2 = None\n";
  EXPECT_EQ(results(before, "tl.store(o, tl2.program_id(0) + 4)", {}, {3, 0, 0}), (Values{7}));
}

TEST(Function, ConstexprArgumentsStayConstexprInside) {
  // Also where the parameter is not annotated; a tensor may come as an annotated one.
  EXPECT_EQ(results("@triton.jit\n"
                    "def f(o, n, FLAG, x: tl.constexpr):\n"
                    "    if FLAG:\n"
                    "        tl.store(o + tl.arange(0, n), x)\n"
                    "    else:\n"
                    "        tl.store(o, undefined)\n",
                    "f(o, 2, True, tl.program_id(0) + 4)", {}, {3, 0, 0}),
            (Values{7, 7}));
}

TEST(Function, ResultsAreNoConstexprs) {
  // Triton turns what a function returns into a tensor: -7 // 2 truncates then.
  EXPECT_EQ(results("@triton.jit\ndef f():\n    return -7\n", "tl.store(o, f() // 2)"),
            (Values{-3}));
  EXPECT_EQ(results("@triton.jit\ndef f():\n    return -7, (-9, 4)\n",
                    "a, (b, c) = f()\ntl.store(o, a // 2)\ntl.store(o, b // 2)\ntl.store(o, c)"),
            (Values{-3, -4, 4}));
}

TEST(Function, ConstexprFunctionsArePythons) {
  const std::string before =
      "@triton.constexpr_function\n"
      "def log2(n):\n"
      "    result = 0\n"
      "    while n > 1:\n"
      "        n >>= 1\n"
      "        result += 1\n"
      "    return result\n"
      "@triton.constexpr_function\n"
      "def first_over(limit):\n"
      "    for i in range(100):\n"
      "        if i * i > limit:\n"
      "            return i\n"
      "    return -1\n";
  EXPECT_EQ(results(before,
                    "tl.store(o + tl.arange(0, log2(8) + 1), -log2(B) // 2)\n"
                    "tl.store(o, first_over(30))",
                    {"B := 128"}),
            (Values{-4, -4, -4, -4, 6}));
  EXPECT_THAT(error_of_body("log2(tl.program_id(0))", {}, before),
              HasSubstr("'n' of the constexpr function 'log2' is not known"));
}

TEST(Function, EarlyReturnsAtRunTime) {
  const std::string before =
      "@triton.jit\n"
      "def remap(p, limit, DIES: tl.constexpr):\n"
      "    if p >= limit:\n"
      "        return p\n"
      "    q = p % DIES\n"
      "    if q == 0:\n"
      "        return p + 100\n"
      "    else:\n"
      "        q += 1\n"
      "    return q\n";
  const std::string body = "tl.store(o, remap(remap(tl.program_id(0), 3, 2), 3, 2))";
  EXPECT_EQ(results(before, body, {}, {3, 0, 0}), (Values{3}));
  EXPECT_EQ(results(before, body, {}, {2, 0, 0}), (Values{102}));
  EXPECT_EQ(results(before, body, {}, {1, 0, 0}), (Values{102}));
  EXPECT_THAT(error_of_body("f(tl.program_id(0))", {},
                            "@triton.jit\n"
                            "def f(p):\n"
                            "    if p > 1:\n"
                            "        return p, p\n"
                            "    return p\n"),
              HasSubstr("the returns of this function give different types"));
}

TEST(Function, KnownReturnsTakeOnePath) {
  EXPECT_EQ(results("@triton.jit\n"
                    "def load(p, n, CHECK: tl.constexpr):\n"
                    "    if CHECK:\n"
                    "        return tl.load(p + tl.arange(0, 4), mask=tl.arange(0, 4) < n)\n"
                    "    else:\n"
                    "        return tl.load(p)\n",
                    "x = load(o, 2, False)\ntl.store(o, x + 1)"),
            (Values{1}));
}

TEST(Function, ReturnsInsideOfLoopsAndCallers) {
  // The return of a helper leaves the helper only.
  EXPECT_EQ(results("@triton.jit\n"
                    "def find(limit):\n"
                    "    for i in range(10):\n"
                    "        if i * i > limit:\n"
                    "            return i\n"
                    "    return -1\n"
                    "@triton.jit\n"
                    "def twice(x):\n"
                    "    y = find(x)\n"
                    "    if y < 0:\n"
                    "        return y\n"
                    "    return find(y) + 100 * y\n",
                    "for i in range(2):\n"
                    "    tl.store(o, twice(tl.program_id(0) * 20 + i * 1000))",
                    {}, {2, 0, 0}),
            (Values{703, -1}));
}

TEST(Function, FunctionsAsArgumentsAliasesAndLambdas) {
  EXPECT_EQ(results("@triton.jit\n"
                    "def double(x):\n"
                    "    return x * 2\n"
                    "@triton.jit\n"
                    "def apply(f, x):\n"
                    "    return f(x)\n"
                    "maximum = tl.maximum\n"
                    "exp = tl.math.exp\n"
                    "add = lambda a, b: a + b\n",
                    "tl.store(o, apply(double, 5))\n"
                    "tl.store(o, maximum(3, 4))\n"
                    "tl.store(o, exp(0.0))\n"
                    "tl.store(o, add(3, 4))"),
            (Values{10, 4, 1, 7}));
}

TEST(Function, RestParameters) {
  EXPECT_EQ(results("@triton.jit\n"
                    "def last(*values):\n"
                    "    return values[len(values) - 1]\n",
                    "tl.store(o, last(1, 2, 3))"),
            (Values{3}));
  EXPECT_THAT(error_of("@triton.jit\ndef k(x, **meta):\n    pass\n", {"x = 5"}),
              HasSubstr("k.py:4:1: parameters with '**' are not supported"));
}

TEST(Function, DefaultsThatAreNotKnownMatterOnlyIfUsed) {
  const std::string before =
      "import torch\n"
      "info = torch.something()\n"
      "@triton.jit\n"
      "def f(x, limit: tl.constexpr = info.max, CLAMP: tl.constexpr = False):\n"
      "    if CLAMP:\n"
      "        x = x + limit\n"
      "    return x\n";
  EXPECT_EQ(results(before, "tl.store(o, f(3))"), (Values{3}));
  EXPECT_THAT(error_of_body("f(3, CLAMP=True)", {}, before),
              HasSubstr("the default of the parameter 'limit' is not known"));
}

TEST(Function, Globals) {
  EXPECT_EQ(results("A = tl.constexpr(6)\n"
                    "B: tl.constexpr = A * 2\n"
                    "C = (A, B)\n"
                    "TYPE = tl.int8\n"
                    "if A > 3:\n"
                    "    D = 1\n"
                    "else:\n"
                    "    E = 2\n"
                    "try:\n"
                    "    F = 3\n"
                    "except Exception:\n"
                    "    F = 4\n"
                    "class Settings:\n"
                    "    A = 99\n"
                    "A = tl.constexpr(7)\n",
                    "for v in (A, B, C[1], D, E, F):\n"
                    "    tl.store(o, v)\n"
                    "tl.store(o, tl.full([1], 300, TYPE)[0:0] if False else 5)"),
            (Values{7, 14, 14, 1, 2, 3, 5}));
}

TEST(Function, TheJobMaySetGlobals) {
  const std::string text =
      "import torch\n"
      "N = torch.cuda.device_count()\n"
      "@triton.jit\n"
      "def k(o):\n"
      "    tl.store(o, N)\n";
  EXPECT_EQ(run(program_of(text, {"o: int32[4]", "N := 8"}), {"o: int32[4]"}).written_values(),
            (Values{8}));
  EXPECT_EQ(error_of(text, {"o: int32[4]"}),
            "k.py:7:17: the value of the global 'N' is not known: 'torch.cuda.device_count' is not "
            "in this file, nor in one beside it\n"
            "  try: set N under [constexprs] in the job");
}

TEST(Function, ImportsFromAFileBeside) {
  write_file("helpers.py", kImports +
                               "SCALE = tl.constexpr(3)\n"
                               "@triton.jit\n"
                               "def inner(x):\n"
                               "    return x * SCALE\n"
                               "@triton.jit\n"
                               "def outer(x):\n"
                               "    return inner(x) + 1\n");
  write_file("folder/__init__.py", "from .deep import deep\n");
  write_file("folder/deep.py",
             "import triton\nfrom ..helpers import inner as from_above\n"
             "@triton.jit\ndef deep(x):\n    return from_above(x) * 100\n");
  write_file("stars.py", "VALUE = 41\n");
  write_file("whole/__init__.py", "from whole import part\n");  // itself, by its full name
  write_file("whole/part.py", "VALUE = 42\n");
  EXPECT_EQ(results("from helpers import outer, SCALE as TIMES\n"
                    "import helpers\n"
                    "from folder import deep\n"
                    "from stars import *\n"
                    "from whole import part\n",
                    "tl.store(o, outer(5))\n"
                    "tl.store(o, TIMES)\n"
                    "tl.store(o, helpers.inner(2))\n"
                    "tl.store(o, deep(1))\n"
                    "tl.store(o, VALUE)\n"
                    "tl.store(o, part.VALUE)"),
            (Values{16, 3, 6, 300, 41, 42}));
  EXPECT_THAT(error_of_body("missing(1)", {}, "from elsewhere import missing\n"),
              HasSubstr("k.py:6:5: 'elsewhere.missing' is not in this file, nor in one beside it"));
}

TEST(Function, TritonUnderOtherNames) {
  const std::string body = "    tl.store(o + tl.arange(0, 2), 1)\n";
  const auto elements = [&](const std::string& imports, const std::string& text) {
    const std::string path = write_file("other.py", imports + text);
    return run(program_of_file(path, {"o: int32[4]"}), {"o: int32[4]"}).written_elements();
  };
  EXPECT_EQ(elements("from triton import jit, language as tl\n", "@jit\ndef k(o):\n" + body),
            (Integers{0, 1}));
  EXPECT_EQ(
      elements("from project.compat import tl, triton\n", "@triton.jit()\ndef k(o):\n" + body),
      (Integers{0, 1}));
  EXPECT_EQ(elements("import triton\nimport triton.language as language\n",
                     "@triton.jit\ndef k(o):\n"
                     "    language.store(o + language.arange(0, 2), 1)\n"),
            (Integers{0, 1}));
  EXPECT_EQ(elements("import triton\nfrom triton.language import store, arange\n",
                     "@triton.jit\ndef k(o):\n    store(o + arange(0, 2), 1)\n"),
            (Integers{0, 1}));
}

TEST(Function, WhichKernelOfAFile) {
  const std::string two =
      "@triton.jit\ndef helper(o):\n    tl.store(o, 1)\n"
      "@triton.jit\ndef first(o):\n    helper(o)\n"
      "@triton.jit\ndef second(o):\n    tl.store(o, 2)\n";
  const Words words = {"o: int32[4]"};
  EXPECT_EQ(
      error_of(two, words),
      "k.py: the file has more than one kernel\n"
      "  try: choose one with --function, or in the job with function = \"...\": first second");
  EXPECT_EQ(run(program_of(two, words, "second"), words).written_values(), (Values{2}));
  EXPECT_EQ(error_of(two, words, "third"),
            "k.py: there is no function 'third'\n"
            "  try: use one of: first helper second");
  EXPECT_EQ(error_of("def f():\n    pass\n", words),
            "k.py: the file has no @triton.jit function\n"
            "  try: give a file with a Triton kernel");
  // Nested in host code, and defined twice: the last one counts.
  EXPECT_EQ(run(program_of("def host(x):\n"
                           "    @triton.jit\n"
                           "    def k(o):\n"
                           "        tl.store(o, 3)\n"
                           "    return k\n",
                           words),
                words)
                .written_values(),
            (Values{3}));
  EXPECT_EQ(run(program_of("@triton.jit\ndef k(o):\n    tl.store(o, 1)\n"
                           "@triton.jit\ndef k(o):\n    tl.store(o, 2)\n",
                           words),
                words)
                .written_values(),
            (Values{2}));
}

TEST(Function, ParametersWithoutArguments) {
  const std::string text = "@triton.jit\ndef k(x, n, B: tl.constexpr, m=4):\n    pass\n";
  EXPECT_EQ(error_of(text, {"x: fp16[4]", "B := 4"}),
            "k.py:4:1: the job gives no value for the parameter 'n'\n"
            "  try: add [tensors.n], or n under [scalars]");
  EXPECT_EQ(error_of(text, {"x: fp16[4]", "n = 4"}),
            "k.py:4:1: the job gives no value for the parameter 'B'\n"
            "  try: add B under [constexprs]");
  EXPECT_EQ(error_of(text, {"x: fp16[4]", "n = 4", "B := 4", "M = 8"}),
            "k.py:4:1: the kernel 'k' has no parameter 'M'\n"
            "  try: its parameters are: x n B m; names for expressions only belong to [sizes]");
}

TEST(Function, DefaultsOfTheKernel) {
  // A run-time scalar truncates, a constexpr does not, and neither does a 1.
  const Words words = {"o: int64[8]"};
  EXPECT_EQ(run(program_of("@triton.jit\n"
                           "def k(o, n=-7, B: tl.constexpr = -7, one=1):\n"
                           "    tl.store(o, n // 2)\n"
                           "    tl.store(o, B // 2)\n"
                           "    tl.store(o, (one - 8) // 2)\n",
                           words),
                words)
                .written_values(),
            (Values{-3, -4, -4}));
}

TEST(Function, KernelsWrappedByHand) {
  const Words words = {"o: int64[8]"};
  EXPECT_EQ(run(program_of("def k(o):\n    tl.store(o, 1)\n"
                           "k = triton.jit(k)\n"
                           "k = triton.heuristics({'A': lambda args: 1})(k)\n",
                           words),
                words)
                .written_values(),
            (Values{1}));
}

TEST(Function, KernelsWrappedByOneLine) {
  const Words words = {"o: int64[8]"};
  const std::string file = "def k(o):\n    tl.store(o, 1)\nk = triton.jit(k)\n";
  EXPECT_EQ(run(program_of(file, words), words).written_values(), (Values{1}));
  const kernel::triton::TritonSource source("k.py", kImports + file);
  EXPECT_EQ(source.main().jit.count("k"), 1U);
}

/// What the environment decides is never silently the other value; lists of configs are no numbers.
TEST(Function, GlobalsThatTheEnvironmentDecides) {
  const Words words = {"o: int64[8]"};
  const auto with = [](const std::string& first, const std::string& second) {
    return "import os\nG = " + first + "\nif not os.getenv('OTHER'):\n    G = " + second +
           "\n@triton.jit\ndef k(o):\n    tl.store(o, G)\n";
  };
  EXPECT_EQ(
      run(program_of(with("tl.constexpr(3)", "tl.constexpr(8)"), words), words).written_values(),
      (Values{8}));
  const kernel::triton::TritonSource source("k.py", kImports + with("[1, 2]", "[3]"));
  EXPECT_EQ(source.main().constants.at("G")->list("elts").size(), 2U);
}

/// Only what takes the place of a missing Triton is not the name's value.
TEST(Function, OtherModulesUnderTritonsName) {
  const std::string rest = "@triton.jit\ndef k(o):\n    tl.store(o, tl.program_id(0))\n";
  const Words words = {"o: int64[8]"};
  EXPECT_NE(error_of("import os\ntl = os\n" + rest, words), "");
  EXPECT_EQ(run(program_of("try:\n    import triton.language as tl\nexcept ImportError:\n"
                           "    tl = types.ModuleType('tl')\n" +
                               rest,
                           words),
                words)
                .written_values(),
            (Values{0}));
}

TEST(Function, NamesThatAreNotThere) {
  EXPECT_EQ(error_of_body("x = 1 + missing"),
            "k.py:5:13: the name 'missing' is not defined\n"
            "  try: define it in the kernel file, or set it under [constexprs] in the job");
  EXPECT_EQ(error_of_body("tl.store(o, tl.no_such_function(3))", {"o: fp16[4]"}),
            "k.py:5:17: triton.language.no_such_function is not supported\n"
            "  try: docs/triton.md lists what heddle reads of Triton");
  EXPECT_THAT(error_of_body("x = tl.zeros([4], tl.int32)\nx.no_such_method()"),
              HasSubstr("triton.language.no_such_method is not supported"));
}

TEST(Function, ListArguments) {
  config::Launch launch = launch_of({"a: int32[8]", "b: int32[8]"}, "k");
  const config::Value both{config::ValueList{launch.arguments[0].value, launch.arguments[1].value,
                                             config::Value{std::int64_t{5}}}};
  launch.arguments = {config::Argument{"t", both, false, std::nullopt}};
  kernel::triton::TritonSource source(
      write_file("k.py", kImports + "@triton.jit\ndef k(t):\n    tl.store(t[1] + t[2], 1)\n"));
  const KernelProgram program = kernel::triton::compile(source, launch);
  EXPECT_EQ(ProgramRun(program, launch, {0, 0, 0}).run().writes, (std::vector<Access>{{1, 5, 1}}));
  ASSERT_EQ(program.parameters.size(), 2u);
  EXPECT_EQ(program.parameters[1].name, "t[1]");
  EXPECT_EQ(program.parameters[1].element, 1);
}

}  // namespace
}  // namespace heddle::testing
