// How Triton spreads a block that is loaded or stored over the threads, as its compiler decides it.
//
//   store c[128, 128] of fp16, rows of 8192 B, 4 waves of 32 lanes
//     order   1 0         axis 1 is contiguous: it comes first
//     vector  8           16 bytes a lane
//     lanes   2 16        16 lanes fill a row, 2 rows a wave
//     waves   4 1
//     a thread has 16 rows of 8 elements: 16 instructions
//
// Rules
//   1. As in trace/layout.h, but from what is known before any address is (axis_facts.h).
//   2. Loads of equal shape and order hold as many neighbours as the widest of them; stores hold
//      what they can write at a time.
//   3. A mask that is not constant over a vector splits it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/axis_facts.h"

namespace heddle::kernel {

/// Which thread holds which element of a block.
struct TileLayout {
  std::vector<std::size_t> order;   ///< axes, fastest first
  std::vector<std::int64_t> held;   ///< neighbours of one lane, per axis
  std::vector<std::int64_t> lanes;  ///< of one wave, per axis
  std::vector<std::int64_t> waves;  ///< of the block, per axis
  friend bool operator==(const TileLayout&, const TileLayout&) = default;

  /// Elements along an axis of this extent that one thread holds.
  std::int64_t share(std::size_t axis, std::int64_t extent) const;
};

struct AccessLayout {
  const Instruction* instruction = nullptr;
  const Type* type = nullptr;  ///< of the pointers
  TileLayout layout;
  std::int64_t vector = 1;  ///< neighbours that one instruction of a lane takes, without a mask
  std::int64_t masked = 1;  ///< the same with it

  std::int64_t elements() const { return type->elements(); }
  /// Addresses that one thread needs: those along the first axis are one address.
  std::int64_t rows() const;
};

/// Threads of a block.
struct ThreadShape {
  std::int64_t waves = 4;
  std::int64_t lanes = 32;
  std::int64_t count() const { return waves * lanes; }
};

/// Of a load, store or atomic; kNoValue: none.
ValueId mask_of(const Instruction& access);

TileLayout tile_layout(const std::vector<std::int64_t>& shape, std::vector<std::size_t> order,
                       std::int64_t vector, const ThreadShape& threads);

/// A block that nothing in memory gives a layout: rows, one element a lane.
TileLayout plain_layout(const std::vector<std::int64_t>& shape, const ThreadShape& threads);

/// One for each load, store and atomic of a block, in the order of the program.
std::vector<AccessLayout> access_layouts(const TileProgram& code, const std::vector<Placed>& order,
                                         const std::vector<AxisFacts>& facts,
                                         const ThreadShape& threads);

/// Instructions beyond which a program is not looked into: each pair of a value and a branch
/// counts.
inline constexpr std::size_t kMostInstructions = 20'000;

/// Neighbours that one instruction of a lane takes, as far as the compiler knows their alignment.
struct LaneVector {
  std::int64_t vector = kAnyNumber;  ///< without a mask: what the layout of a block follows
  std::int64_t masked = kAnyNumber;  ///< with it
};

/// Per site; nothing is known of scalars, and of programs that are too long to look into.
std::vector<LaneVector> lane_vectors(const KernelProgram& program, const config::Launch& launch,
                                     const ThreadShape& threads);

}  // namespace heddle::kernel
