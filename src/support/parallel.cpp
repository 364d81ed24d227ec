#include "support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace heddle {

int thread_count(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(std::size_t count, std::size_t lanes,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(count);
  const auto run = [&](std::size_t lane) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i, lane);
      } catch (...) {
        errors[i] = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (std::size_t lane = 1; lane < std::min(lanes, count); ++lane)
        others.emplace_back(run, lane);
    } catch (const std::system_error&) {
      // No more threads to be had: those there are do the work.
    }
    run(0);
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace heddle
