// The functions of triton.language: numbers, shapes, arithmetic, reductions.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

using Values = std::vector<double>;
using Types = std::vector<std::string>;

/// What an expression holds, element by element.
Values elements_of(const std::string& expression, std::array<std::int64_t, 3> tile = {0, 0, 0},
                   const std::string& before = "") {
  return run_body("x = " + expression + "\ntl.store(o + tl.zeros_like(x).to(tl.int32), x)", {},
                  tile, before)
      .written_values();
}

TEST(Builtin, ProgramIdsAndConstants) {
  EXPECT_EQ(run_body("for v in (tl.program_id(0), tl.program_id(axis=1), tl.program_id(2),\n"
                     "          tl.num_programs(0), tl.num_programs(1), tl.num_programs(axis=2)):\n"
                     "    tl.store(o, v)",
                     {}, {3, 2, 1})
                .written_values(),
            (Values{3, 2, 1, 4, 3, 2}));
  EXPECT_THAT(error_of_body("x = tl.program_id(3)"), HasSubstr("a grid has axes 0, 1 and 2"));
  EXPECT_EQ(
      types_of({"tl.arange(0, 8)", "tl.zeros([2, 4], tl.float16)", "tl.zeros((4,), dtype=tl.int1)",
                "tl.full([8], 3, tl.uint8)", "tl.full((), 3, tl.int64)",
                "tl.full([4], 1.5, dtype=tl.bfloat16)", "tl.zeros_like(tl.arange(0, 4))",
                "tl.full_like(tl.arange(0, 4), 3)", "tl.zeros(4, 'fp32')"}),
      (Types{"int32[8]", "fp16[2, 4]", "int1[4]", "uint8[8]", "int64", "bf16[4]", "int32[4]",
             "int32[4]", "fp32[4]"}));
  EXPECT_EQ(elements_of("tl.arange(4, 8)"), (Values{4, 5, 6, 7}));
}

TEST(Builtin, ArangesThatAreNotPossible) {
  EXPECT_EQ(error_of_body("x = tl.arange(0, 6)"),
            "k.py:5:9: tl.arange(0, 6) is not possible\n"
            "  try: the length must be a power of two up to 1,048,576");
  EXPECT_THAT(error_of_body("x = tl.arange(4, 4)"), HasSubstr("tl.arange(4, 4) is not possible"));
  EXPECT_THAT(error_of_body("x = tl.arange(0, 2 ** 40)"), HasSubstr("is not possible"));
  EXPECT_THAT(error_of_body("x = tl.arange(0, tl.program_id(0))"),
              HasSubstr("the end of tl.arange must be a known integer, not a run-time value"));
  EXPECT_THAT(error_of_body("x = tl.zeros([2 ** 11, 2 ** 11], tl.int8)"),
              HasSubstr("a block has 1 to 1,048,576 elements"));
}

TEST(Builtin, NumbersOfTheHost) {
  EXPECT_EQ(run_body("for v in (tl.cdiv(7, 2), triton.cdiv(n, 4), triton.next_power_of_2(100),\n"
                     "          min(3, 2), max(1, 2, 3), min(n, 5), max(tl.program_id(0), 2),\n"
                     "          abs(-3), len((1, 2)), int(2.9), float(3), round_up, bool(0),\n"
                     "          any((0, 1)), all((0, 1)), min((4, 3))):\n"
                     "    tl.store(o, v)",
                     {"n = 9"}, {0, 0, 0}, "round_up = tl.constexpr(-(-7 // 2))\n")
                .written_values(),
            (Values{4, 3, 128, 2, 3, 5, 2, 3, 2, 2, 3, 4, 0, 1, 0, 3}));
  EXPECT_EQ(run_body("tl.store(o, n.cdiv(4))\ntl.store(o, isinstance(B, tl.constexpr))\n"
                     "tl.store(o, tl.constexpr(math.ceil(2.5) + math.log2(8)))",
                     {"n = 9", "B := 4"}, {0, 0, 0}, "import math\n")
                .written_values(),
            (Values{3, 1, 6}));
}

