#include "config/dtype.h"

#include <cmath>
#include <limits>

#include "config/rounding.h"
#include "config/testing.h"

namespace heddle::testing {
namespace {

constexpr DType kAll[] = {DType::boolean,  DType::int8,        DType::uint8,       DType::int16,
                          DType::uint16,   DType::int32,       DType::uint32,      DType::int64,
                          DType::uint64,   DType::float8_e4m3, DType::float8_e5m2, DType::float16,
                          DType::bfloat16, DType::float32,     DType::float64};

TEST(DType, ReadsTheNamesOfTritonPyTorchAndTheShortOnes) {
  EXPECT_EQ(dtype_from_text("fp16"), DType::float16);
  EXPECT_EQ(dtype_from_text("float16"), DType::float16);
  EXPECT_EQ(dtype_from_text("f16"), DType::float16);
  EXPECT_EQ(dtype_from_text("tl.float16"), DType::float16);
  EXPECT_EQ(dtype_from_text("torch.bfloat16"), DType::bfloat16);
  EXPECT_EQ(dtype_from_text("bf16"), DType::bfloat16);
  EXPECT_EQ(dtype_from_text("fp8e4nv"), DType::float8_e4m3);
  EXPECT_EQ(dtype_from_text("float8_e4m3fn"), DType::float8_e4m3);
  EXPECT_EQ(dtype_from_text("float8_e5m2"), DType::float8_e5m2);
  EXPECT_EQ(dtype_from_text("int1"), DType::boolean);
  EXPECT_EQ(dtype_from_text("bool"), DType::boolean);
  EXPECT_EQ(dtype_from_text("i32"), DType::int32);
  EXPECT_EQ(dtype_from_text("u8"), DType::uint8);
  EXPECT_EQ(dtype_from_text("float64"), DType::float64);
  for (const std::string text : {"", "fp17", "tl.", "tl.tl.fp16", "FP16", "fp16 "}) {
    EXPECT_EQ(dtype_from_text(text), std::nullopt) << text;
  }
}

TEST(DType, WritesTritonsNames) {
  std::string texts;
  for (const DType type : kAll) {
    texts += std::string(dtype_text(type)) + " ";
    EXPECT_EQ(dtype_from_text(dtype_text(type)), type);
  }
  EXPECT_EQ(texts,
            "int1 int8 uint8 int16 uint16 int32 uint32 int64 uint64 fp8e4nv fp8e5 fp16 bf16 fp32 "
            "fp64 ");
}

TEST(DType, HasWidthsAndKinds) {
  std::vector<int> bytes;
  std::string kinds;
  for (const DType type : kAll) {
    bytes.push_back(byte_width(type));
    EXPECT_EQ(bit_width(type), type == DType::boolean ? 1 : 8 * byte_width(type));
    EXPECT_NE(is_float(type), is_integer(type));
    kinds += is_float(type) ? 'f' : is_signed(type) ? 's' : 'u';
  }
  EXPECT_EQ(bytes, (std::vector<int>{1, 1, 1, 2, 2, 4, 4, 8, 8, 1, 1, 2, 2, 4, 8}));
  EXPECT_EQ(kinds, "ususususuffffff");
}

TEST(Rounding, GoesToTheNearest) {
  EXPECT_EQ(round_to(DType::float16, 0.1), 0.0999755859375);
  EXPECT_EQ(round_to(DType::float32, 0.1), static_cast<double>(0.1F));
  EXPECT_EQ(round_to(DType::bfloat16, 0.1), 0.10009765625);
  EXPECT_EQ(round_to(DType::float8_e4m3, 0.1), 0.1015625);
  EXPECT_EQ(round_to(DType::float8_e5m2, 0.1), 0.09375);
  EXPECT_EQ(round_to(DType::float64, 0.1), 0.1);
  // Ties go to even, negative numbers the same way.
  EXPECT_EQ(round_to(DType::float16, 2049), 2048);
  EXPECT_EQ(round_to(DType::float16, 2051), 2052);
  EXPECT_EQ(round_to(DType::float16, -2051), -2052);
  // Subnormals and underflow.
  EXPECT_EQ(round_to(DType::float16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(round_to(DType::float16, 0x1.8p-24), 0x1p-23);
  EXPECT_EQ(round_to(DType::float16, 0x1p-25), 0);
  EXPECT_EQ(round_to(DType::float32, 0x1p-149), 0x1p-149);
  EXPECT_EQ(round_to(DType::float32, 1e-300), 0);
}

TEST(Rounding, KnowsTheLargestNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(round_to(DType::float16, 65519), 65504);
  EXPECT_EQ(round_to(DType::float16, 65520), kInfinity);
  EXPECT_EQ(round_to(DType::float16, -1e300), -kInfinity);
  EXPECT_EQ(round_to(DType::bfloat16, 3.3e38), 0x1.F0p127);
  EXPECT_EQ(round_to(DType::bfloat16, 3.4e38), kInfinity);
  EXPECT_EQ(round_to(DType::float32, 3.5e38), kInfinity);
  EXPECT_EQ(round_to(DType::float8_e5m2, 1e9), kInfinity);
  EXPECT_EQ(round_to(DType::float8_e4m3, 1e9), 448);
  EXPECT_EQ(round_to(DType::float8_e4m3, -kInfinity), -448);
  EXPECT_TRUE(std::isnan(round_to(DType::float16, NAN)));
}

/// Every number of a small format comes back as it is.
TEST(Rounding, KeepsWhatTheTypeHolds) {
  for (int exponent = 0; exponent <= 15; ++exponent) {
    for (int fraction = 0; fraction < 8; ++fraction) {
      if (exponent == 15 && fraction == 7) continue;  // NaN
      const double value =
          exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
      EXPECT_EQ(round_to(DType::float8_e4m3, value), value);
    }
  }
  for (int bits = 0; bits < 0x7C00; ++bits) {
    const int exponent = bits >> 10;
    const int fraction = bits & 0x3FF;
    const double value =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    EXPECT_EQ(round_to(DType::float16, value), value);
  }
}

TEST(Rounding, WrapsIntegers) {
  EXPECT_EQ(wrap_to(DType::int8, 200), -56);
  EXPECT_EQ(wrap_to(DType::uint8, -1), 255);
  EXPECT_EQ(wrap_to(DType::int16, 32768), -32768);
  EXPECT_EQ(wrap_to(DType::uint16, 65536 + 5), 5);
  EXPECT_EQ(wrap_to(DType::int32, std::int64_t{1} << 31), -(std::int64_t{1} << 31));
  EXPECT_EQ(wrap_to(DType::uint32, -1), 0xFFFFFFFF);
  EXPECT_EQ(wrap_to(DType::int64, -1), -1);
  EXPECT_EQ(wrap_to(DType::uint64, -1), -1);
  EXPECT_EQ(wrap_to(DType::boolean, 256), 1);
  EXPECT_EQ(wrap_to(DType::boolean, 0), 0);
}

TEST(Rounding, TruncatesWithoutOverflow) {
  EXPECT_EQ(truncate(-2.9), -2);
  EXPECT_EQ(truncate(1e30), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(truncate(-1e30), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(truncate(NAN), 0);
}

TEST(DType, HasTheNamesOfTritonsLanguage) {
  EXPECT_EQ(language_text(DType::float16), "float16");
  EXPECT_EQ(language_text(DType::boolean), "int1");
  EXPECT_EQ(language_text(DType::float8_e4m3), "float8e4nv");
  for (const DType type : kAll) EXPECT_EQ(dtype_from_text(language_text(type)), type);
}

}  // namespace
}  // namespace heddle::testing
