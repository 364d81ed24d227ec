// An order's code made to fit into a kernel that has names of its own.
//
//   kernel_code(xcd(8), {.language = "tl", .taken = {"pid", "quotient"}})
//     lines    # xcd(8): proved a permutation for every grid under 2^31 blocks
//              p0 = tl.program_id(0)
//              g0 = tl.num_programs(0)
//              quotient2 = p0 // 8
//              die = p0 - quotient2 * 8
//              quotient3 = g0 // 8
//     results  die * quotient3 + min(die, g0 - quotient3 * 8) + quotient2
//     names    tile
//
// Rules
//   1. There is one result per axis of the launch grid: a linear tile id is taken apart.
//   2. No name of the lines, nor of `names`, is one of `taken`.
//   3. Lines end in '\n' and are indented by 4 blanks per level, from 0.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "emit/print.h"
#include "proof/proven_order.h"

namespace heddle::emit {

struct KernelContext {
  Dialect dialect = Dialect::triton;
  std::string language = "tl";       ///< how a Triton kernel calls triton.language
  bool own_minimum = false;          ///< min or max mean something else there
  std::set<std::string> taken;       ///< every name of the kernel and its file
  std::vector<std::string> remarks;  ///< comments below the order's own
  std::size_t columns = 100;         ///< left for the lines' comments

  /// The name, with underscores behind it until it is free; it is taken then.
  std::string free(std::string name) {
    while (!taken.insert(name).second) name += '_';
    return name;
  }
};

/// What an order of the kernel's own tiles is computed from, in the kernel's words.
struct TileTexts {
  std::string turn;                  ///< p0
  std::vector<std::string> extents;  ///< of the orders' box, t0 first
};

/// The free names of the order: the kernel must have them.
std::vector<std::string> free_names(const proof::ProvenOrder& proven);

/// Throws Error for an order whose tile space is not the launch grid, or with idle blocks.
PrintedParts kernel_code(const proof::ProvenOrder& proven, const KernelContext& context);

/// One result per axis of the orders' box. A text that is a name is used as it is; others get names
/// of their own, which are taken from then on. Throws Error for an order with idle blocks.
PrintedParts tile_code(const proof::ProvenOrder& proven, KernelContext& context,
                       const TileTexts& texts);

}  // namespace heddle::emit
