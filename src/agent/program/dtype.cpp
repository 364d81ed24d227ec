#include "dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "words.h"

namespace heddle::agent {
namespace {

struct Entry {
  std::string_view name;
  std::size_t bytes;
};

// In the order of Dtype.
constexpr std::array<Entry, 15> kTypes = {{{"bool", 1},
                                           {"int8", 1},
                                           {"uint8", 1},
                                           {"int16", 2},
                                           {"uint16", 2},
                                           {"int32", 4},
                                           {"uint32", 4},
                                           {"int64", 8},
                                           {"uint64", 8},
                                           {"fp16", 2},
                                           {"bf16", 2},
                                           {"fp32", 4},
                                           {"fp64", 8},
                                           {"fp8e4nv", 1},
                                           {"fp8e5", 1}}};

const Entry& entry_of(Dtype dtype) {
  return kTypes[static_cast<std::size_t>(dtype)];
}

/// A small floating type: sign, exponent, mantissa.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  bool infinite;  ///< whether the largest exponent means infinity and NaN
};

Format format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::fp16:
      return {5, 10, true};
    case Dtype::bf16:
      return {8, 7, true};
    case Dtype::fp8e4nv:
      return {4, 3, false};
    default:
      return {5, 2, true};
  }
}

double decode_small(Format format, std::uint32_t bits) {
  const std::uint32_t mantissa_values = 1U << format.mantissa_bits;
  const std::uint32_t exponent_values = 1U << format.exponent_bits;
  const std::uint32_t mantissa = bits % mantissa_values;
  const std::uint32_t exponent = bits / mantissa_values % exponent_values;
  const bool negative = (bits / mantissa_values / exponent_values) % 2 != 0;
  const int bias = static_cast<int>(exponent_values / 2) - 1;
  double value = 0;
  const bool last = exponent == exponent_values - 1;
  if (last && format.infinite)
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  else if (last && mantissa == mantissa_values - 1)
    value = std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - format.mantissa_bits);
  else
    value = std::ldexp(mantissa + mantissa_values,
                       static_cast<int>(exponent) - bias - format.mantissa_bits);
  return negative ? -value : value;
}

std::uint32_t encode_small(Format format, double value) {
  const std::uint32_t mantissa_values = 1U << format.mantissa_bits;
  const std::uint32_t exponent_values = 1U << format.exponent_bits;
  const int bias = static_cast<int>(exponent_values / 2) - 1;
  const std::uint32_t sign = std::signbit(value) ? mantissa_values * exponent_values : 0;
  // The largest finite number, as bits; one more is infinity, or NaN where there is none.
  const std::uint32_t largest =
      (exponent_values - (format.infinite ? 1 : 0)) * mantissa_values - (format.infinite ? 1U : 2U);
  if (std::isnan(value)) return sign + exponent_values * mantissa_values - 1;
  const double size = std::abs(value);
  if (std::isinf(size)) return sign + largest + (format.infinite ? 1 : 0);
  if (size == 0) return sign;
  int exponent = 0;
  std::frexp(size, &exponent);  // size is in [2^(exponent-1), 2^exponent)
  const int scale = std::max(exponent - 1, 1 - bias);
  // In units of the last place; nearbyint rounds ties to even.
  const double units = std::nearbyint(std::ldexp(size, format.mantissa_bits - scale));
  const double bits = units + static_cast<double>(scale + bias - 1) * mantissa_values;
  if (bits > largest) return sign + largest + (format.infinite ? 1 : 0);
  return sign + static_cast<std::uint32_t>(bits);
}

template <class T>
T load(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(T value, void* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

bool is_signed(Dtype dtype) {
  return dtype == Dtype::int8 || dtype == Dtype::int16 || dtype == Dtype::int32 ||
         dtype == Dtype::int64;
}

std::int64_t load_signed(std::size_t bytes, const void* from) {
  switch (bytes) {
    case 1:
      return load<std::int8_t>(from);
    case 2:
      return load<std::int16_t>(from);
    case 4:
      return load<std::int32_t>(from);
    default:
      return load<std::int64_t>(from);
  }
}

std::uint64_t load_unsigned(std::size_t bytes, const void* from) {
  std::uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

}  // namespace

std::optional<Dtype> dtype_of(std::string_view name) {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

std::string_view name_of(Dtype dtype) {
  return entry_of(dtype).name;
}

std::size_t bytes_of(Dtype dtype) {
  return entry_of(dtype).bytes;
}

bool is_floating(Dtype dtype) {
  return dtype >= Dtype::fp16;
}

double decode(Dtype dtype, const void* bytes) {
  if (dtype == Dtype::fp64) return load<double>(bytes);
  if (dtype == Dtype::fp32) return static_cast<double>(load<float>(bytes));
  const std::size_t size = bytes_of(dtype);
  if (is_floating(dtype))
    return decode_small(format_of(dtype), static_cast<std::uint32_t>(load_unsigned(size, bytes)));
  if (is_signed(dtype)) return static_cast<double>(load_signed(size, bytes));
  return static_cast<double>(load_unsigned(size, bytes));
}

void encode(Dtype dtype, double value, void* bytes) {
  if (dtype == Dtype::fp64) return store(value, bytes);
  if (dtype == Dtype::fp32) return store(static_cast<float>(value), bytes);
  const std::size_t size = bytes_of(dtype);
  if (is_floating(dtype)) {
    const std::uint64_t bits = encode_small(format_of(dtype), value);
    std::memcpy(bytes, &bits, size);
    return;
  }
  std::uint64_t bits = 0;
  if (value <= -0x1p63)
    bits = std::uint64_t{1} << 63;
  else if (value < 0)
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  else if (value < 0x1p64)
    bits = static_cast<std::uint64_t>(value);
  if (dtype == Dtype::boolean) bits = value != 0 ? 1 : 0;
  std::memcpy(bytes, &bits, size);
}

std::string value_text(Dtype dtype, const void* bytes) {
  if (is_floating(dtype)) return number_text(decode(dtype, bytes), dtype == Dtype::fp64 ? 17 : 9);
  if (is_signed(dtype)) return std::to_string(load_signed(bytes_of(dtype), bytes));
  return std::to_string(load_unsigned(bytes_of(dtype), bytes));
}

bool encode_text(Dtype dtype, std::string_view text, void* bytes) {
  if (is_floating(dtype)) {
    const auto value = real(text);
    if (value) encode(dtype, *value, bytes);
    return value.has_value();
  }
  const std::size_t size = bytes_of(dtype);
  const int bits = static_cast<int>(size) * 8;
  if (dtype == Dtype::boolean) {
    const bool yes = text == "1" || text == "true" || text == "True";
    store<std::uint8_t>(yes ? 1 : 0, bytes);
    return yes || text == "0" || text == "false" || text == "False";
  }
  if (is_signed(dtype)) {
    const auto value = integer(text);
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    if (!value || *value > most || *value < -most - 1) return false;
    std::memcpy(bytes, &*value, size);
    return true;
  }
  const auto value = natural(text);
  if (!value || (bits < 64 && *value >> bits != 0)) return false;
  std::memcpy(bytes, &*value, size);
  return true;
}

}  // namespace heddle::agent
