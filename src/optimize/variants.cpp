// A search over variants of a job: each with its share of the budget, the fastest is the answer.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>

#include "config/fingerprint.h"
#include "config/job.h"
#include "config/other_sizes.h"
#include "optimize/job_search.h"
#include "search/variants.h"

namespace heddle::optimize {
namespace {

/// One variant: its request, its kernel and its search.
struct VariantRun {
  VariantRun(OptimizeRequest asked, search::Subject read)
      : request(std::move(asked)), subject(std::move(read)), search(request, subject) {}

  OptimizeRequest request;
  search::Subject subject;
  JobSearch search;
};

/// The order that a search has chosen, in one line.
std::string chosen_text(const search::Chosen& chosen) {
  if (chosen.best == search::kLaunchOrder) return "as written";
  const OrderAttempt& best = chosen.searched.attempts.at(chosen.best);
  return best.setting.empty() ? best.title : fmt::format("{} ({})", best.setting, best.title);
}

void fill_in(JobSearch& search, TunedVariant& variant) {
  const search::Chosen& chosen = search.chosen();
  const SimResult& written = search.prepared().baseline;
  const OrderAttempt& best = chosen.searched.attempts.at(chosen.best);
  variant.grid = search.prepared().subject.kernel().launch.grid.extents();
  variant.written_us = written.time_us;
  variant.best_us = chosen.best == search::kLaunchOrder ? written.time_us : best.predicted->time_us;
  variant.sampled = written.sample.sampled;
  variant.order = chosen_text(chosen);
  variant.set = variant.overrides;
  if (chosen.best != search::kLaunchOrder && !best.setting.empty())
    variant.set = config::with_overrides(variant.set, {search::override_of(best.setting)});
}

class VariantSearch {
 public:
  VariantSearch(const OptimizeRequest& request, const search::Subject& subject)
      : request_(request), since_(subject.since), subject_(subject) {
    const auto& launch = subject.kernel().launch;
    const auto source = kernel::Source::open(launch.kernel_path);
    const search::Tuned tuned = search::read_tuned(request.tune);
    std::vector<kernel::ConfigValues> configs;
    if (tuned.configs) configs = source->configs(launch.function, launch.target);
    const auto job = config::read_job(request.job_path, request.overrides, launch.target);
    variants_ = search::variants_of(tuned, configs, job);
    for (const search::Variant& variant : variants_) check_names(*source, variant);
  }

  OptimizationReport run() {
    tuning_.variants.push_back({"as it is", {}, {}, "", {}, {}, "", {}, {}, false, {}, {}});
    try_variant(request_for(request_.overrides), subject_);
    as_it_is_ = runs_.front()->search.prepared().memory;
    launches_.insert(config::fingerprint(subject_.kernel().launch));
    for (done_ = 1; done_ <= variants_.size() && !is_interrupted(); ++done_)
      read_variant(variants_[done_ - 1]);
    tuning_.chosen = search::fastest_predicted(tuning_.variants);
    if (request_.measure) measure();
    OptimizationReport report = runs_.at(tuning_.chosen)->search.report();
    finish(report);
    return report;
  }

 private:
  /// A misspelt name is of the command: it is told before anything is searched.
  void check_names(kernel::Source& source, const search::Variant& variant) const {
    try {
      const auto overrides = config::with_overrides(request_.overrides, variant.overrides);
      source.launch(
          config::read_job(request_.job_path, overrides, subject_.kernel().launch.target));
    } catch (const Error& error) {
      if (error.source().starts_with("--set ")) throw;
    }
  }

  bool is_interrupted() const { return request_.stop && request_.stop(); }

  /// With an even share of the time that is left.
  OptimizeRequest request_for(std::vector<std::string> overrides) const {
    OptimizeRequest request = request_;
    request.tune.clear();
    request.overrides = std::move(overrides);
    if (request_.budget.count() > 0) {
      const auto left = request_.budget - std::chrono::duration_cast<std::chrono::milliseconds>(
                                              search::Clock::now() - since_);
      const auto open = static_cast<std::int64_t>(variants_.size() + 1 - done_);
      request.budget = std::max(left / std::max<std::int64_t>(open, 1), kLeastShare);
    }
    return request;
  }

