// What is made of a program once it is read: counts, origins of pointers, what nothing needs.
#include "kernel/run_program.h"

namespace heddle::testing {
namespace {

/// "8 add fp32, 8192 fused fp32" of all blocks together.
std::string counts_of(const KernelProgram& program) {
  static const char* kKinds[] = {"add", "multiply", "fused", "transcendental", "dot"};
  std::map<std::pair<int, int>, std::int64_t> all;
  for (const kernel::Block& block : kernel::code_of(program).blocks)
    for (const kernel::ArithmeticCount& count : block.counts)
      all[{static_cast<int>(count.kind), static_cast<int>(count.type)}] += count.count;
  std::string result;
  for (const auto& [key, count] : all)
    result += (result.empty() ? "" : ", ") + std::to_string(count) + " " + kKinds[key.first] + " " +
              std::string(config::dtype_text(static_cast<kernel::DType>(key.second)));
  return result;
}

TEST(Counts, MultiplyAddsAreFused) {
  const Words words = {"x: fp32[64]"};
  const auto counts = [&](const std::string& body) {
    return counts_of(body_program(
        "a = tl.load(x + tl.arange(0, 8))\n" + body + "\ntl.store(x + tl.arange(0, 8), a)", words));
  };
  EXPECT_EQ(counts("a = a * a + a"), "8 fused fp32");
  EXPECT_EQ(counts("a = a - a * a"), "8 fused fp32");
  EXPECT_EQ(counts("b = a * a\na = b + b"), "8 add fp32, 8 multiply fp32");
  EXPECT_EQ(counts("b = a * a\na = b + a + b"), "16 add fp32, 8 multiply fp32");
  EXPECT_EQ(counts("a = a * a + a * a"), "8 multiply fp32, 8 fused fp32");
  EXPECT_EQ(counts("a = tl.fma(a, a, a)"), "8 fused fp32");
  // A factor for all is one multiplication, and is not fused with eight additions.
  EXPECT_EQ(counts("s = tl.max(a) * 2.0\na = a + s"), "16 add fp32, 1 multiply fp32");
}

TEST(Counts, KindsOfArithmetic) {
  const Words words = {"x: fp16[64]", "y: int32[64]"};
  const auto counts = [&](const std::string& body) {
    return counts_of(body_program("i = tl.arange(0, 8)\na = tl.load(x + i)\n" + body, words));
  };
  EXPECT_EQ(counts("b = tl.exp(a) / a"), "8 transcendental fp16, 8 transcendental fp32");
  EXPECT_EQ(counts("b = tl.where(a > 0, a, -a)"), "24 add fp16");
  EXPECT_EQ(counts("b = i // 3 + i % 3"), "8 add int32, 16 multiply int32");
  EXPECT_EQ(counts("b = tl.sum(a, 0)"), "8 add fp16");
  EXPECT_EQ(counts("b = a.to(tl.float32)"), "");
  EXPECT_EQ(counts("b = tl.load(y + i)"), "");
  EXPECT_EQ(counts("b = tl.dot(tl.zeros([16, 32], tl.float16), tl.zeros([32, 8], tl.float16))"),
            "4096 dot fp16");
}

TEST(Counts, BelongToTheBlockTheyStandIn) {
  const KernelProgram program = body_program(
      "a = tl.load(x + tl.arange(0, 8))\n"
      "for i in range(100):\n"
      "    a += 1.0\n"
      "    if tl.program_id(0) > 2:\n"
      "        a *= 3.0\n"
      "tl.store(x, tl.max(a))",
      {"x: fp32[64]"});
  const Instruction loop = found(program, Opcode::for_range).at(0);
  const auto& inside = kernel::code_of(program).blocks[static_cast<std::size_t>(loop.body)].counts;
  ASSERT_EQ(inside.size(), 2u);  // the comparison is of integers
  EXPECT_EQ(inside[0].type, kernel::DType::int32);
  EXPECT_EQ(inside[1].count, 8);
  const Instruction branch = found(program, Opcode::if_else).at(0);
  const auto& taken = kernel::code_of(program).blocks[static_cast<std::size_t>(branch.body)].counts;
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].kind, kernel::ArithmeticKind::multiply);
}

