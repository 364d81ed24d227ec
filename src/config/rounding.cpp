#include "config/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::config {
namespace {

struct Format {
  int fraction_bits;
  int lowest_exponent;  ///< of a normal number
  double largest;
  bool has_infinity;
};

Format format_of(DType type) {
  constexpr double kLargestE4m3 = 448;
  constexpr double kLargestE5m2 = 57344;
  constexpr double kLargestHalf = 65504;
  constexpr double kLargestFloat = std::numeric_limits<float>::max();
  switch (type) {
    case DType::float8_e4m3:
      return {3, -6, kLargestE4m3, false};
    case DType::float8_e5m2:
      return {2, -14, kLargestE5m2, true};
    case DType::float16:
      return {10, -14, kLargestHalf, true};
    case DType::bfloat16:
      // The top 16 bits of a float: the largest has 8 significant bits.
      return {7, -126, 0x1.FEp127, true};
    default:
      return {23, -126, kLargestFloat, true};
  }
}

}  // namespace

double round_to(DType type, double value) {
  if (!is_float(type) || type == DType::float64) return value;
  if (std::isnan(value) || value == 0) return value;
  const Format format = format_of(type);
  const double too_large = std::copysign(
      format.has_infinity ? std::numeric_limits<double>::infinity() : format.largest, value);
  if (std::isinf(value)) return too_large;
  const int exponent = std::max(std::ilogb(value), format.lowest_exponent);
  const double unit = std::ldexp(1.0, exponent - format.fraction_bits);
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) > format.largest ? too_large : rounded;
}

std::int64_t wrap_to(DType type, std::int64_t value) {
  switch (type) {
    case DType::boolean:
      return value != 0 ? 1 : 0;
    case DType::int8:
      return static_cast<std::int8_t>(value);
    case DType::uint8:
      return static_cast<std::uint8_t>(value);
    case DType::int16:
      return static_cast<std::int16_t>(value);
    case DType::uint16:
      return static_cast<std::uint16_t>(value);
    case DType::int32:
      return static_cast<std::int32_t>(value);
    case DType::uint32:
      return static_cast<std::uint32_t>(value);
    default:
      return value;
  }
}

std::int64_t truncate(double value) {
  constexpr double kLimit = 0x1p63;
  if (std::isnan(value)) return 0;
  if (value >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (value < -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

}  // namespace heddle::config
