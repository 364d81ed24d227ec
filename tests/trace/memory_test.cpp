// Loads, stores and atomics of the interpreter: patterns, bounds, contents, what a tile writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "trace/building.h"

namespace heddle::trace {
namespace {

using namespace testing;
using kernel::AtomicFunction;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Elements = std::vector<std::int64_t>;

config::Contents contents(config::Contents::Kind kind, double lo = 0, double hi = 0) {
  config::Contents result;
  result.kind = kind;
  result.lo = lo;
  result.hi = hi;
  return result;
}
config::Contents listed(std::vector<double> values) {
  config::Contents result = contents(config::Contents::Kind::values);
  result.values = std::move(values);
  return result;
}

std::string memory_error_of(const Building& kernel, TraceOptions options = {}) {
  try {
    run(kernel, {}, options);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

/// Runs and gives the accesses of one site as offsets into a tensor.
Elements offsets(const Building& kernel, std::size_t access, const std::string& tensor) {
  Elements result;
  for (const std::int64_t address : run(kernel)[access].active())
    result.push_back(address - static_cast<std::int64_t>(kernel.address(tensor)));
  return result;
}

TEST(Memory, AffineLoadStaysAffine) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::float16, {8, 16});
  const ValueId row = kernel.multiply(kernel.expand(kernel.arange(0, 4), 1), kernel.constant(16));
  const ValueId pointer =
      kernel.add_pointer(a, kernel.add(row, kernel.expand(kernel.arange(0, 8), 0)));
  kernel.load(pointer);
  const auto accesses = run(kernel);
  ASSERT_EQ(accesses.size(), 1U);
  EXPECT_FALSE(accesses[0].dense);
  EXPECT_EQ(accesses[0].tensor, 0);
  EXPECT_EQ(accesses[0].element_bytes, 2);
  ASSERT_EQ(accesses[0].addresses.size(), 32U);
  const auto start = static_cast<std::int64_t>(kernel.address("a"));
  EXPECT_EQ(accesses[0].addresses[8 * 3 + 5], start + 2 * (3 * 16 + 5));
}

TEST(Memory, MaskIsAWindow) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  const ValueId i = kernel.arange(0, 16);
  kernel.load(kernel.add_pointer(a, i), kernel.binary(Opcode::less, i, kernel.constant(6)));
  EXPECT_FALSE(run(kernel)[0].dense);
  EXPECT_EQ(offsets(kernel, 0, "a"), Elements({0, 4, 8, 12, 16, 20}));
}

TEST(Memory, EmptyMaskAndScalars) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  const ValueId i = kernel.arange(0, 16);
  kernel.load(kernel.add_pointer(a, i), kernel.binary(Opcode::less, i, kernel.constant(0)));
  kernel.load(kernel.add_pointer(a, kernel.constant(2)));
  const ValueId no = kernel.operate(Opcode::constant_int, block(DType::boolean), {}, {0});
  kernel.load(kernel.add_pointer(a, kernel.constant(1000)), no);
  kernel.load(kernel.broadcast_to(a, {4}), no);
  Tracer tracer(kernel.program, kernel.launch, {});
  const auto accesses = run(tracer, {});
  EXPECT_TRUE(accesses[0].active().empty());
  EXPECT_EQ(accesses[0].addresses.size(), 16U);
  EXPECT_EQ(accesses[1].addresses.size(), 1U);
  EXPECT_EQ(offsets(kernel, 1, "a"), Elements({8}));
  EXPECT_TRUE(accesses[2].active().empty());
  EXPECT_TRUE(accesses[3].active().empty());
  EXPECT_TRUE(tracer.faults().empty());
}

TEST(Memory, OutOfBoundsElementsAreLeftOut) {
  Building kernel({3});
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  const ValueId first = kernel.multiply(kernel.program_id(0), kernel.constant(4));
  kernel.load(kernel.add_pointer(a, kernel.add(kernel.arange(0, 4), first)));
  Tracer tracer(kernel.program, kernel.launch, {});
  EXPECT_EQ(run(tracer, {0, 0, 0})[0].active().size(), 4U);
  EXPECT_TRUE(tracer.faults().empty());
  EXPECT_EQ(run(tracer, {1, 0, 0})[0].active().size(), 2U);
  EXPECT_EQ(run(tracer, {2, 0, 0})[0].active().size(), 0U);
  ASSERT_EQ(tracer.faults().size(), 1U);
  const Fault fault = tracer.faults()[0];
  EXPECT_EQ(fault.kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(fault.site, 0);
  EXPECT_EQ(fault.tensor, 0);
  EXPECT_EQ(fault.tile[0], 1);
  EXPECT_EQ(fault.count, 2);
  EXPECT_EQ(fault.tiles, 2);
  EXPECT_EQ(fault.detail, "reads bytes 24..31 past its end at 24");
}

TEST(Memory, OutOfBoundsBeforeTheStart) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  kernel.store(kernel.add_pointer(a, kernel.arange(-2, 4)));
  Tracer tracer(kernel.program, kernel.launch, {});
  EXPECT_EQ(run(tracer, {})[0].active().size(), 4U);
  EXPECT_EQ(tracer.faults()[0].detail, "writes bytes -8..-1 before its start; it ends at 24");
}

