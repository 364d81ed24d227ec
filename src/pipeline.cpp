#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/fingerprint.h"
#include "config/gpu.h"
#include "config/job.h"
#include "emit/diff.h"
#include "emit/patched_kernel.h"
#include "job_search.h"
#include "order/compact.h"
#include "order/evaluate.h"
#include "order/tile_map.h"
#include "order_bundles.h"
#include "proof/check.h"
#include "search/report.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"
#include "tiles/find.h"
#include "tiles/launch.h"
#include "trace/independence.h"

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

namespace {

/// What an order does to the launch: a verdict, and what blocks run.
struct OrderedLaunch {
  GridReport check;
  order::Map map;       ///< of the order
  order::Map schedule;  ///< of the launch
};

OrderedLaunch put_in_order(const tiles::TileLaunch& launch, const SimulationRequest& request,
                           const order::Space& space, int dies) {
  if (!request.order && launch.is_lifted) {
    OrderedLaunch own{{}, launch.own, launch.schedule(launch.own)};
    own.check.verdict = Verdict::proved;
    return own;
  }
  const order::Order order = request.order.value_or(order::read_compact("identity"));
  GridReport check = proof::check_grid(order, space, request.bindings, {dies, kNoTimeLimit});
  order::Map map = order::tile_map(order, space, request.bindings);
  order::Map schedule = launch.schedule(map);
  return {std::move(check), std::move(map), std::move(schedule)};
}

std::string title_of(const tiles::TileLaunch& launch, const SimulationRequest& request) {
  if (request.order) return request.order->title();
  return launch.is_lifted ? "as written" : "identity";
}

}  // namespace

SimResult simulate_job(const SimulationRequest& request) {
  const config::Gpu gpu = config::read_gpu(request.gpu);
  const auto loaded = std::make_shared<const LoadedKernel>(
      load_kernel(request.job_path, request.overrides, config::target_of(gpu)));
  tiles::TileLaunch launch = request.tiles.empty() && tiles::is_looked_at(loaded->launch)
                                 ? tiles::tile_launch(loaded)
                                 : tiles::unlifted(loaded);
  const order::Space space =
      launch.is_lifted
          ? launch.orders
          : order::tile_space(loaded->launch.grid, request.tiles, request.bindings, "--tiles");
  const OrderedLaunch ordered = [&] {
    try {
      return put_in_order(launch, request, space, gpu.compute.dies);
    } catch (const Error& error) {
      const std::string& reason = launch.refusal.empty() ? launch.space.refusal : launch.refusal;
      if (launch.is_lifted || reason.empty()) throw;
      throw Error(fmt::format("{}; orders are of the launch grid: {}", error.message(), reason),
                  error.hint(), error.code());
    }
  }();
  sim::SimOptions options = request.options;
  options.blocks = launch.blocks;
  SimResult result =
      sim::simulate(launch.single->program, launch.single->launch, gpu, ordered.schedule, options);
  result.order = title_of(launch, request);
  result.kernel = loaded->program.function;
  result.grid = loaded->launch.grid.extents();
  if (request.order && launch.is_lifted)
    result.notes.push_back(fmt::format("the order takes the place of the kernel's own: {}",
                                       launch.space.order_text()));
  if (!launch.refusal.empty())
    result.notes.push_back(fmt::format("orders are of the launch grid: {}", launch.refusal));
  if (request.tiles.empty() && tiles::is_looked_at(loaded->launch))
    result.space = std::move(launch.space);
  result.permutation = ordered.check.verdict == Verdict::proved;
  if (!result.permutation)
    result.notes.insert(result.notes.begin(), permutation_note(ordered.check, ordered.map));
  return result;
}

ValidationReport validate_tables(const calibrate::ValidationRequest& request) {
  return calibrate::validate_tables(request, load_kernel);
}

CalibrationReport calibrate_tables(const calibrate::CalibrationRequest& request) {
  return calibrate::calibrate_tables(request, load_kernel);
}

namespace {

history::Book open_book(const OptimizeRequest& request, const search::Subject& subject) {
  if (request.history.empty()) return {};
  const LoadedKernel& kernel = subject.kernel();
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
                  const search::Chosen& chosen, OrderBundles& bundles) {
  if (chosen.answer != Answer::improved) return {};
  const std::string& setting = chosen.searched.attempts.at(chosen.best).setting;
  if (!setting.empty())
    return {"", "", "",
            fmt::format("no patch is needed: the kernel has this order with {}", setting)};
  session.pace.show(search::progress_of(chosen.searched, chosen.best, "writing the kernel"));
  const LoadedKernel& kernel = prepared.subject.kernel();
  const proof::ProvenOrder& best = chosen.searched.attempts.proven(chosen.best).order;
  try {
    emit::PatchedKernel patched = bundles.patched(best);
    std::string patch = emit::unified_diff(patched.before, patched.after,
                                           emit::name_in_diff(kernel.launch.kernel_path));
    return {std::move(patched.after), std::move(patch), std::move(patched.agreement), ""};
  } catch (const Error& error) {
    return {"", "", "", fmt::format("the kernel was not rewritten: {}", error.full_text())};
  }
}

}  // namespace

