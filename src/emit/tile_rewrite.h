// Puts a proven order of a kernel's own tiles into the kernel, in place of its unpacking.
//
//   pid = tl.program_id(0)                       pid = tl.program_id(0)
//   num_m = tl.cdiv(M, BM)                       num_m = tl.cdiv(M, BM)
//   num_n = tl.cdiv(N, BN)                ==>    num_n = tl.cdiv(N, BN)
//   width = GROUP * num_n                        # columns: proved a permutation for ...
//   first = pid // width * GROUP                 # tiles: independent as traced on ...
//   height = min(num_m - first, GROUP)           columns = pid // num_m
//   pid_m = first + pid % width % height         pid_m = pid - columns * num_m
//   pid_n = pid % width // height                pid_n = columns
//
// Rules
//   1. The turn is a variable that holds it in every block and round; else, where every block does
//      one tile, the launch index is written anew.
//   2. The extents are names or expressions of the kernel that hold them on this launch and on
//      launches of other sizes; else the number of blocks, or of tiles, divided by the others.
//   3. What is not to be had is an Error that names the coordinate.
#pragma once

#include <string>
#include <vector>

#include "emit/rewrite.h"
#include "kernel/source.h"
#include "proof/proven_order.h"
#include "tiles/launch.h"
#include "tiles/other_launches.h"

namespace heddle::emit {

/// A lifted kernel with what is known of it.
struct TileSubject {
  const tiles::TileLaunch& tiles;
  const kernel::LoadedKernel& loaded;  ///< as the job launches it; whole
  const std::vector<tiles::OtherLaunch>& others;
};

/// The whole new text. `assumptions` as for rewrite_kernel.
std::string rewrite_tiles(kernel::Source& source, const TileSubject& subject,
                          const proof::ProvenOrder& proven, const Independence& independence,
                          const std::vector<std::string>& assumptions);

/// The shape that orders of the kernel's tiles have.
order::Shape shape_of(const tiles::TileLaunch& launch);

}  // namespace heddle::emit
