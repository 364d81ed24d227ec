// Which axis of the tile space a name speaks of, told by the name alone.
//
//   pid_m, num_pid_m, tiles_m, row -> "m"      pid_n, gridN, bn, num_cols -> "n"
//   BLOCK_SIZE_M -> "m"                        first_pid_m -> "first m"      tile -> ""
//
// Rules
//   1. Words that say only what is counted (pid, tile, block, num, ...) are dropped; "" is left
//      where a name has no other.
//   2. Rows are m and columns are n, as in a matrix product; other words stand for themselves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::order {

std::string axis_of(std::string_view name);

/// Whether a name says that it counts tiles: num_pid_m, tiles_n, grid_m; not M, BLOCK_M, GROUP.
bool is_count_name(std::string_view name);

/// Sorts by axis: batch, then m, then n. Left alone if a name has none of these axes.
void sort_rows_first(std::vector<std::string>& names);

}  // namespace heddle::order
