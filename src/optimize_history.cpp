#include "optimize_history.h"

#include "support/error.h"

namespace heddle {
namespace {

std::string place_of(const OrderAttempt& attempt) {
  return attempt.map_hash + " " + attempt.fidelity;
}

}  // namespace

HistoryBook::HistoryBook(const std::string& path, bool needed, const history::RunKey& key,
                         std::vector<std::string>& notes)
    : notes_(notes) {
  try {
    history_.emplace(path);
    for (OrderAttempt& attempt : history_->known(key))
      if (attempt.predicted && !attempt.map_hash.empty())
        known_.emplace(place_of(attempt), std::move(*attempt.predicted));
    run_ = history_->begin_run(key);
  } catch (const Error& error) {
    if (needed || error.code() != ExitCode::missing) throw;
    notes_.push_back("no history is kept: " + error.message());
    history_.reset();
  }
}

const SimResult* HistoryBook::known(const OrderAttempt& attempt) const {
  const auto found = known_.find(place_of(attempt));
  return found == known_.end() ? nullptr : &found->second;
}

template <class Work>
void HistoryBook::try_to(Work work) {
  if (!history_) return;
  try {
    work(*history_);
  } catch (const Error& error) {
    notes_.push_back("the history ends early: " + error.message());
    history_.reset();
  }
}

void HistoryBook::record(const std::vector<OrderAttempt>& attempts) {
  try_to([&](history::History& history) { history.record(run_, attempts); });
}

void HistoryBook::end(const OptimizationReport& report) {
  try_to([&](history::History& history) {
    history.end_run(run_, report.answer, report.best.title, report.best.speedup, report.search.end);
  });
}

}  // namespace heddle
