// Operations on shapes, across elements, on floating values, and random numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/float_bits.h"
#include "support/error.h"
#include "trace/building.h"
#include "trace/interpreter/philox.h"

namespace heddle::trace {
namespace {

using namespace testing;
using kernel::MathFunction;
using kernel::Reduction;
using Elements = std::vector<std::int64_t>;

config::Contents listed_contents(std::vector<double> values) {
  config::Contents result;
  result.kind = config::Contents::Kind::values;
  result.values = std::move(values);
  return result;
}

/// A kernel with three forms of the same block [2, 3]: affine, a sum of tables, dense.
class Forms : public ::testing::TestWithParam<const char*> {
 protected:
  Building kernel;
  Probe probe{kernel};

  ValueId affine(std::int64_t row, std::int64_t column) {
    const ValueId i = kernel.expand(kernel.arange(0, 2), 1);
    const ValueId j = kernel.expand(kernel.arange(0, 3), 0);
    return kernel.add(kernel.multiply(i, kernel.constant(row)),
                      kernel.multiply(j, kernel.constant(column)));
  }
  ValueId tables() {
    const ValueId i = kernel.arange(0, 2);
    const ValueId j = kernel.arange(0, 3);
    const ValueId squares = kernel.expand(kernel.multiply(j, j), 0);
    return kernel.add(kernel.expand(kernel.multiply(i, kernel.constant(10)), 1), squares);
  }
  ValueId dense() { return kernel.binary(Opcode::bit_xor, affine(10, 0), affine(0, 7)); }
  ValueId given() {
    const std::string form = GetParam();
    return form == "affine" ? affine(10, 1) : form == "tables" ? tables() : dense();
  }
  Elements elements() {
    const std::string form = GetParam();
    if (form == "affine") return {0, 1, 2, 10, 11, 12};
    if (form == "tables") return {0, 1, 4, 10, 11, 14};
    return {0, 7, 14, 10, 13, 4};
  }
  Elements at(std::vector<std::size_t> indices) {
    Elements result;
    for (const std::size_t index : indices) result.push_back(elements()[index]);
    return result;
  }
  Elements look(ValueId value) {
    probe.look(value);
    return probe.run().back();
  }
  ValueId mask() { return kernel.binary(Opcode::greater, given(), kernel.constant(9)); }
};
INSTANTIATE_TEST_SUITE_P(Each, Forms, ::testing::Values("affine", "tables", "dense"));

TEST_P(Forms, Permute) {
  const ValueId out =
      kernel.operate(Opcode::permute, block(DType::int32, {3, 2}), {given()}, {1, 0});
  EXPECT_EQ(look(out), at({0, 3, 1, 4, 2, 5}));
}

TEST_P(Forms, BroadcastAndExpand) {
  const ValueId out = kernel.broadcast_to(kernel.expand(given(), 1), {2, 2, 3});
  EXPECT_EQ(look(out), at({0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
}

TEST_P(Forms, Reshape) {
  EXPECT_EQ(look(kernel.reshape(given(), {3, 2})), elements());
  EXPECT_EQ(look(kernel.reshape(given(), {6})), elements());
  EXPECT_EQ(look(kernel.reshape(given(), {1, 2, 1, 3})), elements());
  EXPECT_EQ(look(kernel.reshape(kernel.reshape(given(), {2, 1, 3, 1}), {2, 3})), elements());
}

TEST_P(Forms, FlipBothAxes) {
  const Type type = block(DType::int32, {2, 3});
  EXPECT_EQ(look(kernel.operate(Opcode::flip, type, {given()}, {0})), at({3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(look(kernel.operate(Opcode::flip, type, {given()}, {1})), at({2, 1, 0, 5, 4, 3}));
}

TEST_P(Forms, JoinAndSplit) {
  const ValueId a = given();
  const ValueId b = kernel.unary(Opcode::negate, a);
  const ValueId joined = kernel.operate(Opcode::join, block(DType::int32, {2, 3, 2}), {a, b});
  Elements wanted;
  for (const std::int64_t element : elements()) wanted.insert(wanted.end(), {element, -element});
  EXPECT_EQ(look(joined), wanted);
  const ValueId first = kernel.value(block(DType::int32, {2, 3}));
  const ValueId second = kernel.value(block(DType::int32, {2, 3}));
  kernel.append(Opcode::split, {first, second}, {joined});
  EXPECT_EQ(look(first), elements());
  Elements negative = elements();
  for (std::int64_t& element : negative) element = -element;
  EXPECT_EQ(look(second), negative);
  kernel.append(Opcode::split, {kNoValue, second}, {joined});
  EXPECT_EQ(look(second), negative);
}

TEST_P(Forms, Concatenate) {
  const ValueId a = given();
  const ValueId b = kernel.unary(Opcode::bit_not, a);
  const auto inverted = [&](std::size_t index) { return ~elements()[index]; };
  const ValueId below =
      kernel.operate(Opcode::concatenate, block(DType::int32, {4, 3}), {a, b}, {0});
  Elements wanted = elements();
  for (std::size_t i = 0; i < 6; ++i) wanted.push_back(inverted(i));
  EXPECT_EQ(look(below), wanted);
  const ValueId beside =
      kernel.operate(Opcode::concatenate, block(DType::int32, {2, 6}), {a, b}, {1});
  wanted = at({0, 1, 2});
  for (std::size_t i = 0; i < 3; ++i) wanted.push_back(inverted(i));
  for (std::size_t i = 3; i < 6; ++i) wanted.push_back(elements()[i]);
  for (std::size_t i = 3; i < 6; ++i) wanted.push_back(inverted(i));
  EXPECT_EQ(look(beside), wanted);
}

TEST_P(Forms, MasksMoveLikeNumbers) {
  Elements flags;
  for (const std::int64_t element : elements()) flags.push_back(element > 9);
  const Type type = block(DType::boolean, {2, 3});
  EXPECT_EQ(look(mask()), flags);
  EXPECT_EQ(look(kernel.operate(Opcode::permute, block(DType::boolean, {3, 2}), {mask()}, {1, 0})),
            Elements({flags[0], flags[3], flags[1], flags[4], flags[2], flags[5]}));
  EXPECT_EQ(look(kernel.operate(Opcode::flip, type, {mask()}, {0})),
            Elements({flags[3], flags[4], flags[5], flags[0], flags[1], flags[2]}));
  EXPECT_EQ(look(kernel.operate(Opcode::flip, type, {mask()}, {1})),
            Elements({flags[2], flags[1], flags[0], flags[5], flags[4], flags[3]}));
  EXPECT_EQ(look(kernel.reshape(mask(), {6})), flags);
  EXPECT_EQ(look(kernel.unary(Opcode::copy, mask())), flags);
}

TEST_P(Forms, ReduceAlongEachAxis) {
  const auto reduced = [&](Reduction reduction, std::int64_t axis) {
    return look(kernel.operate(Opcode::reduce, block(DType::int32, {axis == 0 ? 3 : 2}), {given()},
                               {static_cast<std::int64_t>(reduction), axis}));
  };
  const Elements e = elements();
  EXPECT_EQ(reduced(Reduction::sum, 0), Elements({e[0] + e[3], e[1] + e[4], e[2] + e[5]}));
  EXPECT_EQ(reduced(Reduction::sum, 1), Elements({e[0] + e[1] + e[2], e[3] + e[4] + e[5]}));
  EXPECT_EQ(reduced(Reduction::product, 0), Elements({e[0] * e[3], e[1] * e[4], e[2] * e[5]}));
  EXPECT_EQ(reduced(Reduction::maximum, 0),
            Elements({std::max(e[0], e[3]), std::max(e[1], e[4]), std::max(e[2], e[5])}));
  EXPECT_EQ(reduced(Reduction::minimum, 1),
            Elements({std::min({e[0], e[1], e[2]}), std::min({e[3], e[4], e[5]})}));
  EXPECT_EQ(reduced(Reduction::bit_xor, 0), Elements({e[0] ^ e[3], e[1] ^ e[4], e[2] ^ e[5]}));
  EXPECT_EQ(reduced(Reduction::bit_or, 0), Elements({e[0] | e[3], e[1] | e[4], e[2] | e[5]}));
  EXPECT_EQ(reduced(Reduction::bit_and, 0), Elements({e[0] & e[3], e[1] & e[4], e[2] & e[5]}));
  EXPECT_EQ(reduced(Reduction::arg_maximum, 1)[0], 2);
  EXPECT_EQ(reduced(Reduction::arg_minimum, 1)[0], 0);
}

TEST_P(Forms, ScanAndSort) {
  const Elements e = elements();
  const Type type = block(DType::int32, {2, 3});
  const auto sum = static_cast<std::int64_t>(Reduction::sum);
  EXPECT_EQ(
      look(kernel.operate(Opcode::scan, type, {given()}, {sum, 1, 0})),
      Elements({e[0], e[0] + e[1], e[0] + e[1] + e[2], e[3], e[3] + e[4], e[3] + e[4] + e[5]}));
  EXPECT_EQ(look(kernel.operate(Opcode::scan, type, {given()}, {sum, 0, 1})),
            Elements({e[0] + e[3], e[1] + e[4], e[2] + e[5], e[3], e[4], e[5]}));
  Elements rows = e;
  std::sort(rows.begin(), rows.begin() + 3, std::greater<>());
  std::sort(rows.begin() + 3, rows.end(), std::greater<>());
  EXPECT_EQ(look(kernel.operate(Opcode::sort, type, {given()}, {1, 1})), rows);
  EXPECT_EQ(look(kernel.operate(Opcode::sort, type, {given()}, {0, 0})),
            Elements({std::min(e[0], e[3]), std::min(e[1], e[4]), std::min(e[2], e[5]),
                      std::max(e[0], e[3]), std::max(e[1], e[4]), std::max(e[2], e[5])}));
}

TEST_P(Forms, GatherAndHistogram) {
  const Elements e = elements();
  const ValueId index = kernel.binary(Opcode::remainder, affine(1, 1), kernel.constant(2));
  const Type type = block(DType::int32, {2, 3});
  EXPECT_EQ(look(kernel.operate(Opcode::gather, type, {given(), index}, {0})),
            Elements({e[0], e[4], e[2], e[3], e[1], e[5]}));
  const ValueId counts = kernel.operate(Opcode::histogram, block(DType::int32, {16}), {given()});
  Elements wanted(16, 0);
  for (const std::int64_t element : e) ++wanted[static_cast<std::size_t>(element)];
  EXPECT_EQ(look(counts), wanted);
  const ValueId masked =
      kernel.operate(Opcode::histogram, block(DType::int32, {16}), {given(), mask()});
  for (std::size_t i = 0; i < 10; ++i) wanted[i] = 0;
  EXPECT_EQ(look(masked), wanted);
}

TEST(Shape, UniformBlocksTakeAnyShape) {
  Building kernel;
  Probe probe(kernel);
  const ValueId sevens = kernel.broadcast_to(kernel.constant(7), {2, 6});
  const ValueId truth = kernel.binary(Opcode::equal, sevens, sevens);
  probe.look(kernel.reshape(sevens, {3, 4}));
  probe.look(kernel.reshape(truth, {3, 4}));
  probe.look(kernel.cast(kernel.reshape(kernel.cast(sevens, DType::float32), {4, 3}), DType::int8));
  const auto looks = probe.run();
  EXPECT_EQ(looks[0], Elements(12, 7));
  EXPECT_EQ(looks[1], Elements(12, 1));
  EXPECT_EQ(looks[2], Elements(12, 7));
}

TEST(Across, GatherOutsideIsAFault) {
  Building kernel;
  Probe probe(kernel);
  const ValueId index = kernel.multiply(kernel.arange(0, 3), kernel.constant(2));
  probe.look(
      kernel.operate(Opcode::gather, block(DType::int32, {3}), {kernel.arange(5, 9), index}, {0}));
  std::vector<Fault> faults;
  EXPECT_EQ(probe.run({}, &faults)[0], Elements({5, 7, 0}));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].detail, "gathers element 4 of 4");
}

TEST(Across, DotWithAnAccumulator) {
  Building kernel;
  Probe probe(kernel);
  const auto reals = [&](const char* name, Shape shape, std::vector<double> values) {
    const std::int64_t count = shape[0] * shape[1];
    const ValueId tensor =
        kernel.tensor(name, DType::float16, {count}, listed_contents(std::move(values)));
    const ValueId loaded = kernel.load_value(kernel.add_pointer(tensor, kernel.arange(0, count)));
    return kernel.reshape(loaded, std::move(shape));
  };
  const ValueId a = reals("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  const ValueId b = reals("b", {3, 2}, {1, 0, 0, 1, 2, -1});
  const ValueId c = kernel.constant_real(100);
  const ValueId out = kernel.operate(Opcode::dot, block(DType::float32, {2, 2}), {a, b, c});
  probe.look(kernel.cast(out, DType::int32));
  EXPECT_EQ(probe.run()[0], Elements({107, 99, 116, 99}));
}

TEST(Across, SumsThatOverflowAreFaults) {
  Building kernel;
  Probe probe(kernel);
  const ValueId big = kernel.broadcast_to(kernel.constant(2000000000), {2});
  probe.look(kernel.operate(Opcode::reduce, block(DType::int32), {big},
                            {static_cast<std::int64_t>(Reduction::sum), 0}));
  std::vector<Fault> faults;
  EXPECT_EQ(probe.run({}, &faults)[0], Elements({4000000000 - (std::int64_t{1} << 32)}));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].detail, "4000000000");
}

TEST(Across, BooleansReduce) {
  Building kernel;
  Probe probe(kernel);
  const ValueId i = kernel.arange(0, 4);
  const ValueId mask = kernel.binary(Opcode::less, i, kernel.constant(2));
  const auto any = static_cast<std::int64_t>(Reduction::bit_or);
  const auto all = static_cast<std::int64_t>(Reduction::bit_and);
  probe.look(kernel.operate(Opcode::reduce, block(DType::boolean), {mask}, {any, 0}));
  probe.look(kernel.operate(Opcode::reduce, block(DType::boolean), {mask}, {all, 0}));
  const auto looks = probe.run();
  EXPECT_EQ(looks[0], Elements({1}));
  EXPECT_EQ(looks[1], Elements({0}));
}

/// A floating expression times 1000, as an integer.
class Reals : public ::testing::Test {
 protected:
  Building kernel;
  Probe probe{kernel};

  std::int64_t thousandths(ValueId value) {
    const ValueId scaled = kernel.binary(
        Opcode::multiply, kernel.operate(Opcode::cast, block(DType::float64), {value}),
        kernel.constant_real(1000, DType::float64));
    probe.look(kernel.cast(scaled, DType::int64));
    return probe.run().back()[0];
  }
  std::int64_t function(MathFunction which, double x, double y = 0) {
    std::vector<ValueId> operands = {kernel.constant_real(x)};
    if (which == MathFunction::power || which == MathFunction::modulo ||
        which == MathFunction::atan2)
      operands.push_back(kernel.constant_real(y));
    return thousandths(kernel.operate(Opcode::math, block(DType::float32), operands,
                                      {static_cast<std::int64_t>(which)}));
  }
};

TEST_F(Reals, Arithmetic) {
  const ValueId a = kernel.constant_real(-7.5);
  const ValueId b = kernel.constant_real(2);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::add, a, b)), -5500);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::subtract, a, b)), -9500);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::multiply, a, b)), -15000);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::divide, a, b)), -3750);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::remainder, a, b)), -1500);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::minimum, a, b)), -7500);
  EXPECT_EQ(thousandths(kernel.binary(Opcode::maximum, a, b)), 2000);
  EXPECT_EQ(thousandths(kernel.unary(Opcode::negate, a)), 7500);
  EXPECT_EQ(thousandths(kernel.unary(Opcode::absolute, a)), 7500);
  EXPECT_EQ(
      thousandths(kernel.operate(Opcode::fused_multiply_add, block(DType::float32), {a, b, b})),
      -13000);
}

