// Control flow, limits, faults and arithmetic counts of the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "trace/building.h"

namespace heddle::trace {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Elements = std::vector<std::int64_t>;

/// The first elements of every look, in order.
Elements firsts(const std::vector<Elements>& looks) {
  Elements result;
  for (const Elements& look : looks) result.push_back(look[0]);
  return result;
}

std::string error_of(const Building& kernel, TraceOptions options = {}) {
  try {
    run(kernel, {}, options);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Control, ForRangeCountsLikePython) {
  const auto indices = [](std::int64_t lower, std::int64_t upper, std::int64_t step) {
    Building kernel;
    Probe probe(kernel);
    kernel.for_range(kernel.constant(lower), kernel.constant(upper), kernel.constant(step),
                     [&](ValueId i) { probe.look(i); });
    return firsts(probe.run());
  };
  EXPECT_THAT(indices(0, 10, 4), ElementsAre(0, 4, 8));
  EXPECT_THAT(indices(10, 0, -4), ElementsAre(10, 6, 2));
  EXPECT_THAT(indices(3, 4, 100), ElementsAre(3));
  EXPECT_THAT(indices(4, 4, 1), ElementsAre());
  EXPECT_THAT(indices(5, 4, 1), ElementsAre());
  EXPECT_THAT(indices(2147483646, 2147483647, 1), ElementsAre(2147483646));
}

TEST(Control, StepOfZeroIsAnErrorWithItsPlace) {
  Building kernel({4, 2});
  kernel.for_range(kernel.constant(0), kernel.constant(1), kernel.constant(0),
                   [&](ValueId) { kernel.program_id(0); });
  EXPECT_THAT(error_of(kernel), HasSubstr("kernel.py:5:1: tile (0, 0): the step of a loop is 0"));
}

TEST(Control, CarriedValuesAreCopied) {
  Building kernel;
  Probe probe(kernel);
  const ValueId carried = kernel.value(block(DType::int32, {4}));
  kernel.append(Opcode::copy, {carried}, {kernel.arange(0, 4)});
  kernel.for_range(kernel.constant(0), kernel.constant(3), kernel.constant(1), [&](ValueId i) {
    kernel.append(Opcode::copy, {carried}, {kernel.add(carried, i)});
  });
  probe.look(carried);
  EXPECT_EQ(probe.run()[0], Elements({3, 4, 5, 6}));
}

TEST(Control, ResultMayBeItsOwnOperand) {
  Building kernel;
  Probe probe(kernel);
  const ValueId x = kernel.value(block(DType::int32, {4}));
  kernel.append(Opcode::copy, {x}, {kernel.arange(1, 5)});
  kernel.append(Opcode::multiply, {x}, {x, x});
  kernel.append(Opcode::add, {x}, {x, x});
  probe.look(x);
  EXPECT_EQ(probe.run()[0], Elements({2, 8, 18, 32}));
}

TEST(Control, BranchesRunOneBlock) {
  for (const std::int64_t tile : {0, 1}) {
    Building kernel({2});
    Probe probe(kernel);
    const ValueId zero = kernel.constant(0);
    const ValueId x = kernel.value(block(DType::int32));
    const ValueId condition = kernel.binary(Opcode::equal, kernel.program_id(0), zero);
    const auto then =
        kernel.inside([&] { kernel.append(Opcode::copy, {x}, {kernel.constant(11)}); });
    const auto otherwise =
        kernel.inside([&] { kernel.append(Opcode::copy, {x}, {kernel.constant(22)}); });
    auto& branch = kernel.append(Opcode::if_else, {}, {condition});
    branch.body = then;
    branch.other = otherwise;
    probe.look(x);
    EXPECT_EQ(probe.run({tile, 0, 0})[0], Elements({tile == 0 ? 11 : 22}));
  }
}

TEST(Control, WhileComputesItsConditionEachTurn) {
  Building kernel;
  Probe probe(kernel);
  const ValueId i = kernel.value(block(DType::int32));
  const ValueId condition = kernel.value(block(DType::boolean));
  const ValueId limit = kernel.constant(3);
  kernel.append(Opcode::copy, {i}, {kernel.constant(0)});
  const auto other = kernel.inside([&] { kernel.append(Opcode::less, {condition}, {i, limit}); });
  const auto body = kernel.inside([&] {
    probe.look(i);
    kernel.append(Opcode::copy, {i}, {kernel.add(i, kernel.constant(1))});
  });
  auto& loop = kernel.append(Opcode::while_loop, {}, {condition});
  loop.body = body;
  loop.other = other;
  std::vector<Fault> faults;
  EXPECT_EQ(firsts(probe.run({}, &faults)), Elements({0, 1, 2}));
  EXPECT_TRUE(faults.empty());
}

TEST(Control, LeaveEndsLoopsAndScopes) {
  Building kernel;
  Probe probe(kernel);
  const ValueId two = kernel.constant(2);
  const auto outer = kernel.inside([&] {
    const auto inner = kernel.inside([&] {
      kernel.for_range(kernel.constant(0), kernel.constant(9), kernel.constant(1), [&](ValueId i) {
        probe.look(i);
        const ValueId done = kernel.binary(Opcode::equal, i, two);
        const auto leave = kernel.inside([&] { kernel.append(Opcode::leave, {}, {}, {2}); });
        kernel.append(Opcode::if_else, {}, {done}).body = leave;
      });
    });
    kernel.append(Opcode::scope, {}, {}).body = inner;
    probe.look(kernel.constant(100));  // left out: two scopes are left
  });
  kernel.append(Opcode::scope, {}, {}).body = outer;
  probe.look(kernel.constant(200));
  EXPECT_EQ(firsts(probe.run()), Elements({0, 1, 2, 200}));
}

TEST(Control, LeavingEverythingEndsTheTile) {
  Building kernel;
  Probe probe(kernel);
  probe.look(kernel.constant(1));
  kernel.append(Opcode::leave, {}, {}, {7});
  probe.look(kernel.constant(2));
  EXPECT_EQ(firsts(probe.run()), Elements({1}));
}

TEST(Control, EndlessLoopsEnd) {
  Building kernel;
  const ValueId truth = kernel.operate(Opcode::constant_int, block(DType::boolean), {}, {1});
  const ValueId one = kernel.program_id(0);
  const auto other = kernel.inside([] {});
  const auto body = kernel.inside([&] { kernel.add(one, one); });
  auto& loop = kernel.append(Opcode::while_loop, {}, {truth});
  loop.body = body;
  loop.other = other;
  TraceOptions options;
  options.limits.steps = 1000;
  EXPECT_THAT(error_of(kernel, options), HasSubstr("tile (0): more than 1,000 steps in one tile"));
}

TEST(Control, DenseWorkCountsAsSteps) {
  Building kernel;
  const ValueId a = kernel.expand(kernel.add(kernel.arange(0, 512), kernel.program_id(0)), 1);
  const ValueId b = kernel.expand(kernel.add(kernel.arange(0, 512), kernel.program_id(0)), 0);
  kernel.binary(Opcode::bit_xor, a, b);
  TraceOptions options;
  options.limits.steps = 1000;
  EXPECT_THAT(error_of(kernel, options), HasSubstr("more than 1,000 steps"));
  options.limits.steps = 10000;
  EXPECT_EQ(error_of(kernel, options), "no error");
}

TEST(Control, EmptyLoopsAreCountedNotRun) {
  Building kernel;
  const auto body = kernel.inside([] {});
  kernel::code_of(kernel.program).blocks[static_cast<std::size_t>(body)].counts = {
      {kernel::ArithmeticKind::dot, DType::float16, 1000}};
  kernel::code_of(kernel.program).blocks[0].counts = {
      {kernel::ArithmeticKind::add, DType::float32, 5},
      {kernel::ArithmeticKind::dot, DType::float16, 1}};
  const ValueId zero = kernel.constant(0, DType::int64);
  const ValueId many = kernel.constant(std::int64_t{1} << 40, DType::int64);
  kernel
      .append(Opcode::for_range, {kernel.value(block(DType::int64))},
              {zero, many, kernel.constant(2, DType::int64)})
      .body = body;
  Tracer tracer(kernel.program, kernel.launch, {});
  for (int repeat = 0; repeat < 2; ++repeat) {  // counts are those of one tile
    run(tracer, {});
    const auto counts = tracer.arithmetic();
    ASSERT_EQ(counts.size(), 2U);
    EXPECT_EQ(counts[0].kind, kernel::ArithmeticKind::add);
    EXPECT_EQ(counts[0].count, 5);
    EXPECT_EQ(counts[1].kind, kernel::ArithmeticKind::dot);
    EXPECT_EQ(counts[1].count, (std::int64_t{1} << 39) * 1000 + 1);
  }
}

TEST(Control, UnsetValuesAreZeroAndAFault) {
  Building kernel;
  Probe probe(kernel);
  const ValueId never = kernel.value(block(DType::int32, {3}));
  probe.look(kernel.add(never, kernel.constant(5)));
  std::vector<Fault> faults;
  EXPECT_EQ(probe.run({}, &faults)[0], Elements({5, 5, 5}));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].kind, Fault::Kind::uninitialized);
}

