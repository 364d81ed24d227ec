#include "config/contents.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "config/random.h"
#include "config/testing.h"

namespace heddle::testing {
namespace {

using Kind = Contents::Kind;
constexpr std::int64_t kContentsLimitBytes = 1 << 26;

Tensor tensor_of(DType dtype, std::int64_t elements, Contents contents) {
  Tensor tensor;
  tensor.name = "x";
  tensor.dtype = dtype;
  tensor.shape = {elements};
  tensor.strides = {1};
  tensor.bytes = elements * byte_width(dtype);
  tensor.contents = std::move(contents);
  return tensor;
}

Contents contents_of(Kind kind, double lo = 0, double hi = 0, std::uint64_t seed = 0) {
  Contents contents;
  contents.kind = kind;
  contents.lo = lo;
  contents.hi = hi;
  contents.seed = seed;
  return contents;
}

TensorData data_of(DType dtype, std::int64_t elements, const Contents& contents) {
  return TensorData(Launch{}, tensor_of(dtype, elements, contents), kContentsLimitBytes);
}

Integers integers_of(const TensorData& data, std::int64_t count) {
  Integers result;
  for (std::int64_t i = 0; i < count; ++i) result.push_back(data.integer(i));
  return result;
}

// The expected numbers were computed by another program, in Python.
TEST(Random, IsTheSameEverywhere) {
  const RandomStream stream(7);
  EXPECT_EQ(stream.bits(0), 0xb8b4c2977eabce45U);
  EXPECT_EQ(stream.bits(1), 0xa65305fd338ec8feU);
  EXPECT_EQ(stream.bits(2), 0x8ca3cbb6ca63129bU);
  EXPECT_EQ(stream.unit(0), 0.7215081806049702);
  EXPECT_EQ(stream.unit(2), 0.5493743249193239);
  EXPECT_NE(RandomStream(8).bits(0), stream.bits(0));
  EXPECT_DOUBLE_EQ(stream.normal(0), -0.5314049095293334);
  EXPECT_DOUBLE_EQ(stream.normal(1), 1.0929953969654964);
}

TEST(Random, LogarithmIsThatOfTheLibrary) {
  for (double value = 1e-300; value < 1e300; value *= 1.37) {
    const double expected = std::log(value);
    EXPECT_NEAR(natural_log(value), expected, 1e-15 * std::max(1.0, std::abs(expected))) << value;
  }
  for (const double value : {1.0, 0.5, 0.9999999, 1.0000001, 0.70710678, 0.70710679}) {
    EXPECT_NEAR(natural_log(value), std::log(value), 1e-16) << value;
  }
}

TEST(TensorData, KnowsNothingWhereTheJobSaysNothing) {
  EXPECT_FALSE(data_of(DType::int32, 4, {}).is_known());
  EXPECT_TRUE(data_of(DType::int32, 4, contents_of(Kind::zeros)).is_known());
}

TEST(TensorData, SimpleKinds) {
  EXPECT_EQ(integers_of(data_of(DType::int32, 3, contents_of(Kind::zeros)), 3), Integers(3, 0));
  EXPECT_EQ(integers_of(data_of(DType::int8, 3, contents_of(Kind::constant, 300)), 3),
            Integers(3, 44));
  EXPECT_EQ(data_of(DType::float16, 3, contents_of(Kind::constant, 0.1)).real(2), 0.0999755859375);
  const TensorData range = data_of(DType::uint8, 300, contents_of(Kind::range));
  EXPECT_EQ(range.integer(255), 255);
  EXPECT_EQ(range.integer(256), 0);
  EXPECT_EQ(data_of(DType::float16, 4096, contents_of(Kind::range)).real(2049), 2048);
  EXPECT_EQ(data_of(DType::float32, 9, contents_of(Kind::constant, -2.5)).integer(0), -2);
  EXPECT_EQ(data_of(DType::boolean, 9, contents_of(Kind::range)).integer(5), 1);
}

TEST(TensorData, IsZeroOutside) {
  const TensorData data = data_of(DType::int32, 3, contents_of(Kind::constant, 5));
  EXPECT_EQ(data.integer(2), 5);
  EXPECT_EQ(data.integer(3), 0);
  EXPECT_EQ(data.integer(-1), 0);
  EXPECT_EQ(data.real(3), 0);
}

TEST(TensorData, UnsignedNumbersAreNotNegative) {
  Contents contents = contents_of(Kind::constant, -1);
  const TensorData data = data_of(DType::uint64, 1, contents);
  EXPECT_EQ(data.integer(0), -1);  // the bits
  EXPECT_EQ(data.real(0), 0x1p64);
}

TEST(TensorData, UniformIntegers) {
  const TensorData data = data_of(DType::int32, 10, contents_of(Kind::uniform, 10, 20, 7));
  EXPECT_EQ(integers_of(data, 10), (Integers{17, 16, 15, 16, 13, 11, 19, 19, 18, 11}));
  // Every number between the bounds, none outside; with halves the whole numbers between them.
  const TensorData wide = data_of(DType::int64, 10000, contents_of(Kind::uniform, -2.5, 2.5, 1));
  Integers counts(5, 0);
  for (const std::int64_t number : integers_of(wide, 10000)) {
    ASSERT_GE(number, -2);
    ASSERT_LE(number, 2);
    ++counts[static_cast<std::size_t>(number + 2)];
  }
  for (const std::int64_t count : counts) EXPECT_NEAR(static_cast<double>(count), 2000, 200);
}

TEST(TensorData, UniformReals) {
  const TensorData data = data_of(DType::float64, 20000, contents_of(Kind::uniform, -1, 3, 7));
  EXPECT_EQ(data.real(0), -1 + 4 * 0.7215081806049702);
  double sum = 0;
  for (std::int64_t i = 0; i < 20000; ++i) {
    ASSERT_GE(data.real(i), -1);
    ASSERT_LT(data.real(i), 3);
    sum += data.real(i);
  }
  EXPECT_NEAR(sum / 20000, 1, 0.04);
}

TEST(TensorData, NormalReals) {
  const TensorData data = data_of(DType::float64, 50000, contents_of(Kind::normal, 0, 0, 7));
  EXPECT_DOUBLE_EQ(data.real(0), -0.5314049095293334);
  double sum = 0;
  double squares = 0;
  int within_one = 0;
  for (std::int64_t i = 0; i < 50000; ++i) {
    sum += data.real(i);
    squares += data.real(i) * data.real(i);
    within_one += std::abs(data.real(i)) < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / 50000, 0, 0.02);
  EXPECT_NEAR(squares / 50000, 1, 0.03);
  EXPECT_NEAR(within_one / 50000.0, 0.6827, 0.01);
}

TEST(TensorData, Permutation) {
  EXPECT_EQ(integers_of(data_of(DType::int64, 10, contents_of(Kind::permutation, 0, 0, 7)), 10),
            (Integers{4, 2, 3, 8, 0, 5, 7, 6, 1, 9}));
  const Integers numbers =
      integers_of(data_of(DType::int32, 1000, contents_of(Kind::permutation, 0, 0, 1)), 1000);
  EXPECT_EQ(std::set<std::int64_t>(numbers.begin(), numbers.end()).size(), 1000U);
  EXPECT_EQ(*std::max_element(numbers.begin(), numbers.end()), 999);
  const Tensor large = tensor_of(DType::int8, 1 << 20, contents_of(Kind::permutation));
  EXPECT_EQ(thrown_by([&] { TensorData(Launch{}, large, 1 << 20); }).full_text(),
            "tensor x: a permutation of 1,048,576 elements passes the limit of 131,072 elements\n"
            "  try: use a smaller tensor, or contents = \"range\"");
}

TEST(TensorData, Values) {
  Contents contents = contents_of(Kind::values);
  contents.values = {1, -2, 300.75};
  EXPECT_EQ(integers_of(data_of(DType::int16, 3, contents), 3), (Integers{1, -2, 300}));
  EXPECT_EQ(data_of(DType::float64, 3, contents).real(2), 300.75);
  EXPECT_EQ(thrown_by([&] { data_of(DType::int16, 4, contents); }).full_text(),
            "tensor x: values gives 3 numbers for 4 elements in memory\n"
            "  try: list as many numbers as x has elements");
}

TEST(TensorData, Addresses) {
  Launch launch;
  launch.tensors = {tensor_of(DType::float16, 1, {}), tensor_of(DType::float16, 1, {})};
  launch.tensors[0].name = "a";
  launch.tensors[0].address = 0x7f0000000000;
  launch.tensors[1].name = "b";
  launch.tensors[1].address = 0x1000;
  Contents contents = contents_of(Kind::addresses);
  contents.tensors = {"b", "a"};
  const TensorData data(launch, tensor_of(DType::int64, 2, contents), kContentsLimitBytes);
  EXPECT_EQ(integers_of(data, 2), (Integers{0x1000, 0x7f0000000000}));
  contents.tensors = {"b", "c"};
  EXPECT_EQ(thrown_by([&] {
              TensorData(launch, tensor_of(DType::int64, 2, contents), kContentsLimitBytes);
            }).full_text(),
            "tensor x: addresses: there is no tensor 'c'\n  try: name tensors of the job");
}

// The expected numbers were computed by another program, in Python.
TEST(Csr, IsTheSameEverywhere) {
  const CsrMatrix small = make_csr(6, 8, 0.3, 5, kContentsLimitBytes);
  EXPECT_EQ(small.offsets, (Integers{0, 0, 2, 5, 5, 5, 7}));
  EXPECT_EQ(small.columns, (Integers{2, 3, 1, 6, 7, 1, 7}));
  const CsrMatrix large = make_csr(4096, 4096, 0.08, 0, kContentsLimitBytes);
  EXPECT_EQ(large.columns.size(), 1342501U);
  EXPECT_EQ(large.offsets[1], 346);
  EXPECT_EQ(large.offsets[2048], 671363);
  EXPECT_EQ(large.offsets[4096], 1342501);
  EXPECT_EQ(std::accumulate(large.columns.begin(), large.columns.end(), std::int64_t{0}),
            2747619533);
}

TEST(Csr, HasTheDensityAndIsSorted) {
  constexpr std::int64_t kRows = 500;
  constexpr std::int64_t kColumns = 400;
  for (const double density : {0.001, 0.05, 0.5, 0.97}) {
    const CsrMatrix matrix = make_csr(kRows, kColumns, density, 3, kContentsLimitBytes);
    const double cells = kRows * kColumns;
    const double deviation = std::sqrt(cells * density * (1 - density));
    EXPECT_NEAR(static_cast<double>(matrix.columns.size()), cells * density, 5 * deviation);
    ASSERT_EQ(matrix.offsets.size(), 501U);
    EXPECT_EQ(matrix.offsets.back(), static_cast<std::int64_t>(matrix.columns.size()));
    std::vector<double> of_column(kColumns, 0);
    for (std::size_t row = 0; row < kRows; ++row) {
      ASSERT_LE(matrix.offsets[row], matrix.offsets[row + 1]);
      for (std::int64_t i = matrix.offsets[row]; i < matrix.offsets[row + 1]; ++i) {
        const std::int64_t column = matrix.columns[static_cast<std::size_t>(i)];
        ASSERT_TRUE(column >= 0 && column < kColumns);
        if (i > matrix.offsets[row]) {
          ASSERT_GT(column, matrix.columns[static_cast<std::size_t>(i - 1)]);
        }
        of_column[static_cast<std::size_t>(column)] += 1;
      }
    }
    // Columns are alike: chi squared of 400 counts has mean 400 and deviation 28.
    double chi_squared = 0;
    for (const double count : of_column) {
      const double expected = kRows * density;
      chi_squared += (count - expected) * (count - expected) / (expected * (1 - density));
    }
    EXPECT_NEAR(chi_squared, 400, 6 * 28.3) << density;
  }
}

TEST(Csr, EdgesOfDensityAndSize) {
  EXPECT_EQ(make_csr(2, 3, 1, 0, kContentsLimitBytes).columns, (Integers{0, 1, 2, 0, 1, 2}));
  EXPECT_TRUE(make_csr(1000, 1000, 0, 0, kContentsLimitBytes).columns.empty());
  EXPECT_TRUE(make_csr(1000, 1000, 1e-30, 0, kContentsLimitBytes).columns.empty());
  EXPECT_EQ(make_csr(0, 5, 0.5, 0, kContentsLimitBytes).offsets, (Integers{0}));
  EXPECT_EQ(make_csr(2, 0, 0.5, 0, kContentsLimitBytes).offsets, (Integers{0, 0, 0}));
  // A huge, almost empty matrix costs per non-zero.
  EXPECT_LT(csr_nonzeros(1 << 30, 1 << 30, 1e-17, 0, 1 << 20), 100);
  EXPECT_NEAR(static_cast<double>(csr_nonzeros(1 << 30, 1 << 30, 1e-14, 0, 1 << 20)), 11529, 600);
}

TEST(Csr, CountsWithoutMaking) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(csr_nonzeros(100, 70, 0.11, seed, kContentsLimitBytes),
              static_cast<std::int64_t>(
                  make_csr(100, 70, 0.11, seed, kContentsLimitBytes).columns.size()));
  }
}

