// What a user asks of a search, and what is shown while it runs.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "order/read.h"
#include "results/decision.h"
#include "results/optimization.h"

namespace heddle::search {

/// Formulas from a file or a program.
struct GivenText {
  std::string name;
  std::string text;
  bool is_one = false;     ///< one order, whatever blank lines are in it
  std::string title = {};  ///< "model round 3"; empty: by its name
  std::string said = {};   ///< what is said of the orders in it
};

/// How much a search looks at, whatever the time: the same answer on every machine.
struct Work {
  int outlined = 2000;  ///< distinct orders, in outline
  int replayed = 16;    ///< of those, the best: replayed, sampled where that is quicker
  int finalists = 3;    ///< of those, replayed for the answer
};

enum class Effort { low, normal, high };

constexpr Work work_of(Effort effort) {
  switch (effort) {
    case Effort::low:
      return {500, 8, 2};
    case Effort::normal:
      break;
    case Effort::high:
      return {20'000, 96, 12};
  }
  return {};
}

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
  bool allow_faults = false;  ///< of the kernel, as the job has it
  bool fixed_grid = false;    ///< orders for the job's grid alone will do
  Effort effort = Effort::normal;
  Risk risk = Risk::normal;
  std::chrono::milliseconds budget{0};  ///< 0: none
  int iterations = 0;                   ///< attempts, at most; 0: as the effort says
  int threads = 0;                      ///< 0: one per core
  std::vector<GivenText> given;
  bool given_only = false;        ///< the given orders and no others
  bool to_measure = false;        ///< predictions do not decide: orders are looked for in any case
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