TEST(Provenance, PointersComeFromParameters) {
  const KernelProgram program = body_program(
      "i = tl.arange(0, 4)\n"
      "p = a\n"
      "for k in range(3):\n"
      "    tl.load(p + i)\n"
      "    p = b + k if tl.program_id(0) > 1 else p\n"
      "tl.load(tl.where(i < 2, b, c) + i)\n"
      "tl.store(tl.make_block_ptr(c, (4,), (1,), (0,), (4,), (0,)), i)\n"
      "tl.load(tl.load(d).to(tl.pointer_type(tl.float16)))\n"
      "tl.load(a.to(tl.pointer_type(tl.int8)) + i)",
      {"a: fp32[8]", "b: fp32[8]", "c: fp32[8]", "d: int64[8]"});
  std::vector<std::vector<int>> origins;
  for (const Site& site : program.sites) origins.push_back(site.parameters);
  EXPECT_EQ(origins, (std::vector<std::vector<int>>{{0, 1}, {1, 2}, {2}, {3}, {}, {0}}));
}

const Words kCopy = {"x: fp32[64]", "o: fp32[64]", "n = 50"};
const std::string kCopyBody =
    "i = tl.program_id(0) * 8 + tl.arange(0, 8)\n"
    "v = tl.load(x + i, mask=i < n, other=1.0)\n"
    "w = tl.exp(v) * 2.0 + 1.0\n"
    "tl.store(o + i, w, mask=i < n)";

TEST(RemoveUnneeded, KeepsAccessesAndWhatTheyNeed) {
  const KernelProgram program = body_program(kCopyBody, kCopy);
  const KernelProgram small = kernel::remove_unneeded(program, Keep::all);
  EXPECT_EQ(code_text(small),
            "%2:int32 = constant 50\n"
            "%4:int32 = constant 8\n"
            "%0:ptr<fp32> = parameter 0\n"
            "%1:ptr<fp32> = parameter 1\n"
            "%3:int32 = program_id 0\n"
            "%5:int32 = multiply %3, %4\n"
            "%6:int32[8] = arange 0, 8\n"
            "%7:int32[8] = add %5, %6\n"
            "%8:ptr<fp32>[8] = add_pointer %0, %7\n"
            "%9:int1[8] = less %7, %2\n"
            "load %8, %9, -, 0\n"
            "%16:ptr<fp32>[8] = add_pointer %1, %7\n"
            "%17:int1[8] = less %7, %2\n"
            "store %16, -, %17, 1\n");
  // What was taken out is still counted.
  EXPECT_EQ(counts_of(small), counts_of(program));
  EXPECT_EQ(counts_of(program),
            "24 add int32, 1 multiply int32, 8 fused fp32, 8 transcendental fp32");
}

TEST(RemoveUnneeded, WritesOnly) {
  const KernelProgram small = kernel::remove_unneeded(body_program(kCopyBody, kCopy), Keep::writes);
  EXPECT_EQ(count_of(small, Opcode::load), 0u);
  EXPECT_EQ(count_of(small, Opcode::store), 1u);
  EXPECT_EQ(counts_of(small), "");
  // A load from what is written stays.
  const KernelProgram in_place = kernel::remove_unneeded(
      body_program("i = tl.arange(0, 8)\ntl.store(o + i, tl.load(o + i + 8) + tl.load(x + i))",
                   kCopy),
      Keep::writes);
  EXPECT_EQ(count_of(in_place, Opcode::load), 1u);
}

