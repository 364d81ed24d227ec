// How long panels take: a workload folder of an MI300X as `heddle analyze` reads it, and a larger
// one.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "profile/analysis.h"
#include "report/panel_text.h"

namespace {

using namespace heddle;

void print_panels(const std::string& folder) {
  const profile::Workload workload = profile::read_workload(folder);
  const profile::Selection selection = profile::select(workload, {});
  const profile::ArchitectureDefinition definition = profile::read_architecture(workload.arch);
  const auto panels = profile::analyze(workload, selection, &definition, {});
  benchmark::DoNotOptimize(report::panels_text(panels, {}));
}

void analyze_mi300x(benchmark::State& state) {
  for (auto _ : state) print_panels(HEDDLE_EXAMPLES_DIR "/workloads/scale/MI300X_A1");
}
BENCHMARK(analyze_mi300x)->Unit(benchmark::kMillisecond);

/// The same with its rows repeated until there are so many dispatches.
void analyze_many_dispatches(benchmark::State& state) {
  namespace fs = std::filesystem;
  const fs::path from = HEDDLE_EXAMPLES_DIR "/workloads/scale/MI300X_A1";
  const fs::path folder = fs::temp_directory_path() / "heddle_profile_bench";
  fs::remove_all(folder);
  fs::copy(from, folder);
  std::ifstream original(from / "pmc_perf.csv");
  std::string header;
  std::string row;
  std::getline(original, header);
  std::getline(original, row);
  {
    std::ofstream copy(folder / "pmc_perf.csv");
    copy << header << "\n";
    for (std::int64_t i = 0; i < state.range(0); ++i) copy << row << "\n";
  }
  for (auto _ : state) print_panels(folder.string());
  state.SetItemsProcessed(state.iterations() * state.range(0));
  fs::remove_all(folder);
}
BENCHMARK(analyze_many_dispatches)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
