// Whether a GPU can be built: what its numbers must be together.
//
//   l2.ways     "l2.ways must be from 1 to 64, not 65"
//   l2.set_bits "two lines would share one place: addresses 0 and 0x4000 have the same channel ..."
//
// Rules
//   1. A fault names the key to change first; the reader puts its place in front.
//   2. Every number is within its bounds (gpu_keys.h) before any two are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/gpu.h"

namespace heddle::config {

struct GpuFault {
  std::string key;  ///< "l2.ways"
  std::string what;
  std::string hint;
};

/// The first fault, or nothing.
std::optional<GpuFault> find_fault(const Gpu& gpu);

/// A distance between two lines that get the same channel and set although only address bits
/// [first_bit, first_bit + number of groups) differ; nothing if every such line has its own place.
/// Groups are those of channels and sets together.
std::optional<std::uint64_t> shared_place(const IndexBits& groups, int first_bit);

}  // namespace heddle::config
