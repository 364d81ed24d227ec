// A cache of any number of sets and up to 64 ways, with one replacement policy of three.
//
//   SetAssociative<Lru> cache(4, 64, seed);
//   cache.access(set, tag, state_of_read(0xf)).missed
//
// Rules
//   1. A line that is not there takes the lowest free way; where there is none, the policy says
//      which line goes.
//   2. Tags are whole. Sixteen bits of them are compared in vector registers first; that only saves
//      time.
//   3. Lines whose tag has the bit kCopy are copies: they go before any other line does. `offer`
//      brings in a copy only where it takes a free way or another copy's.
//   4. A policy has a State for each set, made from (ways, a seed of the set), with touch(way),
//      called at every access, and victim(), asked only when the set is full.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/cache/line_state.h"

namespace heddle::sim {

inline constexpr int kMostWays = 64;
inline constexpr std::uint32_t kCopy = 1U << 31;

template <class Policy>
class SetAssociative {
 public:
  SetAssociative(std::int64_t sets, int ways, std::uint64_t seed = 0)
      : ways_(static_cast<std::uint32_t>(ways)),
        padded_((ways_ + 7) / 8 * 8),
        short_tags_(static_cast<std::size_t>(sets) * padded_, kNone),
        tags_(static_cast<std::size_t>(sets) * padded_),
        states_(static_cast<std::size_t>(sets) * padded_) {
    policies_.reserve(static_cast<std::size_t>(sets));
    for (std::int64_t k = 0; k < sets; ++k)
      policies_.emplace_back(ways, seed + static_cast<std::uint64_t>(k));
    filled_.resize(static_cast<std::size_t>(sets));
    copies_.resize(static_cast<std::size_t>(sets));
  }

  /// Finds or brings in a line, adds the bits to its state and tells the policy.
  CacheOutcome access(std::uint32_t set, std::uint32_t tag, LineState bits) {
    const std::size_t first = std::size_t{set} * padded_;
    CacheOutcome outcome;
    std::uint32_t way = find(first, tag);
    if (way != kNowhere) {
      outcome.before = states_[first + way];
      states_[first + way] = static_cast<std::uint8_t>(outcome.before | bits);
      policies_[set].touch(way);
      return outcome;
    }
    outcome.missed = 1;
    if (filled_[set] < ways_) {
      way = filled_[set]++;
    } else {
      way = copies_[set] > 0 ? find_copy(first) : policies_[set].victim();
      outcome.victim = states_[first + way];
      outcome.victim_tag = tags_[first + way];
    }
    put(set, way, tag, bits);
    return outcome;
  }

  /// Brings in a copy where no other line has to go for it.
  void offer(std::uint32_t set, std::uint32_t tag, LineState bits) {
    const std::size_t first = std::size_t{set} * padded_;
    if (find(first, tag) != kNowhere) return update(set, tag, bits);
    if (filled_[set] < ways_)
      put(set, filled_[set]++, tag, bits);
    else if (copies_[set] > 0)
      put(set, find_copy(first), tag, bits);
  }

  /// Adds bits to a line that is there; nothing happens otherwise. Not an access for the policy.
  void update(std::uint32_t set, std::uint32_t tag, LineState bits) {
    const std::size_t first = std::size_t{set} * padded_;
    const std::uint32_t way = find(first, tag);
    if (way != kNowhere) states_[first + way] |= static_cast<std::uint8_t>(bits);
  }

  LineState peek(std::uint32_t set, std::uint32_t tag) const {
    const std::size_t first = std::size_t{set} * padded_;
    const std::uint32_t way = find(first, tag);
    return way == kNowhere ? 0 : LineState{states_[first + way]};
  }

  /// Calls visit(tag, state) for every line of a set.
  template <class Visit>
  void for_each(std::uint32_t set, Visit visit) const {
    const std::size_t first = std::size_t{set} * padded_;
    for (std::uint32_t way = 0; way < filled_[set]; ++way)
      visit(tags_[first + way], LineState{states_[first + way]});
  }

  std::int64_t sets() const { return static_cast<std::int64_t>(filled_.size()); }

 private:
  using Words = std::uint16_t __attribute__((vector_size(16)));
  static constexpr std::uint16_t kNone = 0xffff;
  static constexpr std::uint32_t kNowhere = 0xffff'ffff;

  void put(std::uint32_t set, std::uint32_t way, std::uint32_t tag, LineState bits) {
    const std::size_t at = std::size_t{set} * padded_ + way;
    if (states_[at] != 0 && (tags_[at] & kCopy) != 0) --copies_[set];
    if ((tag & kCopy) != 0) ++copies_[set];
    short_tags_[at] = static_cast<std::uint16_t>(tag);
    tags_[at] = tag;
    states_[at] = static_cast<std::uint8_t>(bits);
    policies_[set].touch(way);
  }

  std::uint32_t find_copy(std::size_t first) const {
    std::uint32_t way = 0;
    while ((tags_[first + way] & kCopy) == 0) ++way;
    return way;
  }

  /// Compares eight short tags at a time. Where exactly one matches, the sum of matching positions
  /// is that position; a wrong or doubtful answer shows in the whole tag.
  std::uint32_t find(std::size_t first, std::uint32_t tag) const {
    const Words wanted = Words{} + static_cast<std::uint16_t>(tag);
    Words positions = {1, 2, 3, 4, 5, 6, 7, 8};
    Words found{};
    for (std::uint32_t k = 0; k < padded_; k += 8) {
      Words tags;
      std::memcpy(&tags, &short_tags_[first + k], sizeof tags);
      found |= reinterpret_cast<Words>(tags == wanted) & positions;
      positions += 8;
    }
    std::uint64_t halves[2];
    std::memcpy(halves, &found, sizeof halves);
    std::uint64_t folded = halves[0] | halves[1];
    if (folded == 0) return kNowhere;
    folded |= folded >> 32;
    folded |= folded >> 16;
    const auto way = static_cast<std::uint32_t>((folded & 0xffff) - 1);
    if (way < ways_ && tags_[first + way] == tag && states_[first + way] != 0) return way;
    return find_slowly(first, tag);
  }

  std::uint32_t find_slowly(std::size_t first, std::uint32_t tag) const {
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (states_[first + way] != 0 && tags_[first + way] == tag) return way;
    return kNowhere;
  }

  std::uint32_t ways_;
  std::uint32_t padded_;  ///< ways, rounded up to whole vectors
  std::vector<std::uint16_t> short_tags_;
  std::vector<std::uint32_t> tags_;
  std::vector<std::uint8_t> states_;
  std::vector<std::uint8_t> filled_;  ///< ways in use, per set
  std::vector<std::uint8_t> copies_;  ///< per set
  std::vector<typename Policy::State> policies_;
};

}  // namespace heddle::sim
