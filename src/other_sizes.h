// Other sizes for a job: what is right for one shape only is found by another.
//
//   rows = 8192, columns = 8192 on grid 256x256     the job's own
//   rows = 16384, columns = 16384 on grid 512x512   grown, so that all divisors are kept
//   rows = 1055, columns = 1119 on grid 33x35       odd numbers of tiles, the last ones ragged
//
// Rules
//   1. Sizes that vary are numbers of the job that its grid depends on.
//   2. Overrides are "NAME=VALUE", as --set has them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/grid.h"

namespace heddle {

/// A number of the job that the grid depends on.
struct VaryingSize {
  std::string name;
  std::int64_t value = 0;
  std::int64_t per_tile = 0;  ///< of it; 0: not known
};

/// The grid with these overrides besides; nothing where the job does not work with them.
using GridWith = std::function<std::optional<Grid>(const std::vector<std::string>&)>;

std::vector<VaryingSize> find_varying(const std::string& job_path,
                                      const std::vector<std::string>& overrides,
                                      const GridWith& grid_with);

/// So many times the tiles along each, as ragged as before.
std::vector<std::string> grown_sizes(const std::vector<VaryingSize>& varying, std::int64_t factor);
/// Odd numbers of tiles along each, the last ones not full.
std::vector<std::string> ragged_sizes(const std::vector<VaryingSize>& varying);

/// What --set says, but for names that have another value now.
std::vector<std::string> with_overrides(const std::vector<std::string>& given,
                                        const std::vector<std::string>& more);

}  // namespace heddle