TEST(Control, EachTileStartsAfresh) {
  Building kernel({2});
  const ValueId x = kernel.value(block(DType::int32));
  const ValueId first = kernel.binary(Opcode::equal, kernel.program_id(0), kernel.constant(0));
  const auto set = kernel.inside([&] { kernel.append(Opcode::copy, {x}, {kernel.constant(7)}); });
  kernel.append(Opcode::if_else, {}, {first}).body = set;
  const ValueId bytes = kernel.tensor("bytes", DType::int8, {64});
  kernel.load(kernel.add_pointer(bytes, x));
  Tracer tracer(kernel.program, kernel.launch, {});
  const auto start = static_cast<std::int64_t>(kernel.address("bytes"));
  EXPECT_EQ(run(tracer, {0, 0, 0})[0].active(), Elements({start + 7}));
  EXPECT_EQ(run(tracer, {1, 0, 0})[0].active(), Elements({start}));
  ASSERT_EQ(tracer.faults().size(), 1U);
  EXPECT_EQ(tracer.faults()[0].tile[0], 1);
}

TEST(Control, FaultsAreCountedPerPlaceAndTile) {
  Building kernel({4});
  const ValueId big = kernel.constant(2000000000);
  kernel.for_range(kernel.constant(0), kernel.constant(3), kernel.constant(1), [&](ValueId) {
    kernel.multiply(kernel.add(kernel.program_id(0), kernel.constant(1)), big);
  });
  Tracer tracer(kernel.program, kernel.launch, {});
  for (std::int64_t tile = 0; tile < 4; ++tile) run(tracer, {tile, 0, 0});
  ASSERT_EQ(tracer.faults().size(), 1U);
  const Fault fault = tracer.faults()[0];
  EXPECT_EQ(fault.kind, Fault::Kind::overflow);
  EXPECT_EQ(fault.count, 9);
  EXPECT_EQ(fault.tiles, 3);
  EXPECT_EQ(fault.tile[0], 1);
  EXPECT_EQ(fault.detail, "4000000000");
}

