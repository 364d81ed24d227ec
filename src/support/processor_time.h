// How long this thread has computed. Limits of work are counted in it, so that a busy machine gives
// the same answers as an idle one, only later.
#pragma once

#include <time.h>

#include <chrono>

namespace heddle {

inline std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace heddle
