// Loops and the values they carry.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

using Values = std::vector<double>;

TEST(Loop, Ranges) {
  const auto seen = [](const std::string& range, const Words& words = {}) {
    return run_body("for i in " + range + ":\n    tl.store(o, i)", words, {3, 0, 0})
        .written_values();
  };
  EXPECT_EQ(seen("range(3)"), (Values{0, 1, 2}));
  EXPECT_EQ(seen("range(2, 5)"), (Values{2, 3, 4}));
  EXPECT_EQ(seen("range(0, n, 4)", {"n = 10"}), (Values{0, 4, 8}));
  EXPECT_EQ(seen("range(n, 0, -4)", {"n = 10"}), (Values{10, 6, 2}));
  EXPECT_EQ(seen("range(tl.program_id(0))"), (Values{0, 1, 2}));
  EXPECT_EQ(seen("range(3, 3)"), Values{});
  EXPECT_EQ(seen("tl.range(1, 3, num_stages=2, flatten=True)"), (Values{1, 2}));
  EXPECT_EQ(seen("tl.range(0, 4, 2, 3)"), (Values{0, 2}));
  EXPECT_EQ(seen("tl.range(4, step=2)"), (Values{0, 2}));
  EXPECT_EQ(seen("tl.range(1, arg2=3)"), (Values{1, 2}));
  EXPECT_EQ(seen("tl.static_range(3)"), (Values{0, 1, 2}));
  EXPECT_EQ(seen("tl.static_range(6, 0, -2)"), (Values{6, 4, 2}));
}

