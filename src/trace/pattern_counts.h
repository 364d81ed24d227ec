// The figures of one memory instruction: bytes, lines, runs, requests. Counted once for every
// shape.
//
//   PatternCounter counter(options, 128);
//   counter.count(pattern).requests
//
// Rules
//   1. For strided blocks the figures depend on shape, strides, active range and on where in its
//      line the block begins. A block that agrees in those with one before is not counted again.
//   2. Tables, dense addresses and masks are counted every time.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/coalesce.h"
#include "trace/layout.h"
#include "trace/pattern.h"
#include "trace/runs.h"

namespace heddle::trace {

struct PatternCounts {
  std::int64_t elements = 0;
  std::int64_t active = 0;
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
  std::int64_t runs = 0;
  std::int64_t wave_instructions = 0;
  std::int64_t requests = 0;
  std::int64_t sectors = 0;
};

class PatternCounter {
 public:
  PatternCounter(LayoutOptions layout, int line_bytes) : layout_(layout), line_bytes_(line_bytes) {}

  /// Valid until the next call.
  const PatternCounts& count(const AccessPattern& pattern);

 private:
  struct Known {
    AccessPattern pattern;
    PatternCounts counts;
  };

  bool is_alike(const AccessPattern& pattern, const AccessPattern& known) const;
  PatternCounts count_anew(const AccessPattern& pattern);

  LayoutOptions layout_;
  int line_bytes_;
  std::vector<Known> known_;
  std::size_t recent_ = 0;    ///< index into known_
  std::size_t replaced_ = 0;  ///< the next one to give up
  PatternCounts counts_;
  std::vector<Run> runs_;
  std::vector<Request> requests_;
};

}  // namespace heddle::trace
