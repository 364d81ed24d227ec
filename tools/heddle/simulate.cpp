// heddle simulate: what a GPU would count, and how long it would take, with an order.
#include <fmt/format.h>

#include <memory>

#include "config/gpu.h"
#include "kernel_job.h"
#include "notes.h"
#include "order_arguments.h"
#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/html/page.h"
#include "report/simulation_report.h"
#include "support/file.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kSimulateExamples = R"text(
Examples:
  heddle simulate examples/stencil_2d.toml --gpu mi300x
  heddle simulate examples/stencil_2d.toml --gpu mi300x --order "xcd(8)" --why
  heddle simulate examples/gemm.toml --gpu h100 --order "group(8)" --set M=4096 --json
  heddle simulate examples/gemm.toml --gpu mi300x:cpx --order-table tiles.npy
  heddle simulate matmul.py --gpu h200                infers the job
  heddle simulate examples/stencil_2d.toml --gpu mi300x --why -o stencil.html
simulate accepts an order that is not a permutation, and prints a warning. Exit codes: 0 simulated.)text";

struct SimulateArguments {
  std::string job;
  KernelJob kernel;
  std::vector<std::string> overrides;
  std::string gpu;
  OrderArguments order;
  bool exact = false;
  bool sample = false;
  bool allow_faults = false;
  sim::SimOptions options;
  OutputArguments output;
};

/// The order of the command line; without one, the kernel's own.
std::optional<order::Order> read_order(const OrderArguments& arguments) {
  if (arguments.order.empty() && arguments.table.empty()) return std::nullopt;
  return arguments.read();
}

SimulationRequest request_of(const SimulateArguments& arguments) {
  if (arguments.gpu.empty()) {
    throw Error("no GPU is given",
                fmt::format("add --gpu NAME or set HEDDLE_GPU; known: {}, or a .toml file",
                            fmt::join(config::known_gpus(), " ")));
  }
  SimulationRequest request;
  request.job_path = arguments.job;
  request.overrides = arguments.overrides;
  request.gpu = arguments.gpu;
  request.order = read_order(arguments.order);
  request.bindings = arguments.order.bindings();
  request.tiles = arguments.order.tiles;
  request.options = arguments.options;
  request.options.record_tiles = arguments.output.wants_page();
  request.options.why |= request.options.record_tiles;
  request.allow_faults = arguments.allow_faults;
  if (arguments.exact) request.options.fidelity = sim::Fidelity::exact;
  if (arguments.sample) request.options.fidelity = sim::Fidelity::sampled;
  return request;
}

ExitCode run_simulate(SimulateArguments& arguments) {
  const SimulationRequest request = request_of(arguments);
  arguments.kernel.infer(arguments.job, arguments.overrides, arguments.gpu);
  const SimResult result = with_progress("simulating", [&] { return simulate_job(request); });
  const std::string job = display_name(arguments.job);
  const OutputArguments& output = arguments.output;
  if (!result.permutation && (output.wants_json() || !output.file.empty())) {
    note("warning: {} is not a permutation, but simulated as it is", result.order);
  }
  if (output.wants_page()) {
    output.print(report::html_page(report::simulation_view(result, job)));
  } else if (output.wants_json()) {
    output.print(json_text(report::simulation_json(result, job)));
  } else {
    output.print(report::simulation_text(result, job, output.style()));
  }
  return ExitCode::good;
}

}  // namespace

void add_simulate(Program& program, Outcome& outcome) {
  Verb verb =
      program.add_verb("simulate", "predict the counters and the time of a kernel with an order");
  const auto arguments = std::make_shared<SimulateArguments>();
  verb.add_option("JOB", arguments->job, "the job file (docs/jobs.md), or a Triton kernel's file")
      .required();
  arguments->kernel.add(verb);
  verb.add_option("--gpu", arguments->gpu, "a known GPU, with a mode after ':', or a .toml file")
      .type_name("NAME")
      .envname("HEDDLE_GPU");
  verb.add_option("--set", arguments->overrides, "override a size, scalar or constexpr of the job")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  arguments->order.add_order(verb);
  verb.add_flag("--why", arguments->options.why,
                "also count L2 misses by cause; pages always have these counts");
  const Flag exact = verb.add_flag("--exact", arguments->exact, "replay every request");
  verb.add_flag("--sample", arguments->sample,
                "always replay a sample (by default only if a whole replay would take too long)")
      .excludes(exact);
  verb.add_flag("--allow-faults", arguments->allow_faults,
                "continue if the kernel reads out of bounds or divides by zero with this job");
  verb.add_option("--requests", arguments->options.sample_requests,
                  "approximate number of requests in a sample")
      .range(kLeastRequests, kMostRequests)
      .capture_default_str();
  verb.add_option("--threads", arguments->options.threads, "threads to use; 0: one per core")
      .range(0, kMostThreads)
      .capture_default_str();
  arguments->output.add(verb, true);
  verb.footer(kSimulateExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_simulate(*arguments); });
}

}  // namespace heddle::tool
