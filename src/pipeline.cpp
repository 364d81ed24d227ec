#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/fingerprint.h"
#include "config/gpu.h"
#include "config/job.h"
#include "config/other_sizes.h"
#include "emit/diff.h"
#include "emit/patched_kernel.h"
#include "history/book.h"
#include "measure/order_bundle.h"
#include "order/evaluate.h"
#include "order/tile_map.h"
#include "proof/check.h"
#include "search/report.h"
#include "support/file.h"
#include "support/text.h"
#include "tiles/find.h"

namespace heddle {
namespace {

constexpr std::chrono::hours kNoTimeLimit{24};

/// What is wrong with an order that was not proved, and how many blocks do nothing for it.
std::string permutation_note(const GridReport& check, const order::Map& map) {
  std::string note = check.counterexample ? check.counterexample->message : check.reason;
  if (check.counted) {
    note += fmt::format("; {} of {} are computed", with_separators(check.distinct_tiles),
                        count_of(check.tiles, "tile"));
  }
  const std::string idle = order::idle_note(map);
  if (!idle.empty()) note += "; " + idle;
  return note;
}

}  // namespace

kernel::KernelProgram compile_kernel(const std::string& path, const std::string& text,
                                     const config::Launch& launch) {
  return kernel::Source::open(path, text)->compile(launch);
}

SimResult simulate_job(const SimulationRequest& request) {
  const config::Gpu gpu = config::read_gpu(request.gpu);
  const LoadedKernel loaded = load_kernel(request.job_path, request.overrides);
  const order::Space space =
      order::tile_space(loaded.launch.grid, request.tiles, request.bindings, "--tiles");
  const GridReport check =
      proof::check_grid(request.order, space, request.bindings, {gpu.compute.dies, kNoTimeLimit});
  const order::Map map = order::tile_map(request.order, space, request.bindings);
  SimResult result = sim::simulate(loaded.program, loaded.launch, gpu, map, request.options);
  result.order = request.order.title();
  result.kernel = loaded.program.function;
  result.grid = loaded.launch.grid.extents();
  if (tiles::is_looked_at(loaded.launch))
    result.space = tiles::find_tile_space(loaded.program, loaded.launch);
  result.permutation = check.verdict == Verdict::proved;
  if (!result.permutation) result.notes.insert(result.notes.begin(), permutation_note(check, map));
  return result;
}

ValidationReport validate_tables(const calibrate::ValidationRequest& request) {
  return calibrate::validate_tables(request, load_kernel);
}

CalibrationReport calibrate_tables(const calibrate::CalibrationRequest& request) {
  return calibrate::calibrate_tables(request, load_kernel);
}

namespace {

constexpr std::size_t kLargestSource = std::size_t{64} << 20;

/// The job with odd numbers of tiles, the last ones not full; or why there is no such launch.
struct RaggedLaunch {
  std::unique_ptr<const LoadedKernel> kernel;
  std::string reason;
};

RaggedLaunch find_ragged(const OptimizeRequest& request, const LoadedKernel& loaded) {
  try {
    const std::unique_ptr<kernel::Source> source = kernel::Source::open(loaded.launch.kernel_path);
    const auto grid_with = [&](const std::vector<std::string>& more) -> std::optional<Grid> {
      try {
        const auto overrides = config::with_overrides(request.overrides, more);
        return source->launch(config::read_job(request.job_path, overrides)).launch.grid;
      } catch (const Error&) {
        return std::nullopt;  // the job does not work with these sizes
      }
    };
    const auto varying = config::find_varying(request.job_path, request.overrides, grid_with);
    if (varying.empty()) return {nullptr, "the grid depends on no number of the job"};
    auto ragged = std::make_unique<const LoadedKernel>(
        load_kernel(request.job_path,
                    config::with_overrides(request.overrides, config::ragged_sizes(varying))));
    // Macros hold for a whole bundle.
    if (ragged->program.defines != loaded.program.defines)
      return {nullptr, "other sizes are other macros"};
    return {std::move(ragged), ""};
  } catch (const Error& error) {
    return {nullptr, error.message()};
  }
}

/// Orders of a search as bundles. Every bundle has the job's launch and, where all of its orders
/// hold for all sizes, a ragged one.
class OrderBundles {
 public:
  /// All must outlive this, and this the bundles.
  OrderBundles(const OptimizeRequest& request, const search::Prepared& prepared)
      : request_(request), prepared_(prepared), loaded_(prepared.subject.kernel) {}