TEST_F(Reals, Functions) {
  EXPECT_EQ(function(MathFunction::exp, 1), 2718);
  EXPECT_EQ(function(MathFunction::exp2, 3), 8000);
  EXPECT_EQ(function(MathFunction::log, 10), 2302);
  EXPECT_EQ(function(MathFunction::log2, 8), 3000);
  EXPECT_EQ(function(MathFunction::log1p, 1), 693);
  EXPECT_EQ(function(MathFunction::expm1, 1), 1718);
  EXPECT_EQ(function(MathFunction::sqrt, 2), 1414);
  EXPECT_EQ(function(MathFunction::rsqrt, 4), 500);
  EXPECT_EQ(function(MathFunction::sin, 1), 841);
  EXPECT_EQ(function(MathFunction::cos, 1), 540);
  EXPECT_EQ(function(MathFunction::tan, 1), 1557);
  EXPECT_EQ(function(MathFunction::asin, 1), 1570);
  EXPECT_EQ(function(MathFunction::acos, 0), 1570);
  EXPECT_EQ(function(MathFunction::atan, 1), 785);
  EXPECT_EQ(function(MathFunction::sinh, 1), 1175);
  EXPECT_EQ(function(MathFunction::cosh, 1), 1543);
  EXPECT_EQ(function(MathFunction::tanh, 1), 761);
  EXPECT_EQ(function(MathFunction::erf, 1), 842);
  EXPECT_EQ(function(MathFunction::floor, -2.5), -3000);
  EXPECT_EQ(function(MathFunction::ceil, -2.5), -2000);
  EXPECT_EQ(function(MathFunction::round, 2.5), 2000);
  EXPECT_EQ(function(MathFunction::truncate, -2.5), -2000);
  EXPECT_EQ(function(MathFunction::sigmoid, 0), 500);
  EXPECT_EQ(function(MathFunction::power, 2, 10), 1024000);
  EXPECT_EQ(function(MathFunction::modulo, 7.5, 2), 1500);
  EXPECT_EQ(function(MathFunction::atan2, 1, -1), 2356);
  EXPECT_EQ(function(MathFunction::reciprocal, 8), 125);
  EXPECT_THROW(function(MathFunction::other, 1), Error);
}

