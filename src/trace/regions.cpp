#include "trace/regions.h"

#include <algorithm>
#include <numeric>

namespace heddle::trace {

RegionMap::RegionMap(const config::Launch& launch)
    : launch_(launch), of_tensor_(launch.tensors.size()) {
  std::vector<std::size_t> sorted(launch.tensors.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
    return launch.tensors[a].address < launch.tensors[b].address;
  });
  for (const std::size_t index : sorted) {
    const config::Tensor& tensor = launch.tensors[index];
    if (tensor.bytes <= 0) continue;
    const std::uint64_t end = tensor.address + static_cast<std::uint64_t>(tensor.bytes);
    if (regions_.empty() || tensor.address >= regions_.back().end)
      regions_.push_back({tensor.address, end, {}});
    regions_.back().end = std::max(regions_.back().end, end);
    regions_.back().tensors.push_back(index);
    of_tensor_[index] = regions_.size() - 1;
  }
}

std::optional<std::size_t> RegionMap::of_address(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(regions_, address, {}, &Region::begin);
  if (after == regions_.begin() || address >= std::prev(after)->end) return std::nullopt;
  return static_cast<std::size_t>(std::prev(after) - regions_.begin());
}

std::optional<std::size_t> RegionMap::tensor_at(std::uint64_t address) const {
  const auto region = of_address(address);
  if (!region) return std::nullopt;
  for (const std::size_t index : regions_[*region].tensors) {
    const config::Tensor& tensor = launch_.tensors[index];
    if (address - tensor.address < static_cast<std::uint64_t>(tensor.bytes)) return index;
  }
  return std::nullopt;
}

}  // namespace heddle::trace