  struct OrderBundle {
    measure::Bundle bundle;
    std::vector<int> orders;  ///< numbers of the attempts that are candidates 1, 2, ...
  };
  /// Nothing where there is nothing to measure beside the original.
  std::optional<OrderBundle> make(const search::Attempts& attempts, const std::vector<int>& orders,
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
    add_launches(all_sizes, made.bundle);
    return made;
  }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  measure::Bundle empty_bundle() const {
    measure::Bundle bundle;
    bundle.job = request_.job_path;
    bundle.overrides = request_.overrides;
    bundle.gpu = request_.gpu;
    bundle.is_amd = prepared_.subject.gpu.vendor == config::Vendor::amd;
    bundle.kernel_path = loaded_.launch.kernel_path;
    bundle.seeds = request_.measuring.seeds;
    bundle.limit_s = request_.measuring.limit_s;
    bundle.rounds = request_.measuring.rounds;
    bundle.budget_s = request_.measuring.budget_s;
    return bundle;
  }

  std::optional<std::string> rewritten(const proof::ProvenOrder& proven, const std::string& title) {
    try {
      return emit::patch_kernel(loaded_, proven, *prepared_.independent, compile_kernel).after;
    } catch (const Error& error) {
      notes_.push_back(fmt::format("{} was not measured, since the kernel cannot be rewritten: {}",
                                   title, error.full_text()));
      return std::nullopt;
    }
  }

  void add_launches(bool all_sizes, measure::Bundle& bundle) {
    bundle.launches.push_back({"main", loaded_.launch, &loaded_.program, &prepared_.memory});
    if (!all_sizes) return;
    const RaggedLaunch& ragged = ragged_launch();
    if (ragged.kernel)
      bundle.launches.push_back(
          {"ragged", ragged.kernel->launch, &ragged.kernel->program, &prepared_.memory});
  }

  /// Found once.
  const RaggedLaunch& ragged_launch() {
    if (!ragged_) {
      ragged_ = find_ragged(request_, loaded_);
      if (!ragged_->kernel)
        notes_.push_back("outputs are compared on the job's sizes alone: " + ragged_->reason);
    }
    return *ragged_;
  }

