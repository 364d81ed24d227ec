// Constexprs and macros that reach a kernel's index code only: another value is another order of the
// same tiles, and no other work.
//
//   GROUP_SIZE_M: tl.constexpr      a knob of a grouped GEMM
//   BLOCK_M: tl.constexpr           not one: tiles have another size with it
//
// Rules
//   1. A value nearby is tried: the launch keeps its grid, the program between coordinates and work
//      is the same, and blocks do other tiles.
//   2. One that changes nothing is no knob.
#pragma once

#include <string>
#include <vector>

#include "config/launch.h"
#include "results/tile_space.h"
#include "tiles/find.h"

namespace heddle::tiles {

/// `found` has a space. In the order of the arguments. Throws nothing.
std::vector<TileKnob> find_knobs(const Lifted& found, const std::string& job_path,
                                 const std::vector<std::string>& overrides,
                                 const config::Launch& launch);

}  // namespace heddle::tiles