TEST_F(Reals, NotANumberAndInfinity) {
  const ValueId zero = kernel.constant_real(0);
  const ValueId nan = kernel.binary(Opcode::divide, zero, zero);
  const ValueId infinity = kernel.binary(Opcode::divide, kernel.constant_real(1), zero);
  const auto asked = [&](MathFunction which, ValueId value) {
    probe.look(kernel.operate(Opcode::math, block(DType::boolean), {value},
                              {static_cast<std::int64_t>(which)}));
    return probe.run().back()[0];
  };
  EXPECT_EQ(asked(MathFunction::is_nan, nan), 1);
  EXPECT_EQ(asked(MathFunction::is_nan, infinity), 0);
  EXPECT_EQ(asked(MathFunction::is_inf, infinity), 1);
  EXPECT_EQ(asked(MathFunction::is_inf, nan), 0);
  const auto compared = [&](Opcode op, ValueId a, ValueId b) {
    probe.look(kernel.binary(op, a, b));
    return probe.run().back()[0];
  };
  EXPECT_EQ(compared(Opcode::equal, nan, nan), 0);
  EXPECT_EQ(compared(Opcode::not_equal, nan, nan), 1);
  EXPECT_EQ(compared(Opcode::less, zero, infinity), 1);
  EXPECT_EQ(compared(Opcode::less_equal, zero, zero), 1);
  EXPECT_EQ(compared(Opcode::greater, zero, infinity), 0);
  EXPECT_EQ(compared(Opcode::greater_equal, nan, zero), 0);
}

