#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace heddle::sim {
namespace {

TEST(EventQueue, is_a_sorted_set_of_times_and_slots) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    EventQueue queue;
    std::set<std::pair<std::int64_t, int>> sorted;
    std::set<int> used;
    for (int k = 0; k < 5000; ++k) {
      ASSERT_EQ(queue.empty(), sorted.empty());
      if (!sorted.empty()) {
        ASSERT_EQ(queue.top_time(), sorted.begin()->first) << "seed " << seed << ", step " << k;
        ASSERT_EQ(queue.top_slot(), sorted.begin()->second) << "seed " << seed << ", step " << k;
      }
      // Few different times: ties are the rule.
      const std::int64_t now = sorted.empty() ? 0 : sorted.begin()->first;
      const std::int64_t time = now + static_cast<std::int64_t>(random() % 5);
      const int slot = static_cast<int>(random() % 300);
      const auto what = random() % 3;
      if (what == 0 || sorted.empty()) {
        if (!used.insert(slot).second) continue;
        queue.push(time, slot);
        sorted.emplace(time, slot);
      } else {
        const int first = sorted.begin()->second;
        sorted.erase(sorted.begin());
        if (what == 1) {
          queue.replace_top(time);
          sorted.emplace(time, first);
        } else {
          queue.pop();
          used.erase(first);
        }
      }
    }
  }
}

TEST(EventQueue, of_equal_times_the_lower_slot_comes_first) {
  EventQueue queue;
  for (const int slot : {5, 1, 9, 3}) queue.push(100, slot);
  for (const int slot : {1, 3, 5, 9}) {
    EXPECT_EQ(queue.top_slot(), slot);
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, holds_long_times_and_the_highest_slot) {
  EventQueue queue;
  const int slot = (1 << 20) - 1;
  const std::int64_t hour = std::int64_t{3600} * 2'100'000'000 * 1024;  // of a GPU, in ticks
  queue.push(hour, slot);
  queue.push(hour - 1, 0);
  EXPECT_EQ(queue.top_time(), hour - 1);
  queue.pop();
  EXPECT_EQ(queue.top_time(), hour);
  EXPECT_EQ(queue.top_slot(), slot);
}

}  // namespace
}  // namespace heddle::sim
