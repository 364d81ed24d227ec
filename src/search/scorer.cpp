#include "search/scorer.h"

#include <fmt/format.h>

namespace heddle::search {

Scorer::Scorer(sim::Simulator& simulator, int threads)
    : simulator_(simulator), threads_(threads), requests_(simulator.requests_estimated()) {}

sim::SimOptions Scorer::options(Purpose purpose) const {
  sim::SimOptions options;
  options.threads = threads_;
  const std::int64_t most = purpose == Purpose::search ? kExactSearch : kExactAnswer;
  options.fidelity = requests_ <= most ? sim::Fidelity::exact : sim::Fidelity::sampled;
  if (purpose == Purpose::search)
    options.sample_requests = kSampleSearch;
  else if (requests_ <= sim::kExactRequests)
    options.sample_requests = kSampleAnswer;
  return options;
}

std::string Scorer::fidelity(Purpose purpose) const {
  const sim::SimOptions chosen = options(purpose);
  if (chosen.fidelity == sim::Fidelity::exact) return "exact";
  return fmt::format("sampled {}", chosen.sample_requests);
}

SimResult Scorer::replay(const order::Map& map, Purpose purpose, bool why) {
  sim::SimOptions chosen = options(purpose);
  chosen.why = why;
  return simulator_.run(map, chosen);
}

}  // namespace heddle::search
