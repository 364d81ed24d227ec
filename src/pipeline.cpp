#include "pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "config/gpu.h"
#include "config/job.h"
#include "config/launch_limits.h"
#include "optimize/job_search.h"
#include "optimize/order_bundles.h"
#include "order/compact.h"
#include "order/evaluate.h"
#include "order/tile_map.h"
#include "proof/check.h"
#include "search/report.h"
#include "sim/effects.h"
#include "sim/simulator.h"
#include "support/file.h"
#include "support/lists.h"
#include "support/text.h"
#include "tiles/find.h"
#include "tiles/launch.h"
#include "trace/analyze.h"
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

namespace {

/// What an order does to the launch: a verdict, and what blocks run.
struct OrderedLaunch {
  GridReport check;
  order::Map map;       ///< of the order
  order::Map schedule;  ///< of the launch
  int operations = 0;   ///< order/cost.h
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
  return {std::move(check), std::move(map), std::move(schedule),
          tiles::added_operations(launch, order, space, request.bindings)};
}

/// Predictions of an order are made beside the launch order's: sim/effects.h.
void put_beside_launch_order(sim::Simulator& simulator, const tiles::TileLaunch& launch,
                             const config::Gpu& gpu, const OrderedLaunch& ordered,
                             sim::SimOptions options, SimResult& result) {
  order::Map own = launch.own;
  if (!launch.is_lifted) {
    own.resize(static_cast<std::size_t>(launch.single->launch.grid.count()));
    std::iota(own.begin(), own.end(), 0);
  }
  own = launch.schedule(own);
  if (own == ordered.schedule || sim::effect_share(gpu) == 1) return;
  options.why = options.record_tiles = false;
  options.index_operations = 0;
  sim::put_beside(result, simulator.run(own, options).time_us, gpu);
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
  config::check_limits(loaded->launch, gpu, request.job_path);
  if (!request.allow_faults)
    trace::check_faults(trace::analyze_some(loaded->program, loaded->launch));
  // A table lists blocks of the launch, whatever they make of their number.
  const bool is_table = request.order && request.order->origin() == order::Order::Origin::table;
  const bool lifts = !is_table && request.tiles.empty() && tiles::is_looked_at(loaded->launch);
  tiles::TileLaunch launch = lifts ? tiles::tile_launch(loaded) : tiles::unlifted(loaded);
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
  options.index_operations = ordered.operations;
  sim::Simulator simulator(launch.single->program, launch.single->launch, gpu);
  SimResult result = simulator.run(ordered.schedule, options);
  if (ordered.check.verdict == Verdict::proved)
    put_beside_launch_order(simulator, launch, gpu, ordered, options, result);
  if (result.tiles) {
    TileRun run = launch.in_box(*result.tiles);
    if (space.tiles && !launch.is_lifted) run.axes = row_axes(space.tiles->extents());
    result.tiles = std::make_shared<const TileRun>(std::move(run));
  }
  result.order = title_of(launch, request);
  result.kernel = loaded->program.function;
  result.grid = loaded->launch.grid.extents();
  if (request.order && launch.is_lifted)
    result.notes.push_back(fmt::format("the order takes the place of the kernel's own: {}",
                                       launch.space.order_text()));
  if (!launch.refusal.empty())
    result.notes.push_back(fmt::format("orders are of the launch grid: {}", launch.refusal));
  if (lifts) result.space = std::move(launch.space);
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

OptimizationReport optimize_job(const OptimizeRequest& request) {
  return optimize_job(request, read_subject(request));
}

OptimizationReport optimize_job(const OptimizeRequest& request, const search::Subject& subject) {
  if (!request.tune.empty()) return optimize::optimize_variants(request, subject);
  if (!request.shapes.empty()) return optimize::optimize_shapes(request);
  optimize::JobSearch one(request, subject);
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
  optimize::OrderBundles bundles(request, subject, memory, independent);
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
  optimize::OrderBundles bundles(request, prepared);
  const auto orders = search::first_to_measure(prepared, request, chosen, request.measuring.limits);
  const auto made = bundles.make(chosen.searched.attempts, orders, files);
  append(result.search.notes, bundles.notes());
  if (made) result.written = written_bundle(subject, made->bundle, folder);
  return result;
}

}  // namespace heddle
