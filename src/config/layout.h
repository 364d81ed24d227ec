// Where tensors lie in memory, as an allocator would place them.
//
//   a  128 MiB    0x7f0000000000
//   b  40 bytes   0x7f0008000000     a pool of 2 MiB for small tensors
//   c  2 MiB      0x7f0008200000
//   d  40 bytes   0x7f0008000200     in b's pool
//
// Rules
//   1. In the order of the job. PyTorch's caching allocator is the model: 1 MiB and more begins at
//   a
//      multiple of 2 MiB; less is packed at multiples of 512 bytes into pools of 2 MiB.
//   2. Tensors whose address is given stay there, and the others go around them.
//   3. Every address is below 2^63, or it is an Error. An empty tensor takes the place of a small
//   one.
#pragma once

#include <vector>

#include "config/launch.h"

namespace heddle::config {

inline constexpr std::uint64_t kFirstAddress = 0x7f0000000000;

/// Sets the addresses of those tensors that are not `given` one (one flag per tensor).
void lay_out(std::vector<Tensor>& tensors, const std::vector<bool>& given);

}  // namespace heddle::config
