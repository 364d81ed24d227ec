// What Triton's compiler knows of the elements of a block along each axis, found from the code.
//
//   tile * 128 + arange(0, 128)      contiguous 128, divisor 128
//   row[:, None] * M                 constant along axis 1; a multiple of 16 where M is
//   (row % M)                        contiguous in groups of 16 where M is a multiple of 16
//
// Rules
//   1. As in Triton's axis analysis: all numbers are powers of two, and what is not known is 1.
//   2. Arguments are multiples of 16 or of nothing, as Triton specialises them. Their values are
//      constants of the program: a constant that an argument has, and that is not a multiple of 16,
//      is taken for the argument. A factor of 1 changes nothing.
//   3. A pointer's divisor is in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/launch.h"
#include "kernel/program_order.h"

namespace heddle::kernel {

inline constexpr std::size_t kFactAxes = 8;
inline constexpr std::int64_t kAnyNumber = std::int64_t{1} << 40;

struct AxisFact {
  std::int64_t contiguous = 1;         ///< elements of an aligned group that go up by one
  std::int64_t divisor = 1;            ///< of the first element of every such group
  std::int64_t constant = kAnyNumber;  ///< elements of an aligned group that are equal
  friend bool operator==(const AxisFact&, const AxisFact&) = default;
};

/// Of a scalar, all axes are alike.
using AxisFacts = std::array<AxisFact, kFactAxes>;

/// One for each value of the program.
std::vector<AxisFacts> axis_facts(const KernelProgram& program, const config::Launch& launch,
                                  const std::vector<Placed>& order);

}  // namespace heddle::kernel