TEST(Builtin, MinimumAndMaximumMakeTensorsOfNumbers) {
  // Unlike operators: a number does not adapt to the block.
  EXPECT_EQ(
      types_of({"tl.minimum(tl.zeros([4], tl.int8), 3)",
                "tl.maximum(tl.zeros([4], tl.float16), 0.0)",
                "tl.minimum(tl.zeros([4], tl.bfloat16), tl.zeros([4], tl.bfloat16))",
                "tl.maximum(tl.zeros([4], tl.int64), 3)", "tl.minimum(tl.zeros([4], tl.uint32), 3)",
                "tl.where(tl.arange(0, 4) < 2, tl.zeros([4], tl.int8), 3)",
                "max(tl.program_id(0), 2.0)", "tl.clamp(tl.zeros([4], tl.float16), 0.0, 1.0)"}),
      (Types{"int32[4]", "fp32[4]", "fp32[4]", "int64[4]", "uint32[4]", "int8[4]", "fp32",
             "fp32[4]"}));
}

TEST(Builtin, ElementWise) {
  EXPECT_EQ(elements_of("tl.where(tl.arange(0, 4) % 2 == 0, tl.arange(0, 4), -1)"),
            (Values{0, -1, 2, -1}));
  EXPECT_EQ(elements_of("tl.minimum(tl.arange(0, 4), 2)"), (Values{0, 1, 2, 2}));
  EXPECT_EQ(elements_of("tl.maximum(tl.arange(0, 4), 2)"), (Values{2, 2, 2, 3}));
  EXPECT_EQ(elements_of("tl.abs(tl.arange(0, 4) - 2)"), (Values{2, 1, 0, 1}));
  EXPECT_EQ(elements_of("tl.fma(tl.arange(0, 2) * 1.0, 2.0, 3.0)"), (Values{3, 5}));
  EXPECT_EQ(elements_of("tl.clamp(tl.arange(0, 4) * 1.0, 1.0, 2.0)"), (Values{1, 1, 2, 2}));
  EXPECT_EQ(elements_of("tl.fdiv(tl.arange(0, 2) * 3.0, 2.0)"), (Values{0, 1}));
  EXPECT_EQ(elements_of("tl.add(tl.arange(0, 2), 5)"), (Values{5, 6}));
  EXPECT_EQ(elements_of("tl.mul(tl.sub(tl.arange(0, 2), 5), 2)"), (Values{-10, -8}));
  EXPECT_EQ(elements_of("tl.floor(tl.arange(0, 4) * 0.75)"), (Values{0, 0, 1, 2}));
  EXPECT_EQ(elements_of("(tl.arange(0, 4) * 1.0).sqrt()"), (Values{0, 1, 1, 1}));
}

TEST(Builtin, WhereTakesTheShapeOfAllThree) {
  EXPECT_EQ(types_of({"tl.where(tl.program_id(0) > 0, tl.arange(0, 4)[:, None], tl.arange(0, 8))",
                      "tl.where(tl.arange(0, 4)[:, None] > 0, tl.arange(0, 8)[None, :], 0)",
                      "tl.where((tl.arange(0, 4) > 0)[None, :, None], 1.0, 0.0)",
                      "tl.fma(tl.zeros([4, 1], tl.float32), tl.zeros([1, 8], tl.float32), 1.0)",
                      "tl.math.pow(tl.zeros([4, 1], tl.float32), tl.zeros([8], tl.float32))"}),
            (Types{"int32[4, 8]", "int32[4, 8]", "fp32[1, 4, 1]", "fp32[4, 8]", "fp32[4, 8]"}));
}

