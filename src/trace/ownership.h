// Who wrote each piece of memory: one 32-bit word per piece, for as much memory as fits at a time.
//
// Rules
//   1. Memory is cut into regions (tensors, those that overlap joined) and regions into granules,
//      the largest power of two of bytes that no access of the region cuts.
//   2. A claim by the tile that owns the granule is not a conflict; neither is an atomic that commutes
//      with those before it.
//   3. The first claim stays: conflicts are told against it.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::trace {

/// Tiles are under this number; as an owner it stands for several tiles.
inline constexpr std::int64_t kSeveralTiles = (std::int64_t{1} << 30) - 2;

enum class Claim {
  plain,             ///< a store
  commuting_atomic,  ///< the region's one function, result unused
  ordered_atomic,    ///< any other
};

enum class ClaimResult {
  none,
  shared,    ///< by atomics that commute, for the first time
  conflict,  ///< with a store
  ordered,   ///< with an atomic, and their order matters
};

class OwnerTable {
 public:
  /// Forgets everything.
  void resize(std::size_t granules) { words_.assign(granules, 0); }
  std::size_t size() const { return words_.size(); }

  /// `other` is set to the owner where the result is not none.
  ClaimResult claim(std::size_t granule, std::int64_t tile, Claim kind, std::int64_t& other) {
    std::uint32_t& word = words_[granule];
    const auto me = static_cast<std::uint32_t>(tile + 1);
    const std::uint32_t marks = kind == Claim::plain              ? 0
                                : kind == Claim::commuting_atomic ? kAtomic
                                                                  : kAtomic | kOrdered;
    const std::uint32_t owner = word & kOwner;
    if (owner == 0) {
      word = me | marks;
      return ClaimResult::none;
    }
    if (owner == me) {
      // A store outweighs atomics of the same tile: nobody else may touch it either way.
      word = kind == Claim::plain || (word & kAtomic) == 0 ? me : word | marks;
      return ClaimResult::none;
    }
    other = std::int64_t{owner} - 1;
    if (kind == Claim::plain || (word & kAtomic) == 0) return ClaimResult::conflict;
    if (((word | marks) & kOrdered) != 0) return ClaimResult::ordered;
    if (owner == kSeveral) return ClaimResult::none;
    word = kSeveral | kAtomic;
    return ClaimResult::shared;
  }

  /// True if a tile other than this one owns the granule.
  bool is_foreign(std::size_t granule, std::int64_t tile, std::int64_t& other) const {
    const std::uint32_t owner = words_[granule] & kOwner;
    other = std::int64_t{owner} - 1;
    return owner != 0 && owner != static_cast<std::uint32_t>(tile + 1);
  }

 private:
  static constexpr std::uint32_t kAtomic = std::uint32_t{1} << 31;   ///< atomics only
  static constexpr std::uint32_t kOrdered = std::uint32_t{1} << 30;  ///< one of them not commuting
  static constexpr std::uint32_t kOwner = kOrdered - 1;
  static constexpr std::uint32_t kSeveral = kOwner;  ///< kSeveralTiles + 1

  std::vector<std::uint32_t> words_;
};

}  // namespace heddle::trace