TEST(Control, BlocksBeyondTheLimitAreRefused) {
  Building kernel;
  kernel.operate(Opcode::arange, block(DType::int32, {1 << 21}), {}, {0, 1 << 21});
  EXPECT_THAT(error_of(kernel), HasSubstr("kernel.py:1:1: a block has more than 1,048,576"));
  Building overflowing;
  overflowing.operate(Opcode::unknown, block(DType::int32, {1LL << 40, 1LL << 40}), {});
  EXPECT_THAT(error_of(overflowing), HasSubstr("a block has more than"));
  Building empty;
  empty.operate(Opcode::unknown, block(DType::int32, {0}), {});
  EXPECT_THAT(error_of(empty), HasSubstr("an extent of 0"));
  Building unused;
  unused.value(block(DType::int32, {1LL << 40}));
  EXPECT_EQ(error_of(unused), "no error");
}

TEST(Control, UnknownValuesAreErrorsWhereTheyAreNeeded) {
  Building kernel;
  kernel.operate(Opcode::unknown, block(DType::float32), {});
  EXPECT_THAT(error_of(kernel), HasSubstr("kernel.py:1:1: tile (0): a value that heddle does not"));
}

TEST(Control, MalformedProgramsAreErrors) {
  const auto expect_refused = [](const char* what, auto break_it) {
    Building kernel;
    const ValueId a = kernel.arange(0, 4);
    kernel.add(a, a);
    break_it(kernel);
    EXPECT_THAT(error_of(kernel), HasSubstr("the program cannot be run")) << what;
  };
  auto code = [](Building& kernel) -> std::vector<kernel::Instruction>& {
    return kernel::code_of(kernel.program).blocks[0].code;
  };
  expect_refused("operand", [&](Building& k) { code(k)[1].operands[0] = 99; });
  expect_refused("no operand", [&](Building& k) { code(k)[1].operands[0] = kNoValue; });
  expect_refused("operand count", [&](Building& k) { code(k)[1].operands.pop_back(); });
  expect_refused("result", [&](Building& k) { code(k)[1].results[0] = -7; });
  expect_refused("no result", [&](Building& k) { code(k)[1].results.clear(); });
  expect_refused("place", [&](Building& k) { code(k)[1].place = 77; });
  expect_refused("shape", [&](Building& k) { kernel::code_of(k.program).values[1].shape = {5}; });
  expect_refused("rank", [&](Building& k) { kernel::code_of(k.program).values[1].shape = {1, 4}; });
  expect_refused("site", [&](Building& k) { k.append(Opcode::load, {}, {0}, {3}); });
  expect_refused("no pointer", [&](Building& k) { k.load(0); });
  expect_refused("block", [&](Building& k) { k.append(Opcode::scope, {}, {}).body = 5; });
  expect_refused("own block", [&](Building& k) { k.append(Opcode::scope, {}, {}).body = 0; });
  expect_refused("no blocks", [&](Building& k) { kernel::code_of(k.program).blocks.clear(); });
  expect_refused("axis",
                 [&](Building& k) { k.operate(Opcode::program_id, block(DType::int32), {}, {3}); });
  expect_refused("flip", [&](Building& k) { k.operate(Opcode::flip, k.type_of(0), {0}, {1}); });
  expect_refused("arange", [&](Building& k) { code(k)[0].integers[1] = 5; });
  expect_refused("two owners", [&](Building& k) {
    const auto made = k.inside([] {});
    k.append(Opcode::scope, {}, {}).body = made;
    k.append(Opcode::scope, {}, {}).body = made;
  });
}

TEST(Control, DeepNestingIsRefused) {
  Building kernel;
  std::function<void(int)> nest = [&](int depth) {
    if (depth == 0) return;
    const auto made = kernel.inside([&] { nest(depth - 1); });
    kernel.append(Opcode::scope, {}, {}).body = made;
  };
  nest(1500);
  EXPECT_THAT(error_of(kernel), HasSubstr("nested more than 1000 deep"));
}

}  // namespace
}  // namespace heddle::trace