TEST(Builtin, Mathematics) {
  std::string body = "x = tl.arange(0, 4) * 0.5\n";
  for (const char* name :
       {"tl.exp", "tl.exp2", "tl.log", "tl.log2", "tl.sqrt", "tl.sqrt_rn", "tl.rsqrt", "tl.sin",
        "tl.cos", "tl.erf", "tl.floor", "tl.ceil", "tl.sigmoid", "tl.softmax", "tl.math.tanh",
        "tl.math.log1p", "libdevice.tanh", "libdevice.no_such_thing", "exp"})
    body += std::string("x += ") + name + "(x)\n";
  body +=
      "x += libdevice.pow(x, x)\n"
      "x += tl.div_rn(x, x)\n"
      "i = libdevice.llrint(x)\n"
      "tl.store(o + i, tl.umulhi(tl.arange(0, 4), 3))";
  const KernelProgram program =
      body_program(body, {"o: fp32[64]"},
                   "from triton.language.extra import libdevice\nfrom other.place import exp\n");
  EXPECT_EQ(count_of(program, Opcode::math), 20u);
  EXPECT_EQ(count_of(program, Opcode::multiply_high), 1u);
}

/// Which module a backend hands out is found when the program runs; what it is called says enough.
TEST(Builtin, MathematicsOfModulesThatHostCodeFinds) {
  const KernelProgram program = body_program(
      "x = tl.arange(0, 4) * 0.5\nx = pow(x, x) + shim.erf(x)\n"
      "tl.store(o + tl.arange(0, 4), x)",
      {"o: fp32[64]"}, "from some.place import backend\nshim = backend.module()\npow = shim.pow\n");
  EXPECT_EQ(count_of(program, Opcode::math), 2u);
  EXPECT_THAT(error_of_body("x = shim.no_such_thing(1.0)", {}, "shim = backend.module()\n"),
              HasSubstr("'backend' is not defined"));
}

constexpr const char* kExtern = R"(from triton.language import core
@core.extern
def lane(axis: core.constexpr, _semantic=None):
    return core.extern_elementwise("", "", [], {(): (f"llvm.nvvm.read.ptx.sreg.{axis.value}.x",
        core.dtype("int32"))}, is_pure=False, _semantic=_semantic)
@core.extern
def wait(_semantic=None):
    return tl.tensor(_semantic.builder.create_barrier(), tl.void)
@core.extern
def twice(x, _semantic=None):
    return core.extern_elementwise("lib", "", [x], {(core.dtype("fp32"),): ("f", core.dtype("fp32")),
        (core.dtype("fp64"),): ("d", core.dtype("fp64"))}, is_pure=True, _semantic=_semantic)
@core.extern
def signal(x, _semantic=None):
    return core.extern_elementwise("lib", "", [x], {(core.pointer_type(core.dtype("int32")),):
        ("nvshmem_signal", core.dtype("int32"))}, is_pure=False, _semantic=_semantic)
)";

TEST(Builtin, TritonThatIsMockedOrImportedByName) {
  const std::string mocked =
      "from unittest.mock import MagicMock\nimport importlib\nif not HAVE_TRITON:\n"
      "    triton = MagicMock()\n    tl = MagicMock()\n"
      "core = importlib.import_module('triton.language.core')\n"
      "import os\nPLACE = os.path.join(os.path.dirname(__file__), 'code.bc')\n";
  EXPECT_EQ(run_body("tl.static_assert(len(PLACE) > 0, _semantic=None)\n"
                     "tl.store(o, core.full((), 3, core.int32))",
                     {}, {0, 0, 0}, mocked)
                .written_values(),
            (Values{3}));
}

TEST(Builtin, ExternalCode) {
  const KernelProgram program = body_program(
      "wait()\nx = twice(tl.arange(0, 4) * 0.5)\n"
      "tl.store(o + tl.arange(0, 4), x + lane('tid'))",
      {"o: fp32[64]"}, kExtern);
  EXPECT_EQ(count_of(program, Opcode::unknown), 2u);
  EXPECT_EQ(count_of(program, Opcode::program_id), 0u);
  EXPECT_EQ(count_of(body_program("tl.store(o, lane('ctaid'))", {"o: fp32[64]"}, kExtern),
                     Opcode::program_id),
            3u);
  EXPECT_THAT(error_of_body("x = twice(tl.arange(0, 4))", {"o: fp32[64]"}, kExtern),
              HasSubstr("no external function takes (int32)"));
  EXPECT_THAT(error_of_body("x = signal(o)", {"o: fp32[64]"}, kExtern),
              HasSubstr("external code that gets a pointer is not followed: 'nvshmem_signal'"));
}

