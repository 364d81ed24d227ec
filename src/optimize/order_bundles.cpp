#include "optimize/order_bundles.h"

#include <fmt/format.h>

#include "emit/patched_kernel.h"
#include "measure/order_bundle.h"
#include "support/file.h"

namespace heddle::optimize {
namespace {

constexpr std::size_t kLargestSource = std::size_t{64} << 20;

}  // namespace

std::optional<OrderBundles::OrderBundle> OrderBundles::make(
    const search::Attempts& attempts, const std::vector<int>& orders,
    const std::vector<search::GivenText>& files) {
  OrderBundle made{empty_bundle(), {}};
  std::vector<measure::BundleCandidate>& candidates = made.bundle.candidates;
  candidates.push_back(measure::original_candidate(
      attempts.launch(), read_text(loaded_.launch.kernel_path, kLargestSource)));
  bool all_sizes = true;
  for (const int number : orders) {
    const OrderAttempt& attempt = attempts.at(number);
    const proof::ProvenOrder& proven = attempts.proven(number).order;
    auto text = rewritten(proven, attempt.title);
    if (!text) continue;
    all_sizes &= attempt.sizes == ProvedSizes::all;
    candidates.push_back(measure::order_candidate(attempt, proven.scope(), std::move(*text)));
    made.orders.push_back(number);
  }
  for (const search::GivenText& file : files)
    candidates.push_back(measure::file_candidate(file.name, file.text));
  if (candidates.size() < 2) return std::nullopt;
  for (measure::BundleCandidate& one : candidates) {
    const auto& families = request_.measuring.families;
    const auto found = families.find(one.formula);
    const auto usual = families.find("");
    if (found != families.end())
      one.family = found->second;
    else if (usual != families.end())
      one.family = usual->second;
  }
  add_launches(all_sizes, made.bundle);
  return made;
}

measure::Bundle OrderBundles::empty_bundle() const {
  measure::Bundle bundle;
  bundle.job = request_.job_path;
  bundle.overrides = request_.overrides;
  bundle.gpu = request_.gpu;
  bundle.is_amd = subject_.gpu.vendor == config::Vendor::amd;
  bundle.kernel_path = loaded_.launch.kernel_path;
  bundle.seeds = request_.measuring.seeds;
  bundle.limit_s = request_.measuring.limit_s;
  bundle.rounds = request_.measuring.rounds;
  bundle.budget_s = request_.measuring.budget_s;
  bundle.lean = request_.measuring.lean;
  bundle.has_agent = request_.measuring.with_agent;
  return bundle;
}

emit::PatchedKernel OrderBundles::patched(const proof::ProvenOrder& proven) {
  if (!subject_.launch.is_lifted)
    return emit::patch_kernel(loaded_, proven, *independent_, kernel::compile_kernel);
  if (!others_)
    others_ = tiles::other_launches(request_.job_path, request_.overrides, subject_.launch.space);
  return emit::patch_tiles({subject_.launch, loaded_, *others_}, proven, *independent_, {},
                           kernel::compile_kernel);
}

std::optional<std::string> OrderBundles::rewritten(const proof::ProvenOrder& proven,
                                                   const std::string& title) {
  try {
    return patched(proven).after;
  } catch (const Error& error) {
    notes_.push_back(fmt::format("{} was not measured, since the kernel cannot be rewritten: {}",
                                 title, error.full_text()));
    return std::nullopt;
  }
}

void OrderBundles::add_launches(bool all_sizes, measure::Bundle& bundle) {
  bundle.launches.push_back({"main", loaded_.launch, &loaded_.program, &memory_});
  if (!all_sizes || request_.measuring.lean) return;
  const RaggedLaunch& ragged = ragged_launch();
  if (ragged.kernel)
    bundle.launches.push_back({"ragged", ragged.kernel->launch, &ragged.kernel->program, &memory_});
}

const RaggedLaunch& OrderBundles::ragged_launch() {
  if (!ragged_) {
    ragged_ = find_ragged(request_, loaded_);
    if (!ragged_->kernel)
      notes_.push_back("outputs are compared on the job's sizes alone: " + ragged_->reason);
    else if (!ragged_->reason.empty())
      notes_.push_back("launch ragged has full tiles where the kernel needs them: " +
                       ragged_->reason);
  }
  return *ragged_;
}

}  // namespace heddle::optimize
