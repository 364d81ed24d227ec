// What expressions mean: Python's arithmetic on what is known, the GPU's on what is not, and the
// types Triton gives.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

TEST(Expression, ConstexprArithmeticIsPythons) {
  EXPECT_EQ(
      values_of({"tl.constexpr(-7) // 2", "tl.constexpr(-7) % 3", "7 // -2", "7 % -3", "2 ** 10",
                 "1 << 5", "-9 >> 1", "6 & 3", "6 | 3", "6 ^ 3", "~5", "-(3)", "+4", "10 - 3 * 2"}),
      (Integers{-4, 2, -4, -2, 1024, 32, -5, 2, 7, 5, -6, -3, 4, 4}));
}

TEST(Expression, OperatorsMayBeCalledAsMethods) {
  EXPECT_EQ(values_of({"n.__rshift__(1)", "n.__add__(2).__mul__(3)"}, {"n = -9"}),
            (Integers{-5, -21}));
}

TEST(Expression, ConstexprParametersStayConstexpr) {
  EXPECT_EQ(values_of({"B // 2", "B % 4", "(B * 3 - 1) // 2", "int(B / 2)"}, {"B := -7"}),
            (Integers{-4, 1, -11, -3}));
}

TEST(Expression, RunTimeDivisionTruncates) {
  // The same numbers as a scalar, as an assigned number and as a program id.
  EXPECT_EQ(values_of({"n // 2", "n % 3", "(n * 3 - 1) // 2"}, {"n = -7"}),
            (Integers{-3, -1, -11}));
  EXPECT_EQ(run_body("n = -7\ntl.store(o, n // 2)\ntl.store(o, n % 3)").written_values(),
            (std::vector<double>{-3, -1}));
  EXPECT_EQ(
      run_body("n = tl.program_id(0) - 7\ntl.store(o, n // 2)\ntl.store(o, n % 3)", {}, {0, 0, 0})
          .written_values(),
      (std::vector<double>{-3, -1}));
}

TEST(Expression, AScalarOfOneIsAConstexpr) {
  // Triton specialises the integer 1; with a type of its own it stays a run-time value.
  EXPECT_EQ(value_of("(n - 8) // 2", {"n = 1"}), -4);
  EXPECT_EQ(value_of("(n - 8) // 2", {"n = 2"}), -3);
  const Words words = {"o: int64[8]", "n = 1"};
  const auto text = [](const std::string& decorator, const std::string& annotation) {
    return decorator + "\ndef k(o, n" + annotation + "):\n    tl.store(o, (n - 8) // 2)\n";
  };
  const auto result = [&](const std::string& decorator, const std::string& annotation) {
    return run(program_of(text(decorator, annotation), words, "k"), words).written_values();
  };
  EXPECT_EQ(result("@triton.jit", ""), (std::vector<double>{-4}));
  EXPECT_EQ(result("@triton.jit", ": tl.int32"), (std::vector<double>{-3}));
  EXPECT_EQ(result("@triton.jit", ": 'i64'"), (std::vector<double>{-3}));
  EXPECT_EQ(result("@triton.jit(do_not_specialize=['n'])", ""), (std::vector<double>{-3}));
  EXPECT_EQ(result("@triton.jit(do_not_specialize=[1])", ""), (std::vector<double>{-3}));
  EXPECT_EQ(result("@triton.jit(do_not_specialize=[0])", ""), (std::vector<double>{-4}));
}

using Types = std::vector<std::string>;

TEST(Expression, TypesOfScalarArguments) {
  EXPECT_EQ(types_of({"a", "b", "c", "d", "e"}, {"a = 2147483647", "b = 2147483648",
                                                 "c = -2147483649", "d = 0.5", "e = True"}),
            (Types{"int32", "int64", "int64", "fp32", "int1"}));
  const Words words = {"a = 5", "b = 5", "c = 5", "d = 5"};
  const KernelProgram program = program_of(
      "@triton.jit\ndef k(a: tl.int64, b: 'u8', c: float, d: tl.tensor):\n"
      "    tl.inline_asm_elementwise('', '', [a, b, c, d], tl.int32, True, 1)\n",
      words, "k");
  Types types;
  const Instruction assembly = found(program, Opcode::unknown).at(0);
  for (const kernel::ValueId operand : assembly.operands)
    types.push_back(kernel::code_of(program).values[static_cast<std::size_t>(operand)].text());
  EXPECT_EQ(types, (Types{"int64", "uint8", "fp32", "int32"}));
}

