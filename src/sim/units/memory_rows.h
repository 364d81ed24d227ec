// The memory behind each channel of the L2, with banks that have one row open at a time.
//
//   channel 3   bank 0: row 17   bank 1: row 402 ...     a fetch from row 403 of bank 1: a row miss
//
// Rules
//   1. A channel of the L2 has its share of the memory's read bandwidth to itself, and serves in
//      order.
//   2. Chunks of the interleave go round the channels, then round the banks. All that follows is a
//      row: a row is a chunk.
//   3. A bank can open another row `miss_cycles` after the last. Data of other banks need not wait
//      for it.
//   4. In a sample of sets banks are not followed: pieces that would fill them are missing.
//
// Does not model: writes, refresh, rows that are longer than a chunk.
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
    const std::uint64_t chunk = line / lines_of_chunks_;
    Bank& bank = open_[channel * banks_ + chunk % banks_];
    const std::uint64_t row = chunk / banks_ + 1;
    if (bank.row == row) return std::max(free, bank.ready);
    bank.row = row;
    bank.ready = std::max(time, bank.free) + sectors * sector_ticks_;
    bank.free = std::max(time, bank.free) + miss_ticks_;
    ++misses_;
    return std::max(free, bank.ready);
  }

  std::int64_t misses() const { return misses_; }

 private:
  struct Bank {
    std::uint64_t row = 0;  ///< that is open, from 1; 0: none
    std::int64_t ready = 0;
    std::int64_t free = 0;  ///< when another row can be opened
  };

  std::vector<std::int64_t> free_;  ///< per channel: when it has sent everything
  std::vector<Bank> open_;          ///< per channel and bank
  std::int64_t sector_ticks_ = 0;
  std::int64_t miss_ticks_ = 0;
  std::uint64_t lines_of_chunks_ = 1;  ///< of one chunk in each channel
  std::uint64_t banks_ = 1;
  std::int64_t misses_ = 0;
};

}  // namespace heddle::sim
