#include "sim/units/line_map.h"

#include <algorithm>
#include <bit>

#include "support/error.h"
#include "support/lists.h"

namespace heddle::sim {
namespace {

int log_of(std::int64_t value) {
  return std::countr_zero(static_cast<std::uint64_t>(value));
}

}  // namespace

LineMap::LineMap(const config::Gpu& gpu, const Pages& pages)
    : frames_(pages.frames()), channels_(static_cast<std::uint32_t>(gpu.l2.channels)) {
  const int line_log = log_of(gpu.l2.shape.line_bytes);
  page_lines_log_ = pages.frame_shift() - line_log;
  page_mask_ = (1U << page_lines_log_) - 1;
  sets_log_ = log_of(gpu.sets_of_channel());
  const std::uint64_t lines = static_cast<std::uint64_t>(pages.bytes()) >> line_log;
  if (lines >= std::uint64_t{1} << 32)
    throw Error("the tensors have more than 2^32 cache lines", "use smaller sizes (--set)");
  linear_ = !gpu.l2.channel_bits.empty() || !gpu.l2.set_bits.empty();
  if (linear_) {
    bits_ = gpu.l2.set_bits;
    append(bits_, gpu.l2.channel_bits);
    index_log_ = static_cast<int>(bits_.size());
    tag_shift_ = std::min(index_log_, page_lines_log_);
    tag_limit_ = (lines >> tag_shift_) + 1;
    make_tables(pages.physical(), line_log);
    return;
  }
  chunk_log_ = log_of(gpu.l2.interleave_bytes) - line_log;
  by_channels_ = Divider(channels_);
  tag_limit_ = ((lines / channels_) >> sets_log_) + 2;
}

void LineMap::make_tables(const std::vector<std::uint32_t>& frames, int line_log) {
  plain_ = index_log_ <= page_lines_log_ &&
           std::ranges::all_of(bits_, [&](const std::vector<int>& group) {
             return group.size() == 1 && group[0] < line_log + index_log_;
           });
  inside_.resize(std::size_t{1} << page_lines_log_);
  for (std::size_t k = 0; k < inside_.size(); ++k) inside_[k] = index_of(k << line_log);
  by_frame_.resize(frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k)
    by_frame_[k] = index_of(std::uint64_t{frames[k]} << (page_lines_log_ + line_log));
  inverse_.resize(std::size_t{1} << index_log_);
  for (std::size_t k = 0; k < inverse_.size(); ++k)
    inverse_[index_of(k << line_log)] = static_cast<std::uint32_t>(k);
}

std::uint32_t LineMap::index_of(std::uint64_t address) const {
  std::uint32_t index = 0;
  for (std::size_t k = 0; k < bits_.size(); ++k) {
    std::uint64_t bit = 0;
    for (const int from : bits_[k]) bit ^= address >> from & 1;
    index |= static_cast<std::uint32_t>(bit) << k;
  }
  return index;
}

std::uint32_t LineMap::physical_from_hash(LinePlace place) const {
  if (linear_) {
    const std::uint32_t high = place.tag << tag_shift_;
    const std::uint32_t frame = high >> page_lines_log_;
    const std::uint32_t part =
        inside_[high & page_mask_] ^ (frame < by_frame_.size() ? by_frame_[frame] : 0);
    return high | inverse_[place.set ^ part];
  }
  const std::uint32_t local = place.tag << sets_log_ | (place.set & ((1U << sets_log_) - 1));
  const std::uint32_t round = local >> chunk_log_;
  std::uint32_t channel = channel_of(place.set) + channels_ - first_of_round(round);
  if (channel >= channels_) channel -= channels_;
  return (round * channels_ + channel) << chunk_log_ | (local & ((1U << chunk_log_) - 1));
}

}  // namespace heddle::sim
