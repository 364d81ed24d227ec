// A cache of any number of sets and up to 64 ways, with one replacement policy of several.
//
//   SetAssociative<Lru> cache(4, 64, seed);
//   cache.access(set, tag, state_of_read(0xf)).missed
//
// Rules
//   1. A line that is not there takes the lowest free way; where there is none, the policy says
//      which line goes.
//   2. Tags are whole. A set finds its lines by a small hash table of chains: no search over ways,
//      and nothing that one access writes is read by the next in another width.
//   3. Lines whose tag has the bit kCopy are copies: they go before any other line does. `offer`
//      brings in a copy only where it takes a free way or another copy's.
//   4. A policy has a State for each set, made from (ways, a seed of the set), with touch(way),
//      called at every access, and victim(), asked only when the set is full. cool(way) makes a line
//      the next to go; policies without ages have none.
//   5. kRoom is 16 or 64: the ways that a set has memory for.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cache/line_state.h"

namespace heddle::sim {

inline constexpr std::size_t kMostWays = 64;
inline constexpr std::uint32_t kCopy = 1U << 31;

template <class Policy, std::size_t kRoom = kMostWays>
class SetAssociative {
 public:
  SetAssociative(std::int64_t sets, int ways, std::uint64_t seed = 0)
      : ways_(static_cast<std::uint32_t>(ways)) {
    sets_.reserve(static_cast<std::size_t>(sets));
    for (std::int64_t k = 0; k < sets; ++k)
      sets_.emplace_back(ways, seed + static_cast<std::uint64_t>(k));
  }

  /// Finds or brings in a line, adds the bits to its state and tells the policy.
  CacheOutcome access(std::uint32_t set, std::uint32_t tag, LineState bits) {
    Set& s = sets_[set];
    CacheOutcome outcome;
    std::uint32_t way = find(s, tag);
    if (way != kNowhere) {
      outcome.before = s.states[way];
      s.states[way] = static_cast<std::uint8_t>(outcome.before | bits);
      s.policy.touch(way);
      return outcome;
    }
    outcome.missed = 1;
    if (s.filled < ways_) {
      way = s.filled++;
    } else {
      way = s.copies > 0 ? find_copy(s) : s.policy.victim();
      outcome.victim = s.states[way];
      outcome.victim_tag = s.tags[way];
      unlink(s, way);
    }
    put(s, way, tag, bits);
    return outcome;
  }

  /// The same, but a line that was not there comes in as the oldest one: it stays if it is used.
  CacheOutcome access_on_probation(std::uint32_t set, std::uint32_t tag, LineState bits) {
    const CacheOutcome outcome = access(set, tag, bits);
    Set& s = sets_[set];
    if constexpr (requires { s.policy.cool(0U); })
      if (outcome.missed != 0) s.policy.cool(find(s, tag));
    return outcome;
  }

  /// Brings in a copy where no other line has to go for it.
  void offer(std::uint32_t set, std::uint32_t tag, LineState bits) {
    Set& s = sets_[set];
    if (find(s, tag) != kNowhere) return update(set, tag, bits);
    if (s.filled < ways_)
      put(s, s.filled++, tag, bits);
    else if (s.copies > 0)
      replace(s, find_copy(s), tag, bits);
  }

  /// Adds bits to a line that is there; nothing happens otherwise. Not an access for the policy.
  void update(std::uint32_t set, std::uint32_t tag, LineState bits) {
    const std::uint32_t way = find(sets_[set], tag);
    if (way != kNowhere)
      sets_[set].states[way] = static_cast<std::uint8_t>(sets_[set].states[way] | bits);
  }

  LineState peek(std::uint32_t set, std::uint32_t tag) const {
    const std::uint32_t way = find(sets_[set], tag);
    return way == kNowhere ? 0 : LineState{sets_[set].states[way]};
  }

  /// Calls visit(tag, state) for every line of a set.
  template <class Visit>
  void for_each(std::uint32_t set, Visit visit) const {
    const Set& s = sets_[set];
    for (std::uint32_t way = 0; way < s.filled; ++way) visit(s.tags[way], LineState{s.states[way]});
  }

  /// What every access to this line looks at first.
  void prefetch(std::uint32_t set, std::uint32_t tag) const {
    const Set& s = sets_[set];
    __builtin_prefetch(&s.chains[chain_of(tag)], 1);
    if constexpr (kRoom <= 16) return;
    __builtin_prefetch(&s.states, 1);
    __builtin_prefetch(&s.policy, 1);
  }
  std::int64_t sets() const { return static_cast<std::int64_t>(sets_.size()); }

 private:
  static constexpr std::uint32_t kNowhere = 0xffff'ffff;
  static constexpr std::uint8_t kEnd = 0xff;
  static constexpr std::size_t kChains = 4 * kRoom;

  struct alignas(64) Set {
    Set(int ways, std::uint64_t seed) : policy(ways, seed) { chains.fill(kEnd); }

    std::array<std::uint8_t, kChains> chains;  ///< the first way of each
    std::array<std::uint8_t, kRoom> next{};    ///< the way after this one in its chain
    std::array<std::uint8_t, kRoom> states{};
    std::array<std::uint32_t, kRoom> tags{};
    typename Policy::template State<kRoom> policy;
    std::uint8_t filled = 0;  ///< ways in use
    std::uint8_t copies = 0;
  };

  static std::size_t chain_of(std::uint32_t tag) {
    constexpr int kShift = 32 - std::countr_zero(kChains);
    return tag * 0x9e3779b1U >> kShift;
  }

  static std::uint32_t find(const Set& s, std::uint32_t tag) {
    std::uint8_t way = s.chains[chain_of(tag)];
    while (way != kEnd && s.tags[way] != tag) way = s.next[way];
    return way == kEnd ? kNowhere : way;
  }

  void put(Set& s, std::uint32_t way, std::uint32_t tag, LineState bits) {
    std::uint8_t& first = s.chains[chain_of(tag)];
    s.next[way] = first;
    first = static_cast<std::uint8_t>(way);
    s.tags[way] = tag;
    s.states[way] = static_cast<std::uint8_t>(bits);
    s.copies = static_cast<std::uint8_t>(s.copies + (tag >> 31));
    s.policy.touch(way);
  }

  /// Takes a line out of its chain.
  static void unlink(Set& s, std::uint32_t way) {
    std::uint8_t* at = &s.chains[chain_of(s.tags[way])];
    while (*at != way) at = &s.next[*at];
    *at = s.next[way];
    s.copies = static_cast<std::uint8_t>(s.copies - (s.tags[way] >> 31));
  }

  void replace(Set& s, std::uint32_t way, std::uint32_t tag, LineState bits) {
    unlink(s, way);
    put(s, way, tag, bits);
  }

  static std::uint32_t find_copy(const Set& s) {
    std::uint32_t way = 0;
    while ((s.tags[way] & kCopy) == 0) ++way;
    return way;
  }

  std::uint32_t ways_;
  std::vector<Set> sets_;
};

}  // namespace heddle::sim
