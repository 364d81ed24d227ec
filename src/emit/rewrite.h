// Puts a proven order into a kernel, in place of its block's index.
//
//   @triton.jit                            @triton.jit
//   def copy(x_ptr, y_ptr, ...):           def copy(x_ptr, y_ptr, ...):
//       pid = tl.program_id(0)      ==>        # reverse: proved a permutation for ...
//       ...                                    # tiles: assumed independent, not traced
//                                              p0 = tl.program_id(0)
//                                              g0 = tl.num_programs(0)
//                                              pid = g0 - 1 - p0
//                                              ...
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
//   1. The order's code stands where the kernel's language has a place for it (IndexUses::place),
//      and every use becomes the tile's index on its axis. Nothing else of the file changes: heads,
//      comments, line endings, host code and the grid stay, and so do tl.num_programs and gridDim.
//   2. A new name is not a name of the function, of its parameters or of the file.
//   3. Only a ProvenOrder is put in, and only where tiles are independent: traced, or the user's
//      word. The comment says which, and for which grids the order was proved.
//   4. The new text is read again and compared with the old (IndexUses::check_rewritten).
//   5. What cannot be done is an Error with the place: a use that cannot be replaced; an order of
//      another number of axes, with a tile space of its own, with idle blocks, or with names that
//      the kernel does not have.
//
// Does not model: what the host code does with the kernel; a grid that it changes together with the
// tile sizes stays covered by an order proved for all sizes, and by no other.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "emit/kernel_code.h"
#include "kernel/index_uses.h"
#include "proof/proven_order.h"
#include "trace/independence.h"

namespace heddle::emit {

/// The user's word that the tiles are independent of one another.
struct AssumedIndependent {};

using Independence = std::variant<AssumedIndependent, trace::IndependentTiles>;

/// The comments below an order's own: what names were bound to, and why tiles may change places.
std::vector<std::string> order_remarks(const Independence& independence,
                                       const std::vector<std::string>& assumptions);

/// Throws Error where an order of this shape is not one of the grids that the kernel is launched
/// on.
void check_axes(const kernel::IndexUses& uses, const order::Shape& shape);

/// The whole new text of the kernel's file. `assumptions`, "M=8192", are what the order's names
/// were bound to when it was proved: the comment lists them.
std::string rewrite_kernel(const std::string& text, const kernel::IndexUses& uses,
                           const proof::ProvenOrder& proven, const Independence& independence,
                           const std::vector<std::string>& assumptions);

/// What code in a kernel must know of it.
KernelContext context_of(const kernel::IndexUses& uses, const kernel::CodePlace& place);
/// The kernel's text with the code at its place, and the results for its block's index.
std::string put_in(const std::string& text, const kernel::IndexUses& uses,
                   const kernel::CodePlace& place, const PrintedParts& code);

}  // namespace heddle::emit
