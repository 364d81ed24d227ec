// Why requests miss: which lines were never asked for before, and what a cache without sets would
// do.
//
// Rules
//   1. FirstTouches remembers every line (or sector) of the tensors in one bit.
//   2. Shadow is a fully associative LRU cache of the L2's size that sees the same requests, and
//      keeps the same sectors. A miss that it would have had is a conflict.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/cache/line_state.h"

namespace heddle::sim {

class FirstTouches {
 public:
  FirstTouches(std::int64_t bytes, bool by_sector)
      : by_sector_(by_sector),
        bits_(static_cast<std::size_t>(bytes / (by_sector ? 32 : 128) / 64 + 1)) {}

  /// How many of these were not touched before: of 32 B sectors, or 1 for a line.
  int touch(std::uint32_t line, SectorMask sectors) {
    const std::uint64_t mask = by_sector_ ? static_cast<std::uint64_t>(sectors) << (line % 16 * 4)
                                          : std::uint64_t{1} << line % 64;
    std::uint64_t& word = bits_[by_sector_ ? line / 16 : line / 64];
    const int fresh = by_sector_ ? std::popcount(mask & ~word) : (mask & ~word) != 0 ? 1 : 0;
    word |= mask;
    count_ += fresh;
    return fresh;
  }

  void prefetch(std::uint32_t line) const {
    __builtin_prefetch(&bits_[by_sector_ ? line / 16 : line / 64], 1);
  }
  std::int64_t count() const { return count_; }
  std::int64_t bytes() const { return count_ * (by_sector_ ? 32 : 128); }

 private:
  bool by_sector_;
  std::vector<std::uint64_t> bits_;
  std::int64_t count_ = 0;
};

class Shadow {
 public:
  explicit Shadow(std::int64_t lines);

  /// The sectors of the line that it had, 0 if it had none; it has `brought` as well now.
  SectorMask access(std::uint32_t line, SectorMask brought);

 private:
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Entry {
    std::uint32_t line = kNone;
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
    std::uint32_t next = kNone;  ///< of its chain
    SectorMask sectors = 0;
  };
  std::uint32_t& chain_of(std::uint32_t line) { return chains_[line * 0x9e3779b1U >> shift_]; }
  void leave_chain(std::uint32_t at);
  void unlink(std::uint32_t at);
  void make_newest(std::uint32_t at);

  std::vector<Entry> entries_;
  int shift_;                          ///< of a hash
  std::vector<std::uint32_t> chains_;  ///< by the hash of a line: the first entry
  std::uint32_t used_ = 0;
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
};

}  // namespace heddle::sim
