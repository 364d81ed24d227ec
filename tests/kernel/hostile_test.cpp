// Whatever the file holds, reading it ends: with a program or with an Error that has a place,
// within seconds and bounded memory.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

std::string repeat(const std::string& text, int times) {
  std::string result;
  result.reserve(text.size() * static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

/// The error must say where: the file, a line and a column.
Error placed_error(const std::string& text, const Words& words = {}) {
  const Error error = thrown_by([&] { program_of(text, words); });
  EXPECT_FALSE(error.source().empty()) << error.full_text().substr(0, 300);
  EXPECT_GT(error.position().line, 0) << error.full_text().substr(0, 300);
  EXPECT_GT(error.position().column, 0) << error.full_text().substr(0, 300);
  EXPECT_LT(error.message().size(), 2000u);
  EXPECT_FALSE(error.hint().empty());
  return error;
}

std::string body_error(const std::string& body, const Words& words = {},
                       const std::string& before = "") {
  return placed_error(kernel_text(body, words, before), words).message();
}

TEST(Hostile, FilesThatAreNoPython) {
  EXPECT_THAT(error_of("", {}), HasSubstr("the file has no @triton.jit function"));
  EXPECT_THAT(placed_error("def k(:\n").message(), HasSubstr("invalid syntax"));
  EXPECT_THAT(placed_error("@triton.jit\ndef k():\nreturn 3\n").message(),
              HasSubstr("expected an indented block"));
  EXPECT_THAT(placed_error("x = 'abc\n").message(), HasSubstr("unterminated string"));
  std::string junk;
  for (int i = 0; i < 5000; ++i) junk += static_cast<char>((i * 7919) % 251 + 1);
  const auto read = [](const std::string& name, const std::string& text) {
    return error_text(thrown_by([&] { program_of_file(write_file(name, text), {}); }));
  };
  EXPECT_THAT(read("junk.py", junk), HasSubstr("junk.py"));
  EXPECT_THAT(read("zero.py", std::string(1000, '\0')), HasSubstr("zero.py"));
  EXPECT_THAT(read("long.py", std::string(10 << 20, '#')), HasSubstr("long.py"));
  EXPECT_THAT(error_text(thrown_by([] { program_of_file("no/such/file.py", {}); })),
              HasSubstr("no/such/file.py"));
  EXPECT_FALSE(thrown_by([] { program_of_file(work_folder(), {}); }).message().empty());
}

TEST(Hostile, DeepNesting) {
  // Deep host code is no reason to refuse a kernel.
  const std::string deep = repeat("(", 80) + "1" + repeat(",)", 80);
  const std::string sum = "x" + repeat(" + x", 2000);
  const Words words = {"o: int32[4]"};
  EXPECT_EQ(
      run(program_of("def host():\n    return " + sum + "\n" + kernel_text("tl.store(o, 1)", words),
                     words),
          words)
          .written_elements(),
      (Integers{0}));
  EXPECT_THAT(body_error("x = 1\ny = " + sum), HasSubstr("nested too deeply"));
  EXPECT_THAT(body_error("y = " + deep), HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(error_of_body("y = " + repeat("(", 100000) + repeat(")", 100000)), HasSubstr("k.py"));
  EXPECT_THAT(error_of_body("y = " + repeat("-", 100000) + "1"), HasSubstr("k.py"));
  std::string ifs;
  for (int i = 0; i < 90; ++i)
    ifs += repeat(" ", i) + "if tl.program_id(0) > " + std::to_string(i) + ":\n";
  EXPECT_THAT(body_error(ifs + repeat(" ", 90) + "undefined"), HasSubstr("undefined"));
  EXPECT_THAT(body_error("x = " + repeat("[", 140) + "1" + repeat("][0]", 140)),
              HasSubstr("nested too deeply"));
}

TEST(Hostile, Recursion) {
  const auto recursive = [](const std::string& body) {
    return body_error("f(3)", {}, "@triton.jit\ndef f(x):\n    " + body + "\n");
  };
  EXPECT_THAT(recursive("return f(x)"), HasSubstr("nested too deeply"));
  EXPECT_THAT(recursive("f(x + 1)"), HasSubstr("nested too deeply"));
  EXPECT_THAT(recursive("if tl.program_id(0) > 1:\n        return f(x)\n    return 1"),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(
      body_error("f()", {}, "@triton.jit\ndef f():\n    g()\n@triton.jit\ndef g():\n    f()\n"),
      HasSubstr("nested too deeply"));
  EXPECT_THAT(body_error("x = f(3)", {}, "f = lambda x: f(x)\n"), HasSubstr("nested too deeply"));
  EXPECT_THAT(
      body_error("x = f(3)", {}, "@triton.constexpr_function\ndef f(x):\n    return f(x - 1)\n"),
      HasSubstr("nested too deeply"));
  // Calls inside of many branches inside of calls.
  std::string functions;
  for (int i = 0; i < 60; ++i) {
    functions += "@triton.jit\ndef f" + std::to_string(i) + "(x):\n";
    for (int j = 0; j < 70; ++j)
      functions += repeat(" ", j + 1) + "if x > " + std::to_string(j) + ":\n";
    functions += repeat(" ", 71) + "f" + std::to_string(i + 1) + "(x)\n";
  }
  EXPECT_THAT(body_error("f0(tl.program_id(0))", {}, functions), HasSubstr("nested too deeply"));
}

/// f0 calls f1 twice, which calls f2 twice, ...
std::string doubling(int levels, const std::string& decorator, const std::string& last) {
  std::string text;
  for (int i = 0; i < levels; ++i)
    text += decorator + "\ndef f" + std::to_string(i) + "(x):\n    return f" +
            std::to_string(i + 1) + "(x) + f" + std::to_string(i + 1) + "(x)\n";
  return text + decorator + "\ndef f" + std::to_string(levels) + "(x):\n    return " + last + "\n";
}

TEST(Hostile, ExponentialInlining) {
  EXPECT_THAT(body_error("x = f0(tl.program_id(0))", {}, doubling(40, "@triton.jit", "x * 3")),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = f0(3)", {}, doubling(40, "@triton.jit", "3")),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = f0(3)", {}, doubling(40, "@triton.constexpr_function", "3")),
              HasSubstr("too much is unrolled or inlined"));
  std::string lambdas = "f40 = lambda x: x\n";
  for (int i = 39; i >= 0; --i)
    lambdas += "f" + std::to_string(i) + " = lambda x: f" + std::to_string(i + 1) + "(x) + f" +
               std::to_string(i + 1) + "(x)\n";
  EXPECT_THAT(body_error("x = f0(3)", {}, lambdas), HasSubstr("too much is unrolled or inlined"));
}

TEST(Hostile, EndlessUnrolling) {
  EXPECT_THAT(body_error("for i in tl.static_range(10 ** 9):\n    x = i"),
              HasSubstr("more than 65,536 unrolled steps"));
  EXPECT_THAT(body_error("for i in tl.static_range(0, 1, 0):\n    x = i"),
              HasSubstr("the step of tl.static_range is 0"));
  EXPECT_THAT(body_error("for i in tl.static_range(60000):\n"
                         "    for j in tl.static_range(60000):\n"
                         "        x = i"),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("for i in tl.static_range(60000):\n"
                         "    for j in tl.static_range(60000):\n"
                         "        pass"),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = f()", {},
                         "@triton.constexpr_function\ndef f():\n    while True:\n        pass\n"),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = f()", {},
                         "@triton.constexpr_function\ndef f():\n    x = 0\n"
                         "    for i in range(60000):\n        for j in range(60000):\n"
                         "            x += 1\n    return x\n"),
              HasSubstr("too much is unrolled or inlined"));
  // A while loop at run time is the tracer's business.
  EXPECT_EQ(count_of(body_program("while True:\n    pass", {}), Opcode::while_loop), 1u);
}

TEST(Hostile, HugeNumbers) {
  for (const char* number :
       {"2 ** 100000", "2 ** (2 ** 100)", "1 << 10 ** 9", "(1 << 99) << 99", "(-1 << 99) << 2",
        "(2 ** 99) * (2 ** 99)", "10 ** 40", "3 ** 3 ** 3 ** 3"})
    EXPECT_THAT(body_error(std::string("x: tl.constexpr = ") + number),
                HasSubstr("does not fit into 100 bits"));
  EXPECT_THAT(body_error("x = 0x" + std::string(100000, 'f')),
              HasSubstr("a constant is larger than 2^100"));
  EXPECT_THAT(error_of_body("x = " + std::string(100000, '9')), HasSubstr("k.py"));
  EXPECT_THAT(body_error("x = 1 // 0"), HasSubstr("divides by zero"));
  EXPECT_THAT(body_error("x = 1 % 0"), HasSubstr("divides by zero"));
  EXPECT_THAT(body_error("x = 1 / 0"), HasSubstr("divides by zero"));
  EXPECT_THAT(body_error("x = 0 ** -1"), HasSubstr("divides by zero"));
  EXPECT_THAT(body_error("x = 1.0 // 0.0"), HasSubstr("divides by zero"));
  EXPECT_THAT(body_error("x = 1 << -1"), HasSubstr("a shift count is negative"));
  EXPECT_THAT(body_error("x = tl.arange(0, 1e300)"), HasSubstr("must be a known integer"));
  EXPECT_THAT(body_error("x = tl.zeros([1e30], tl.int8)"), HasSubstr("must be a known integer"));
  EXPECT_THAT(body_error("x = int(float('nan'))"),
              HasSubstr("nan does not fit into a 100-bit integer"));
  EXPECT_THAT(body_error("x = tl.arange(0, 2 ** 99)"), HasSubstr("is not possible"));
  EXPECT_THAT(body_error("x = tl.zeros([2 ** 99, 2 ** 99], tl.int8)"),
              HasSubstr("is not possible"));
  EXPECT_EQ(values_of({"tl.constexpr(-1 >> 10 ** 9)", "tl.constexpr(0 << 10 ** 9)",
                       "tl.constexpr((-1) ** (10 ** 18))", "tl.constexpr(1 ** (2 ** 90))"}),
            (Integers{-1, 0, 1, 1}));
}

TEST(Hostile, HugeBlocks) {
  const std::string column = "tl.arange(0, 2 ** 20)[:, None]";
  EXPECT_THAT(body_error("x = " + column + " + tl.arange(0, 2 ** 20)[None, :]"),
              HasSubstr("a block of shape [1048576, 1048576] is not possible"));
  EXPECT_THAT(body_error("x = tl.dot(" + column + ".to(tl.int8), " + column + ".T.to(tl.int8))"),
              HasSubstr("is not possible"));
  EXPECT_THAT(
      body_error("x = tl.arange(0, 2)\nfor i in tl.static_range(40):\n    x = tl.join(x, x)"),
      HasSubstr("is not possible"));
  EXPECT_THAT(
      body_error("x = tl.arange(0, 2)\nfor i in tl.static_range(40):\n    x = tl.cat(x, x)"),
      HasSubstr("is not possible"));
  EXPECT_THAT(body_error("x = tl.arange(0, 1)\nfor i in tl.static_range(40):\n    x = x[None]"),
              HasSubstr("is not possible"));
}

TEST(Hostile, GrowingTuplesAndTexts) {
  const std::string turns = "for i in tl.static_range(60):\n    ";
  EXPECT_THAT(body_error("x = (1, 2)\n" + turns + "x = x + x"), HasSubstr("a tuple of more than"));
  EXPECT_THAT(body_error("x = (1, 2)\n" + turns + "x = (x, x)"), HasSubstr("a tuple of more than"));
  EXPECT_THAT(body_error("x = (1, 2)\n" + turns + "x = (x,)"), HasSubstr("nested more than 32"));
  EXPECT_THAT(body_error("x = (1, 2)\n" + turns + "x = {'a': x, 'b': x}"),
              HasSubstr("nested more than 32"));
  EXPECT_THAT(body_error("x = (1,) * 10 ** 9"), HasSubstr("a tuple of more than 65,536 items"));
  EXPECT_THAT(body_error("x = ((1,) * 60000)\ny = (" + repeat("*x, ", 5000) + ")"),
              HasSubstr("the tuple grows too long"));
  EXPECT_THAT(body_error("x = ((1,) * 60000)\nprint(" + repeat("*x, ", 5000) + ")"),
              HasSubstr("too many arguments"));
  EXPECT_THAT(body_error("x = 'ab'\n" + turns + "x = x + x"), HasSubstr("a text of more than"));
  EXPECT_THAT(body_error("x = tl.load\n" + repeat("x = x.a\n", 1000)),
              HasSubstr("a name of too many parts"));
  EXPECT_THAT(body_error("x = tl.arange(0, 4)\n" + repeat("x = x.a\n", 1000)),
              HasSubstr("has no attribute 'a'"));
  EXPECT_THAT(body_error("x = [i for i in range(10 ** 9)]"), HasSubstr("65,536"));
  EXPECT_THAT(body_error("x = [[j for j in range(50000)] for i in range(50000)]"),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = [0 for i in range(50000) for j in range(50000) if False]"),
              HasSubstr("too much is unrolled or inlined"));
  EXPECT_THAT(body_error("x = [0 for i in range(50000) for j in range(50000)]"),
              HasSubstr("a comprehension of more than 65,536 items"));
}

TEST(Hostile, CirclesOfNames) {
  EXPECT_THAT(body_error("x = A", {}, "A = B\nB = A\n"),
              HasSubstr("the global 'A' is defined by itself"));
  EXPECT_THAT(body_error("x = A", {}, "A = A + 1\n"), HasSubstr("'A' is defined by itself"));
  write_file("one.py", "from two import f, g\n");
  write_file("two.py", "from one import f\nfrom k import g\n");
  EXPECT_THAT(body_error("f(1)", {}, "from one import f\n"), HasSubstr("is imported in a circle"));
  EXPECT_THAT(body_error("g(1)", {}, "from one import g\n"), HasSubstr("is imported in a circle"));
  EXPECT_THAT(body_error("f(1)", {}, "from k import f\n"), HasSubstr("'k.f' is not in this file"));
  std::string many;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "m" + std::to_string(i + 1);
    write_file("m" + std::to_string(i) + ".py", "from " + next + " import f\n");
  }
  write_file("m40.py", "f = 1\n");
  EXPECT_THAT(error_of_body("f(1)", {}, "from m0 import f\n"),
              HasSubstr("more than 32 files are imported"));
}

