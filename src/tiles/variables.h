// The variables of a kernel that hold its tile's coordinates, and those that hold its turn.
//
//   const TileVariables found = variables_of(lift(program, launch));
//   found.coordinates    pid_m, line 31, axis 0; pid_n, line 32, axis 1
//   found.turns          pid, line 24
//
// Rules
//   1. Every block and round is looked at: a turn's variable holds the number of the turn in all.
//   2. Besides the coordinates of the space there are variables that are equal to one in every tile;
//      a second unpacking in the epilogue of a persistent loop has some.
//   3. Variables that pack coordinates again are found, too, where they are not computed from them:
//      z = tl.program_id(2) of b = z // heads, h = z % heads, which the kernel uses by itself.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "kernel/tile_uses.h"
#include "tiles/find.h"

namespace heddle::tiles {

struct TurnName {
  std::string name;
  int line = 0;
  int bits = 32;
};

struct TileVariables {
  /// Every coordinate is an index of the launch, and every axis of it is one.
  bool is_launch() const {
    return std::find(launch_axes.begin(), launch_axes.end(), -1) == launch_axes.end();
  }

  std::vector<kernel::TileVariable> coordinates;  ///< axes are those of the space, then `packed`
  std::vector<int> bits;                          ///< per axis: of the variable's type
  std::vector<std::vector<std::size_t>> packed;   ///< rule 3: axes of the space, slowest first
  std::vector<TurnName> turns;
  std::vector<int> launch_axes;  ///< per axis: that of the launch whose index it is; -1: none
  std::string unnamed;  ///< the expression of a coordinate that is no variable; empty: all are
  int unnamed_line = 0;
};

/// Of a space that was found.
TileVariables variables_of(const Lifted& lifted);

}  // namespace heddle::tiles