  const OptimizeRequest& request_;
  const search::Prepared& prepared_;
  const LoadedKernel& loaded_;
  std::optional<RaggedLaunch> ragged_;  ///< what ragged_launch found
  std::vector<std::string> notes_;
};

history::Book open_book(const OptimizeRequest& request, const search::Subject& subject) {
  if (request.history.empty()) return {};
  const LoadedKernel& kernel = subject.kernel;
  return {request.history,
          request.history_needed,
          {request.job_path, kernel.program.function, kernel.launch.grid.text(),
           config::fingerprint(kernel.launch), request.gpu, subject.gpu_facts.file_hash,
           request.model}};
}

search::Measured measure_orders(const OptimizeRequest& request, const search::Prepared& prepared,
                                const search::Session& session, search::Chosen chosen,
                                OrderBundles& bundles) {
  if (!request.measure) return {std::move(chosen), {}, {}};
  const auto measure_round =
      [&](const search::Attempts& attempts,
          const std::vector<int>& orders) -> std::optional<search::MeasuredRound> {
    const auto made = bundles.make(attempts, orders, {});
    if (!made) return std::nullopt;
    auto report = request.measure(made->bundle);
    if (!report) return std::nullopt;
    return search::MeasuredRound{made->orders, std::move(*report)};
  };
  return search::measure(prepared, session, std::move(chosen), request.measuring.limits,
                         measure_round);
}

/// The kernel with the best order in it; nothing unless there is one.
struct Emitted {
  std::string patched, patch, agreement;
  std::string note;  ///< why there is none
};

Emitted emit_best(const search::Prepared& prepared, const search::Session& session,
                  const search::Chosen& chosen) {
  if (chosen.answer != Answer::improved) return {};
  session.pace.show(search::progress_of(chosen.searched, chosen.best, "writing the kernel"));
  const LoadedKernel& kernel = prepared.subject.kernel;
  const proof::ProvenOrder& best = chosen.searched.attempts.proven(chosen.best).order;
  try {
    emit::PatchedKernel patched =
        emit::patch_kernel(kernel, best, *prepared.independent, compile_kernel);
    std::string patch = emit::unified_diff(patched.before, patched.after,
                                           emit::name_in_diff(kernel.launch.kernel_path));
    return {std::move(patched.after), std::move(patch), std::move(patched.agreement), ""};
  } catch (const Error& error) {
    return {"", "", "", fmt::format("the kernel was not rewritten: {}", error.full_text())};
  }
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

search::Subject read_subject(const OptimizeRequest& request) {
  const search::Clock::time_point since = search::Clock::now();
  search::Pace(request, since).show("reading the kernel");
  config::Gpu gpu = config::read_gpu(request.gpu);
  LoadedKernel kernel = load_kernel(request.job_path, request.overrides);
  return search::subject_of(request.job_path, std::move(kernel), std::move(gpu), request.gpu,
                            since);
}

OptimizationReport optimize_job(const OptimizeRequest& request) {
  return optimize_job(request, read_subject(request));
}

OptimizationReport optimize_job(const OptimizeRequest& request, const search::Subject& subject) {
  history::Book book = open_book(request, subject);
  const search::Session session{
      request, {request, subject.since}, [&](const std::vector<OrderAttempt>& attempts) {
        book.record(attempts);
      }};
  const search::Prepared prepared = search::prepare(subject, request, session.pace);
  search::Searched searched = search::search(prepared, session, book.known());
  search::Chosen chosen = search::choose(prepared, session, std::move(searched));
  OrderBundles bundles(request, prepared);
  const search::Measured measured =
      measure_orders(request, prepared, session, std::move(chosen), bundles);
  Emitted emitted = emit_best(prepared, session, measured.chosen);
  OptimizationReport report = search::report_of(prepared, measured);
  report.patched = std::move(emitted.patched);
  report.patch = std::move(emitted.patch);
  report.agreement = std::move(emitted.agreement);
  book.end(report);
  std::vector<std::string> notes = book.notes();
  append(notes, report.notes);
  append(notes, bundles.notes());
  if (!emitted.note.empty()) notes.push_back(std::move(emitted.note));
  report.notes = std::move(notes);
  return report;
}

BundleReport bundle_job(const OptimizeRequest& request, const search::Subject& subject,
                        const std::vector<search::GivenText>& files, const std::string& folder) {
  const search::Session session{request, {request, subject.since}, [](const auto&) {}};
  const search::Prepared prepared = search::prepare(subject, request, session.pace);
  search::Searched searched = search::search(prepared, session, {});
  const search::Chosen chosen = search::choose(prepared, session, std::move(searched));
  BundleReport result{search::report_of(prepared, chosen), std::nullopt};
  if (!prepared.independent || session.pace.interrupted()) return result;
  OrderBundles bundles(request, prepared);
  const auto orders = search::first_to_measure(prepared, request, chosen, request.measuring.limits);
  const auto made = bundles.make(chosen.searched.attempts, orders, files);
  append(result.search.notes, bundles.notes());
  if (!made) return result;
  measure::write_bundle(made->bundle, folder);
  result.written = WrittenBundle{subject.kernel.program.function, made->bundle.candidates, {}};
  for (const measure::BundleLaunch& launch : made->bundle.launches)
    result.written->launches.emplace_back(launch.name, launch.launch.grid);
  return result;
}

}  // namespace heddle
