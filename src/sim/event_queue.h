// The blocks of a die by the time of their next step: a binary heap.
//
// Rules
//   1. Of blocks at the same time the one in the lower slot comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::sim {

class EventQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::int64_t top_time() const { return static_cast<std::int64_t>(heap_[0] >> 32); }
  int top_slot() const { return static_cast<int>(static_cast<std::uint32_t>(heap_[0])); }

  void push(std::int64_t time, int slot) {
    heap_.push_back(key(time, slot));
    std::size_t at = heap_.size() - 1;
    while (at > 0 && heap_[at] < heap_[(at - 1) / 2]) {
      std::swap(heap_[at], heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
  }

  /// The first one moves to another time.
  void replace_top(std::int64_t time) { sift_down(key(time, top_slot())); }

  void pop() {
    const Key last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
  }

 private:
  __extension__ using Key = unsigned __int128;  ///< time, then slot

  static Key key(std::int64_t time, int slot) {
    return Key{static_cast<std::uint64_t>(time)} << 32 | static_cast<std::uint32_t>(slot);
  }

  void sift_down(Key value) {
    const std::size_t size = heap_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && heap_[child + 1] < heap_[child]) ++child;
      if (value <= heap_[child]) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = value;
  }

  std::vector<Key> heap_;
};

}  // namespace heddle::sim
