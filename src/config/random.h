// Random numbers that are the same on every machine.
//
//   const RandomStream stream(7);
//   stream.bits(0), stream.bits(1), ...      // any of them, in any order
//
// Rules
//   1. Number i of a stream depends on the seed and on i only (SplitMix64's mixing).
//   2. Nothing here calls the C library's log or cos: their last bits differ between machines.
#pragma once

#include <cstdint>

namespace heddle::config {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  std::uint64_t bits(std::uint64_t i) const;
  /// In [0, 1), a multiple of 2^-53.
  double unit(std::uint64_t i) const;
  /// In [0, count), count >= 1; each as likely as the others, to within count / 2^64.
  std::uint64_t below(std::uint64_t count, std::uint64_t i) const;
  /// Mean 0, deviation 1.
  double normal(std::uint64_t i) const;

 private:
  std::uint64_t key_;
};

/// The natural logarithm of a positive finite number, to about 15 digits.
double natural_log(double value);

}  // namespace heddle::config
