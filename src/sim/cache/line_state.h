// The state of a cached line of up to 128 bytes, one byte: its 32 B sectors, valid and dirty.
//
//   0x0f  all four sectors valid        0x33  the first 64 bytes written, nothing else there
//
// Rules
//   1. A sector that was written is valid and dirty. A line is present exactly if its state is not
//      0.
//
// Does not model: bytes. A sector written in part counts as written.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::sim {

inline constexpr int kSectorBytes = 32;

using LineState = std::uint32_t;   ///< 8 bits
using SectorMask = std::uint32_t;  ///< 4 bits

inline constexpr LineState state_of_read(SectorMask sectors) {
  return sectors;
}
inline constexpr LineState state_of_write(SectorMask sectors) {
  return sectors | sectors << 4;
}
inline constexpr SectorMask valid_sectors(LineState state) {
  return state & 0xfU;
}
inline constexpr SectorMask dirty_sectors(LineState state) {
  return state >> 4;
}
/// Of a mask of 4 bits: digit `mask` of a table in one number.
inline constexpr int count_sectors(SectorMask mask) {
  return static_cast<int>(0x4332'3221'3221'2110U >> 4 * mask & 7);
}

/// What one access to a cache did.
struct CacheOutcome {
  LineState before = 0;          ///< of the line asked for; 0: it was not there
  LineState victim = 0;          ///< of the line that went; 0: none did
  std::uint32_t victim_tag = 0;  ///< where victim is not 0
  std::uint32_t missed = 0;      ///< 1 if the line was not there
};

}  // namespace heddle::sim
