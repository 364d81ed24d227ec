// The memory behind each channel of the L2, with banks that have one row open at a time.
//
//   channel 3   bank 0: row 17   bank 1: row 402 ...     a fetch from row 403 of bank 1: a row miss
//
// Rules
//   1. A channel of the L2 has its share of the memory's read bandwidth to itself, and serves in
//   order.
//   2. A piece of another row than its bank has open costs `miss_cycles` of the channel's time.
//   3. Rows lie one after the other within a channel. A hash spreads them over the banks, so that
//      streams some power of two apart do not meet in one.
//   4. In a sample of sets rows are not followed: pieces that would keep one open are missing.
//
// Does not model: writes, refresh, and that a controller may serve requests out of order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "sim/tile_trace.h"

namespace heddle::sim {

class MemoryRows {
 public:
  MemoryRows() = default;
  /// `stands_for`: of a sample, the requests that each one stands for.
  MemoryRows(const config::Gpu& gpu, std::int64_t stands_for);

  bool exist() const { return !free_.empty(); }

  /// When the memory has sent what is fetched of a line; `line` is its physical number.
  std::int64_t fetch(std::size_t channel, std::uint32_t line, int sectors, std::int64_t time) {
    std::int64_t& free = free_[channel];
    free = std::max(free, time) + sectors * sector_ticks_;
    if (miss_ticks_ == 0) return free;
    const std::uint64_t row =
        static_cast<std::uint64_t>(line) / lines_of_chunks_ * chunk_lines_ / row_lines_;
    std::uint64_t& open = open_[channel * banks_ + bank_of(row)];
    if (open != row + 1) {
      open = row + 1;
      free += miss_ticks_;
      ++misses_;
    }
    return free;
  }

  std::int64_t misses() const { return misses_; }

 private:
  std::size_t bank_of(std::uint64_t row) const {
    return static_cast<std::size_t>((row ^ row >> 5 ^ row >> 10 ^ row >> 15) % banks_);
  }

  std::vector<std::int64_t> free_;   ///< per channel: when it has sent everything
  std::vector<std::uint64_t> open_;  ///< per channel and bank: the open row, plus one
  std::int64_t sector_ticks_ = 0;
  std::int64_t miss_ticks_ = 0;
  std::uint64_t lines_of_chunks_ = 1;  ///< of one chunk in each channel
  std::uint64_t chunk_lines_ = 1;
  std::uint64_t row_lines_ = 1;
  std::uint64_t banks_ = 1;
  std::int64_t misses_ = 0;
};

}  // namespace heddle::sim
