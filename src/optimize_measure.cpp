#include "optimize_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/gpu.h"
#include "optimize_emit.h"
#include "other_sizes.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle {
namespace {

constexpr double kLeastSlack = 0.02;  ///< of a speedup: how far the model may be off at least
constexpr std::size_t kLargestSource = std::size_t{64} << 20;

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

std::optional<Grid> grid_of(const std::string& job_path, const std::vector<std::string>& overrides,
                            PatchSources& sources, const std::string& kernel_path) {
  PatchRequest request;
  request.before = request.after = kernel_path;
  request.job_path = job_path;
  request.overrides = overrides;
  try {
    return original_grid(request, sources);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

Measuring::Measuring(const OptimizeRequest& request, const LoadedKernel& loaded,
                     const trace::IndependentTiles& independent, OptimizationReport& report)
    : request_(request), loaded_(loaded), independent_(independent), report_(report) {}

int Measuring::left() const {
  return std::max(0, request_.measuring.most - measured_);
}

std::optional<std::string> Measuring::rewritten(const proof::ProvenOrder& proven,
                                                const std::string& title) {
  try {
    return rewritten_kernel(loaded_, proven, independent_);
  } catch (const Error& error) {
    report_.notes.push_back(fmt::format(
        "{} was not measured, since the kernel cannot be rewritten: {}", title, error.full_text()));
    return std::nullopt;
  }
}

void Measuring::load_ragged() {
  if (looked_for_ragged_) return;
  looked_for_ragged_ = true;
  const std::string why = "outputs are compared on the job's sizes alone";
  try {
    PatchRequest patch;
    patch.before = patch.after = loaded_.launch.kernel_path;
    const auto sources = read_sources(patch);
    const auto varying = find_varying(
        request_.job_path, request_.overrides, [&](const std::vector<std::string>& more) {
          return grid_of(request_.job_path, with_overrides(request_.overrides, more), *sources,
                         loaded_.launch.kernel_path);
        });
    if (varying.empty()) {
      report_.notes.push_back(why + ": the grid depends on no number of the job");
      return;
    }
    ragged_ =
        load_kernel(request_.job_path, with_overrides(request_.overrides, ragged_sizes(varying)));
    // Macros hold for a whole bundle.
    if (ragged_->program.defines != loaded_.program.defines) ragged_.reset();
    if (!ragged_) report_.notes.push_back(why + ": other sizes are other macros");
  } catch (const Error& error) {
    report_.notes.push_back(fmt::format("{}: {}", why, error.message()));
  }
}

void Measuring::add_launches(bool all_sizes, measure::Bundle& bundle) {
  bundle.launches.push_back({"main", loaded_.launch, &loaded_.program, &report_.memory});
  if (all_sizes) load_ragged();
  if (all_sizes && ragged_)
    bundle.launches.push_back({"ragged", ragged_->launch, &ragged_->program, &report_.memory});
}

bool Measuring::measure(const std::vector<OrderToMeasure>& orders) {
  measure::Bundle bundle;
  bundle.job = request_.job_path;
  bundle.overrides = request_.overrides;
  bundle.gpu = request_.gpu;
  bundle.is_amd = config::read_gpu(request_.gpu).vendor == config::Vendor::amd;
  bundle.kernel_path = loaded_.launch.kernel_path;
  const MeasureOptions& options = request_.measuring;
  bundle.seeds = options.seeds;
  bundle.limit_s = options.limit_s;
  bundle.rounds = options.rounds;
  bundle.budget_s = options.budget_s;
  const std::string original = read_text(loaded_.launch.kernel_path, kLargestSource);
  bundle.candidates.push_back(
      {"identity", "identity", "the launch order", original, figures_of(report_.attempts.front())});
  std::vector<OrderAttempt*> attempts;
  bool all_sizes = true;
  for (const OrderToMeasure& order : orders) {
    const auto text = rewritten(*order.proven, order.attempt->title);
    if (!text) continue;
    all_sizes &= order.attempt->sizes == ProvedSizes::all;
    bundle.candidates.push_back({order.attempt->title, order.attempt->formula,
                                 order.proven->scope(), *text, figures_of(*order.attempt)});
    attempts.push_back(order.attempt);
  }
  if (measured_ == 0)
    for (const GivenText& file : options.candidates)
      bundle.candidates.push_back({file.name, "", "", file.text, std::nullopt});
  if (bundle.candidates.size() < 2) return false;
  add_launches(all_sizes, bundle);
  measured_ += static_cast<int>(attempts.size());
  const std::optional<MeasurementReport> result = options.measure(bundle);
  if (!result) return false;
  take(*result, attempts);
  return true;
}

void Measuring::take(const MeasurementReport& measured,
                     const std::vector<OrderAttempt*>& attempts) {
  report_.measurements.push_back(measured);
  report_.attempts.front().measured = measured.candidates.front().cold;
  for (std::size_t i = 0; i < attempts.size() && i + 1 < measured.candidates.size(); ++i) {
    const MeasuredCandidate& candidate = measured.candidates[i + 1];
    attempts[i]->measured = candidate.cold;
    if (candidate.rejected)
      attempts[i]->rejected =
          fmt::format("{}: {}", candidate.rejected->kind, candidate.rejected->detail);
  }
  if (!measured.winner || !measured.confirmed_cold) return;
  const auto index = static_cast<std::size_t>(*measured.winner - 1);
  if (index >= attempts.size()) return;  // a file of somebody's
  if (!winner_ || measured.confirmed_cold->ratio > winner_->times.ratio)
    winner_ = Winner{attempts[index]->iteration, *measured.confirmed_cold};
}

std::vector<std::size_t> Measuring::worth_measuring(std::size_t most) const {
  // How the model was off: by a factor for all, and beyond that by a slack.
  std::vector<double> factors;
  for (const OrderAttempt& attempt : report_.attempts)
    if (attempt.iteration > 1 && attempt.measured && attempt.speedup)
      factors.push_back(attempt.measured->ratio / *attempt.speedup);
  if (factors.empty()) return {};
  double bias = 0, slack = 0;
  for (const double factor : factors) bias += factor / static_cast<double>(factors.size());
  for (const double factor : factors)
    slack += std::abs(factor / bias - 1) / static_cast<double>(factors.size());
  const double best = winner_ ? winner_->times.ratio : 1;
  const double needed = best / (1 + std::max(slack, kLeastSlack));
  std::vector<std::size_t> worth;
  for (std::size_t i = 1; i < report_.attempts.size(); ++i) {
    const OrderAttempt& attempt = report_.attempts[i];
    const bool is_open = attempt.verdict == Verdict::proved && !attempt.same_as &&
                         attempt.speedup && !attempt.measured && attempt.rejected.empty() &&
                         (attempt.sizes == ProvedSizes::all || request_.fixed_grid);
    if (is_open && *attempt.speedup * bias >= needed) worth.push_back(i);
  }
  std::stable_sort(worth.begin(), worth.end(), [&](std::size_t a, std::size_t b) {
    return *report_.attempts[a].speedup > *report_.attempts[b].speedup;
  });
  if (worth.size() > most) worth.resize(most);
  return worth;
}

}  // namespace heddle