TEST(RemoveUnneeded, AddressesFromMemoryAreComputed) {
  const Words words = {"x: int32[64]", "o: fp32[64]"};
  const std::string body =
      "j = tl.load(x + tl.arange(0, 8), mask=tl.arange(0, 8) < 4, other=-1)\n"
      "tl.store(o + j * 2, 1.0, mask=j >= 0)";
  for (const Keep keep : {Keep::all, Keep::writes}) {
    const KernelProgram small = kernel::remove_unneeded(body_program(body, words), keep);
    const Instruction load = found(small, Opcode::load).at(0);
    EXPECT_EQ(load.results.size(), 1u);
    EXPECT_NE(load.operands[2], kernel::kNoValue);
  }
}

TEST(RemoveUnneeded, StoredValuesThatAreReadBack) {
  const Words words = {"x: int32[64]", "o: fp32[64]"};
  const KernelProgram small =
      kernel::remove_unneeded(body_program("i = tl.arange(0, 8)\n"
                                           "tl.store(x + i, i * 3)\n"
                                           "tl.store(o + tl.load(x + i), 2.0)",
                                           words),
                              Keep::all);
  const auto stores = found(small, Opcode::store);
  ASSERT_EQ(stores.size(), 2u);
  EXPECT_NE(stores[0].operands[1], kernel::kNoValue);
  EXPECT_EQ(stores[1].operands[1], kernel::kNoValue);
}

TEST(RemoveUnneeded, LoopsStayForWhatTheyHold) {
  const Words words = {"x: fp32[64]", "o: fp32[64]", "n = 5"};
  // One that accesses, one that only computes, one of nothing that matters.
  const KernelProgram program = body_program(
      "a = 0.0\n"
      "p = x\n"
      "for i in range(n):\n"
      "    a += tl.load(p)\n"
      "    p += 2\n"
      "for i in range(7):\n"
      "    a = tl.exp(a)\n"
      "tl.store(o, a)",
      words);
  const KernelProgram all = kernel::remove_unneeded(program, Keep::all);
  EXPECT_EQ(count_of(all, Opcode::for_range), 2u);
  EXPECT_EQ(counts_of(all), counts_of(program));
  EXPECT_EQ(run(all, words).read_elements(), (Integers{0, 2, 4, 6, 8}));
  const KernelProgram writes = kernel::remove_unneeded(program, Keep::writes);
  EXPECT_EQ(count_of(writes, Opcode::for_range), 0u);
  EXPECT_EQ(run(writes, words).written_elements(), (Integers{0}));
}

TEST(RemoveUnneeded, WhatMemoryDecidesIsNotKeptForItsArithmetic) {
  const Words words = {"x: int32[64]", "o: fp32[64]"};
  // How often the loop runs depends on what x holds; nothing but arithmetic is in it.
  const KernelProgram small = kernel::remove_unneeded(body_program("n = 4\n"
                                                                   "if tl.load(x) > 0:\n"
                                                                   "    n = 8\n"
                                                                   "a = 1.0\n"
                                                                   "for i in range(n):\n"
                                                                   "    a *= 1.5\n"
                                                                   "tl.store(o, a)",
                                                                   words),
                                                      Keep::all);
  EXPECT_EQ(count_of(small, Opcode::for_range), 0u);
  EXPECT_TRUE(found(small, Opcode::load).at(0).results.empty());
}

TEST(RemoveUnneeded, EarlyReturnsStay) {
  const Words words = {"o: fp32[64]"};
  const KernelProgram program = body_program(
      "p = tl.program_id(0)\n"
      "if p > 2:\n"
      "    return\n"
      "tl.store(o + p, 1.0)",
      words);
  for (const Keep keep : {Keep::all, Keep::writes}) {
    const KernelProgram small = kernel::remove_unneeded(program, keep);
    EXPECT_EQ(run(small, words, {3, 0, 0}).writes.size(), 0u);
    EXPECT_EQ(run(small, words, {2, 0, 0}).written_elements(), (Integers{2}));
  }
}

