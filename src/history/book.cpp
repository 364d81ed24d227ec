#include "history/book.h"

#include "support/error.h"

namespace heddle::history {

Book::Book(const std::string& path, bool needed, const RunKey& key) {
  try {
    history_.emplace(path);
    known_ = history_->known(key);
    run_ = history_->begin_run(key);
  } catch (const Error& error) {
    if (needed || error.code() != ExitCode::missing) throw;
    notes_.push_back("no history is kept: " + error.message());
    history_.reset();
    known_.clear();
  }
}

template <class Work>
void Book::try_to(Work work) {
  if (!history_) return;
  try {
    work(*history_);
  } catch (const Error& error) {
    notes_.push_back("the history ends early: " + error.message());
    history_.reset();
  }
}

void Book::record(const std::vector<OrderAttempt>& attempts) {
  try_to([&](History& history) { history.record(run_, attempts); });
}

void Book::end(const OptimizationReport& report) {
  try_to([&](History& history) {
    history.end_run(run_, report.answer, report.best.title, report.best.speedup, report.search.end);
  });
}

}  // namespace heddle::history
