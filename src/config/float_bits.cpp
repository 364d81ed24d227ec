#include "config/float_bits.h"

#include <bit>
#include <cmath>
#include <limits>

#include "config/rounding.h"

namespace heddle::config {
namespace {

struct Format {
  int fraction_bits;
  int exponent_bits;
  bool has_infinity;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint64_t all_exponent() const { return (std::uint64_t{1} << exponent_bits) - 1; }
  std::uint64_t all_fraction() const { return (std::uint64_t{1} << fraction_bits) - 1; }
};

Format format_of(DType type) {
  switch (type) {
    case DType::float8_e4m3:
      return {3, 4, false};
    case DType::float8_e5m2:
      return {2, 5, true};
    case DType::float16:
      return {10, 5, true};
    default:
      return {7, 8, true};  // bfloat16
  }
}

std::uint64_t nan_bits(const Format& format) {
  const std::uint64_t exponent = format.all_exponent() << format.fraction_bits;
  return exponent | (format.has_infinity ? std::uint64_t{1} << (format.fraction_bits - 1)
                                         : format.all_fraction());
}

}  // namespace

std::uint64_t to_bits(DType type, double value) {
  if (type == DType::float64) return std::bit_cast<std::uint64_t>(value);
  if (type == DType::float32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const Format format = format_of(type);
  const int sign_bit = format.fraction_bits + format.exponent_bits;
  const std::uint64_t sign = std::uint64_t{std::signbit(value)} << sign_bit;
  if (std::isnan(value)) return sign | nan_bits(format);
  const double rounded = std::abs(round_to(type, value));
  if (std::isinf(rounded)) return sign | (format.all_exponent() << format.fraction_bits);
  if (rounded <= 0) return sign;
  const int lowest = 1 - format.bias();
  const int exponent = std::max(std::ilogb(rounded), lowest);
  const auto scaled =
      static_cast<std::uint64_t>(std::ldexp(rounded, format.fraction_bits - exponent));
  // Of a subnormal number the implicit leading bit is missing, and so is 1 of the exponent.
  const auto biased = static_cast<std::uint64_t>(exponent - lowest);
  return sign | (scaled + (biased << format.fraction_bits));
}

double from_bits(DType type, std::uint64_t bits) {
  if (type == DType::float64) return std::bit_cast<double>(bits);
  if (type == DType::float32)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  const Format format = format_of(type);
  const int sign_bit = format.fraction_bits + format.exponent_bits;
  const double sign = (bits >> sign_bit & 1) != 0 ? -1 : 1;
  const std::uint64_t exponent = bits >> format.fraction_bits & format.all_exponent();
  const std::uint64_t fraction = bits & format.all_fraction();
  if (exponent == format.all_exponent()) {
    if (format.has_infinity && fraction == 0) return sign * std::numeric_limits<double>::infinity();
    if (format.has_infinity || fraction == format.all_fraction())
      return std::numeric_limits<double>::quiet_NaN();
  }
  const bool normal = exponent != 0;
  const std::uint64_t significand =
      normal ? fraction | std::uint64_t{1} << format.fraction_bits : fraction;
  const int power = static_cast<int>(normal ? exponent : 1) - format.bias() - format.fraction_bits;
  return sign * std::ldexp(static_cast<double>(significand), power);
}

}  // namespace heddle::config
