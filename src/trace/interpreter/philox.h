// Philox4x32-10, the counter-based generator behind tl.rand and tl.randint.
//
//   philox32({0, 0, 0, 0}, {0, 0})[0] == 0x6627E8D5
//
// Rules
//   1. As Triton's randint4x has it: the halves of the offset are counters 0 and 1, the others are
//      0; the halves of the seed are the keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::trace::interpreter {

std::array<std::uint32_t, 4> philox32(std::array<std::uint32_t, 4> counter,
                                      std::array<std::uint32_t, 2> key);

/// The four numbers of tl.randint4x(seed, offset).
std::array<std::uint32_t, 4> random_integers(std::uint64_t seed, std::uint64_t offset,
                                             bool is_wide);

/// tl.uint_to_uniform_float: [0, 1).
double uniform_real(std::uint32_t random);
/// tl.randn4x: the first two numbers make the first pair of tl.pair_uniform_to_normal, the others
/// the second.
double normal_real(const std::array<std::uint32_t, 4>& random, std::size_t which);

}  // namespace heddle::trace::interpreter