TEST(Hostile, LongKernels) {
  const Words words = {"o: int32[64]"};
  // A hundred thousand statements are too many for a kernel; twenty thousand are read.
  EXPECT_THAT(placed_error(kernel_text(repeat("tl.store(o, 1)\n", 100000), words), words).message(),
              HasSubstr("the file has more than 250000 syntax nodes"));
  EXPECT_EQ(body_program(repeat("tl.store(o, 1)\n", 20000) + "pass", words).sites.size(), 20000u);
  EXPECT_EQ(
      body_program("x = tl.program_id(0)\n" + repeat("x += 1\n", 20000) + "tl.store(o, x)", words)
          .sites.size(),
      1u);
}

TEST(Hostile, ManyNamesAndManyBranches) {
  const Words words = {"o: int32[64]"};
  std::string body = "p = tl.program_id(0)\n";
  for (int i = 0; i < 8000; ++i) body += "x" + std::to_string(i) + " = p\n";
  for (int i = 0; i < 8000; ++i) body += "if p > 1: y = p\n";
  EXPECT_THAT(body_error(body, words), HasSubstr("too much is unrolled or inlined"));
  // Fewer are fine, also for what comes after.
  std::string loops = "p = tl.program_id(0)\nx = o\n";
  for (int i = 0; i < 1500; ++i)
    loops += "for i in range(p):\n    x = x + 1\n    tl.store(x, tl.load(x) + 1)\n";
  const KernelProgram program = body_program(loops, words);
  EXPECT_EQ(count_of(kernel::remove_unneeded(program, Keep::all), Opcode::for_range), 1500u);
  EXPECT_EQ(count_of(kernel::remove_unneeded(program, Keep::writes), Opcode::for_range), 1500u);
}

