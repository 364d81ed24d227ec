#include "search/scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace heddle::search {

Scorer::Scorer(sim::Simulator& simulator, int threads)
    : simulator_(simulator),
      threads_(threads > 0 ? threads
                           : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
      requests_(simulator.requests_estimated()) {}

sim::SimOptions Scorer::options(Purpose purpose) const {
  sim::SimOptions options;
  options.threads = threads_;
  options.whole_sets = purpose == Purpose::search;
  const std::int64_t most = purpose == Purpose::search ? kExactSearch : kExactAnswer;
  options.fidelity = requests_ <= most ? sim::Fidelity::exact : sim::Fidelity::sampled;
  if (purpose == Purpose::search)
    options.sample_requests = requests_ <= kExactAnswer ? kLargeSampleSearch : kSampleSearch;
  else if (requests_ <= sim::kExactRequests)
    options.sample_requests = kSampleAnswer;
  return options;
}

std::string Scorer::fidelity(Purpose purpose) const {
  const sim::SimOptions chosen = options(purpose);
  if (chosen.fidelity == sim::Fidelity::exact) return "exact";
  return fmt::format("sampled {}", chosen.sample_requests);
}

SimResult Scorer::replay(const Replay& replay, Purpose purpose) {
  sim::SimOptions chosen = options(purpose);
  chosen.why = replay.why;
  return simulator_.run(*replay.map, chosen);
}

std::vector<SimResult> Scorer::replay_all(const std::vector<Replay>& replays, Purpose purpose) {
  const std::size_t lanes = std::min({replays.size(), static_cast<std::size_t>(threads_), kAtOnce});
  std::vector<SimResult> results(replays.size());
  if (lanes == 0) return results;
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> errors(replays.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < replays.size(); i = next++) {
      sim::SimOptions chosen = options(purpose);
      chosen.threads = std::max(1, threads_ / static_cast<int>(lanes));
      chosen.tracing_threads = threads_;
      chosen.why = replays[i].why;
      try {
        results[i] = simulator_.run(*replays[i].map, chosen);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t lane = 1; lane < lanes; ++lane) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace heddle::search