search::Subject read_subject(const OptimizeRequest& request) {
  const search::Clock::time_point since = search::Clock::now();
  search::Pace(request, since).show("reading the kernel");
  config::Gpu gpu = config::read_gpu(request.gpu);
  const auto kernel = std::make_shared<const LoadedKernel>(
      load_kernel(request.job_path, request.overrides, config::target_of(gpu)));
  tiles::TileLaunch launch = tiles::unlifted(kernel);
  if (tiles::is_looked_at(kernel->launch))
    launch = tiles::tile_launch(
        kernel, tiles::find_tile_space(request.job_path, request.overrides, *kernel));
  search::Subject subject = search::subject_of(request.job_path, std::move(launch), kernel,
                                               std::move(gpu), request.gpu, since);
  if (subject.launch.is_lifted)
    subject.settings = tiles::knob_settings(subject.launch, request.job_path, request.overrides,
                                            subject.gpu.compute.dies);
  return subject;
}

OptimizationReport optimize_job(const OptimizeRequest& request) {
  return optimize_job(request, read_subject(request));
}

JobSearch::JobSearch(const OptimizeRequest& request, const search::Subject& subject)
    : request_(request),
      book_(open_book(request, subject)),
      session_{request,
               {request, subject.since},
               [this](const std::vector<OrderAttempt>& attempts) { book_.record(attempts); }},
      prepared_(search::prepare(subject, request, session_.pace)),
      bundles_(request, prepared_) {}

void JobSearch::search() {
  search::Searched searched = search::search(prepared_, session_, book_.known());
  measured_ = {search::choose(prepared_, session_, std::move(searched)), {}, {}};
}

void JobSearch::measure() {
  measured_ = measure_orders(request_, prepared_, session_, std::move(chosen()), bundles_);
}

OptimizationReport JobSearch::report() {
  Emitted emitted = emit_best(prepared_, session_, chosen(), bundles_);
  OptimizationReport report = search::report_of(prepared_, *measured_);
  report.patched = std::move(emitted.patched);
  report.patch = std::move(emitted.patch);
  report.agreement = std::move(emitted.agreement);
  book_.end(report);
  std::vector<std::string> notes = book_.notes();
  append(notes, report.notes);
  append(notes, bundles_.notes());
  if (!emitted.note.empty()) notes.push_back(std::move(emitted.note));
  report.notes = std::move(notes);
  return report;
}

OptimizationReport optimize_job(const OptimizeRequest& request, const search::Subject& subject) {
  if (!request.tune.empty()) return optimize_variants(request, subject);
  if (!request.shapes.empty()) return optimize_shapes(request);
  JobSearch one(request, subject);
  one.search();
  one.measure();
  return one.report();
}

namespace {

/// Proved orders that the kernel does not have yet.
std::vector<int> proved_orders(const search::Attempts& attempts, bool fixed_grid) {
  std::vector<int> orders;
  for (const OrderAttempt& one : attempts.all())
    if (one.iteration != search::kLaunchOrder && one.verdict == Verdict::proved && !one.same_as &&
        (one.sizes == ProvedSizes::all || fixed_grid))
      orders.push_back(one.iteration);
  return orders;
}

WrittenBundle written_bundle(const search::Subject& subject, const measure::Bundle& bundle,
                             const std::string& folder) {
  measure::write_bundle(bundle, folder);
  WrittenBundle written{subject.kernel().program.function, bundle.candidates, {}};
  for (const measure::BundleLaunch& launch : bundle.launches)
    written.launches.emplace_back(launch.name, launch.launch.grid);
  return written;
}

/// Given orders are proved and written, and nothing is replayed.
BundleReport lean_bundle(const OptimizeRequest& request, const search::Subject& subject,
                         const std::vector<search::GivenText>& files, const std::string& folder) {
  const search::Pace pace(request, subject.since);
  const kernel::LoadedKernel& kernel = *subject.launch.single;
  BundleReport result;
  pace.show("looking for tiles that depend on one another");
  IndependenceReport independence;
  const auto independent =
      trace::find_independence(kernel.program, kernel.launch, {}, independence);
  if (!independent) {
    result.search.answer = Answer::not_independent;
    result.search.reason = independence.reason;
    return result;
  }
  TraceReport memory;
  if (!kernel.program.traits().knows_pointers) memory = search::look_at_memory(subject);
  pace.show("proving orders");
  const search::Attempts attempts = search::judge_given(subject, request, result.search.notes);
  result.search.attempts = attempts.all();
  OrderBundles bundles(request, subject, memory, independent);
  const auto made = bundles.make(attempts, proved_orders(attempts, request.fixed_grid), files);
  append(result.search.notes, bundles.notes());
  if (made) result.written = written_bundle(subject, made->bundle, folder);
  return result;
}

}  // namespace

BundleReport bundle_job(const OptimizeRequest& request, const search::Subject& subject,
                        const std::vector<search::GivenText>& files, const std::string& folder) {
  if (request.measuring.lean) return lean_bundle(request, subject, files, folder);
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
  if (made) result.written = written_bundle(subject, made->bundle, folder);
  return result;
}

}  // namespace heddle