/// Calls that make no sense, with a semicolon or a new line between them.
constexpr const char* kStrangeCalls = R"(
tl.load() ; tl.load(o, 1, 2, 3, 4, 5, 6, 7, 8, 9) ; tl.load(None) ; tl.load('text')
tl.store(o) ; tl.arange(3) ; tl.arange('a', 'b') ; tl.zeros() ; tl.zeros(3, 3)
tl.zeros([], []) ; tl.zeros([-1], tl.int8) ; tl.full((2, 'a'), 1, tl.int8) ; tl.where(1)
tl.where(o, o, 1) ; tl.dot(1, 2) ; tl.dot(o, o) ; tl.sum() ; tl.sum(o)
tl.sum(tl.arange(0, 4), 'a') ; tl.sum(tl.arange(0, 4), 2 ** 90) ; tl.max(None)
tl.reduce(tl.arange(0, 4), 0, 5, 6, 7, 8) ; tl.sort(3) ; tl.topk(tl.arange(0, 4), 3)
tl.permute(tl.arange(0, 4), dims=5) ; tl.trans(tl.arange(0, 4), dims='a') ; min() ; min(())
max([]) ; zip(lists=3) ; zip(1, 2) ; enumerate(5) ; len(5) ; int('a') ; abs('a') ; float('a')
tl.cast(o, tl.float32) ; tl.cast(3, 4) ; (3).to() ; tl.arange(0, 4).to()
tl.expand_dims(tl.arange(0, 4), None) ; tl.reshape(3, 'a') ; tl.broadcast_to(o, -1)
tl.cat(1, 2) ; tl.join(o, 1) ; tl.split(3) ; tl.flip(3, 4) ; tl.gather(3, 4, 5)
tl.histogram(o, 4) ; tl.histogram(tl.arange(0, 4), -4) ; tl.make_block_ptr(o) ; tl.advance(3, 4)
tl.make_tensor_descriptor(o, [1], [1], [0]) ; tl.atomic_add(3, 4) ; tl.atomic_cas(o) ; tl.rand()
tl.rand(o, o) ; tl.program_id('a') ; tl.inline_asm_elementwise()
tl.inline_asm_elementwise('', '', 3, 3, True, 1) ; tl.pointer_type(3)
tl.get_int_dtype(7, True) ; triton.next_power_of_2('a') ; tl.swizzle2d(1, 2, 3, 4, 0)
tl.static_assert() ; tl.static_assert(False) ; tl.float16() ; tl.float16(1, 2) ; o() ; (1, 2)()
'text'() ; None() ; tl() ; tl.load.x() ; tl.x.y.z() ; f(**5) ; print(**o) ; tl.load(*5)
(1, 2).append(3) ; 'a'.join('b') ; [1][5] ; (1, 2)['a'] ; {'a': 1}['b'] ; o[0]
tl.arange(0, 4)[1:] ; 5[0] ; (1, 2)[::2] ; {**5} ; [*5] ; 'a' + 1 ; (1,) + 1 ; -'a' ; ~1.5
not_there.x ; 1 < 'a' ; (1, 2) < (3, 4) ; tl.float16 + 1 ; tl.load + tl.store ; o @ o ; 1.5 << 2
tl.arange(0, 4) << 1.5 ; tl.arange(0, 4) // 1.5 ; o + o ; 2 - o ; o // 2 ; tl.fma(o, 1, 2)
tl.umulhi(1.5, o) ; tl.softmax(o) ; tl.exp() ; tl.exp(None) ; tl.math.pow(1, o)
tl.dot_scaled(1, 2, 3, 4, 5, 6) ; tl.expand_dims(o, 2 ** 80) ; tl.squeeze(tl.arange(0, 4), 0)
tl.zeros_like('a') ; isinstance(1)
)";

TEST(Hostile, StrangeCalls) {
  // One file of many kernels: Python is started once.
  std::vector<std::string> calls;
  for (const std::string_view line : split_lines(kStrangeCalls))
    for (const std::string_view call : split(line, ';'))
      if (!trim(call).empty()) calls.emplace_back(trim(call));
  ASSERT_GT(calls.size(), 100u);
  std::string text = kImports;
  for (std::size_t i = 0; i < calls.size(); ++i)
    text += "@triton.jit\ndef k" + std::to_string(i) + "(o):\n    x = " + calls[i] + "\n";
  kernel::triton::TritonSource source(write_file("k.py", text));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const config::Launch launch = launch_of({"o: fp32[64]"}, "k" + std::to_string(i));
    const Error error = thrown_by([&] { kernel::triton::compile(source, launch); });
    EXPECT_EQ(error.position().line, static_cast<int>(5 + 3 * i)) << calls[i];
    EXPECT_GT(error.position().column, 0) << calls[i];
    EXPECT_FALSE(error.hint().empty()) << calls[i];
  }
}

}  // namespace
}  // namespace heddle::testing