TEST(RemoveUnneeded, GivesTheSameAccesses) {
  const Words words = {"x: int32[64]", "o: int32[64]", "n = 13"};
  const std::string body =
      "p = tl.program_id(0)\n"
      "a = 0\n"
      "b = 1\n"
      "i = p\n"
      "while i < n:\n"
      "    if i % 3 == 1:\n"
      "        a, b = b, a + b\n"
      "        tl.store(o + b % 64, a)\n"
      "    elif i % 3 == 2:\n"
      "        tl.atomic_add(o + i, b)\n"
      "        if a > 5:\n"
      "            return\n"
      "    v = tl.load(x + i + a % 8, mask=i != 4, other=7)\n"
      "    i += 1 + f(v, p)\n"
      "tl.store(o, a)";
  const std::string before =
      "@triton.jit\n"
      "def f(v, p):\n"
      "    if p == 2:\n"
      "        return v\n"
      "    w = v * 2\n"
      "    return w\n";
  const KernelProgram program = body_program(body, words, before);
  const KernelProgram all = kernel::remove_unneeded(program, Keep::all);
  const KernelProgram writes = kernel::remove_unneeded(program, Keep::writes);
  for (std::int64_t p = 0; p < 4; ++p) {
    const Outcome whole = run(program, words, {p, 0, 0});
    EXPECT_EQ(run(all, words, {p, 0, 0}).read_elements(), whole.read_elements());
    EXPECT_EQ(run(all, words, {p, 0, 0}).written_elements(), whole.written_elements());
    EXPECT_EQ(run(writes, words, {p, 0, 0}).written_elements(), whole.written_elements());
  }
}

TEST(Program, PlacesAreThoseOfTheSource) {
  const KernelProgram program = program_of(
      "@triton.jit\n"
      "def f(p):\n"
      "    return tl.load(p)\n"
      "@triton.jit\n"
      "def k(x):\n"
      "    a = f(x)\n"
      "    tl.store(x,\n"
      "             a + 1)\n",
      {"x: fp32[4]"});
  const auto place = [&](const Instruction& one) {
    const kernel::Place& at = program.places[static_cast<std::size_t>(one.place)];
    return at.function + ":" + std::to_string(at.position.line) + ":" +
           std::to_string(at.position.column);
  };
  EXPECT_EQ(place(found(program, Opcode::load).at(0)), "f:5:12");
  EXPECT_EQ(place(found(program, Opcode::add).at(0)), "k:10:14");
  EXPECT_EQ(place(found(program, Opcode::store).at(0)), "k:9:5");
}

TEST(Program, TextOfTypesAndControl) {
  EXPECT_EQ((kernel::Type{kernel::DType::float16, true, {4, 8}}.text()), "ptr<fp16>[4, 8]");
  EXPECT_EQ(kernel::program_text(body_program("i = 0\n"
                                              "while i < 3:\n"
                                              "    i += 1\n"
                                              "    if i == 2:\n"
                                              "        tl.store(o, 1)\n"
                                              "    else:\n"
                                              "        tl.store(o, 2)",
                                              {"o: int8[4]"})),
            "%1:int32 = constant 0  # line 5\n"
            "%3:int32 = constant 3  # line 6\n"
            "%5:int32 = constant 1  # line 7\n"
            "%7:int32 = constant 2  # line 8\n"
            "%9:int8 = constant 1  # line 9\n"
            "%10:int8 = constant 2  # line 11\n"
            "%0:ptr<int8> = parameter 0  # line 4\n"
            "%2:int32 = copy %1  # line 6\n"
            "while_loop %4  # line 6\n"
            "  %4:int1 = less %2, %3  # line 6\n"
            "do\n"
            "  %6:int32 = add %2, %5  # line 7\n"
            "  %8:int1 = equal %6, %7  # line 8\n"
            "  if_else %8  # line 8\n"
            "    store %0, %9, -, 0  # line 9\n"
            "  else\n"
            "    store %0, %10, -, 1  # line 11\n"
            "  %2:int32 = copy %6  # line 8\n");
}

}  // namespace
}  // namespace heddle::testing
