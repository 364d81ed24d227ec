// Gives a syntax tree its meaning: types, rounding, inlined helpers, results.
//
// Rules
//   1. Triton: arithmetic among constexprs is Python's (floor division, wide integers); once an
//      operand derives from a program id, a grid extent or a run-time argument it is C's. An
//      assigned name is a run-time value (`x: tl.constexpr = ...` excepted), and so is what a
//      helper returns (@triton.constexpr_function excepted), as in Triton 3.6.
//   2. Free names are run-time arguments unless LowerOptions says constexpr.
//   3. Results: the names given; else the names assigned from program ids and later reassigned
//      (also one that numbers the blocks, as p1 * g0 + p0 does, if it is assigned last); else the
//      names that no other name reads (flow.h). Names that are read by what follows are
//      intermediate values, and so are reassigned program ids. A text for one axis that ends in
//      several such names yields all of them: tile_reading.h finds the tile space they need. The
//      program's notes say which were taken and why.
//   4. A text that only defines functions is the last function: its parameters that are not bound
//      otherwise are the launch id(s), its return value the tile.
//
// Does not read: recursion, return inside loops, more than one level of tuples.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "order/program.h"
#include "order/syntax.h"

namespace heddle::order {

struct LowerOptions {
  int launch_axes = 1;               ///< of the launch grid
  int tile_axes = 1;                 ///< of the tile space
  bool rows_first = false;           ///< the tile space is --tiles: batch, row, column
  std::vector<std::string> results;  ///< --result; empty: find them
  std::string results_note;          ///< why these were taken, where they were not given
  std::set<std::string> bound;       ///< names that --let binds
  std::set<std::string> constexprs;  ///< bound names that are constexprs
  std::set<std::string> wide;        ///< bound names whose value needs 64 bits
};

Program lower(const Module& module, const LowerOptions& options);

}  // namespace heddle::order
