#include "config/random.h"

#include <cmath>

namespace heddle::config {
namespace {

__extension__ using Wide = unsigned __int128;

/// SplitMix64: its increment and its mixing of one state.
constexpr std::uint64_t kIncrement = 0x9E3779B97F4A7C15;

std::uint64_t mix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EB;
  return state ^ (state >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed) : key_(mix(seed + kIncrement)) {}

std::uint64_t RandomStream::bits(std::uint64_t i) const {
  return mix(key_ + (i + 1) * kIncrement);
}

double RandomStream::unit(std::uint64_t i) const {
  constexpr int kFractionBits = 53;
  return static_cast<double>(bits(i) >> (64 - kFractionBits)) * 0x1p-53;
}

std::uint64_t RandomStream::below(std::uint64_t count, std::uint64_t i) const {
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(i)) * count) >> 64);
}

double RandomStream::normal(std::uint64_t i) const {
  // Marsaglia's polar method: points of the square until one lies in the circle.
  const RandomStream points(bits(i));
  for (std::uint64_t draw = 0;; draw += 2) {
    const double x = 2 * points.unit(draw) - 1;
    const double y = 2 * points.unit(draw + 1) - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * natural_log(square) / square);
  }
}

double natural_log(double value) {
  constexpr double kLogOf2 = 0x1.62E42FEFA39EFp-1;
  constexpr double kRootOfHalf = 0x1.6A09E667F3BCDp-1;
  int exponent = 0;
  double fraction = std::frexp(value, &exponent);  // in [1/2, 1)
  if (fraction < kRootOfHalf) {
    fraction *= 2;
    exponent -= 1;
  }
  // log(f) = 2 artanh(s) = 2 (s + s^3/3 + s^5/5 + ...), |s| < 0.172: twelve terms are exact enough.
  const double s = (fraction - 1) / (fraction + 1);
  const double square = s * s;
  constexpr double kFactors[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  double sum = 0;
  for (const double factor : kFactors) sum = sum * square + factor;
  return exponent * kLogOf2 + 2 * s * sum;
}

}  // namespace heddle::config