TEST(Builtin, Dots) {
  const std::string half = "tl.zeros([16, 16], tl.float16)";
  const std::string byte = "tl.zeros([16, 16], tl.int8)";
  const std::string wide = "tl.zeros([16, 16], tl.float64)";
  EXPECT_EQ(types_of({"tl.dot(" + half + ", " + half + ")", "tl.dot(" + byte + ", " + byte + ")",
                      "tl.dot(" + half + ", " + half + ", out_dtype=tl.float16)",
                      "tl.dot(" + half + ", " + half + ", acc=" + half + ", allow_tf32=False)",
                      "tl.dot(" + wide + ", " + wide + ", input_precision='ieee')",
                      "tl.dot(tl.zeros([2, 16, 32], tl.float16), tl.zeros([2, 32, 8], tl.float16))",
                      "tl.dot(tl.zeros([16, 64], tl.float16), tl.zeros([32, 64], tl.float16), "
                      "trans_b=True)",
                      "tl.dot_scaled(" + byte + ", " + byte + ", 'e2m1', " + byte + ", " + byte +
                          ", 'e2m1')"}),
            (Types{"fp32[16, 16]", "int32[16, 16]", "fp16[16, 16]", "fp16[16, 16]", "fp64[16, 16]",
                   "fp32[2, 16, 8]", "fp32[16, 32]", "fp32[16, 16]"}));
}

TEST(Builtin, Shapes) {
  EXPECT_EQ(
      types_of({"tl.arange(0, 4)[:, None]",
                "tl.arange(0, 4)[None, :, None]",
                "tl.arange(0, 4)[..., None]",
                "tl.arange(0, 4)[:]",
                "tl.program_id(0)[None]",
                "tl.expand_dims(tl.arange(0, 4), (0, 2))",
                "tl.expand_dims(tl.arange(0, 4), -1)",
                "tl.arange(0, 4).expand_dims(0)",
                "tl.reshape(tl.arange(0, 8), (2, 4))",
                "tl.arange(0, 8).reshape(2, 2, 2)",
                "tl.arange(0, 8).reshape([4, -1])",
                "tl.view(tl.arange(0, 8), 2, 4)",
                "tl.ravel(tl.zeros([2, 4], tl.int8))",
                "tl.trans(tl.zeros([2, 4], tl.int8))",
                "tl.zeros([2, 4], tl.int8).T",
                "tl.permute(tl.zeros([2, 4, 8], tl.int8), (2, 0, 1))",
                "tl.trans(tl.zeros([2, 4, 8], tl.int8), 1, 0, 2)",
                "tl.broadcast_to(tl.arange(0, 4)[:, None], (4, 8))",
                "tl.broadcast_to(tl.program_id(0), [2, 2])",
                "tl.arange(0, 4)[None, :].broadcast_to(2, 4)",
                "tl.join(tl.arange(0, 4), tl.arange(0, 4))",
                "tl.interleave(tl.arange(0, 4), tl.arange(0, 4))",
                "tl.split(tl.zeros([4, 2], tl.int8))[1]",
                "tl.cat(tl.arange(0, 4), tl.arange(0, 4), can_reorder=True)",
                "tl.flip(tl.arange(0, 4))",
                "tl.squeeze(tl.zeros([4, 1], tl.int8), 1)",
                "tl.unsqueeze(tl.arange(0, 4), 1)",
                "tl.zeros([1, 1], tl.int8).item()",
                "tl.gather(tl.zeros([4, 8], tl.int8), tl.zeros([4, 2], tl.int32), 1)",
                "tl.broadcast(tl.arange(0, 4)[:, None], tl.arange(0, 2)[None, :])[0]"}),
      (Types{"int32[4, 1]",    "int32[1, 4, 1]", "int32[4, 1]", "int32[4]",    "int32[1]",
             "int32[1, 4, 1]", "int32[4, 1]",    "int32[1, 4]", "int32[2, 4]", "int32[2, 2, 2]",
             "int32[4, 2]",    "int32[2, 4]",    "int8[8]",     "int8[4, 2]",  "int8[4, 2]",
             "int8[8, 2, 4]",  "int8[4, 2, 8]",  "int32[4, 8]", "int32[2, 2]", "int32[2, 4]",
             "int32[4, 2]",    "int32[8]",       "int8[4]",     "int32[8]",    "int32[4]",
             "int8[4]",        "int32[4, 1]",    "int8",        "int8[4, 2]",  "int32[4, 2]"}));
}

