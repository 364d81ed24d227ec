#include "search/scorer.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/parallel.h"
#include "support/text.h"

namespace heddle::search {
namespace {

constexpr std::string_view kExact = "exact";
constexpr std::string_view kSampled = "sampled ";

}  // namespace

std::string Fidelity::text() const {
  return sampled == 0 ? std::string(kExact) : fmt::format("{}{}", kSampled, sampled);
}

std::optional<Fidelity> read_fidelity(std::string_view text) {
  if (text == kExact) return Fidelity{};
  if (!text.starts_with(kSampled)) return std::nullopt;
  const auto requests = parse_integer(text.substr(kSampled.size()));
  if (!requests || *requests < 1) return std::nullopt;
  return Fidelity{*requests};
}

Scorer::Scorer(sim::Simulator& simulator, const tiles::TileLaunch& launch, int threads)
    : simulator_(simulator),
      launch_(launch),
      threads_(thread_count(threads)),
      requests_(simulator.requests_estimated()) {}

sim::SimOptions replay_options(Purpose purpose, std::int64_t requests) {
  sim::SimOptions options;
  const std::int64_t most = purpose == Purpose::search ? kExactSearch : kExactAnswer;
  options.fidelity = requests <= most ? sim::Fidelity::exact : sim::Fidelity::sampled;
  if (purpose == Purpose::search)
    options.sample_requests = kSampleSearch;
  else if (requests <= sim::kExactRequests)
    options.sample_requests = kSampleAnswer;
  return options;
}

sim::SimOptions Scorer::options(Purpose purpose) const {
  sim::SimOptions options = replay_options(purpose, requests_);
  options.threads = threads_;
  return options;
}

Fidelity Scorer::fidelity(Purpose purpose) const {
  const sim::SimOptions chosen = options(purpose);
  return {chosen.fidelity == sim::Fidelity::exact ? 0 : chosen.sample_requests};
}

SimResult Scorer::replay(const Replay& replay, Purpose purpose) const {
  return run(replay, options(purpose));
}

SimResult Scorer::run(const Replay& replay, sim::SimOptions options) const {
  options.why = replay.why;
  options.record_tiles = replay.why;
  options.blocks = launch_.blocks;
  options.index_operations = replay.operations;
  SimResult result = simulator_.run(launch_.schedule(*replay.map), options);
  if (result.tiles) result.tiles = std::make_shared<const TileRun>(launch_.in_box(*result.tiles));
  return result;
}

std::vector<SimResult> Scorer::replay_all(const std::vector<Replay>& replays,
                                          Purpose purpose) const {
  const std::size_t lanes = std::min({replays.size(), static_cast<std::size_t>(threads_), kAtOnce});
  std::vector<SimResult> results(replays.size());
  if (lanes == 0) return results;
  sim::SimOptions chosen = options(purpose);
  chosen.threads = std::max(1, threads_ / static_cast<int>(lanes));
  chosen.tracing_threads = threads_;
  parallel_for(replays.size(), lanes,
               [&](std::size_t i, std::size_t) { results[i] = run(replays[i], chosen); });
  return results;
}

}  // namespace heddle::search
