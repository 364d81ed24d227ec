#include "trace/analyze.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "kernel/native.h"
#include "support/error.h"
#include "support/text.h"
#include "trace/access_table.h"
#include "trace/neighbours.h"

namespace heddle::trace {
namespace {

using kernel::KernelProgram;

constexpr std::int64_t kProbes = 16;            ///< tiles that tell what a tile costs
constexpr std::int64_t kMostSampled = 1 << 18;  ///< tiles, where not all are traced

/// What may touch memory without being counted here.
void add_unseen(const KernelProgram& program, std::vector<FaultSummary>& faults) {
  const kernel::NativeKernel* native = kernel::native_of(program);
  if (native == nullptr) return;
  for (const kernel::UnseenAccess& unseen : native->code().unseen) {
    FaultSummary summary;
    summary.kind = "not observed";
    summary.place = {unseen.place.line, unseen.place.column, program.function, {}};
    summary.detail = unseen.elsewhere.empty() || unseen.place.line > 0
                         ? unseen.what
                         : fmt::format("{}: {}", unseen.elsewhere, unseen.what);
    faults.push_back(std::move(summary));
  }
}

std::vector<FaultSummary> fault_summaries(const Tracer& tracer, const KernelProgram& program,
                                          const config::Launch& launch) {
  const SourceText source(program);
  std::vector<FaultSummary> result;
  for (const Fault& fault : tracer.faults()) {
    FaultSummary summary;
    summary.kind = fault_text(fault.kind);
    summary.place = source.at(fault.place);
    if (fault.tensor >= 0)
      summary.tensor = launch.tensors[static_cast<std::size_t>(fault.tensor)].name;
    summary.tile = tile_index(launch.grid, fault.tile);
    summary.count = fault.count;
    summary.tiles = fault.tiles;
    summary.detail = fault.detail;
    result.push_back(std::move(summary));
  }
  add_unseen(program, result);
  return result;
}

LayoutOptions layout_options(const config::Launch& launch, const AnalyzeOptions& options) {
  LayoutOptions layout;
  layout.waves = launch.waves(options.wave_lanes);
  layout.wave_lanes = options.wave_lanes;
  return layout;
}

AccessTableOptions table_options(const config::Launch& launch, const AnalyzeOptions& options) {
  AccessTableOptions table;
  table.layout = layout_options(launch, options);
  table.line_bytes = options.line_bytes;
  return table;
}

/// Runs tiles into a table, and keeps count of the work.
class TableRun {
 public:
  TableRun(const KernelProgram& program, const config::Launch& launch,
           const AnalyzeOptions& options)
      : launch_(launch),
        tracer(program, launch, options.trace),
        table(program, launch, table_options(launch, options)) {}

  void run(std::int64_t id) {
    tracer.run(block_of(launch_.grid, LaunchId{id}), table);
    table.end_tile(tracer.arithmetic());
    steps_ += tracer.steps();
  }

  std::int64_t work() const { return steps_ + table.work(); }
  double work_per_tile() const {
    return static_cast<double>(work()) /
           static_cast<double>(std::max<std::int64_t>(1, table.tiles()));
  }

 private:
  const config::Launch& launch_;
  std::int64_t steps_ = 0;

 public:
  Tracer tracer;
  AccessTable table;
};

TraceReport report_of(const KernelProgram& program, const config::Launch& launch,
                      const AnalyzeOptions& options) {
  TraceReport report;
  report.kernel = program.source_path;
  report.function = program.function;
  report.grid = launch.grid.extents();
  report.warps = launch.waves(options.wave_lanes);
  report.wave_lanes = options.wave_lanes;
  if (program.traits().has_lanes) {
    report.threads.assign(launch.threads.begin(), launch.threads.end());
    while (report.threads.size() > 1 && report.threads.back() == 1) report.threads.pop_back();
  }
  report.line_bytes = options.line_bytes;
  report.tiles = launch.grid.count();
  return report;
}

/// Lists the accesses of a tile as they come.
class TileList : public AccessSink {
 public:
  TileList(const KernelProgram& program, const config::Launch& launch,
           const AnalyzeOptions& options, TileReport& report)
      : program_(program),
        launch_(launch),
        options_(options),
        report_(report),
        source_(program),
        counter_(layout_options(launch, options), options.line_bytes) {}