TEST(Builtin, ShapesMoveTheRightElements) {
  EXPECT_EQ(elements_of("tl.trans(tl.arange(0, 8).reshape(2, 4))"),
            (Values{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(elements_of("tl.permute(tl.arange(0, 8).reshape(2, 2, 2), 2, 0, 1)"),
            (Values{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(elements_of("tl.interleave(tl.arange(0, 2), tl.arange(4, 6))"), (Values{0, 4, 1, 5}));
  EXPECT_EQ(elements_of("tl.cat(tl.arange(0, 2), tl.arange(4, 6))"), (Values{0, 1, 4, 5}));
  EXPECT_EQ(elements_of("tl.flip(tl.arange(0, 4).reshape(2, 2), 0)"), (Values{2, 3, 0, 1}));
  EXPECT_EQ(elements_of("tl.gather(tl.arange(4, 8), tl.arange(0, 4) // 2, 0)"),
            (Values{4, 4, 5, 5}));
  EXPECT_EQ(elements_of("tl.split(tl.arange(0, 4).reshape(2, 2))[1]"), (Values{1, 3}));
  EXPECT_EQ(elements_of("tl.histogram(tl.arange(0, 8) % 3, 4, mask=tl.arange(0, 8) < 7)"),
            (Values{3, 2, 2, 0}));
}

TEST(Builtin, ShapesThatAreNotPossible) {
  const auto error = [](const std::string& expression) {
    return error_of_body("x = " + expression);
  };
  EXPECT_THAT(error("tl.arange(0, 4) + tl.arange(0, 8)"),
              HasSubstr("blocks of shapes [4] and [8] do not fit each other"));
  EXPECT_THAT(error("tl.arange(0, 4)[0]"),
              HasSubstr("a block can be indexed with ':' and None only"));
  EXPECT_THAT(error("tl.reshape(tl.arange(0, 8), (3, 4))"),
              HasSubstr("a block of 8 elements cannot get the shape [3, 4]"));
  EXPECT_THAT(error("tl.permute(tl.zeros([2, 4], tl.int8), (0, 0))"),
              HasSubstr("(0, 0) is not an order of the axes"));
  EXPECT_THAT(error("tl.broadcast_to(tl.arange(0, 4), (8, 8))"),
              HasSubstr("a block of shape [4] cannot be broadcast to [8, 8]"));
  EXPECT_THAT(error("tl.expand_dims(tl.arange(0, 4), 2 ** 32)"), HasSubstr("axis 4294967296"));
  EXPECT_THAT(error("tl.expand_dims(tl.arange(0, 4), (0, 0))"), HasSubstr("an axis twice"));
  EXPECT_THAT(error("tl.join(tl.arange(0, 4), tl.zeros([4], tl.int8))"),
              HasSubstr("int32[4] and int8[4] cannot be joined"));
  EXPECT_THAT(error("tl.cat(tl.arange(0, 4), 5)"),
              HasSubstr("int32[4] and int32 cannot be put one behind the other"));
  EXPECT_THAT(error("tl.split(tl.arange(0, 4))"),
              HasSubstr("tl.split needs a last axis of extent 2"));
  EXPECT_THAT(error("tl.gather(tl.arange(0, 4), tl.zeros([4, 2], tl.int32), 0)"),
              HasSubstr("tl.gather of int32[4] by int32[4, 2] is not possible"));
  EXPECT_THAT(error("tl.flip(tl.program_id(0))"), HasSubstr("only a block can be flipped"));
  EXPECT_THAT(error("tl.trans(tl.arange(0, 4))"), HasSubstr("cannot be transposed"));
  EXPECT_THAT(error("tl.dot(tl.zeros([16, 32], tl.int8), tl.zeros([16, 32], tl.int8))"),
              HasSubstr("the inner extents differ"));
  EXPECT_THAT(error("tl.sum(tl.arange(0, 4), 1)"), HasSubstr("axis 1 of a block of rank 1"));
}

TEST(Builtin, Reductions) {
  EXPECT_EQ(elements_of("tl.sum(tl.arange(0, 8).reshape(2, 4), 1)"), (Values{6, 22}));
  EXPECT_EQ(elements_of("tl.sum(tl.arange(0, 8).reshape(2, 4), axis=0, keep_dims=True)"),
            (Values{4, 6, 8, 10}));
  EXPECT_EQ(elements_of("tl.sum(tl.arange(0, 8).reshape(2, 4))[None]"), (Values{28}));
  EXPECT_EQ(elements_of("tl.max(tl.arange(0, 8).reshape(2, 4), -1)"), (Values{3, 7}));
  EXPECT_EQ(elements_of("tl.min(tl.arange(0, 8).reshape(2, 4), 0)"), (Values{0, 1, 2, 3}));
  EXPECT_EQ(elements_of("tl.max(4 - tl.arange(0, 8).reshape(2, 4), 1, return_indices=True)[1]"),
            (Values{0, 0}));
  EXPECT_EQ(elements_of("tl.argmax(tl.arange(0, 8).reshape(2, 4) % 3, 1)"), (Values{2, 1}));
  EXPECT_EQ(elements_of("tl.argmin(tl.arange(0, 8).reshape(2, 4) % 3, 1, tie_break_left=True)"),
            (Values{0, 2}));
  EXPECT_EQ(elements_of("tl.xor_sum(tl.arange(0, 4), 0)[None]"), (Values{0}));
  EXPECT_EQ(elements_of("tl.reduce_or(tl.arange(0, 4), 0)[None]"), (Values{3}));
  EXPECT_EQ(elements_of("tl.cumsum(tl.arange(0, 4), 0)"), (Values{0, 1, 3, 6}));
  EXPECT_EQ(elements_of("tl.cumsum(tl.arange(0, 4), axis=0, reverse=True)"), (Values{6, 6, 5, 3}));
  EXPECT_EQ(elements_of("tl.cumprod(tl.arange(1, 5), 0)"), (Values{1, 2, 6, 24}));
  EXPECT_EQ(elements_of("tl.sort((tl.arange(0, 4) * 3) % 4)"), (Values{0, 1, 2, 3}));
  EXPECT_EQ(elements_of("tl.sort((tl.arange(0, 4) * 3) % 4, descending=True)"),
            (Values{3, 2, 1, 0}));
  EXPECT_EQ(elements_of("tl.topk((tl.arange(0, 4) * 3) % 4, 2)"), (Values{3, 2}));
}

TEST(Builtin, TypesOfReductions) {
  const std::string narrow = "tl.zeros([4], tl.int8)";
  EXPECT_EQ(
      types_of({"tl.sum(" + narrow + ")", "tl.sum(tl.zeros([4], tl.uint8))",
                "tl.sum(tl.arange(0, 4) < 2)", "tl.sum(" + narrow + ", dtype=tl.int64)",
                "tl.sum(tl.zeros([4], tl.float16))", "tl.sum(tl.zeros([4], tl.bfloat16))",
                "tl.max(" + narrow + ")", "tl.max(tl.zeros([4], tl.uint8))",
                "tl.max(tl.zeros([4], tl.float16))", "tl.max(tl.zeros([4], tl.bfloat16))",
                "tl.max(" + narrow + ", 0, return_indices=True)[0]",
                "tl.argmax(tl.zeros([4], tl.float32), 0)", "tl.xor_sum(" + narrow + ")",
                "tl.cumsum(" + narrow + ")", "tl.cumsum(" + narrow + ", dtype=tl.int64)",
                "tl.cumprod(" + narrow + ")", "tl.cumsum(tl.arange(0, 4) < 2)"}),
      (Types{"int32", "uint32", "uint32", "int64", "fp16", "fp32", "int32", "int32", "fp32", "fp32",
             "int8", "int32", "int8", "int32[4]", "int64[4]", "int8[4]", "uint32[4]"}));
}

TEST(Builtin, CombiningFunctions) {
  const std::string before =
      "@triton.jit\ndef add(a, b):\n    return a + b\n"
      "@triton.jit\ndef larger(a, b):\n    return tl.maximum(a, b)\n"
      "@triton.jit\ndef times(a, b):\n    c = a * b\n    return c\n"
      "@triton.jit\ndef pairs(a, b, c, d):\n    return a + c, b * d\n";
  EXPECT_EQ(elements_of("tl.reduce(tl.arange(0, 4), 0, add)[None]", {}, before), (Values{6}));
  EXPECT_EQ(elements_of("tl.reduce(tl.arange(0, 4), 0, larger, keep_dims=True)", {}, before),
            (Values{3}));
  EXPECT_EQ(elements_of("tl.associative_scan(tl.arange(1, 5), 0, times)", {}, before),
            (Values{1, 2, 6, 24}));
  // Others are counted, not computed.
  const KernelProgram program = body_program(
      "a, b = tl.reduce((tl.arange(0, 4), tl.arange(0, 4)), 0, pairs)\n"
      "c, = tl.associative_scan((tl.arange(0, 4),), 0, pairs)\n"
      "tl.store(o, a + b)",
      {"o: int32[4]"}, before);
  EXPECT_EQ(count_of(program, Opcode::unknown), 3u);
}

TEST(Builtin, Swizzle) {
  Values rows;
  for (std::int64_t p = 0; p < 4; ++p)
    for (const double value : run_body("i, j = tl.swizzle2d(tl.program_id(0), 1, 4, 4, 2)\n"
                                       "tl.store(o, i * 10 + j)",
                                       {}, {p, 0, 0})
                                  .written_values())
      rows.push_back(value);
  EXPECT_EQ(rows, (Values{10, 12, 30, 32}));
}

TEST(Builtin, RandomNumbers) {
  const KernelProgram program = body_program(
      "i = tl.arange(0, 4)\n"
      "a = tl.rand(n, i) + tl.randn(n, i, 7)\n"
      "b = tl.randint(n, i)\n"
      "c, d, e, f = tl.randint4x(n, i)\n"
      "tl.store(o + b, a)\n"
      "tl.store(o + c, d + e + f)",
      {"o: fp32[64]", "n = 7"});
  const auto drawn = found(program, Opcode::random);
  ASSERT_EQ(drawn.size(), 7u);
  EXPECT_EQ(drawn[6].integers,
            (Integers{static_cast<std::int64_t>(kernel::RandomFunction::integer), 3}));
  EXPECT_EQ(kernel::code_of(program).values[static_cast<std::size_t>(drawn[2].results[0])].text(),
            "uint32[4]");
  EXPECT_THAT(error_of_body("x = tl.rand(tl.arange(0, 4), 3)"),
              HasSubstr("random numbers need a scalar as seed"));
}

TEST(Builtin, FunctionsOfInductor) {
  EXPECT_EQ(run_body("p = tl.program_id(0) - 7\n"
                     "for v in (triton_helpers.div_floor_integer(p, 2),\n"
                     "          triton_helpers.remainder_integer(p, 3),\n"
                     "          triton_helpers.maximum(p, 3), triton_helpers.minimum(p, 3),\n"
                     "          triton_helpers.promote_to_tensor(p).item(),\n"
                     "          tl.sum(triton_helpers.max2(tl.arange(0, 4)[None, :], 1)),\n"
                     "          triton_helpers.any(tl.arange(0, 4) > 2, 0),\n"
                     "          triton_helpers.device_assert_then(p < 0, 'text', 5),\n"
                     "          tl.constexpr(triton_helpers.is_floating(p))):\n"
                     "    tl.store(o, v)",
                     {}, {0, 0, 0}, "from torch._inductor.runtime import triton_helpers\n")
                .written_values(),
            (Values{-4, 2, 3, -7, -7, 3, 1, 5, 0}));
  const KernelProgram program = body_program(
      "x = tl.zeros([2, 4], tl.float32)\n"
      "i = tl.zeros([2, 4], tl.int64)\n"
      "a, b, c = triton_helpers.welford_reduce(x, x, x, x, True)\n"
      "a, b, c = triton_helpers.welford(a, b, c, 1)\n"
      "d, e = triton_helpers.max_with_index(x, i, 1)\n"
      "f, g = triton_helpers.maximum_with_index(x, i, x, i)\n"
      "h, j = triton_helpers.sort_with_index(x, i, None, 1, stable=False, descending=True)\n"
      "k, l = triton_helpers.online_softmax_reduce(x, x, 1, True)\n"
      "m = triton_helpers.prod(x, 1)\n"
      "tl.store(o + tl.arange(0, 2), a + b + c + d + e + k + l + m)\n"
      "tl.store(o + tl.arange(0, 4), f + g + h + j)",
      {"o: fp32[64]"}, "from torch._inductor.runtime import triton_helpers\n");
  EXPECT_EQ(program.sites.size(), 2u);
}

TEST(Builtin, InlineAssemblyIsNotComputed) {
  const KernelProgram program = body_program(
      "x = tl.inline_asm_elementwise('shl', '=r,r', [tl.arange(0, 4), 3], dtype=tl.int32,\n"
      "                              is_pure=True, pack=1)\n"
      "y, z = tl.inline_asm_elementwise('', '', [x[:, None]], (tl.float32, tl.int8), True, 1)\n"
      "t = tl.extra.cuda.globaltimer()\n"
      "tl.store(o + x, 1)\n"
      "tl.store(o + x[:, None], y + z + t)",
      {"o: fp32[64]"});
  Types types;
  for (const Instruction& one : found(program, Opcode::unknown))
    types.push_back(
        kernel::code_of(program).values[static_cast<std::size_t>(one.results[0])].text());
  EXPECT_EQ(types, (Types{"int32[4]", "fp32[4, 1]", "int8[4, 1]", "int64"}));
}

TEST(Builtin, AssemblyThatAccessesMemoryIsRefused) {
  const auto assembly = [](const std::string& text) {
    return "x = tl.inline_asm_elementwise('" + text +
           "', '=r,l', [o + tl.arange(0, 4)], tl.int32, False, 1)\ntl.store(o, 1)";
  };
  for (const char* text : {"st.global.b32 [$1], 3;", "{ @p0 atom.add.u32 $0, [$1], 1; }",
                           "global_store_dword $1, $0, off", "ld.acquire.gpu.b32 $0, [$1];"})
    EXPECT_THAT(error_of_body(assembly(text), {"o: fp32[64]"}),
                HasSubstr("assembly that accesses memory"));
  for (const char* text : {"mov.u32 $0, %smid;", "ex2.approx.ftz.f32 $0, $1;",
                           "ld.shared.b32 $0, [$1];", "griddepcontrol.wait;"})
    EXPECT_EQ(body_program(assembly(text), {"o: fp32[64]"}).sites.size(), 1u);
  const KernelProgram block = body_program(assembly("mov.u32 $0, %ctaid.x;"), {"o: fp32[64]"});
  EXPECT_EQ(found(block, Opcode::program_id).size(), 3u);
}

}  // namespace
}  // namespace heddle::testing
