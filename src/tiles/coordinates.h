// Which of a kernel's index numbers are its tile coordinates.
//
//   work takes pid_m * 64 and pid_n * 32; pid_m = first + pid % height; pid is the block
//   coordinates: pid_m, pid_n, with 64 and 32 values
//
// Rules
//   1. From work backwards, the first number on every path that takes all values 0 .. n - 1 is a
//      candidate. Numbers made of loaded data are none, nor are expressions that pack variables
//      again: batch * heads + head. Where other digits of the index are between, as in a blocked
//      walk, group * 4 + row is a candidate, with or without a name.
//   2. Coordinates are the most candidates that together tell all tiles apart and fill a box: no
//      index twice, none left out.
//   3. Numbers farther from work count where those nearer do not fill a box, unless two blocks are
//      the same to work: then they compute one tile, and the kernel is refused.
//   4. Of numbers that are equal in every tile the name nearest to work is taken, of the kernel's
//      own variables if there is one.
//   5. They come in the order in which the anchor's address goes down: rows before columns.
//   6. Of a launch on several axes whose blocks loop, counters that only add to a number of the
//      block are part of the tile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/index_probe.h"
#include "tiles/shown.h"

namespace heddle::tiles {

struct Coordinates {
  std::vector<int> numbers;  ///< of the probe; with holes those that tell tiles apart
  std::vector<std::int64_t> extents;
  std::vector<int> axis_of;       ///< per number of the probe: the coordinate that it equals; -1
  std::vector<std::size_t> rows;  ///< of the table: one per tile
  bool has_holes = false;         ///< refused: tiles tell apart, and leave a part of a box out
  bool is_shared = false;         ///< refused: several turns are on one tile
  std::string refusal;            ///< empty: found
};

Coordinates find_coordinates(const kernel::IndexProbe& probe, const ShownRows& shown);

}  // namespace heddle::tiles
