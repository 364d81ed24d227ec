// Merges reads of neighbouring compute units on their way to the L2 (NVIDIA's LRC).
//
//   unit 3 reads line 7 at time 10 ─▶ L2, data at 300
//   unit 5 reads line 7 at time 50 ─▶ waits for the same data: the L2 sees nothing
//
// Rules
//   1. A read is merged if every sector it wants is in flight to the same group of units. It is neither a
//      hit nor a miss of the L2, and takes nothing of its bandwidth.
//   2. Remembers one line a place: the last one that was asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cache/line_state.h"

namespace heddle::sim {

class Coalescer {
 public:
  struct Entry {
    std::uint32_t line = ~0U;
    SectorMask sectors = 0;
    std::int64_t ready = 0;

    bool holds(std::uint32_t wanted, SectorMask its_sectors, std::int64_t time) const {
      return line == wanted && time < ready && (its_sectors & ~sectors) == 0;
    }
  };

  Coalescer() : entries_(std::size_t{1} << kPlacesLog) {}
  /// The line is asked for soon.
  void prefetch(std::uint32_t line) const { __builtin_prefetch(&entries_[place_of(line)], 1); }
  Entry& entry(std::uint32_t line) { return entries_[place_of(line)]; }

 private:
  static constexpr int kPlacesLog = 14;
  static std::size_t place_of(std::uint32_t line) {
    return line * 0x9e3779b1U >> (32 - kPlacesLog);
  }
  std::vector<Entry> entries_;
};

}  // namespace heddle::sim
