// Sixteen ways of 16-bit tags with true LRU replacement, a set in three vector registers.
//
//   position   0    1    2   ...  15        0 is the most recent
//   tags      7a   03   11        42        read 11: found at 2; positions 0 and 1 move right by
//   tags      11   7a   03        42        one, 11 becomes the most recent
//
// Rules
//   1. A line's position is its recency, so there is nothing else to keep. A miss moves everything
//      and hands out what stood at position 15.
//   2. No branch depends on hit or miss: random streams cost what streaming ones do.
//   3. Exact: tags are whole, not hashed, and must be below kTagLimit. A 4 MiB cache of 128 B lines
//      reaches 16 GiB with them.
//
// Does not model: other numbers of ways (SetAssociative does).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "sim/cache/line_state.h"

namespace heddle::sim {

/// Row p, 16 bytes: all ones in positions 0 to p, which a line found at p moves.
constexpr std::array<std::uint8_t, 17 * 16> moving_rows() {
  std::array<std::uint8_t, 17 * 16> rows{};
  for (std::size_t p = 0; p <= 16; ++p)
    for (std::size_t k = 0; k < 16; ++k) rows[16 * p + k] = k <= p ? 0xff : 0;
  return rows;
}

class VectorLru {
 public:
  static constexpr int kWays = 16;
  static constexpr std::uint32_t kTagLimit = 0xffff;  ///< stands for "no line"

  explicit VectorLru(std::int64_t sets) : sets_(static_cast<std::size_t>(sets)) {}

  /// Finds or brings in a line, adds the bits to its state and makes it the most recent.
  CacheOutcome access(std::uint32_t set, std::uint32_t tag, LineState bits) {
    std::uint8_t* const planes = sets_[set].planes;
    Bytes low = load(planes);
    Bytes high = load(planes + 16);
    Bytes states = load(planes + 32);
    const Bytes wanted_low = Bytes{} + static_cast<std::uint8_t>(tag);
    const Bytes wanted_high = Bytes{} + static_cast<std::uint8_t>(tag >> 8);
    const std::uint64_t found = position_times_4(reinterpret_cast<Bytes>(low == wanted_low) &
                                                 reinterpret_cast<Bytes>(high == wanted_high));
    const std::uint64_t missed = found >> 6;
    const std::uint32_t at = planes[32 + ((found >> 2) - missed)];

    CacheOutcome outcome;
    outcome.missed = static_cast<std::uint32_t>(missed);
    outcome.before = at & (outcome.missed - 1);
    outcome.victim = at ^ outcome.before;
    outcome.victim_tag = planes[15] | std::uint32_t{planes[31]} << 8;

    alignas(16) static constexpr std::array<std::uint8_t, 17 * 16> kMoving = moving_rows();
    const Bytes moving = load(kMoving.data() + (found << 2));
    const Bytes state = Bytes{} + static_cast<std::uint8_t>(outcome.before | bits);
    low = (pushed(wanted_low, low) & moving) | (low & ~moving);
    high = (pushed(wanted_high, high) & moving) | (high & ~moving);
    states = (pushed(state, states) & moving) | (states & ~moving);
    store(planes, low);
    store(planes + 16, high);
    store(planes + 32, states);
    return outcome;
  }

  /// The state of a line, without touching it; 0: it is not there.
  LineState peek(std::uint32_t set, std::uint32_t tag) const {
    LineState state = 0;
    for_each(set, [&](std::uint32_t other, LineState its) { state |= other == tag ? its : 0; });
    return state;
  }

  /// Calls visit(tag, state) for every line of a set, the most recent first.
  template <class Visit>
  void for_each(std::uint32_t set, Visit visit) const {
    const std::uint8_t* const planes = sets_[set].planes;
    for (int k = 0; k < kWays; ++k)
      if (planes[32 + k] != 0)
        visit(planes[k] | std::uint32_t{planes[16 + k]} << 8, LineState{planes[32 + k]});
  }

  void prefetch(std::uint32_t set) const { __builtin_prefetch(&sets_[set], 1); }
  std::int64_t sets() const { return static_cast<std::int64_t>(sets_.size()); }

 private:
  using Bytes = std::uint8_t __attribute__((vector_size(16)));

  // A set of 48 bytes keeps sets that are powers of two apart from meeting in the same few lines of
  // an arm64 machine's small caches; x86-64 machines do better where no set lies on two lines.
#if defined(__x86_64__)
  static constexpr std::size_t kSetAlignment = 64;
#else
  static constexpr std::size_t kSetAlignment = 16;
#endif

  /// Low bytes of the tags, high bytes of the tags, states.
  struct alignas(kSetAlignment) Set {
    Set() {
      std::memset(planes, 0xff, 32);
      std::memset(planes + 32, 0, 16);
    }
    std::uint8_t planes[48];
  };

  static Bytes load(const std::uint8_t* from) {
    Bytes bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  }
  static void store(std::uint8_t* to, Bytes bytes) {
    std::memcpy(to, &bytes, sizeof bytes);
  }

  /// Everything one position to the right, the new one at position 0.
  static Bytes pushed(Bytes first, Bytes rest) {
    return __builtin_shufflevector(first, rest, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                                   28, 29, 30);
  }

  /// Four times the first position whose byte is set; 64 if none is.
  static std::uint64_t position_times_4(Bytes matches) {
#if defined(__aarch64__)
    const uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(matches), 4);
    return static_cast<std::uint64_t>(
        std::countr_zero(vget_lane_u64(vreinterpret_u64_u8(nibbles), 0)));
#elif defined(__SSE2__)
    const auto bits =
        static_cast<unsigned>(_mm_movemask_epi8(reinterpret_cast<__m128i>(matches))) | 0x10000U;
    return 4 * static_cast<std::uint64_t>(std::countr_zero(bits));
#else
    for (std::uint64_t k = 0; k < 16; ++k)
      if (matches[k] != 0) return 4 * k;
    return 64;
#endif
  }

  std::vector<Set> sets_;
};

}  // namespace heddle::sim