TEST(Memory, StrictStopsWithThePlace) {
  Building kernel({2, 2});
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  kernel.load(kernel.add_pointer(a, kernel.arange(0, 8)));
  TraceOptions options;
  options.strict = true;
  EXPECT_THAT(memory_error_of(kernel, options),
              HasSubstr("kernel.py:4:1: tile (0, 0): out of bounds of 'a': reads bytes 24..31 past "
                        "its end at 24"));
}

TEST(Memory, TheActiveCornerDecides) {
  // The block reaches past the tensor, the masked part of it does not, down to the last byte.
  for (const std::int64_t rows : {3, 4}) {
    Building kernel;
    const ValueId a = kernel.tensor("a", DType::int8, {3, 10});
    const ValueId i = kernel.expand(kernel.arange(0, 8), 1);
    const ValueId j = kernel.expand(kernel.arange(0, 16), 0);
    const ValueId mask =
        kernel.binary(Opcode::bit_and, kernel.binary(Opcode::less, i, kernel.constant(rows)),
                      kernel.binary(Opcode::less, j, kernel.constant(10)));
    kernel.load(kernel.add_pointer(a, kernel.add(kernel.multiply(i, kernel.constant(10)), j)),
                mask);
    Tracer tracer(kernel.program, kernel.launch, {});
    EXPECT_EQ(run(tracer, {})[0].active().size(), 30U);
    EXPECT_EQ(tracer.faults().size(), rows == 3 ? 0U : 1U);
  }
}

TEST(Memory, PointersOfUnknownOriginAreLookedUp) {
  Building kernel;
  kernel.tensor("a", DType::float32, {6});
  const ValueId b = kernel.tensor("b", DType::float32, {6});
  const ValueId number = kernel.cast(kernel.add_pointer(b, kernel.constant(1)), DType::int64);
  const ValueId back = kernel.operate(Opcode::cast, pointers(DType::float32), {number});
  kernel.load(kernel.add_pointer(back, kernel.arange(0, 4)));
  EXPECT_EQ(run(kernel)[0].tensor, 1);
  EXPECT_EQ(offsets(kernel, 0, "b"), Elements({4, 8, 12, 16}));
}

TEST(Memory, ABlockOfPointersIntoSeveralTensors) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::float32, {6});
  const ValueId b = kernel.tensor("b", DType::float32, {6});
  const ValueId i = kernel.arange(0, 8);
  const ValueId low = kernel.binary(Opcode::less, i, kernel.constant(4));
  const ValueId chosen = kernel.operate(Opcode::select, pointers(DType::float32, {8}), {low, a, b});
  kernel.load(kernel.add_pointer(chosen, i));
  Tracer tracer(kernel.program, kernel.launch, {});
  const auto accesses = run(tracer, {});
  EXPECT_EQ(accesses[0].tensor, -1);
  EXPECT_EQ(accesses[0].active().size(), 6U);  // 4, 5 of b; 6 and 7 lie past it
  ASSERT_EQ(tracer.faults().size(), 1U);
  EXPECT_THAT(tracer.faults()[0].detail, HasSubstr("which no tensor holds"));
}

TEST(Memory, LoadedIndicesBecomeATable) {
  Building kernel;
  const ValueId index = kernel.tensor("index", DType::int32, {4}, listed({7, 2, 2, 5}));
  const ValueId a = kernel.tensor("a", DType::int8, {8, 10});
  const ValueId rows = kernel.load_value(kernel.add_pointer(index, kernel.arange(0, 4)));
  const ValueId row = kernel.multiply(kernel.expand(rows, 1), kernel.constant(10));
  kernel.load(kernel.add_pointer(a, kernel.add(row, kernel.expand(kernel.arange(0, 2), 0))));
  EXPECT_FALSE(run(kernel)[1].dense);
  EXPECT_EQ(offsets(kernel, 1, "a"), Elements({70, 71, 20, 21, 20, 21, 50, 51}));
}

