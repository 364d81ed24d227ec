// Loads, stores, atomics; block pointers and tensor descriptors.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

using Values = std::vector<double>;

TEST(Memory, PointersMasksAndHints) {
  const Words words = {"x: fp16[64]", "o: fp32[64]", "n = 6"};
  const KernelProgram program = body_program(
      "i = tl.arange(0, 8)\n"
      "v = tl.load(x + i * 2, mask=i < n, other=0.0, cache_modifier='.cg',\n"
      "            eviction_policy='evict_last')\n"
      "tl.store(o + i, v, i < n, cache_modifier='.wt')",
      words);
  const Outcome outcome = run(program, words);
  EXPECT_EQ(outcome.read_elements(), (Integers{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(outcome.written_elements(), (Integers{0, 1, 2, 3, 4, 5}));
  ASSERT_EQ(program.sites.size(), 2u);
  EXPECT_EQ(program.sites[0].hint, ".cg evict_last");
  EXPECT_EQ(program.sites[1].hint, ".wt");
  EXPECT_EQ(program.sites[0].element, kernel::DType::float16);
  EXPECT_EQ(program.sites[1].shape, (Integers{8}));
  EXPECT_EQ(program.places[static_cast<std::size_t>(program.sites[0].place)].position.line, 6);
}

TEST(Memory, ShapesBroadcast) {
  const auto written = [](const std::string& body) { return run_body(body).written_elements(); };
  EXPECT_EQ(written("i = tl.arange(0, 2)\nj = tl.arange(0, 2)\n"
                    "tl.store(o + i[:, None] * 8 + j[None, :], 0, mask=(i < 1)[:, None])"),
            (Integers{0, 1}));
  EXPECT_EQ(written("i = tl.arange(0, 2)\n"
                    "tl.store(o + i[:, None] * 8 + i, tl.arange(0, 2))"),
            (Integers{0, 1, 8, 9}));
  // The mask, the value and `other` may have fewer axes, and widen the pointers.
  EXPECT_EQ(run_body("i = tl.arange(0, 2)\n"
                     "m = tl.zeros([2, 2], tl.int32) == 0\n"
                     "v = tl.load(o + i, mask=m, other=tl.arange(0, 2))\n"
                     "tl.store(o + i[None, :], v, mask=i < 1)")
                .written_elements(),
            (Integers{0, 0}));
  EXPECT_EQ(written("tl.store(o + 3, 5)"), (Integers{3}));
  EXPECT_EQ(written("tl.store(o + 3, 5, tl.program_id(0) == 1)"), Integers{});
  EXPECT_EQ(written("tl.store(3 + o - 1, 5)"), (Integers{2}));
}

TEST(Memory, OneAddressHasOneValue) {
  const Words words = {"o: fp32[8]"};
  EXPECT_EQ(error_of_body("tl.load(o, mask=tl.arange(0, 4) < 2)", words),
            "k.py:5:5: the mask is a block, but the pointer is a scalar\n"
            "  try: add a block of offsets to the pointer");
  EXPECT_THAT(error_of_body("tl.store(o, tl.arange(0, 4))", words),
              HasSubstr("the value is a block, but the pointer is a scalar"));
  EXPECT_THAT(error_of_body("tl.atomic_add(o, tl.arange(0, 4))", words),
              HasSubstr("the value is a block, but the pointer is a scalar"));
}

TEST(Memory, WhatIsNoPointer) {
  EXPECT_EQ(error_of_body("tl.load(n + tl.arange(0, 4))", {"n = 5"}),
            "k.py:5:5: a run-time value is not a pointer\n"
            "  try: is the parameter a tensor in the job?");
  EXPECT_THAT(error_of_body("tl.load(p)", {"p = None"}), HasSubstr("None is not a pointer"));
  EXPECT_THAT(error_of_body("tl.load(o + 1.5)", {"o: fp32[4]"}),
              HasSubstr("the offset of a pointer must be an integer"));
  EXPECT_THAT(error_of_body("x = o * 2", {"o: fp32[4]"}),
              HasSubstr("only + and - work on pointers"));
  EXPECT_THAT(error_of_body("x = tl.exp(o)", {"o: fp32[4]"}),
              HasSubstr("a pointer cannot take part in this operation"));
  EXPECT_THAT(error_of_body("x = -o", {"o: fp32[4]"}), HasSubstr("does not work on ptr<fp32>"));
  EXPECT_THAT(error_of_body("tl.load(o, msk=True)", {"o: fp32[4]"}),
              HasSubstr("load has no parameter 'msk'"));
}

TEST(Memory, PointersAreValues) {
  EXPECT_EQ(run_body("a = o + 4\nb = a + (o - a)\ntl.store(b, 1)\n"
                     "tl.store((a.to(tl.int64) + 8).to(tl.pointer_type(tl.int64)), 2)\n"
                     "tl.store(tl.where(tl.arange(0, 2) == 0, o, a), 3)\n"
                     "tl.store(o.to(tl.pointer_type(tl.int8)) + 3, 4)")
                .written_elements(),
            (Integers{0, 5, 0, 4, 3}));
}

TEST(Memory, UnsignedOffsetsAreNotNegative) {
  // uint8 255 is 255 elements, int8 -1 is one back.
  EXPECT_EQ(run_body("p = tl.program_id(0)\n"
                     "tl.store(o + (p - 1).to(tl.uint8), 1)\n"
                     "tl.store(o + 4 + (p - 1).to(tl.int8), 2)")
                .written_elements(),
            (Integers{255, 3}));
}

TEST(Memory, ValuesAreCastToTheElement) {
  const KernelProgram program =
      body_program("tl.store(o, 2.75)\ntl.store(o + 1, tl.program_id(0))", {"o: fp16[4]"});
  EXPECT_EQ(count_of(program, Opcode::cast), 1u);
  EXPECT_EQ(run(program, {"o: fp16[4]"}).written_values(), (Values{2.75, 0}));
}

TEST(Memory, Atomics) {
  const Words words = {"o: int32[64]"};
  const KernelProgram program = body_program(
      "i = tl.arange(0, 2)\n"
      "tl.atomic_add(o + i, 1, mask=i < 1, sem='relaxed', scope='gpu')\n"
      "tl.atomic_max(o + i, i)\n"
      "tl.atomic_min(o + i, i)\n"
      "tl.atomic_and(o, 3)\n"
      "tl.atomic_or(o, 3)\n"
      "tl.atomic_xor(o, 3)\n"
      "tl.atomic_xchg(o, 7)\n"
      "tl.atomic_cas(o, 7, 9)\n"
      "old = tl.atomic_add(o + 10, 5)\n"
      "(o + old).atomic_add(1)",
      words);
  EXPECT_EQ(run(program, words).written_elements(),
            (Integers{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 10, 0}));
  std::vector<bool> commute;
  for (const Site& site : program.sites) {
    EXPECT_EQ(site.kind, kernel::MemoryKind::atomic);
    commute.push_back(site.commutes);
  }
  // Exchanges do not, nor does an addition whose result is read.
  EXPECT_EQ(commute,
            (std::vector<bool>{true, true, true, true, true, true, false, false, false, true}));
}

TEST(Memory, BlockPointers) {
  const Words words = {"o: int32[8, 8]", "m = 5"};
  const KernelProgram program = body_program(
      "b = tl.make_block_ptr(base=o + 1, shape=(m, 8), strides=(8, 1), offsets=(m - 1, 0),\n"
      "                      block_shape=(2, 2), order=(1, 0))\n"
      "tl.load(b, boundary_check=(0,), padding_option='zero')\n"
      "tl.load(b)\n"
      "b = tl.advance(b, (-2, 6))\n"
      "tl.store(b, tl.load(b), boundary_check=(0, 1))\n"
      "tl.store(b, tl.zeros([2, 2], b.dtype.element_ty), boundary_check=[1])",
      words);
  const Outcome outcome = run(program, words);
  EXPECT_EQ(outcome.read_elements(), (Integers{33, 34, 33, 34, 41, 42, 23, 24, 31, 32}));
  EXPECT_EQ(outcome.written_elements(), (Integers{23, 24, 31, 32, 23, 24, 31, 32}));
  EXPECT_EQ(
      code_text(body_program("b = tl.make_block_ptr(o, (8, 8), (8, 1), (2, 4), (2, 2), (1, 0))\n"
                             "tl.load(b, boundary_check=(1,))",
                             {"o: int8[64]"})),
      "%1:int64 = constant 8\n"
      "%2:int64 = constant 1\n"
      "%3:int64 = constant 2\n"
      "%4:int64 = constant 4\n"
      "%0:ptr<int8> = parameter 0\n"
      "%5:ptr<int8>[2, 2] = block_pointer %0, %3, %4, %1, %2\n"
      "%6:int1[2, 2] = bounds_mask %3, %4, %1, %1, 0, 1\n"
      "%7:int8[2, 2] = load %5, %6, -, 0\n");
}

TEST(Memory, BlockPointersThatAreWrong) {
  const Words words = {"o: int32[8, 8]"};
  const auto error = [&](const std::string& arguments) {
    return error_of_body(
        "b = tl.make_block_ptr(" + arguments + ")\ntl.load(b, boundary_check=(2,))", words);
  };
  EXPECT_THAT(error("o, (8,), (8, 1), (0, 0), (2, 2), (1, 0)"),
              HasSubstr("shape, strides, offsets and block_shape differ in length"));
  EXPECT_THAT(error("3, (8, 8), (8, 1), (0, 0), (2, 2), (1, 0)"),
              HasSubstr("the base of a block pointer must be a pointer"));
  EXPECT_THAT(error("o, (8, 8), (8, 1), (tl.arange(0, 2), 0), (2, 2), (1, 0)"),
              HasSubstr("shapes, strides and offsets are integer scalars, not int32[2]"));
  EXPECT_THAT(error("o, (8, 8), (8, 1), (0, 0), (2, 2), (1, 0)"),
              HasSubstr("boundary_check names an axis the block does not have"));
  EXPECT_THAT(error_of_body("tl.advance(o, (1,))", words),
              HasSubstr("tl.advance moves block pointers"));
}

TEST(Memory, DescriptorsMadeInTheKernel) {
  const Outcome outcome = run_body(
      "d = tl.make_tensor_descriptor(o, shape=[4, n], strides=[8, 1], block_shape=[2, 2])\n"
      "v = d.load([3, n - 1])\n"
      "d.store([0, tl.program_id(0)], v + 1)\n"
      "tl.store_tensor_descriptor(d, [2, 0], tl.load_tensor_descriptor(d, [2, 0]))\n"
      "d.atomic_add([1, 1], v)\n"
      "tl.store(o, d.block_shape[0])\n"
      "tl.store(o, d.shape[1])",
      {"n = 5"}, {1, 0, 0});
  EXPECT_EQ(outcome.read_elements(), (Integers{28, 16, 17, 24, 25}));
  EXPECT_EQ(outcome.written_elements(),
            (Integers{1, 2, 9, 10, 16, 17, 24, 25, 9, 10, 17, 18, 0, 0}));
}

TEST(Memory, DescriptorsGivenByTheJob) {
  const Words words = {"d: fp16[6, 8]{2, 4}", "o: fp16[64]"};
  const KernelProgram program = body_program(
      "v = d.load([4, 6])\n"
      "tl.store(o + tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :], v)",
      words);
  EXPECT_EQ(run(program, words).read_elements(), (Integers{38, 39, 46, 47}));
  EXPECT_EQ(program.sites[0].hint, "descriptor");
  EXPECT_THAT(error_of_body("d.load([1])", {"d: fp16[6, 8]{2, 4}"}),
              HasSubstr("a descriptor needs one offset per axis"));
  EXPECT_THAT(error_of_body("d.swim([1])", {"d: fp16[6, 8]{2, 4}"}),
              HasSubstr("a tensor descriptor has no 'swim'"));
  EXPECT_THAT(error_of_body("pass", {"d: fp16[6, 8]{4}"}),
              HasSubstr("k.py:4:1: the block of tensor 'd' has 1 extents, its shape 2"));
}

TEST(Memory, DescriptorRows) {
  const Words words = {"d: int32[6, 8]{1, 2}", "o: int32[64]"};
  const Outcome outcome = run(body_program("r = tl.arange(0, 4) * 2\n"
                                           "v = d.gather(r, 3)\n"
                                           "d.scatter(v, r + 1, 7)",
                                           words),
                              words);
  EXPECT_EQ(outcome.read_elements(), (Integers{3, 4, 19, 20, 35, 36}));
  EXPECT_EQ(outcome.written_elements(), (Integers{15, 31, 47}));
}

TEST(Memory, ExperimentalDescriptors) {
  EXPECT_EQ(run_body("d = tl._experimental_make_tensor_descriptor(o, [4, 8], [8, 1], [1, 2])\n"
                     "v = tl._experimental_descriptor_load(d, [1, 2], [1, 2], tl.int64)\n"
                     "tl._experimental_descriptor_store(d, v, [2, 4])")
                .written_elements(),
            (Integers{20, 21}));
}

}  // namespace
}  // namespace heddle::testing