TEST(Expression, TypesOfLiterals) {
  EXPECT_EQ(types_of({"5", "2147483648", "4294967296", "9223372036854775808", "1.5", "1e-40",
                      "float('inf')", "True"}),
            (Types{"int32", "uint32", "int64", "uint64", "fp32", "fp64", "fp32", "int1"}));
}

struct Promotion {
  std::string a, op, b, result;
};

/// Blocks and numbers as Triton's semantic.py promotes them.
void expect_promotions(const std::vector<Promotion>& table) {
  const auto operand = [](const std::string& text) {
    return text.rfind("tl.", 0) == 0 ? "tl.zeros([4], " + text + ")" : text;
  };
  std::vector<std::string> expressions;
  for (const Promotion& row : table)
    expressions.push_back(operand(row.a) + " " + row.op + " " + operand(row.b));
  const Types types = types_of(expressions);
  ASSERT_EQ(types.size(), table.size());
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(types[i], table[i].result + "[4]") << expressions[i];
}

TEST(Expression, NumbersAdaptToTheBlockTheyMeet) {
  expect_promotions({{"tl.int8", "+", "5", "int8"},
                     {"tl.uint8", "+", "5", "uint8"},
                     {"tl.int64", "*", "5", "int64"},
                     {"tl.float16", "*", "5", "fp16"},
                     {"tl.float16", "*", "0.5", "fp16"},
                     {"tl.bfloat16", "*", "0.5", "bf16"},
                     {"tl.float16", "/", "2", "fp32"},
                     {"tl.float8e5", "/", "2", "fp32"},
                     {"tl.float8e5", "+", "2", "fp8e5"},
                     {"tl.int32", "*", "0.5", "fp32"},
                     {"tl.int32", "*", "1e-40", "fp64"},
                     {"tl.int1", "*", "5", "int32"},
                     {"tl.int1", "&", "True", "int1"},
                     {"tl.float64", "+", "1", "fp64"},
                     {"1", "-", "tl.uint16", "uint16"}});
}

TEST(Expression, BlocksPromoteEachOther) {
  expect_promotions({{"tl.int32", "+", "tl.int64", "int64"},
                     {"tl.int32", "+", "tl.uint32", "uint32"},
                     {"tl.int64", "+", "tl.uint32", "int64"},
                     {"tl.uint64", "+", "tl.int64", "uint64"},
                     {"tl.int1", "+", "tl.int32", "int32"},
                     {"tl.int1", "+", "tl.uint8", "uint8"},
                     {"tl.int8", "+", "tl.uint8", "uint8"},
                     {"tl.float16", "+", "tl.bfloat16", "fp16"},
                     {"tl.float16", "+", "tl.int64", "fp16"},
                     {"tl.bfloat16", "+", "tl.int32", "fp32"},
                     {"tl.bfloat16", "+", "tl.bfloat16", "bf16"},
                     {"tl.bfloat16", "/", "tl.bfloat16", "fp32"},
                     {"tl.float8e5", "+", "tl.float8e4nv", "fp16"},
                     {"tl.float32", "+", "tl.float64", "fp64"},
                     {"tl.int32", "/", "tl.int32", "fp32"},
                     {"tl.int32", "//", "tl.int64", "int64"},
                     {"tl.int32", "<", "tl.int64", "int1"}});
}

TEST(Expression, NumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(error_of_body("x = tl.arange(0, 4) + 4294967296"),
            "k.py:5:9: 4294967296 does not fit the int32 it meets\n"
            "  try: cast one of the two, e.g. with .to(tl.int64)");
  EXPECT_THAT(error_of_body("x = tl.zeros([4], tl.uint8) * -1"),
              HasSubstr("-1 does not fit the uint8 it meets"));
  EXPECT_THAT(error_of_body("x = 2 ** 70\ny = x + 1"),
              HasSubstr("1180591620717411303424 does not fit 64 bits"));
}

TEST(Expression, IntegersWrapToTheirType) {
  EXPECT_EQ(
      values_of({"(tl.program_id(0) + 127).to(tl.int8) + 1",
                 "(tl.program_id(0) + 255).to(tl.uint8) + 1", "(tl.program_id(0) + 2147483647) + 1",
                 "(tl.program_id(0) + 2147483647).to(tl.int64) + 1"}),
      (Integers{-128, 0, -2147483648, 2147483648}));
  // Known numbers are not folded where they wrap: the tracer is to see it.
  const KernelProgram program =
      body_program("tl.store(o + (n + 1), 0)", {"o: int8[4]", "n = 2147483647"});
  EXPECT_EQ(count_of(program, Opcode::add), 1u);
}

