// What a user asks of a search, and what is shown while it runs.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "order/read.h"
#include "results/optimization.h"

namespace heddle::search {

/// Formulas from a file or a program.
struct GivenText {
  std::string name;
  std::string text;
  bool is_one = false;  ///< one order, whatever blank lines are in it
};

/// How a search is going.
struct OptimizeProgress {
  std::string step;  ///< "reading the kernel", "searching", ...
  int attempts = 0;  ///< judged
  int replayed = 0;
  std::string best;  ///< its title; empty before the first replay
  double speedup = 1;
  double elapsed_s = 0;
  double budget_s = 0;
};

struct SearchOptions {
  bool fixed_grid = false;              ///< orders for the job's grid alone will do
  std::chrono::milliseconds budget{0};  ///< 0: none
  int iterations = 0;                   ///< attempts, at most; 0: no limit
  int threads = 0;                      ///< 0: one per core
  std::vector<GivenText> given;
  bool given_only = false;        ///< the given orders and no others
  order::ReadOptions reading;     ///< of given formulas
  std::vector<std::string> lets;  ///< "NAME=VALUE"; the job's own integers need none
  /// Asks a program for formulas, once per round, for at most `most`; nothing: it has no more to
  /// say. May be empty.
  std::function<std::optional<GivenText>(const OptimizationReport& so_far, int round,
                                         std::chrono::milliseconds most)>
      ask;
  std::function<void(const OptimizeProgress&)> progress;  ///< may be empty
  std::function<bool()> stop;                             ///< may be empty
};

}  // namespace heddle::search
