// What a search shows while it runs, on standard error.
//
//   terminal   [########------------] 12 s left  41 orders, 5.0/s  best 1.14x xcd(8) | columns
//   --verbose  heddle: 1.14x after 12 orders: xcd(8) | columns
//
// Rules
//   1. A terminal has one line that changes. Anything else gets nothing, with --verbose a line for
//      every new best.
#pragma once

#include <chrono>
#include <string>

#include "progress.h"
#include "search/options.h"

namespace heddle::tool {

class OptimizeDisplay {
 public:
  void show(const search::OptimizeProgress& progress);
  void clear() { line_.clear(); }

 private:
  Progress line_;
  std::string best_;
  double speedup_ = 0;
};

}  // namespace heddle::tool
