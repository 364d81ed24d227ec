// Least recently used: a log of the ways in the order of their use.
//
//   log   3 0 1 3 2        the last entry of way 3 is the fourth; the first one no longer counts
//         └ tail           the oldest entry that counts is way 0: the next victim
//
// Rules
//   1. Every use adds an entry; an entry counts if it is its way's last. The victim is the way of
//      the oldest entry that counts.
//   2. When the log is full, entries that do not count are dropped. It has room for twice the ways,
//      so that this happens at most once in so many uses as there are ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::sim {

struct Lru {
  template <std::size_t kRoom>
  class State {
   public:
    State(int, std::uint64_t) {}

    void touch(std::uint32_t way) {
      if (static_cast<std::uint16_t>(head_ - tail_) == kLog) compact();
      log_[head_ % kLog] = static_cast<std::uint8_t>(way);
      last_[way] = head_++;
    }

    /// The next victim: its last entry is the first of the log.
    void cool(std::uint32_t way) {
      if (static_cast<std::uint16_t>(head_ - tail_) == kLog) compact();
      log_[--tail_ % kLog] = static_cast<std::uint8_t>(way);
      last_[way] = tail_;
    }

    std::uint32_t victim() {
      for (;;) {
        const std::uint32_t way = log_[tail_ % kLog];
        const bool counts = last_[way] == tail_;
        ++tail_;
        if (counts) return way;
      }
    }

   private:
    static constexpr std::uint16_t kLog = 2 * kRoom;

    void compact() {
      std::uint16_t to = tail_;
      for (std::uint16_t from = tail_; from != head_; ++from) {
        const std::uint8_t way = log_[from % kLog];
        if (last_[way] != from) continue;
        log_[to % kLog] = way;
        last_[way] = to++;
      }
      head_ = to;
    }

    std::uint16_t head_ = 0;
    std::uint16_t tail_ = 0;
    std::array<std::uint8_t, kLog> log_{};
    std::array<std::uint16_t, kRoom> last_{};  ///< the last entry of each way
  };
};

}  // namespace heddle::sim
