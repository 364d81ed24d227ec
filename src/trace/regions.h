// The memory of a launch as regions: tensors, those that overlap joined into one.
//
//   x at 4096, 1024 B; y at 4608, 1024 B; z at 65536, 64 B   ->   [4096, 5632), [65536, 65600)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/launch.h"

namespace heddle::trace {

struct Region {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<std::size_t> tensors;  ///< indices into Launch::tensors
};

class RegionMap {
 public:
  explicit RegionMap(const config::Launch& launch);

  const std::vector<Region>& regions() const { return regions_; }
  /// Where a tensor lies; nothing for one without bytes.
  std::optional<std::size_t> of_tensor(std::size_t tensor) const { return of_tensor_[tensor]; }
  /// Which region holds the address.
  std::optional<std::size_t> of_address(std::uint64_t address) const;
  /// The tensor that holds the address (the first of several).
  std::optional<std::size_t> tensor_at(std::uint64_t address) const;

 private:
  const config::Launch& launch_;
  std::vector<Region> regions_;  ///< by address
  std::vector<std::optional<std::size_t>> of_tensor_;
};

}  // namespace heddle::trace