TEST(Memory, MaskedElementsTakeOther) {
  Building kernel;
  Probe probe(kernel);
  const ValueId index = kernel.tensor("index", DType::int32, {4}, listed({7, 2, 2, 5}));
  const ValueId i = kernel.arange(0, 4);
  const ValueId mask = kernel.binary(Opcode::less, i, kernel.constant(2));
  const ValueId pointer = kernel.add_pointer(index, i);
  probe.look(kernel.load_value(pointer, mask));
  probe.look(kernel.load_value(pointer, mask, kernel.constant(-1)));
  probe.look(kernel.load_value(kernel.add_pointer(index, kernel.arange(2, 6)), kNoValue,
                               kernel.constant(9)));
  const auto looks = probe.run();
  EXPECT_EQ(looks[0], Elements({7, 2, 0, 0}));
  EXPECT_EQ(looks[1], Elements({7, 2, -1, -1}));
  EXPECT_EQ(looks[2], Elements({2, 5, 9, 9}));  // outside: not read
}

TEST(Memory, UnspecifiedContentsNameTheTensor) {
  Building kernel;
  const ValueId index = kernel.tensor("index", DType::int32, {4});
  kernel.load_value(index);
  EXPECT_THAT(memory_error_of(kernel),
              HasSubstr("kernel.py:2:1: tile (0): an address, mask or bound "
                        "depends on what 'index' holds"));
  EXPECT_THAT(memory_error_of(kernel), HasSubstr("give it contents in the job"));
}

TEST(Memory, OtherWidthsSeeTheSameBytes) {
  Building kernel;
  Probe probe(kernel);
  const ValueId words = kernel.tensor("words", DType::int32, {2}, listed({0x01020304, -2}));
  const ValueId halves = kernel.tensor("halves", DType::float16, {2}, listed({1.0, -2.0}));
  const auto seen_as = [&](ValueId pointer, DType type) {
    return kernel.operate(Opcode::bitcast, pointers(type), {pointer});
  };
  probe.look(
      kernel.load_value(kernel.add_pointer(seen_as(words, DType::uint8), kernel.arange(0, 8))));
  probe.look(
      kernel.load_value(kernel.add_pointer(seen_as(words, DType::int16), kernel.arange(0, 4))));
  probe.look(
      kernel.load_value(kernel.add_pointer(seen_as(halves, DType::uint16), kernel.arange(0, 2))));
  probe.look(kernel.load_value(seen_as(halves, DType::uint32)));
  probe.look(kernel.load_value(seen_as(words, DType::boolean)));
  const auto looks = probe.run();
  EXPECT_EQ(looks[0], Elements({4, 3, 2, 1, 0xFE, 0xFF, 0xFF, 0xFF}));
  EXPECT_EQ(looks[1], Elements({0x0304, 0x0102, -2, -1}));
  EXPECT_EQ(looks[2], Elements({0x3C00, 0xC000}));
  EXPECT_EQ(looks[3], Elements({0xC0003C00}));
  EXPECT_EQ(looks[4], Elements({1}));
}

TEST(Memory, FloatContentsReachAddresses) {
  Building kernel;
  Probe probe(kernel);
  const ValueId reals = kernel.tensor("reals", DType::float32, {3}, listed({2.9, -2.9, 7}));
  const ValueId loaded = kernel.load_value(kernel.add_pointer(reals, kernel.arange(0, 3)));
  probe.look(kernel.cast(loaded, DType::int32));
  EXPECT_EQ(probe.run()[0], Elements({2, -2, 7}));
}

TEST(Memory, ATileSeesWhatItWrote) {
  Building kernel;
  Probe probe(kernel);
  const ValueId data =
      kernel.tensor("data", DType::int32, {4}, contents(config::Contents::Kind::zeros));
  const ValueId i = kernel.arange(0, 4);
  const ValueId pointer = kernel.add_pointer(data, i);
  kernel.store(pointer, kernel.multiply(i, kernel.constant(-11)),
               kernel.binary(Opcode::greater, i, kernel.constant(0)));
  probe.look(kernel.load_value(pointer));
  EXPECT_EQ(probe.run()[0], Elements({0, -11, -22, -33}));
  EXPECT_EQ(probe.run()[0], Elements({0, -11, -22, -33}));
}