TEST_F(Reals, CastsSaturateAndRound) {
  const auto cast = [&](double value, DType from, DType to) {
    probe.look(kernel.cast(kernel.constant_real(value, from), to));
    return probe.run().back()[0];
  };
  EXPECT_EQ(cast(2.9, DType::float32, DType::int32), 2);
  EXPECT_EQ(cast(-2.9, DType::float32, DType::int32), -2);
  EXPECT_EQ(cast(1e20, DType::float32, DType::int32), 2147483647);
  EXPECT_EQ(cast(-1e20, DType::float32, DType::int32), -2147483648LL);
  EXPECT_EQ(cast(-5, DType::float32, DType::uint32), 0);
  EXPECT_EQ(cast(300, DType::float32, DType::uint8), 255);
  EXPECT_EQ(cast(0.1, DType::float64, DType::boolean), 1);
  EXPECT_EQ(cast(2049, DType::float16, DType::int32), 2048);
  EXPECT_EQ(cast(257, DType::bfloat16, DType::int32), 256);
  EXPECT_EQ(cast(16777217, DType::float32, DType::int32), 16777216);
  const ValueId big = kernel.cast(kernel.constant(16777217), DType::float32);
  probe.look(kernel.cast(big, DType::int32));
  EXPECT_EQ(probe.run().back()[0], 16777216);
}

