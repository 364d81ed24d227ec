// The cache for loads that are the same for a whole wave, shared by neighbouring compute units.
//
// Rules
//   1. A request to a line whose fill is on its way counts as a duplicate miss, neither hit nor
//      miss, and asks the L2 for nothing.
//   2. What makes room is the oldest line, or any line where the GPU file says `random`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "config/gpu.h"
#include "results/simulation.h"

namespace heddle::sim {

class ScalarCache {
 public:
  /// `divided`: of a sampled run, where a cache with this many times fewer sets stands for the
  /// whole.
  explicit ScalarCache(const config::CacheShape& shape, std::int64_t divided = 1)
      : ways_(static_cast<std::size_t>(shape.ways)),
        sets_(static_cast<std::uint32_t>(std::max<std::int64_t>(1, shape.sets() / divided))),
        hashed_(divided > 1),
        random_victims_(shape.replacement == config::Replacement::random),
        entries_(sets_ * ways_) {}

  enum class Reply { hit, miss, duplicate };

  struct Answer {
    Reply reply = Reply::miss;
    std::int64_t* ready = nullptr;  ///< when the line's data are there; set it after a miss
  };

  Answer read(std::uint32_t line, std::int64_t time) {
    Entry* const first = &entries_[(hashed_ ? line * 0x9e3779b1U >> 12 : line) % sets_ * ways_];
    Entry* oldest = first;
    for (Entry* entry = first; entry != first + ways_; ++entry) {
      if (entry->used > 0 && entry->line == line) {
        entry->used = ++clock_;
        return {time < entry->ready ? Reply::duplicate : Reply::hit, &entry->ready};
      }
      if (entry->used < oldest->used) oldest = entry;
    }
    if (random_victims_ && oldest->used > 0) oldest = first + next_random() % ways_;
    *oldest = {line, ++clock_, time};
    return {Reply::miss, &oldest->ready};
  }

 private:
  struct Entry {
    std::uint32_t line = 0;
    std::int64_t used = 0;  ///< 0: never
    std::int64_t ready = 0;
  };
  /// Of a linear sequence, the upper half.
  std::uint64_t next_random() {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return random_ >> 33;
  }

  std::size_t ways_;
  std::uint32_t sets_;
  bool hashed_;  ///< the lines of a sample are far apart
  bool random_victims_;
  std::vector<Entry> entries_;
  std::int64_t clock_ = 0;
  std::uint64_t random_ = 1;
};

}  // namespace heddle::sim
