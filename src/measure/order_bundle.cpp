#include "measure/order_bundle.h"

namespace heddle::measure {
namespace {

/// Figures of a search's fidelity are not figures of the launch, but for their ratio.
std::optional<PredictedFigures> figures_of(const OrderAttempt& attempt) {
  if (!attempt.predicted || !attempt.speedup) return std::nullopt;
  PredictedFigures figures;
  figures.speedup = *attempt.speedup;
  if (!attempt.finalist) return figures;
  figures.time_us = attempt.predicted->time_us;
  figures.l2_hit_pct = attempt.predicted->l2.cache.hit_rate_pct();
  figures.dram_read_bytes = static_cast<double>(attempt.predicted->hbm_read_bytes);
  return figures;
}

}  // namespace

BundleCandidate order_candidate(const OrderAttempt& attempt, std::string proof, std::string text) {
  return {attempt.title, attempt.formula, std::move(proof), std::move(text), figures_of(attempt)};
}

BundleCandidate original_candidate(const OrderAttempt& launch, std::string text) {
  // A kernel with an order of its own is not the identity of its tiles.
  return {launch.title, launch.formula, "the launch order", std::move(text), figures_of(launch)};
}

BundleCandidate file_candidate(std::string name, std::string text) {
  return {std::move(name), "", "", std::move(text), std::nullopt};
}

}  // namespace heddle::measure
