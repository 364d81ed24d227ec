// heddle trace: what every tile of a kernel reads and writes.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "config/npy.h"
#include "kernel_job.h"
#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/trace_report.h"
#include "support/file.h"
#include "support/text.h"
#include "tiles/find.h"
#include "tiles/launch.h"
#include "trace/analyze.h"
#include "trace/independence.h"
#include "trace/kept.h"
#include "trace/native/launch.h"
#include "trace_addresses.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kTraceExamples = R"text(
Examples:
  heddle trace examples/stencil_2d.toml
  heddle trace examples/gemm.toml --set M=4096 --wave 32 --json
  heddle trace examples/stencil_2d.toml --tile 3,5
  heddle trace attention.py --kernel attention_fwd    infers the job
  heddle trace examples/copy.toml --tile 0 --addresses copy.jsonl
Exit codes: 1 if --strict meets an access out of bounds, else 0.)text";

struct TraceArguments {
  std::string job;
  KernelJob kernel;
  std::vector<std::string> overrides;
  std::string tile;
  std::string addresses;
  std::string results;
  bool strict = false;
  bool wave_given = false;
  trace::AnalyzeOptions options;
  OutputArguments output;
};

std::array<std::int64_t, 3> parse_tile(const std::string& text, const Grid& grid) {
  std::array<std::int64_t, 3> tile{};
  const std::vector<std::string_view> parts = split(text, ',');
  const Error wrong(fmt::format("'{}' is not a tile of grid {}", text, grid.text()),
                    grid.axes() == 1 ? "write --tile 3" : "write --tile 3,5: an index per axis");
  if (parts.size() != static_cast<std::size_t>(grid.axes())) throw wrong;
  for (std::size_t axis = 0; axis < parts.size(); ++axis) {
    const auto index = parse_integer(trim(parts[axis]));
    if (!index || *index < 0 || *index >= grid.extent(static_cast<int>(axis))) throw wrong;
    tile[axis] = *index;
  }
  return tile;
}

void show_tile(const TraceArguments& arguments, const LoadedKernel& loaded,
               std::array<std::int64_t, 3> tile) {
  const TileReport report =
      trace::trace_tile(loaded.program, loaded.launch, tile, arguments.options);
  const std::string job = display_name(arguments.job);
  arguments.output.print(arguments.output.wants_json()
                             ? json_text(report::tile_json(report, job))
                             : report::tile_text(report, job, arguments.output.style()));
}

/// With the tile space; its axes are those along which blocks share lines.
TraceReport trace_all(const TraceArguments& arguments, const trace::KeptTrace& kept,
                      const std::shared_ptr<const LoadedKernel>& loaded) {
  trace::AnalyzeOptions options = arguments.options;
  if (!tiles::is_looked_at(loaded->launch)) {
    TraceReport report = kept.analyze(options);
    report.space.emplace().refusal =
        fmt::format("launches of up to {} blocks are looked at: try smaller sizes",
                    with_separators(tiles::kMostBlocks));
    return report;
  }
  TileSpace space = tiles::find_tile_space(arguments.job, arguments.overrides, *loaded);
  if (space.walk == TileSpace::Walk::once) options.box = tiles::tile_launch(loaded, space).box();
  TraceReport report = kept.analyze(options);
  report.space = std::move(space);
  return report;
}

void show_all(const TraceArguments& arguments, const LoadedKernel& loaded) {
  const trace::KeptTrace kept(loaded.program, loaded.launch);
  const TraceReport report = with_progress("tracing", [&] {
    return trace_all(arguments, kept, std::make_shared<const LoadedKernel>(loaded));
  });
  IndependenceReport independence;
  trace::IndependenceOptions options;
  options.trace = arguments.options.trace;
  with_progress("looking for tiles that depend on one another",
                [&] { kept.find_independence(options, independence); });
  const std::string job = display_name(arguments.job);
  arguments.output.print(
      arguments.output.wants_json()
          ? json_text(report::trace_json(report, independence, job))
          : report::trace_text(report, independence, job, arguments.output.style()));
}

/// Runs the whole launch of a C++ kernel and writes every tensor that it changed.
void write_results(const TraceArguments& arguments, const LoadedKernel& loaded) {
  namespace fs = std::filesystem;
  if (!loaded.program.traits().runs)
    throw Error("--results is for C++ kernels: values of a Triton kernel are not computed",
                "leave it out");
  std::error_code error;
  fs::create_directories(arguments.results, error);
  std::string text;
  for (const auto& result : trace::native::run_launch(loaded.program, loaded.launch)) {
    const config::Tensor& tensor = loaded.launch.tensors[result.tensor];
    const fs::path path = fs::path(arguments.results) / (tensor.name + ".npy");
    write_text(path.string(), config::npy_bytes(tensor.dtype, tensor.shape, result.bytes));
    text += fmt::format("{}  {} [{}]\n", path.string(), config::dtype_text(tensor.dtype),
                        fmt::join(tensor.shape, ", "));
  }
  arguments.output.print(text.empty() ? "the kernel changed no tensor\n" : text);
}

ExitCode run_trace(TraceArguments& arguments) {
  arguments.options.trace.strict = arguments.strict;
  arguments.kernel.infer(arguments.job, arguments.overrides, {});
  const LoadedKernel loaded = load_kernel(arguments.job, arguments.overrides);
  std::optional<std::array<std::int64_t, 3>> tile;
  if (!arguments.tile.empty()) tile = parse_tile(arguments.tile, loaded.launch.grid);
  if (!arguments.wave_given) arguments.options.wave_lanes = loaded.program.wave_lanes;
  if (!arguments.results.empty())
    write_results(arguments, loaded);
  else if (!arguments.addresses.empty())
    write_addresses(loaded, tile, arguments.options.trace, arguments.addresses);
  else if (tile)
    show_tile(arguments, loaded, *tile);
  else
    show_all(arguments, loaded);
  return ExitCode::good;
}

}  // namespace

void add_trace(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("trace", "show what every tile of a kernel reads and writes");
  const auto arguments = std::make_shared<TraceArguments>();
  verb.add_option("JOB", arguments->job, "the job file (docs/jobs.md), or a Triton kernel's file")
      .required();
  arguments->kernel.add(verb);
  verb.add_option("--set", arguments->overrides, "override a size, scalar or constexpr of the job")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_option("--tile", arguments->tile, "list the accesses of one tile in program order")
      .type_name("X,Y,Z");
  verb.add_option(
          "--addresses", arguments->addresses,
          "write the offsets of all active elements as JSON lines, of all tiles or of --tile")
      .type_name("FILE");
  verb.add_flag("--strict", arguments->strict, "stop at the first access outside its tensor");
  verb.add_option(
          "--results", arguments->results,
          "run the whole launch of a C++ kernel, and write the changed tensors as NumPy files")
      .type_name("DIR");
  const Flag wave =
      verb.add_option("--wave", arguments->options.wave_lanes, "lanes of a wave; 32 for .cu files")
          .one_of({32, 64})
          .capture_default_str();
  verb.add_option("--line", arguments->options.line_bytes, "bytes of a cache line")
      .one_of({32, 64, 128, 256})
      .capture_default_str();
  arguments->output.add(verb);
  verb.footer(kTraceExamples);
  verb.callback([arguments, wave, &outcome] {
    arguments->wave_given = wave.is_given();
    outcome.code = run_trace(*arguments);
  });
}

}  // namespace heddle::tool
