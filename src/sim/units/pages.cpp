#include "sim/units/pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "support/error.h"

namespace heddle::sim {
namespace {

/// The next of a sequence of well-mixed numbers (SplitMix64).
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

Pages::Pages(const config::Launch& launch, const config::Gpu& gpu)
    : frame_shift_(std::countr_zero(static_cast<std::uint64_t>(gpu.pages.frame_bytes))) {
  std::vector<Region> regions;
  for (const config::Tensor& tensor : launch.tensors) {
    if (tensor.bytes <= 0) continue;
    const std::uint64_t last = tensor.address + static_cast<std::uint64_t>(tensor.bytes) - 1;
    regions.push_back({tensor.address >> frame_shift_, last >> frame_shift_, 0});
  }
  std::ranges::sort(regions, {}, &Region::first_page);
  for (const Region& region : regions) {
    if (!regions_.empty() && region.first_page <= regions_.back().last_page + 1)
      regions_.back().last_page = std::max(regions_.back().last_page, region.last_page);
    else
      regions_.push_back(region);
  }
  std::uint64_t pages = 0;
  for (Region& region : regions_) {
    region.shift = static_cast<std::int64_t>((pages - region.first_page) << frame_shift_);
    pages += region.last_page - region.first_page + 1;
  }
  if (static_cast<std::int64_t>(pages << frame_shift_) > gpu.memory.bytes)
    throw Error(fmt::format("the tensors need {} MiB and {} has {} MiB of memory",
                            (pages << frame_shift_) >> 20, gpu.name, gpu.memory.bytes >> 20),
                "use smaller sizes (--set) or another GPU");
  for (const config::Tensor& tensor : launch.tensors)
    shifts_.push_back(tensor.bytes <= 0
                          ? 0
                          : static_cast<std::int64_t>(compact(tensor.address) - tensor.address));
  place(gpu.pages, pages);
}

Pages::Pages(std::int64_t bytes, const config::GpuPages& pages)
    : frame_shift_(std::countr_zero(static_cast<std::uint64_t>(pages.frame_bytes))) {
  const auto count =
      static_cast<std::uint64_t>((bytes + pages.frame_bytes - 1) / pages.frame_bytes);
  regions_.push_back({0, count - 1, 0});
  shifts_.push_back(0);
  place(pages, count);
}

void Pages::place(const config::GpuPages& pages, std::size_t count) {
  frames_.resize(count);
  std::iota(frames_.begin(), frames_.end(), 0U);
  physical_ = frames_;
  if (pages.placement == config::Placement::contiguous) return;
  std::uint64_t state = pages.seed;
  for (std::size_t k = count; k > 1; --k)
    std::swap(frames_[k - 1], frames_[static_cast<std::size_t>(next_random(state) % k)]);
  for (std::uint32_t& number : physical_)
    number = static_cast<std::uint32_t>(next_random(state) >> 40);
}

std::uint64_t Pages::compact(std::uint64_t address) const {
  const std::uint64_t page = address >> frame_shift_;
  const auto after = std::ranges::upper_bound(regions_, page, {}, &Region::first_page);
  if (after == regions_.begin() || std::prev(after)->last_page < page)
    throw Error(fmt::format("address {:#x} lies in no tensor", address),
                "see what the kernel touches with heddle trace");
  return address + static_cast<std::uint64_t>(std::prev(after)->shift);
}

}  // namespace heddle::sim