TEST(Memory, WritesNeedNoContentsToBeReadBack) {
  Building kernel;
  Probe probe(kernel);
  const ValueId data = kernel.tensor("data", DType::int64, {4});
  kernel.store(data, kernel.constant(-5, DType::int64));
  probe.look(kernel.load_value(data));
  EXPECT_EQ(probe.run()[0], Elements({-5}));
}

TEST(Memory, ReadingBackWhatWasNotComputedIsAnError) {
  const auto reading = [](std::int64_t stored_at, std::int64_t read_at) {
    Building kernel;
    const ValueId data =
        kernel.tensor("data", DType::int32, {8}, contents(config::Contents::Kind::zeros));
    kernel.store(kernel.add_pointer(data, kernel.constant(stored_at)));
    kernel.load_value(kernel.add_pointer(data, kernel.constant(read_at)));
    return memory_error_of(kernel);
  };
  EXPECT_THAT(reading(3, 3), HasSubstr("what the tile itself has stored there"));
  EXPECT_EQ(reading(3, 4), "no error");
}

TEST(Memory, ALockIsTakenAndTheLoopEnds) {
  // while atomic_cas(lock, 0, 1) == 1: pass; then count = load(count) + 1; store.
  Building kernel({2});
  const ValueId lock =
      kernel.tensor("lock", DType::int32, {1}, contents(config::Contents::Kind::zeros));
  const ValueId zero = kernel.constant(0);
  const ValueId one = kernel.constant(1);
  const ValueId taken = kernel.value(block(DType::boolean));
  const auto other = kernel.inside([&] {
    const ValueId old = kernel.atomic(AtomicFunction::compare_exchange, lock, one, kNoValue, zero);
    kernel.append(Opcode::equal, {taken}, {old, one});
  });
  const auto body = kernel.inside([] {});
  auto& loop = kernel.append(Opcode::while_loop, {}, {taken});
  loop.body = body;
  loop.other = other;
  kernel.atomic(AtomicFunction::exchange, lock, zero);
  Tracer tracer(kernel.program, kernel.launch, {});
  EXPECT_EQ(run(tracer, {0, 0, 0}).size(), 2U);
  EXPECT_EQ(run(tracer, {1, 0, 0}).size(), 2U);
}

TEST(Memory, ATileThatWaitsForAnotherEndsInAnError) {
  Building kernel;
  const ValueId lock =
      kernel.tensor("lock", DType::int32, {1}, contents(config::Contents::Kind::zeros));
  const ValueId one = kernel.constant(1);
  const ValueId waiting = kernel.value(block(DType::boolean));
  const auto other = kernel.inside([&] {
    const ValueId old = kernel.atomic(AtomicFunction::compare_exchange, lock, one, kNoValue, one);
    kernel.append(Opcode::not_equal, {waiting}, {old, one});
  });
  const auto body = kernel.inside([] {});
  auto& loop = kernel.append(Opcode::while_loop, {}, {waiting});
  loop.body = body;
  loop.other = other;
  TraceOptions options;
  options.limits.steps = 10000;
  EXPECT_THAT(memory_error_of(kernel, options), HasSubstr("wait for another tile"));
}

TEST(Memory, AtomicsReturnOldValuesInOrder) {
  struct Case {
    AtomicFunction function;
    Elements old;
    std::int64_t last;
  };
  const std::vector<Case> cases = {
      {AtomicFunction::add, {10, 13, 9}, 14},     {AtomicFunction::maximum, {10, 10, 10}, 10},
      {AtomicFunction::minimum, {10, 3, -4}, -4}, {AtomicFunction::bit_and, {10, 2, 0}, 0},
      {AtomicFunction::bit_or, {10, 11, -1}, -1}, {AtomicFunction::bit_xor, {10, 9, -11}, -16},
      {AtomicFunction::exchange, {10, 3, -4}, 5},
  };
  for (const Case& expected : cases) {
    Building kernel;
    Probe probe(kernel);
    const ValueId counter = kernel.tensor("counter", DType::int32, {1}, listed({10}));
    const ValueId given = kernel.tensor("given", DType::int32, {3}, listed({3, -4, 5}));
    const ValueId values = kernel.load_value(kernel.add_pointer(given, kernel.arange(0, 3)));
    probe.look(kernel.atomic(expected.function, kernel.broadcast_to(counter, {3}), values));
    probe.look(kernel.load_value(counter));
    const auto looks = probe.run();
    EXPECT_EQ(looks[0], expected.old) << static_cast<int>(expected.function);
    EXPECT_EQ(looks[1], Elements({expected.last})) << static_cast<int>(expected.function);
  }
}

