// A number that counts the axes of the launch in another order than the launch does.
//
//   sequence = tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)
//
// Its tiles are the axes: nothing is unpacked from it, and no remap of blocks is meant by it. A number that
// grows with the launch id where other axes stand still is none: blockIdx.z * gridDim.x + blockIdx.x.
#pragma once

#include "tiles/shown.h"

namespace heddle::tiles {

bool is_turned_sum(const kernel::IndexProbe& probe, const ShownRows& shown, int index);

}  // namespace heddle::tiles
