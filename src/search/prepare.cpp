#include "search/prepare.h"

#include "search/predictor.h"
#include "trace/analyze.h"

namespace heddle::search {
namespace {

constexpr std::int64_t kMemoryWork = 50'000'000;

}  // namespace

TraceReport look_at_memory(const Subject& subject) {
  trace::AnalyzeOptions options;
  options.most_work = kMemoryWork;
  options.line_bytes = subject.gpu_facts.line_bytes;
  options.wave_lanes = subject.gpu.compute.wave_lanes;
  options.box = subject.launch.box();
  const kernel::LoadedKernel& kernel = *subject.launch.single;
  TraceReport report = trace::analyze(kernel.program, kernel.launch, options);
  report.grid = subject.kernel().launch.grid.extents();
  report.space = subject.launch.space;
  return report;
}

Prepared prepare(const Subject& subject, const SearchOptions& options, const Pace& pace) {
  const kernel::LoadedKernel& kernel = *subject.launch.single;
  pace.show("looking at memory accesses");
  TraceReport memory = look_at_memory(subject);
  if (!options.allow_faults) trace::check_faults(memory);
  pace.show("looking for tiles that depend on one another");
  IndependenceReport independence;
  auto independent = trace::find_independence(kernel.program, kernel.launch, {}, independence);
  pace.show("replaying the launch order");
  auto simulator = std::make_unique<sim::Simulator>(kernel.program, kernel.launch, subject.gpu);
  const Scorer scorer(*simulator, subject.launch, options.threads);
  const order::Map map = subject.own_map();
  const Clock::time_point before = Clock::now();
  SimResult baseline = scorer.replay({&map, true}, Purpose::answer);
  const double seconds = seconds_since(before);
  std::optional<sim::Sketch> sketch;
  if (independent && !options.given_only && subject.grid.count() > kSearchedWhole) {
    pace.show("outlining tiles");
    sketch = simulator->sketch(options.threads);
  }
  return {subject,
          std::move(memory),
          std::move(independence),
          std::move(independent),
          std::move(simulator),
          scorer,
          named(std::move(baseline), subject, kAsLaunched),
          seconds,
          std::move(sketch)};
}

}  // namespace heddle::search