TEST(Loop, StaticRangesAreUnrolledWithConstexprs) {
  const KernelProgram program = body_program(
      "for i in tl.static_range(1, 3):\n"
      "    tl.store(o + tl.arange(0, i * 2), -i // 2)",
      {"o: int32[8]"});
  EXPECT_EQ(count_of(program, Opcode::for_range), 0u);
  EXPECT_EQ(run(program, {"o: int32[8]"}).written_values(), (Values{-1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(program.sites.size(), 2u);
}

TEST(Loop, RangesStayLoops) {
  const KernelProgram program =
      body_program("for i in range(100):\n    tl.store(o + i, i)", {"o: int32[128]"});
  EXPECT_EQ(count_of(program, Opcode::for_range), 1u);
  EXPECT_EQ(program.sites.size(), 1u);
}

TEST(Loop, TypesOfTheInductionValue) {
  const auto type = [](const std::string& range) {
    const KernelProgram program =
        body_program("for i in " + range + ":\n    tl.store(o + i, 1)", {"o: int32[128]"});
    const auto loops = found(program, Opcode::for_range);
    return kernel::code_of(program)
        .values[static_cast<std::size_t>(loops.at(0).results.at(0))]
        .text();
  };
  EXPECT_EQ(type("range(4)"), "int32");
  EXPECT_EQ(type("range(tl.program_id(0).to(tl.int64))"), "int64");
  EXPECT_EQ(type("range(0, tl.program_id(0).to(tl.uint8), 2)"), "int32");
  EXPECT_THAT(error_of_body("for i in range(1.5):\n    pass"),
              HasSubstr("the bounds of a loop must be integer scalars"));
  EXPECT_THAT(error_of_body("for i in range(tl.arange(0, 4)):\n    pass"),
              HasSubstr("the bounds of a loop must be integer scalars"));
}

TEST(Loop, CarriedValues) {
  EXPECT_EQ(run_body("total = 0\n"
                     "last = 0\n"
                     "for i in range(1, 5):\n"
                     "    total += i\n"
                     "    last = i * 10\n"
                     "tl.store(o, total)\n"
                     "tl.store(o, last)")
                .written_values(),
            (Values{10, 40}));
}

TEST(Loop, SwapsAndRotations) {
  EXPECT_EQ(run_body("a = 1\n"
                     "b = 2\n"
                     "c = 3\n"
                     "for i in range(4):\n"
                     "    a, b, c = b, c, a\n"
                     "for v in (a, b, c):\n"
                     "    tl.store(o, v)")
                .written_values(),
            (Values{2, 3, 1}));
  EXPECT_EQ(run_body("a = 0\n"
                     "b = 1\n"
                     "for i in range(10):\n"
                     "    a, b = b, a + b\n"
                     "tl.store(o, a)")
                .written_values(),
            (Values{55}));
}

TEST(Loop, CarriedTuplesAndBlockPointers) {
  EXPECT_EQ(run_body("t = (0, 100)\n"
                     "b = tl.make_block_ptr(o, (8, 8), (8, 1), (0, 0), (1, 2), (1, 0))\n"
                     "q = o + 40\n"
                     "for i in range(3):\n"
                     "    t = (t[1], t[0] + i)\n"
                     "    tl.store(b, t[0])\n"
                     "    b = b.advance((1, 2))\n"
                     "    tl.store(q, t[1])\n"
                     "    q += 3")
                .written_elements(),
            (Integers{0, 1, 40, 10, 11, 43, 20, 21, 46}));
}

TEST(Loop, NestedLoopsAndBranches) {
  EXPECT_EQ(run_body("n = 0\n"
                     "even = 0\n"
                     "for i in range(3):\n"
                     "    for j in range(i, 3):\n"
                     "        n += 10 * i + j\n"
                     "        if (i + j) % 2 == 0:\n"
                     "            even += 1\n"
                     "        else:\n"
                     "            n += 1000\n"
                     "tl.store(o, n)\n"
                     "tl.store(o, even)")
                .written_values(),
            (Values{2048, 4}));
}

TEST(Loop, While) {
  EXPECT_EQ(run_body("n = 27\n"
                     "steps = 0\n"
                     "while n != 1 and steps < 1000:\n"
                     "    if n % 2 == 0:\n"
                     "        n = n // 2\n"
                     "    else:\n"
                     "        n = 3 * n + 1\n"
                     "    steps += 1\n"
                     "tl.store(o, steps)")
                .written_values(),
            (Values{111}));
  EXPECT_EQ(run_body("i = 0\nwhile tl.condition(i < 2):\n    tl.store(o, i)\n    i += 1")
                .written_values(),
            (Values{0, 1}));
}

TEST(Loop, WhileOnMemory) {
  // A lock: the first attempt finds it open.
  EXPECT_EQ(run_body("while tl.atomic_cas(o, 0, 1) == 1:\n    pass\ntl.store(o + 1, 5)")
                .written_elements(),
            (Integers{0, 1}));
}

TEST(Loop, ReturnOutOfALoop) {
  EXPECT_EQ(run_body("for i in range(10):\n"
                     "    tl.store(o, i)\n"
                     "    if i == tl.program_id(0):\n"
                     "        return\n"
                     "tl.store(o, 99)",
                     {}, {2, 0, 0})
                .written_values(),
            (Values{0, 1, 2}));
  EXPECT_EQ(run_body("for i in tl.static_range(10):\n"
                     "    tl.store(o, i)\n"
                     "    if i == 2:\n"
                     "        return\n"
                     "tl.store(o, 99)")
                .written_values(),
            (Values{0, 1, 2}));
}

TEST(Loop, CarriedTypesMustHold) {
  EXPECT_EQ(error_of_body("x = 0\nfor i in range(4):\n    x = tl.arange(0, 4)"),
            "k.py:6:5: 'x' is int32 before the loop and int32[4] inside\n"
            "  try: give it that type before the loop, or use another name");
  EXPECT_THAT(error_of_body("x = None\nfor i in range(4):\n    x = i"),
              HasSubstr("k.py:6:5: 'x' changes its kind in the loop"));
  EXPECT_THAT(error_of_body("t = (1,)\nfor i in range(4):\n    t = t + (i,)"),
              HasSubstr("'t' changes its kind in the loop"));
  EXPECT_THAT(error_of_body("x = o\nfor i in range(4):\n    x = i", {"o: fp16[4]"}),
              HasSubstr("'x' is ptr<fp16> before the loop and int32 inside"));
}

TEST(Loop, CarriedValuesKeepTheirType) {
  // The register is int64: what is computed in it does not wrap at 2^31.
  EXPECT_EQ(run_body("x = tl.program_id(0).to(tl.int64)\n"
                     "for i in range(40):\n"
                     "    x = x * 2\n"
                     "tl.store(o, x)",
                     {}, {1, 0, 0})
                .written_values(),
            (Values{1099511627776}));
}

TEST(Loop, BranchesNeverTakenCarryNothing) {
  // N would be no shape any more if the loop carried it.
  EXPECT_EQ(run_body("for i in range(2):\n"
                     "    if SHRINK:\n"
                     "        N = 1\n"
                     "    tl.store(o + i * N + tl.arange(0, N), 1)",
                     {"N := 2", "SHRINK := False"})
                .written_elements(),
            (Integers{0, 1, 2, 3}));
}

TEST(Loop, BranchesOnUnrolledIndicesAreCarried) {
  // `i` holds 1 when the run-time loop begins: that says nothing about the turns inside.
  EXPECT_EQ(run_body("a = 0\n"
                     "b = 0\n"
                     "for i in tl.static_range(2):\n"
                     "    pass\n"
                     "for j in range(3):\n"
                     "    for i in tl.static_range(2):\n"
                     "        if i == 0:\n"
                     "            a += 1\n"
                     "        else:\n"
                     "            b += 10\n"
                     "tl.store(o, a)\n"
                     "tl.store(o, b)")
                .written_values(),
            (Values{3, 30}));
}

TEST(Loop, LoopsOverTuples) {
  EXPECT_EQ(run_body("for a, b in ((1, 2), (3, 4)):\n"
                     "    tl.store(o, a * b)\n"
                     "for i, v in enumerate((5, 6)):\n"
                     "    tl.store(o, i * v)\n"
                     "for a, b in zip((1, 2), (10, 20)):\n"
                     "    tl.store(o, a + b)")
                .written_values(),
            (Values{2, 12, 0, 6, 11, 22}));
  EXPECT_THAT(error_of_body("for i in 5:\n    pass"),
              HasSubstr("a loop runs over range, tl.range, tl.static_range or a tuple"));
  EXPECT_THAT(error_of_body("for i in range(3):\n    pass\nelse:\n    pass"),
              HasSubstr("for ... else is not supported"));
}

}  // namespace
}  // namespace heddle::testing