TEST_F(Reals, BitsOfFloats) {
  const auto bits = [&](double value, DType from, DType to) {
    probe.look(kernel.operate(Opcode::bitcast, block(to), {kernel.constant_real(value, from)}));
    return probe.run().back()[0];
  };
  EXPECT_EQ(bits(1, DType::float32, DType::int32), 0x3F800000);
  EXPECT_EQ(bits(-1, DType::float16, DType::uint16), 0xBC00);
  EXPECT_EQ(bits(1, DType::bfloat16, DType::int16), 0x3F80);
  EXPECT_EQ(bits(448, DType::float8_e4m3, DType::uint8), 0x7E);
  const ValueId one =
      kernel.operate(Opcode::bitcast, block(DType::float32), {kernel.constant(0x40490FDB)});
  EXPECT_EQ(thousandths(one), 3141);
  probe.look(kernel.operate(Opcode::bitcast, block(DType::uint32), {kernel.constant(-1)}));
  EXPECT_EQ(probe.run().back()[0], 4294967295);
  EXPECT_THROW(bits(1, DType::float32, DType::int16), Error);
}

TEST_F(Reals, BlocksAndSelect) {
  const ValueId i = kernel.cast(kernel.arange(0, 4), DType::float32);
  const ValueId half = kernel.binary(Opcode::multiply, i, kernel.constant_real(0.5));
  const ValueId large = kernel.binary(Opcode::greater, half, kernel.constant_real(0.6));
  const ValueId chosen = kernel.operate(Opcode::select, block(DType::float32, {4}),
                                        {large, half, kernel.constant_real(9)});
  probe.look(
      kernel.cast(kernel.binary(Opcode::multiply, chosen, kernel.constant_real(10)), DType::int32));
  EXPECT_EQ(probe.run()[0], Elements({90, 90, 10, 15}));
}

