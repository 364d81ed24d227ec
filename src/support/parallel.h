// A loop over independent pieces of work, on several threads.
//
//   parallel_for(groups.size(), 4, [&](std::size_t i, std::size_t) { results[i] =
//   replay(groups[i]); });
//
// Rules
//   1. Indices are begun in their order. The calling thread works too; where the system gives no
//      more threads, those that there are do the work.
//   2. After an error no further index is begun. Of several errors the one with the lowest index is
//      thrown, once all threads have ended: the same one whatever the number of threads.
//   3. A lane is one of the threads, from 0: two calls with the same lane never overlap.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle {

/// As many threads as were asked for; 0: one per core.
int thread_count(int asked);

/// Calls work(index, lane) for every index below `count`, on at most `lanes` threads.
void parallel_for(std::size_t count, std::size_t lanes,
                  const std::function<void(std::size_t index, std::size_t lane)>& work);

}  // namespace heddle