  void read_variant(const search::Variant& variant) {
    TunedVariant row;
    row.title = variant.title;
    row.overrides = variant.overrides;
    OptimizeRequest request =
        request_for(config::with_overrides(request_.overrides, variant.overrides));
    try {
      search::Subject subject = read_subject(request);
      if (!launches_.insert(config::fingerprint(subject.kernel().launch)).second) return;
      tuning_.variants.push_back(row);
      try_variant(std::move(request), std::move(subject));
    } catch (const Error& error) {
      if (runs_.size() == tuning_.variants.size()) tuning_.variants.push_back(row);
      refuse(error.message());
    }
  }

  void refuse(std::string reason) {
    tuning_.variants.back().reason = std::move(reason);
    runs_.resize(tuning_.variants.size());
    runs_.back().reset();
  }

  /// The last of the rows.
  void try_variant(OptimizeRequest request, search::Subject subject) {
    runs_.push_back(std::make_unique<VariantRun>(std::move(request), std::move(subject)));
    JobSearch& search = runs_.back()->search;
    if (as_it_is_)
      if (auto wrong = search::what_is_wrong(*as_it_is_, search.prepared().memory); !wrong.empty())
        return refuse(std::move(wrong));
    search.search();
    fill_in(search, tuning_.variants.back());
    TunedVariant& row = tuning_.variants.back();
    row.speedup = *tuning_.variants.front().written_us / *row.best_us;
    if (request_.measure)
      drop_slow();
    else
      drop_all_but_best();
  }

  /// Traces take memory: only what can still be the answer is kept.
  void drop_all_but_best() {
    const std::size_t best = search::fastest_predicted(tuning_.variants);
    for (std::size_t i = 1; i < runs_.size(); ++i)
      if (i != best) runs_[i].reset();
  }

  void drop_slow() {
    const auto kept = search::variants_to_measure(tuning_.variants);
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (!std::ranges::count(kept, i)) runs_[i].reset();
  }

  void measure() {
    for (const std::size_t i : search::variants_to_measure(tuning_.variants)) {
      if (is_interrupted()) return;
      JobSearch& search = runs_.at(i)->search;
      search.measure();
      const search::Measured& measured = search.measured();
      const auto& written = measured.chosen.searched.attempts.launch().measured;
      if (!written) continue;
      TunedVariant& row = tuning_.variants[i];
      fill_in(search, row);
      row.speedup = *tuning_.variants.front().written_us / *row.best_us;
      row.measured_written_us = written->time_us;
      row.measured_us = measured.times ? measured.times->time_us : written->time_us;
    }
    if (!tuning_.variants.front().measured_us) {
      note_ = "the job as it is was not measured: predicted times chose the variant";
      return;
    }
    tuning_.chosen = search::fastest_measured(tuning_.variants);
    tuning_.measured = true;
  }

  void finish(OptimizationReport& report) {
    if (done_ <= variants_.size() && is_interrupted())
      report.notes.push_back(
          fmt::format("{} of {} variants were tried", done_ - 1, variants_.size()));
    if (!note_.empty()) report.notes.push_back(note_);
    // A variant that is faster as it is written is an improvement, too.
    if (tuning_.chosen > 0) report.answer = Answer::improved;
    report.tuning = std::move(tuning_);
  }

  static constexpr std::chrono::milliseconds kLeastShare{50};

  const OptimizeRequest& request_;
  search::Clock::time_point since_;
  const search::Subject& subject_;
  std::vector<search::Variant> variants_;
  std::size_t done_ = 0;
  std::vector<std::unique_ptr<VariantRun>> runs_;  ///< one a row; null: not kept
  std::set<std::string> launches_;                 ///< fingerprints
  std::optional<TraceReport> as_it_is_;            ///< memory of variant 0
  Tuning tuning_;
  std::string note_;
};

}  // namespace

OptimizationReport optimize_variants(const OptimizeRequest& request,
                                     const search::Subject& subject) {
  return VariantSearch(request, subject).run();
}

}  // namespace heddle::optimize
