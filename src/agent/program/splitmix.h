// Random numbers that are the same on every machine: splitmix64.
//
//   Splitmix random(seed);   random.below(10)   random.unit()
//
// Rules
//   1. The same seed gives the same numbers; seeds may be neighbours.
#pragma once

#include <cstdint>

namespace heddle::agent {

class Splitmix {
 public:
  explicit Splitmix(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  /// 0 .. count - 1; `count` is below 2^32, or the numbers are not quite even.
  std::uint64_t below(std::uint64_t count) {
    if (count >> 32 != 0) return next() % count;
    return (next() >> 32) * count >> 32;
  }

  /// [0, 1), a multiple of 2^-24.
  double unit() { return static_cast<double>(next() >> 40) * 0x1p-24; }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::agent