TEST(Csr, Refusals) {
  const auto message = [](std::int64_t rows, std::int64_t columns, double density) {
    return thrown_by([&] { make_csr(rows, columns, density, 0, 1 << 20); }).message();
  };
  EXPECT_EQ(message(1000, 1000, 0.5),
            "the sparse matrix has about 5.01e+05 numbers, more than the limit of 131,072");
  EXPECT_EQ(message(1 << 20, 1, 0),
            "the sparse matrix has about 1.05e+06 numbers, more than the limit of 131,072");
  EXPECT_EQ(message(-1, 1, 0), "a sparse matrix cannot be -1 x 1");
  EXPECT_EQ(message(1, 1, 1.5), "1.5 is not a density");
  EXPECT_EQ(message(1, 1, NAN), "nan is not a density");
  EXPECT_EQ(message(std::int64_t{1} << 40, std::int64_t{1} << 40, 1e-30),
            "the sparse matrix has 2^63 entries or more");
  EXPECT_EQ(thrown_by([] { csr_nonzeros(1000, 1000, 0.5, 0, 1000); }).message(),
            "the sparse matrix has about 5e+05 numbers, more than the limit of 1,000");
}

TEST(Csr, OffsetsAndColumnsBelongTogether) {
  Contents contents = contents_of(Kind::csr_offsets, 0, 0, 5);
  contents.rows = 6;
  contents.columns = 8;
  contents.density = 0.3;
  EXPECT_EQ(integers_of(data_of(DType::int32, 7, contents), 7), (Integers{0, 0, 2, 5, 5, 5, 7}));
  EXPECT_EQ(thrown_by([&] { data_of(DType::int32, 6, contents); }).full_text(),
            "tensor x: csr_offsets makes 7 numbers for 6 elements in memory\n"
            "  try: give it a shape of [rows + 1]");
  contents.kind = Kind::csr_columns;
  EXPECT_EQ(integers_of(data_of(DType::int32, 7, contents), 7), (Integers{2, 3, 1, 6, 7, 1, 7}));
  EXPECT_EQ(thrown_by([&] { data_of(DType::int32, 6, contents); }).full_text(),
            "tensor x: csr_columns makes 7 numbers for 6 elements in memory\n"
            "  try: give it a shape of [\"csr_nnz(rows, columns, density, seed)\"]");
}

}  // namespace
}  // namespace heddle::testing
