// Other sizes for a job: what is right for one shape only is found by another.
//
//   rows = 8192, columns = 8192 on grid 256x256     the job's own
//   rows = 95, columns = 159                        3 x 5 tiles, the last ones ragged
//   rows = 16384, columns = 16384 on grid 512x512   grown, so that all divisors are kept
//
// Rules
//   1. Sizes that vary are numbers of the job that its grid depends on, also where several make one
//      axis of it: cdiv(M, 64) * cdiv(N, 64). At most eight are looked at.
//   2. How much of a size makes a tile is found from the grid alone: the sizes for which it stays
//      the same, and the first for which it doubles, along one axis or several.
//   3. A size that makes tiles in another way, as the height of an image does, is loose: values of
//      it are tried that give other grids.
//   4. Overrides are "NAME=VALUE", as --set takes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/grid.h"

namespace heddle::config {

/// A number of the job that the grid depends on.
struct VaryingSize {
  std::string name;
  std::int64_t value = 0;
  std::int64_t per_tile = 0;  ///< of it; 0: loose
  bool is_cut = false;        ///< what does not fill a tile has none (M // 64)
  int axis = -1;              ///< of the grid, which it makes longer; -1: several, or not known
};

/// The grid with these overrides besides; nothing where the job does not work with them.
using GridWith = std::function<std::optional<Grid>(const std::vector<std::string>&)>;

std::vector<VaryingSize> find_varying(const std::string& job_path,
                                      const std::vector<std::string>& overrides,
                                      const GridWith& grid_with);

/// Other whole numbers of the job, which the grid does not depend on.
std::vector<std::string> other_numbers(const std::string& job_path,
                                       const std::vector<std::string>& overrides,
                                       const std::vector<VaryingSize>& varying);

/// The shape of a tensor rounds a quotient down (heads // group), and something is left: no launch
/// has such sizes.
bool has_odd_shape(const std::string& job_path, const std::vector<std::string>& overrides);

/// The most tiles along a size in `tile_counts`.
inline constexpr std::int64_t kMostTileCount = 31;

/// Tiles along each of so many sizes, few tiles first: 1, 2, 3, 5, 7, 8, 9, 13, 16 and 17 along
/// one, fewer of these where there are more sizes.
std::vector<std::vector<std::int64_t>> tile_counts(std::size_t sizes);

/// Each count up to 17, and the primes up to kMostTileCount, along one size, so many tiles along
/// the others: a factor, or a case, of the index code that only such a number meets.
std::vector<std::vector<std::int64_t>> counts_along_one(std::size_t sizes, std::int64_t others);

/// Values of loose sizes that give grids of their own, few blocks first, one in each list of
/// overrides, its last; one tile along the tiled sizes.
std::vector<std::vector<std::string>> loose_sizes(const std::vector<VaryingSize>& varying,
                                                  const GridWith& grid_with);

/// Those that are not loose.
std::vector<VaryingSize> tiled_of(std::vector<VaryingSize> varying);

/// The sizes that make so many tiles, the last ones not full where that can be.
std::vector<std::string> sizes_with(const std::vector<VaryingSize>& varying,
                                    const std::vector<std::int64_t>& tiles);

/// So many times the tiles along each, as ragged as before.
std::vector<std::string> grown_sizes(const std::vector<VaryingSize>& varying, std::int64_t factor);
/// Odd numbers of tiles along each, the last ones not full.
std::vector<std::string> ragged_sizes(const std::vector<VaryingSize>& varying);

/// What --set says, but for names that have another value now.
std::vector<std::string> with_overrides(const std::vector<std::string>& given,
                                        const std::vector<std::string>& more);

}  // namespace heddle::config
