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
  static constexpr int kSlotBits = 17;

  bool empty() const { return heap_.empty(); }
  std::int64_t top_time() const { return static_cast<std::int64_t>(heap_[0] >> kSlotBits); }
  int top_slot() const { return static_cast<int>(heap_[0] & ((1U << kSlotBits) - 1)); }

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
    const std::uint64_t last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(last);
  }

 private:
  static std::uint64_t key(std::int64_t time, int slot) {
    return static_cast<std::uint64_t>(time) << kSlotBits | static_cast<std::uint64_t>(slot);
  }

  void sift_down(std::uint64_t value) {
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

  std::vector<std::uint64_t> heap_;
};

}  // namespace heddle::sim
