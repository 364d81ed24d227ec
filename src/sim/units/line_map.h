// Which channel, set and tag of an L2 a line belongs to.
//
//   mi300x   physical bits   20 ... 18 | 17 ... 12 | 11 ... 8 | 7 | 6 ... 0
//                            tag       | set       | channel  | set | byte
//
// Rules
//   1. Lines come in as compact line numbers (pages.h); the map looks up their frame.
//   2. `place.set` counts over all channels of a die: channel * sets of a channel + set.
//   3. (set, tag) names a line: no two lines share both. `physical_at` is the way back.
//   4. Index bits are exclusive ors of address bits, so a table of the bits inside a page and
//      one number per page give the index. Without index bits, chunks go round the channels, and
//      each round starts at another one.
#pragma once

#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "sim/units/divider.h"
#include "sim/units/pages.h"

namespace heddle::sim {

struct LinePlace {
  std::uint32_t set = 0;  ///< over all channels
  std::uint32_t tag = 0;
  std::uint32_t physical = 0;  ///< the line number: frame and place in it
};

class LineMap {
 public:
  LineMap(const config::Gpu& gpu, const Pages& pages);

  LinePlace place(std::uint32_t line) const {
    const std::uint32_t frame = frames_[line >> page_lines_log_];
    const std::uint32_t within = line & page_mask_;
    const std::uint32_t physical = frame << page_lines_log_ | within;
    if (!linear_) return place_by_rounds(physical);
    return {inside_[within] ^ by_frame_[frame], physical >> tag_shift_, physical};
  }
  LinePlace place_of_physical(std::uint32_t line) const {
    if (!linear_) return place_by_rounds(line);
    return {inside_[line & page_mask_] ^ by_frame_[line >> page_lines_log_], line >> tag_shift_,
            line};
  }
  std::uint32_t channel_of(std::uint32_t set) const { return set >> sets_log_; }
  /// The physical line that has this set and tag.
  std::uint32_t physical_at(LinePlace place) const {
    if (plain_) return place.tag << index_log_ | inverse_[place.set];
    return physical_from_hash(place);
  }
  /// Lines this far apart have the same set; 0: there is no such distance within a page.
  std::uint32_t index_period() const { return plain_ ? 1U << index_log_ : 0; }
  /// The largest tag there is, plus one.
  std::uint64_t tag_limit() const { return tag_limit_; }
  std::uint32_t sets() const { return channels_ << sets_log_; }

 private:
  LinePlace place_by_rounds(std::uint32_t line) const {
    const std::uint32_t chunk = line >> chunk_log_;
    const std::uint32_t round = by_channels_.quotient(chunk);
    std::uint32_t channel = chunk - round * channels_ + first_of_round(round);
    if (channel >= channels_) channel -= channels_;
    const std::uint32_t local = round << chunk_log_ | (line & ((1U << chunk_log_) - 1));
    const std::uint32_t set = local & ((1U << sets_log_) - 1);
    return {channel << sets_log_ | set, local >> sets_log_, line};
  }
  /// The channel that a round starts at: rounds are mixed, so that no stride meets one channel
  /// only.
  std::uint32_t first_of_round(std::uint32_t round) const {
    const std::uint32_t mixed = round * 0x9e3779b1U >> 7;
    return mixed - by_channels_.quotient(mixed) * channels_;
  }
  std::uint32_t physical_from_hash(LinePlace place) const;
  std::uint32_t index_of(std::uint64_t address) const;
  void make_tables(const std::vector<std::uint32_t>& frames, int line_log);

  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> inside_;    ///< index part of a line's place in its page
  std::vector<std::uint32_t> by_frame_;  ///< index part of the frame
  std::vector<std::uint32_t> inverse_;   ///< index -> the low bits of the line, upper bits 0
  config::IndexBits bits_;               ///< of the index, lowest first: set, then channel
  Divider by_channels_;
  int page_lines_log_ = 14;
  int index_log_ = 11;  ///< bits of the index
  int tag_shift_ = 11;  ///< bits of a line below its tag: those of the index that lie in a page
  int sets_log_ = 7;    ///< of a channel
  int chunk_log_ = 1;   ///< lines of a chunk
  std::uint32_t page_mask_ = 0;
  std::uint32_t channels_ = 16;
  bool linear_ = true;
  bool plain_ = false;  ///< linear, and the index is of the lowest bits of a page alone
  std::uint64_t tag_limit_ = 0;
};

}  // namespace heddle::sim
