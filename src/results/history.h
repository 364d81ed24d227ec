// What is kept of past searches, as plain data: runs, the attempts of one, two of them compared.
//
// Sample
//   run  started     job              GPU     grid     attempts  best              speedup  answer
//     2  2026-11-15  stencil_2d.toml  mi300x  256x256       212  xcd(8) | columns    1.144 improved
//
// Rules
//   1. A run without an answer did not reach its end: it is under way, or was killed.
//   2. Predictions are compared only where their fidelity is the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/optimization.h"

namespace heddle {

/// One search and how it ended.
struct HistoryRun {
  std::int64_t id = 0;
  std::string started;  ///< "2026-11-15T14:03:22Z"; for people, nothing depends on it
  std::string job, kernel, grid, work_hash, gpu, gpu_hash, model;  ///< as in history::RunKey
  std::int64_t attempts = 0;
  std::optional<Answer> answer;
  std::string best_title;
  std::optional<double> speedup;
  std::optional<SearchEnd> end;

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("id", all.id...);
    visit("started", all.started...);
    visit("job", all.job...);
    visit("kernel", all.kernel...);
    visit("grid", all.grid...);
    visit("work_hash", all.work_hash...);
    visit("gpu", all.gpu...);
    visit("gpu_hash", all.gpu_hash...);
    visit("model", all.model...);
    visit("attempts", all.attempts...);
    visit("answer", all.answer...);
    visit({"best", Field::empty_is_null}, all.best_title...);
    visit("speedup", all.speedup...);
    visit("search_end", all.end...);
  }
};

struct HistoryListing {
  std::string path;
  std::vector<HistoryRun> runs;  ///< newest first
};

/// One run with its attempts, each once: with the prediction of the answer's fidelity where it was
/// a finalist, else with its last one. Finalists first, then by predicted time; what has no
/// prediction comes after, refuted orders last.
struct HistoryRunReport {
  std::string path;
  HistoryRun run;
  std::vector<OrderAttempt> attempts;
};

/// One order in two runs: the same map, or the same text.
struct ComparedOrder {
  std::string title;
  std::optional<OrderAttempt> before;  ///< absent: that run did not predict it
  std::optional<OrderAttempt> after;
  std::optional<double> change_pct;  ///< of the predicted time; absent unless the fidelity is equal
};

struct HistoryComparison {
  std::string path;
  HistoryRun before, after;
  std::vector<std::string> differ;  ///< "work", "GPU", "grid", "model"
  std::vector<ComparedOrder> orders;
};

}  // namespace heddle
