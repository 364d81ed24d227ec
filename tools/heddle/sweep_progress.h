// How far a sweep is: a line for people, or lines of JSON for programs.
//
//   [####----------------] 12 of 60 units, 1 failed, about 3 min left
//   {"event":"progress","units":60,"done":11,"failed":1,"elapsed_s":42,"left_s":168}
//
// Rules
//   1. The line for people is shown on a terminal only; lines of JSON go to standard error, at most one
//      a second, and one at the end.
//   2. `done` and `failed` count units that are acknowledged, from before included.
#pragma once

#include <chrono>
#include <string>

#include "progress.h"
#include "sweep/engine.h"

namespace heddle::tool {

class SweepProgress {
 public:
  /// "auto", "json" or "none".
  explicit SweepProgress(std::string kind) : kind_(std::move(kind)) {}

  void show(const sweep::Tally& tally);
  void end(const sweep::Tally& tally);
  void clear() { line_.clear(); }

 private:
  void print_json(const sweep::Tally& tally);

  std::string kind_;
  Progress line_;
  std::chrono::steady_clock::time_point printed_{};
};

/// 42 -> "42 s", 168 -> "3 min", 90000 -> "25 h", 1000000 -> "12 days".
std::string rough_time(std::chrono::seconds time);

}  // namespace heddle::tool