TEST(Memory, FloatAtomics) {
  Building kernel;
  Probe probe(kernel);
  const ValueId total = kernel.tensor("total", DType::float32, {1}, listed({1.5}));
  const ValueId half = kernel.constant_real(0.5);
  kernel.atomic(AtomicFunction::add, kernel.broadcast_to(total, {8}), half);
  const ValueId mask = kernel.binary(Opcode::less, kernel.arange(0, 8), kernel.constant(2));
  kernel.atomic(AtomicFunction::add, kernel.broadcast_to(total, {8}), half, mask);
  probe.look(kernel.cast(kernel.multiply(kernel.load_value(total), kernel.constant_real(10)),
                         DType::int32));
  EXPECT_EQ(probe.run()[0], Elements({65}));
}

TEST(Memory, BlockPointersAndTheirBounds) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::int16, {5, 7});
  const auto number = [&](std::int64_t value) { return kernel.constant(value, DType::int64); };
  const ValueId pointer = kernel.operate(Opcode::block_pointer, pointers(DType::int16, {4, 4}),
                                         {a, number(3), number(-1), number(7), number(1)});
  const ValueId mask = kernel.operate(Opcode::bounds_mask, block(DType::boolean, {4, 4}),
                                      {number(3), number(-1), number(5), number(7)}, {1, 1});
  const ValueId rows_only = kernel.operate(Opcode::bounds_mask, block(DType::boolean, {4, 4}),
                                           {number(3), number(-1), number(5), number(7)}, {1, 0});
  const ValueId none = kernel.operate(Opcode::bounds_mask, block(DType::boolean, {4, 4}),
                                      {number(5), number(-1), number(5), number(7)}, {1, 1});
  kernel.load(pointer, mask);
  kernel.load(pointer, rows_only);
  kernel.load(pointer, none);
  EXPECT_EQ(offsets(kernel, 0, "a"), Elements({42, 44, 46, 56, 58, 60}));
  EXPECT_EQ(run(kernel)[1].active().size(), 8U);
  EXPECT_TRUE(run(kernel)[2].active().empty());
  EXPECT_FALSE(run(kernel)[0].dense);
}

TEST(Memory, RanksAboveEightAreFlattened) {
  Building kernel;
  const ValueId a = kernel.tensor("a", DType::int8, {512});
  const Shape deep(9, 2);
  const ValueId i = kernel.reshape(kernel.arange(0, 512), deep);
  kernel.load(kernel.add_pointer(a, i), kernel.binary(Opcode::less, i, kernel.constant(3)));
  EXPECT_EQ(run(kernel)[0].addresses.size(), 512U);
  EXPECT_EQ(offsets(kernel, 0, "a"), Elements({0, 1, 2}));
}

TEST(Memory, PointerArraysLeadToTensors) {
  config::Contents addresses = contents(config::Contents::Kind::addresses);
  addresses.tensors = {"b", "a"};
  Building kernel;
  kernel.tensor("a", DType::float16, {16});
  kernel.tensor("b", DType::float16, {16});
  const ValueId table = kernel.tensor("table", DType::int64, {2}, addresses);
  const ValueId raw = kernel.load_value(kernel.add_pointer(table, kernel.constant(1)));
  const ValueId pointer = kernel.operate(Opcode::cast, pointers(DType::float16), {raw});
  kernel.load(kernel.add_pointer(pointer, kernel.arange(0, 4)));
  EXPECT_EQ(run(kernel)[1].tensor, 0);
  EXPECT_EQ(offsets(kernel, 1, "a"), Elements({0, 2, 4, 6}));
}

TEST(Memory, ParametersOfEveryKind) {
  Building kernel;
  Probe probe(kernel);
  probe.look(kernel.parameter("flag", {true}, block(DType::int32)));
  probe.look(kernel.parameter("count", {std::int64_t{-3}}, block(DType::int32)));
  probe.look(kernel.parameter("big", {std::int64_t{1} << 32 | 5}, block(DType::int32)));
  probe.look(kernel.parameter("none", {std::monostate{}}, block(DType::int32)));
  probe.look(kernel.cast(kernel.parameter("real", {2.75}, block(DType::float32)), DType::int32));
  EXPECT_THAT(probe.run(), ElementsAre(Elements({1}), Elements({-3}), Elements({5}), Elements({0}),
                                       Elements({2})));
  Building text;
  text.parameter("name", {std::string("relu")}, block(DType::int32));
  EXPECT_THAT(memory_error_of(text), HasSubstr("'name' is neither a number nor a tensor"));
}

}  // namespace
}  // namespace heddle::trace