TEST(FloatBits, EveryHalfAndByteGoesThereAndBack) {
  using config::from_bits;
  using config::to_bits;
  for (const DType type :
       {DType::float16, DType::bfloat16, DType::float8_e4m3, DType::float8_e5m2}) {
    const std::uint64_t count = std::uint64_t{1} << config::bit_width(type);
    for (std::uint64_t bits = 0; bits < count; ++bits) {
      const double value = from_bits(type, bits);
      if (value != value) {
        EXPECT_NE(from_bits(type, to_bits(type, value)), from_bits(type, to_bits(type, value)));
      } else {
        ASSERT_EQ(to_bits(type, value), bits) << config::dtype_text(type);
      }
    }
  }
}

TEST(Philox, KnownAnswers) {
  using interpreter::philox32;
  EXPECT_EQ(philox32({0, 0, 0, 0}, {0, 0}),
            (std::array<std::uint32_t, 4>{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr std::uint32_t kAll = 0xFFFFFFFF;
  EXPECT_EQ(philox32({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (std::array<std::uint32_t, 4>{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(philox32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (std::array<std::uint32_t, 4>{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
  // A 64-bit offset is split over two counters.
  EXPECT_EQ(interpreter::random_integers(0x299F31D0A4093822, 0x85A308D3243F6A88, true),
            philox32({0x243F6A88, 0x85A308D3, 0, 0}, {0xA4093822, 0x299F31D0}));
}

TEST(Random, IntegersAndUniforms) {
  Building kernel;
  Probe probe(kernel);
  const ValueId seed = kernel.constant(0);
  const ValueId offsets = kernel.arange(0, 4);
  const auto function = [](kernel::RandomFunction which) {
    return static_cast<std::int64_t>(which);
  };
  std::vector<ValueId> results;
  for (int i = 0; i < 4; ++i) results.push_back(kernel.value(block(DType::uint32, {4})));
  kernel.append(Opcode::random, results, {seed, offsets},
                {function(kernel::RandomFunction::integer4)});
  for (const ValueId result : results) probe.look(result);
  const ValueId uniform =
      kernel.operate(Opcode::random, block(DType::float32, {4}), {seed, offsets},
                     {function(kernel::RandomFunction::uniform)});
  probe.look(kernel.cast(kernel.binary(Opcode::multiply, uniform, kernel.constant_real(1000)),
                         DType::int32));
  const auto looks = probe.run();
  EXPECT_EQ(looks[0][0], 0x6627E8D5);
  EXPECT_EQ(looks[1][0], 0xE169C58D);
  EXPECT_EQ(looks[2][0], 0xBC57AC4C);
  EXPECT_EQ(looks[3][0], 0x9B00DBD8);
  EXPECT_NE(looks[0][1], looks[0][0]);
  EXPECT_EQ(looks[4][0], 0x6627E8D5LL * 1000 >> 31);
  for (const std::int64_t thousandth : looks[4]) EXPECT_TRUE(thousandth >= 0 && thousandth < 1000);
}

}  // namespace
}  // namespace heddle::trace
