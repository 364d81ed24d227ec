// heddle bundle: the best orders of a search, or given ones, as a folder that an agent measures.
#include <fmt/format.h>

#include <memory>

#include "config/gpu.h"
#include "config/job.h"
#include "duration.h"
#include "interrupt.h"
#include "kernel/cxx/source.h"
#include "measure/bundle.h"
#include "measure_arguments.h"
#include "optimize_progress.h"
#include "output.h"
#include "pipeline.h"
#include "support/text.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kBundleExamples = R"text(
Examples:
  heddle bundle examples/gemm_wide.toml --gpu h200 -o bundle
  heddle bundle examples/gemm_wide.toml --gpu h200 -o bundle --order "group(8)" --order columns
  heddle bundle examples/stencil_2d.toml --gpu h200 -o bundle --candidate faster.py --order columns
  scp -r bundle gpu-machine: && ssh gpu-machine sh bundle/run.sh && scp -r gpu-machine:bundle . &&
    heddle merge bundle
Exit codes: 0 written, 1 a given order is refuted, 3 tiles not independent, or one is not known.)text";

constexpr const char* kGiven = "--order";

struct BundleArguments {
  OptimizeRequest request;
  MeasureArguments measuring;
  std::vector<std::string> orders;
  std::string budget = "20s";
  std::string folder;
};

std::string candidate_line(std::size_t number, const measure::BundleCandidate& one) {
  std::string text = fmt::format("  {}  {}", number, one.title);
  if (number == 0) return text + ": the original\n";
  text += one.proof.empty() ? ": not proved" : fmt::format(": PROVED, {}", one.proof);
  if (one.predicted)
    text += fmt::format("; predicted {:.3f} times as fast", one.predicted->speedup);
  return text + "\n";
}

std::string bundle_page(const measure::Bundle& bundle, const std::string& folder) {
  std::string text =
      fmt::format("wrote {}: {} for {}\n", folder,
                  count_of(static_cast<std::int64_t>(bundle.candidates.size()) - 1, "candidate"),
                  bundle.launches.front().program->function);
  for (std::size_t i = 0; i < bundle.candidates.size(); ++i)
    text += candidate_line(i, bundle.candidates[i]);
  for (const measure::BundleLaunch& launch : bundle.launches)
    text += fmt::format("  outputs are compared on launch {}, grid {}\n", launch.name,
                        launch.launch.grid.text());
  return text +
         fmt::format("  next: sh {0}/run.sh where there is a GPU, then heddle merge {0}\n", folder);
}

/// What became of given orders that are not in the bundle; the worst of them decides.
ExitCode say_left_out(const OptimizationReport& report, const OptimizeRequest& request) {
  ExitCode code = ExitCode::good;
  for (const OrderAttempt& attempt : report.attempts) {
    if (!request.measuring.given_only || attempt.iteration == 1 || attempt.proposer != kGiven)
      continue;
    const bool is_wide = attempt.sizes == ProvedSizes::all || request.fixed_grid;
    if (attempt.verdict == Verdict::proved && !attempt.same_as && is_wide) continue;
    std::string why = attempt.reason;
    if (attempt.counterexample) why = attempt.counterexample->message;
    if (attempt.same_as)
      why =
          fmt::format("the same map as {}", *attempt.same_as == 1 ? "the launch order" : "another");
    else if (attempt.verdict == Verdict::proved)
      why = "proved for this grid only; --fixed-grid takes it";
    fmt::print(stderr, "heddle: {} is left out: {}: {}\n", attempt.title,
               verdict_text(attempt.verdict), why);
    if (attempt.verdict == Verdict::refuted) code = ExitCode::refuted;
    if (attempt.verdict == Verdict::unknown && code == ExitCode::good)
      code = ExitCode::inconclusive;
  }
  return code;
}

/// A file of the other language would only fail where it is measured.
void check_language(const std::string& file, const OptimizeRequest& request) {
  const std::string kernel = config::read_job(request.job_path, request.overrides).kernel_path;
  if (kernel::cxx::is_cxx_path(file) != kernel::cxx::is_cxx_path(kernel))
    throw Error(fmt::format("--candidate '{}' is not in the language of '{}'", file, kernel),
                "name a file that can stand in its place");
}

ExitCode run_bundle(BundleArguments& arguments) {
  OptimizeRequest& request = arguments.request;
  request.budget = duration(arguments.budget, "--budget");
  config::read_gpu(request.gpu);
  config::read_job(request.job_path, request.overrides);
  request.measuring = arguments.measuring.options();
  const bool given_only = !arguments.orders.empty();
  request.measuring.given_only = given_only;
  request.measuring.first = request.measuring.most;
  for (const std::string& file : arguments.measuring.candidates) check_language(file, request);
  if (given_only) {
    for (const std::string& order : arguments.orders) request.given.push_back({kGiven, order});
    request.measuring.most =
        std::max(request.measuring.most, static_cast<int>(arguments.orders.size()));
  }
  std::string page;
  request.measuring.measure = [&](const measure::Bundle& bundle) {
    measure::write_bundle(bundle, arguments.folder);
    page = bundle_page(bundle, arguments.folder);
    return std::optional<MeasurementReport>();
  };
  const InterruptWatch watch;
  OptimizeDisplay display;
  request.stop = [&] { return watch.asked(); };
  request.progress = [&](const OptimizeProgress& progress) { display.show(progress); };
  const OptimizationReport report = optimize_job(request);
  display.clear();
  const ExitCode left_out = say_left_out(report, request);
  for (const std::string& note : report.notes) fmt::print(stderr, "heddle: {}\n", note);
  if (report.search.end == SearchEnd::interrupted) return ExitCode::interrupted;
  if (page.empty()) {
    const std::string why = !report.reason.empty()                     ? report.reason
                            : report.answer == Answer::not_independent ? "tiles are not independent"
                            : given_only ? "none of the given orders can be measured"
                                         : "there is no order but the launch order";
    fmt::print(stderr, "heddle: no bundle was written: {}\n", why);
    return left_out == ExitCode::good ? ExitCode::inconclusive : left_out;
  }
  fmt::print("{}", page);
  return left_out;
}

}  // namespace

void add_bundle(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("bundle", "write a folder that measures orders on another machine");
  const auto arguments = std::make_shared<BundleArguments>();
  OptimizeRequest& request = arguments->request;
  verb.add_option("JOB", request.job_path, "the job file (docs/jobs.md)").required();
  verb.add_option("--gpu", request.gpu, "what predictions are for: a known GPU or a .toml file")
      .envname("HEDDLE_GPU")
      .type_name("NAME")
      .required();
  verb.add_option("-o,--output", arguments->folder, "folder for the bundle")
      .type_name("DIR")
      .required();
  verb.add_option("--order", arguments->orders, "measure this order; without any, search for them")
      .type_name("ORDER")
      .allow_extra_args(false);
  verb.add_option("--set", request.overrides, "another value for a size, scalar or constexpr")
      .type_name("NAME=VALUE")
      .allow_extra_args(false);
  verb.add_option("--budget", arguments->budget, "time for the search: 30s, 2m, 500ms")
      .type_name("TIME")
      .capture_default_str();
  verb.add_flag("--fixed-grid", request.fixed_grid,
                "the kernel is only launched on the job's grid: orders for it alone will do");
  arguments->measuring.add(verb);
  arguments->measuring.add_candidates(verb);
  verb.add_option("--threads", request.threads, "threads to use; 0: one per core")
      .range(0, kMostThreads)
      .capture_default_str();
  verb.footer(kBundleExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_bundle(*arguments); });
}

}  // namespace heddle::tool
