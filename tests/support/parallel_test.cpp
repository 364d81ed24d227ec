// Work on several threads: every index once, and the same error whatever the threads.
#include "support/parallel.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle {
namespace {

TEST(Parallel, VisitsEveryIndexOnce) {
  for (const std::size_t lanes : {0U, 1U, 2U, 7U, 200U}) {
    for (const std::size_t count : {0U, 1U, 5U, 100U}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, lanes, [&](std::size_t i, std::size_t) { ++visits[i]; });
      for (const std::atomic<int>& each : visits) EXPECT_EQ(each, 1);
    }
  }
}

TEST(Parallel, OneLaneDoesOneThingAtATime) {
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<bool> overlapped = false;
  parallel_for(300, inside.size(), [&](std::size_t, std::size_t lane) {
    if (++inside.at(lane) > 1) overlapped = true;
    --inside.at(lane);
  });
  EXPECT_FALSE(overlapped);
}

TEST(Parallel, ThrowsTheErrorOfTheLowestIndex) {
  for (const std::size_t lanes : {1U, 4U}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::string thrown;
      try {
        parallel_for(50, lanes, [&](std::size_t i, std::size_t) {
          if (i >= 7) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        thrown = error.what();
      }
      EXPECT_EQ(thrown, "7");
    }
  }
}

TEST(Parallel, BeginsNothingAfterAnError) {
  int begun = 0;
  EXPECT_THROW(parallel_for(50, 1,
                            [&](std::size_t, std::size_t) {
                              ++begun;
                              throw std::runtime_error("first");
                            }),
               std::runtime_error);
  EXPECT_EQ(begun, 1);
}

TEST(Parallel, CountsThreads) {
  EXPECT_EQ(thread_count(3), 3);
  EXPECT_GE(thread_count(0), 1);
}

}  // namespace
}  // namespace heddle
