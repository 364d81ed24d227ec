// What every block of a launch shows of its index at one anchor: a table with a row for each time a
// block gets there, and a column for each number. See kernel/index_probe.h.
//
// Rules
//   1. An anchor that shows no numbers has a row per block that gets there.
//   2. Tables are joined where blocks take different branches: rows in the order in which a block
//      gets to them. A number that has no value at one of the anchors is then the variable of the
//      same name there, if both are used to write the same tensor.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernel/index_probe.h"
#include "support/grid.h"

namespace heddle::tiles {

/// A number that was not shown.
inline constexpr std::int64_t kNotShown = std::numeric_limits<std::int64_t>::min();

struct ShownRows {
  std::vector<std::int64_t> block;  ///< per row: the launch id; rows of a block in turn
  std::vector<std::vector<std::int64_t>> number;  ///< per number of the probe, per row; or empty
  std::vector<std::int64_t> address;              ///< per row: where the anchor writes
  std::vector<std::int64_t> moment;               ///< per row: counts those of all anchors

  std::size_t rows() const { return block.size(); }
  std::int64_t at(int column, std::size_t row) const {
    return number[static_cast<std::size_t>(column)][row];
  }
  /// Rows in which the columns differ from the row before of the same block.
  std::vector<std::size_t> turns(const std::vector<int>& columns) const;
};

/// Rows of all blocks together at most; beyond that an Error.
inline constexpr std::int64_t kMostRows = 1 << 20;

/// One table per anchor, of all blocks or the first few. Throws Error where a block cannot be run.
std::vector<ShownRows> show_numbers(const kernel::IndexProbe& probe,
                                    std::int64_t most_blocks = kBlockLimit);

/// Rule 2: per anchor and number the number to look at, or -1.
using StandIns = std::vector<std::vector<int>>;
StandIns stand_ins(const kernel::IndexProbe& probe);

/// One anchor: its own table.
ShownRows joined(const kernel::IndexProbe& probe, const std::vector<ShownRows>& tables,
                 const std::vector<std::size_t>& anchors);

}  // namespace heddle::tiles
