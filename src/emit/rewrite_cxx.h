// Puts a proven order into a HIP or CUDA C++ kernel, in place of its block index.
//
//   __global__ void copy(float* x) {       __global__ void copy(float* x) {
//     x[blockIdx.x] = 0;            ==>      // reverse: proved a permutation for ...
//   }                                        // tiles: assumed independent, not traced
//                                            const int p0 = blockIdx.x;
//                                            const int g0 = gridDim.x;
//                                            const unsigned int tile = g0 - 1 - p0;
//                                            x[tile] = 0;
//                                          }
//
// Rules
//   1. The order's code stands at the beginning of the kernel's body; every blockIdx.k becomes the
//      tile's index on that axis, which is unsigned as blockIdx is. Nothing else of the file
//      changes: heads, comments, line endings and host code stay, and so does gridDim.
//   2. A new name is no name of the file, macros included.
//   3. Only a ProvenOrder is put in, and only where tiles are independent (rewrite.h).
//   4. The new text is read again and compared with the old, token by token.
//   5. What cannot be done is an Error with the place: see cxx_blocks.h, and rule 5 of rewrite.h.
//      The order's own names must be ints of the kernel: parameters, template parameters, macros.
#pragma once

#include <string>
#include <vector>

#include "emit/cxx_blocks.h"
#include "emit/rewrite.h"

namespace heddle::emit {

void check_axes(const CxxBlocks& blocks, const order::Shape& shape);

/// The whole new text of the kernel's file (see rewrite_kernel).
std::string rewrite_cxx(const CxxBlocks& blocks, const proof::ProvenOrder& proven,
                        const Independence& independence,
                        const std::vector<std::string>& assumptions);

}  // namespace heddle::emit