  void access(const AccessPattern& pattern) override {
    if (report_.total++ >= options_.most_listed) return;
    const kernel::Site& site = program_.sites[static_cast<std::size_t>(pattern.site)];
    const PatternCounts& counts = counter_.count(pattern);
    TileAccess access;
    access.kind = access_kind(site.kind);
    access.place = source_.at(site.place);
    access.element_bytes = pattern.element_bytes;
    access.elements = counts.elements;
    access.active = counts.active;
    access.bytes = counts.bytes;
    access.lines = counts.lines;
    access.requests = counts.requests;
    access.runs = counts.runs;
    std::uint64_t origin = 0;
    if (pattern.tensor >= 0) {
      const config::Tensor& tensor = launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
      access.tensor = tensor.name;
      origin = tensor.address;
    }
    runs_.clear();
    append_runs(pattern, runs_);
    const std::size_t shown = std::min(runs_.size(), static_cast<std::size_t>(options_.most_runs));
    for (std::size_t i = 0; i < shown; ++i)
      access.first_runs.push_back({static_cast<std::int64_t>(runs_[i].address - origin),
                                   static_cast<std::int64_t>(runs_[i].bytes)});
    report_.accesses.push_back(std::move(access));
  }

 private:
  const KernelProgram& program_;
  const config::Launch& launch_;
  const AnalyzeOptions& options_;
  TileReport& report_;
  SourceText source_;
  PatternCounter counter_;
  std::vector<Run> runs_;
};

/// Every tile, unless the probes misled: then it stops where it has cost a multiple of the limit.
void run_whole(TableRun& run, std::int64_t most_work, TraceReport& report) {
  constexpr std::int64_t kPatience = 4;
  for (std::int64_t id = 0; id < report.tiles; ++id) {
    run.run(id);
    if (run.work() / kPatience <= most_work || id + 1 == report.tiles) continue;
    report.sampled_because = fmt::format("the first ones, as they took {:.2g} steps already",
                                         static_cast<double>(run.work()));
    return;
  }
}

}  // namespace

TraceReport analyze(const KernelProgram& program, const config::Launch& launch,
                    const AnalyzeOptions& options) {
  const KernelProgram reduced = kernel::remove_unneeded(program, kernel::Keep::all);
  TraceReport report = report_of(program, launch, options);
  double work_per_tile = 0;
  {
    TableRun probe(reduced, launch, options);
    for (const std::int64_t id : spread_tiles(report.tiles, kProbes)) probe.run(id);
    work_per_tile = std::max(1.0, probe.work_per_tile());
  }
  const double affordable = static_cast<double>(options.most_work) / work_per_tile;
  const bool is_whole = static_cast<double>(report.tiles) <= affordable;
  TableRun run(reduced, launch, options);
  if (is_whole) {
    run_whole(run, options.most_work, report);
  } else {
    const auto count = std::clamp(static_cast<std::int64_t>(affordable), kProbes, kMostSampled);
    for (const std::int64_t id : spread_tiles(report.tiles, count)) run.run(id);
    report.sampled_because = fmt::format(
        "all of them would take about {:.2g} steps, more than {:.2g}",
        work_per_tile * static_cast<double>(report.tiles), static_cast<double>(options.most_work));
  }
  std::vector<std::size_t> order;
  run.table.summarize(report, order);
  report.faults = fault_summaries(run.tracer, reduced, launch);
  // Another tracer, so that faults are not counted again.
  Tracer tracer(reduced, launch, options.trace);
  NeighbourOptions neighbour_options;
  neighbour_options.line_bytes = options.line_bytes;
  if (options.box) {
    neighbour_options.box = &*options.box;
    report.axes = options.box->names;
  }
  const NeighbourResult neighbours =
      find_neighbour_shares(tracer, launch, run.table, work_per_tile, neighbour_options);
  report.neighbours_sampled = neighbours.samples;
  for (std::size_t i = 0; i < order.size() && neighbours.samples > 0; ++i)
    report.accesses[i].neighbours = neighbours.shares[order[i]];
  return report;
}

std::string_view fault_text(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::out_of_bounds:
      return "out of bounds";
    case Fault::Kind::overflow:
      return "int32 overflow";
    case Fault::Kind::division_by_zero:
      return "division by zero";
    case Fault::Kind::uninitialized:
      return "no value";
  }
  return {};
}