TEST(Expression, ArithmeticOfOneBit) {
  // Triton adds booleans in one bit: 1 + 1 is 0, and -x is x.
  EXPECT_EQ(
      run_body("t = tl.program_id(0) == 0\n"
               "for v in (t + t, t - t, t * t, -t, t + 1, t + t + t, tl.sum(t[None])):\n"
               "    tl.store(o, v)\n"
               "tl.store(o + 4 - t, 7)")
          .writes,
      (std::vector<Access>{
          {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {0, 0, 1}, {0, 0, 2}, {0, 0, 1}, {0, 0, 1}, {0, 5, 7}}));
}

TEST(Expression, KnownArithmeticLeavesNoInstructions) {
  const KernelProgram program = body_program("tl.store(o + ((n * 3 + B) // 4 - (n > 3)), 1)",
                                             {"o: int8[64]", "n = 10", "B := 2"});
  EXPECT_EQ(code_text(program),
            "%1:int32 = constant 10\n"
            "%2:int32 = constant 3\n"
            "%3:int32 = constant 30\n"
            "%4:int32 = constant 2\n"
            "%5:int32 = constant 32\n"
            "%6:int32 = constant 4\n"
            "%7:int32 = constant 8\n"
            "%8:int1 = constant 1\n"
            "%9:int32 = constant 1\n"
            "%10:int32 = constant 7\n"
            "%12:int8 = constant 1\n"
            "%0:ptr<int8> = parameter 0\n"
            "%11:ptr<int8> = add_pointer %0, %10\n"
            "store %11, %12, -, 0\n");
}

TEST(Expression, Comparisons) {
  EXPECT_EQ(values_of({"3 < 4", "3 >= 4", "n == 5", "n != 5", "2 < n < 9", "2 < n < 4",
                       "tl.program_id(0) <= 0", "(tl.program_id(0) - 1) < 0",
                       "(tl.program_id(0) - 1).to(tl.uint32) < 1"},
                      {"n = 5"}),
            (Integers{1, 0, 1, 0, 1, 0, 1, 1, 0}));
}

TEST(Expression, IsAndInAreKnownAtOnce) {
  EXPECT_EQ(values_of({"tl.constexpr(a is None)", "tl.constexpr(n is not None)",
                       "tl.constexpr(S == 'relu')", "tl.constexpr(S in ('relu', 'gelu'))",
                       "tl.constexpr(S not in ['relu'])", "tl.constexpr(D == tl.float16)",
                       "tl.constexpr(D is tl.float32)", "tl.constexpr('re' in S)",
                       "tl.constexpr(o.dtype.element_ty == tl.int64)"},
                      {"a = None", "n = 5", "S := 'relu'", "D := tl.float16"}),
            (Integers{1, 1, 1, 1, 0, 1, 0, 1, 1}));
}

TEST(Expression, AndOrTakeTheValueThatDecides) {
  EXPECT_EQ(values_of({"tl.constexpr(0 or 7)", "tl.constexpr(5 and 7)", "tl.constexpr(0 and 7)",
                       "tl.program_id(0) + 6 and True", "True and tl.program_id(0) + 6",
                       "False or tl.program_id(0) + 6"}),
            (Integers{7, 7, 0, 6, 6, 6}));
  // The right side of what is decided is not looked at.
  EXPECT_EQ(value_of("tl.constexpr(False and undefined_name)"), 0);
  EXPECT_EQ(value_of("tl.constexpr(True or undefined_name)"), 1);
  EXPECT_EQ(run_body("p = tl.program_id(0)\ntl.store(o, p < 3 and p > 1)\n"
                     "tl.store(o, p < 1 or p == 2)\ntl.store(o, not p < 1)",
                     {}, {2, 0, 0})
                .written_values(),
            (std::vector<double>{1, 1, 1}));
}

TEST(Expression, Conditionals) {
  EXPECT_EQ(values_of({"3 if B else undefined_name", "tl.to_tensor(1 if n > 4 else 2)"},
                      {"B := True", "n = 5"}),
            (Integers{3, 1}));
  const std::string body = "p = tl.program_id(0)\ntl.store(o, (p * 2 if p > 1 else p - 5))";
  EXPECT_EQ(run_body(body, {}, {3, 0, 0}).written_values(), (std::vector<double>{6}));
  EXPECT_EQ(run_body(body, {}, {1, 0, 0}).written_values(), (std::vector<double>{-4}));
  EXPECT_THAT(error_of_body("p = tl.program_id(0)\nx = None if p > 1 else p"),
              HasSubstr("the branches give None and a run-time value"));
}

TEST(Expression, TuplesListsAndDicts) {
  EXPECT_EQ(values_of({"(1, 2, 3)[1]", "[4, 5][-1]", "(1, 2, 3)[1:][0]", "((1, 2) + (3,))[2]",
                       "((7,) * 3)[2]", "(3 * [8])[0]", "len((1, 2, *(3, 4)))",
                       "{'a': 5, 'b': 6}['b']", "len([i * 2 for i in (1, 2, 3) if i > 1])",
                       "[i * 2 for i in (1, 2, 3)][2]", "(q := 4) + q"}),
            (Integers{2, 5, 2, 3, 7, 8, 4, 6, 2, 6, 8}));
}

TEST(Expression, AttributesOfBlocks) {
  EXPECT_EQ(run_body("x = tl.zeros([4, 8], tl.float16)\n"
                     "for v in (x.shape[1], len(x.shape), x.numel, x.dtype.primitive_bitwidth,\n"
                     "          x.dtype.is_floating(), x.dtype.is_fp16(), x.dtype.is_int(),\n"
                     "          x.type.scalar == tl.float16, x.T.shape[0], o.dtype.is_ptr(),\n"
                     "          o.type.element_ty == tl.int64, x.type.is_block(), B.value):\n"
                     "    tl.store(o, v)",
                     {"B := 64"})
                .written_values(),
            (std::vector<double>{8, 2, 32, 16, 1, 1, 0, 1, 8, 1, 1, 1, 64}));
}

TEST(Expression, Casts) {
  EXPECT_EQ(
      run_body("p = tl.program_id(0)\n"
               "for v in (p.to(tl.int8), (p - 5).to(tl.uint8), (p * 1.75).to(tl.int32),\n"
               "          (p * -1.75).to(tl.int32), p.to(tl.int1), tl.cast(p, tl.float16),\n"
               "          (300.7).to(tl.int32), tl.cast(p + 297, tl.int8), int(p), bool(p)):\n"
               "    tl.store(o, v)",
               {}, {3, 0, 0})
          .written_values(),
      (std::vector<double>{3, 254, 5, -5, 1, 3, 300, 44, 3, 1}));
  EXPECT_EQ(
      types_of({"tl.zeros([4], tl.int32).to(tl.float32, bitcast=True)",
                "tl.zeros([4], tl.int64).to(tl.pointer_type(tl.float16))", "tl.float16(3.5)"}),
      (Types{"fp32[4]", "ptr<fp16>[4]", "fp16"}));
  EXPECT_THAT(error_of_body("x = tl.zeros([4], tl.int32).to(tl.float16, bitcast=True)"),
              HasSubstr("a bitcast keeps the number of bits"));
}

/// Triton computes both values of tl.where and all parts of `and` and `or`, unless a constexpr ends
/// them: what a side that is not chosen does wrong is there to be seen.
TEST(Expression, SidesThatAreNotChosenAreComputed) {
  const auto divisions = [](const std::string& body) {
    return count_of(
        kernel::remove_unneeded(body_program(body, {"o: int32[8]", "n = 0", "C := 0"}), Keep::all),
        Opcode::divide);
  };
  EXPECT_EQ(divisions("x = 0\ntl.store(o + tl.where(x != 0, 8 // x, 1), 1)"), 1u);
  EXPECT_EQ(divisions("x = 0\ntl.store(o + tl.where(x == 0, 1, 8 // x), 1)"), 1u);
  EXPECT_EQ(divisions("tl.store(o + tl.where(n != 0, 8 // n, 1), 1)"), 1u);
  EXPECT_EQ(divisions("x = 0\ntl.store(o, 1, mask=x != 0 and 8 // x > 0)"), 1u);
  EXPECT_EQ(divisions("x = 0\ntl.store(o, 1, mask=x == 0 or 8 // x > 0)"), 1u);
  EXPECT_EQ(divisions("tl.store(o, 1, mask=C != 0 and 8 // n > 0)"), 0u);
  EXPECT_EQ(divisions("tl.store(o, 1, mask=C == 0 or 8 // n > 0)"), 0u);
  EXPECT_EQ(divisions("x = 0\ntl.store(o + (8 // x if x != 0 else 1), 1)"), 0u);
  const auto loads = [](const std::string& body) {
    return count_of(body_program(body, {"o: int32[8]", "n = 0"}), Opcode::load);
  };
  EXPECT_EQ(loads("x = 0\nif x != 0 and tl.load(o + 100) > 0:\n    pass"), 1u);
  EXPECT_EQ(loads("if n == 0 or tl.load(o + 100) > 0:\n    pass"), 1u);
}

}  // namespace
}  // namespace heddle::testing