namespace {

/// The first and the last, then those halfway between, and so on: any beginning is spread.
std::vector<std::int64_t> by_halves(const std::vector<std::int64_t>& tiles) {
  std::vector<std::int64_t> result;
  const std::size_t count = tiles.size();
  if (count > 0) result.push_back(tiles.front());
  if (count > 1) result.push_back(tiles.back());
  for (std::size_t step = std::bit_ceil(count); step >= 2; step /= 2)
    for (std::size_t i = step / 2; i + 1 < count; i += step) result.push_back(tiles[i]);
  return result;
}

}  // namespace

std::vector<Fault> find_faults(const KernelProgram& program, const config::Launch& launch,
                               std::int64_t tiles, const AnalyzeOptions& options) {
  class Nothing : public AccessSink {
    void access(const AccessPattern&) override {}
  };
  const KernelProgram reduced = kernel::remove_unneeded(program, kernel::Keep::all);
  Tracer tracer(reduced, launch, options.trace);
  Nothing sink;
  std::int64_t steps = 0;
  for (const std::int64_t id : by_halves(spread_tiles(launch.grid.count(), tiles))) {
    tracer.run(block_of(launch.grid, LaunchId{id}), sink);
    steps += tracer.steps();
    if (steps > options.most_work) break;
  }
  return tracer.faults();
}

TileReport trace_tile(const KernelProgram& program, const config::Launch& launch,
                      std::array<std::int64_t, 3> tile, const AnalyzeOptions& options) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t index = tile[static_cast<std::size_t>(axis)];
    if (index >= 0 && index < launch.grid.extent(axis)) continue;
    throw Error(fmt::format("tile {} is outside grid {}",
                            fmt::join(tile.begin(), tile.begin() + launch.grid.axes(), ","),
                            launch.grid.text()),
                "give an index below the grid's extent for every axis");
  }
  const KernelProgram reduced = kernel::remove_unneeded(program, kernel::Keep::all);
  TileReport report;
  report.kernel = program.source_path;
  report.function = program.function;
  report.grid = launch.grid.extents();
  report.tile = tile_index(launch.grid, tile);
  report.line_bytes = options.line_bytes;
  TileList list(reduced, launch, options, report);
  Tracer tracer(reduced, launch, options.trace);
  tracer.run(tile, list);
  std::map<std::pair<kernel::ArithmeticKind, config::DType>, std::int64_t> totals;
  for (const kernel::ArithmeticCount& count : tracer.arithmetic())
    totals[{count.kind, count.type}] += count.count;
  report.arithmetic = arithmetic_summary(totals);
  report.faults = fault_summaries(tracer, reduced, launch);
  return report;
}

void check_faults(const TraceReport& report) {
  if (report.faults.empty()) return;
  const FaultSummary& fault = report.faults.front();
  std::string text = fault.kind;
  if (!fault.tensor.empty()) text += " of " + fault.tensor;
  if (!fault.detail.empty()) text += ": " + fault.detail;
  if (!fault.tile.empty())
    text += fmt::format(" (first in tile ({}))", fmt::join(fault.tile, ", "));
  const std::string hint =
      "fix the sizes, tensors or grid of the job: heddle trace shows all faults; --allow-faults "
      "continues despite them";
  Error error(text, hint);
  throw fault.place.line > 0 ? error.at(report.kernel, {fault.place.line, 1})
                             : error.in(report.kernel);
}

TraceReport analyze_some(const kernel::KernelProgram& program, const config::Launch& launch) {
  constexpr std::int64_t kSomeWork = 2'000'000;
  AnalyzeOptions options;
  options.most_work = kSomeWork;
  return analyze(program, launch, options);
}

}  // namespace heddle::trace
