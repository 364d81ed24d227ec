// heddle calibrate: fits the unknown numbers of a GPU to measurements.
#include <fmt/format.h>

#include <memory>

#include "interrupt.h"
#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/calibration_report.h"
#include "support/file.h"
#include "support/text.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kCalibrateExamples = R"text(
Examples:
  heddle calibrate validation/mi300x.csv --gpu mi300x -o my.toml
  heddle calibrate mine.csv --gpu mi300x=my.toml --parameters l2.replacement,compute.dispatch_cycles
  heddle calibrate mine.csv --gpu my.toml --evaluations 500 --seed 7 --json
Ctrl-C keeps the best settings so far. Exit codes: 0 done, 130 interrupted.)text";

constexpr int kMostEvaluations = 1'000'000;
constexpr std::int64_t kSearchRequests = 2'000'000;

struct CalibrateArguments {
  calibrate::CalibrationRequest request;
  std::string gpu;
  std::vector<std::string> parameters;
  std::int64_t requests = kSearchRequests;
  int threads = 0;
  bool no_leave_out = false;
  bool json = false;
  std::string color = "auto";
  std::string file;
};

void fill_request(const CalibrateArguments& arguments, calibrate::CalibrationRequest& request) {
  const calibrate::GpuSubstitute gpu = gpu_substitute(arguments.gpu);
  request.points_of = gpu.name;
  request.gpu = gpu.gpu;
  for (const std::string& list : arguments.parameters) {
    for (const std::string_view name : split(list, ',')) {
      if (trim(name).empty())
        throw Error(fmt::format("--parameters '{}' names an empty key", list),
                    "write --parameters l2.replacement,l2.ways, or leave it out");
      request.parameters.emplace_back(trim(name));
    }
  }
  calibrate::CalibrationOptions& options = request.options;
  options.search.fidelity = sim::Fidelity::sampled;
  options.search.sample_requests = arguments.requests;
  options.search.threads = options.full.threads = arguments.threads;
  options.leave_out = !arguments.no_leave_out;
}

void write_gpu(const CalibrateArguments& arguments, const CalibrationReport& report) {
  if (arguments.file.empty()) return;
  const config::TomlNode file =
      calibrate::calibrated_document(config::gpu_document(arguments.request.gpu), report);
  write_text(arguments.file,
             config::gpu_text(file, report.changed() ? "Written by heddle calibrate." : ""));
  say_written(arguments.file);
}

ExitCode run_calibrate(CalibrateArguments& arguments) {
  fill_request(arguments, arguments.request);
  check_writable(arguments.file);
  const InterruptWatch watch;
  Progress progress;
  arguments.request.options.progress = [&](const std::string& text) { progress.show(text); };
  arguments.request.options.stop = [&] { return watch.asked(); };
  const CalibrationReport report = calibrate_tables(arguments.request);
  progress.clear();
  OutputArguments output;
  output.color = arguments.color;
  output.print(arguments.json ? json_text(report::calibration_json(report))
                              : report::calibration_text(report, output.style()));
  write_gpu(arguments, report);
  return report.interrupted ? ExitCode::interrupted : ExitCode::good;
}

}  // namespace

void add_calibrate(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("calibrate", "fit the parameters of a GPU to measured points");
  const auto arguments = std::make_shared<CalibrateArguments>();
  calibrate::FitOptions& fit = arguments->request.options.fit;
  verb.add_option("TABLE", arguments->request.tables,
                  "tables of measured points (docs/validate.md)")
      .required();
  verb.add_option("--gpu", arguments->gpu,
                  "the GPU to start from; NAME=GPU: for the points that tables call NAME")
      .type_name("[NAME=]GPU")
      .required();
  verb.add_option("--parameters", arguments->parameters,
                  "keys of the GPU file to fit; by default those of docs/calibrate.md that the "
                  "file marks as estimated")
      .type_name("KEY,...")
      .allow_extra_args(false);
  verb.add_option("--evaluations", fit.evaluations,
                  "limit on the settings that each search evaluates")
      .range(1, kMostEvaluations)
      .capture_default_str();
  verb.add_option("--seed", fit.seed, "seed of the search's random numbers").capture_default_str();
  verb.add_option("--requests", arguments->requests,
                  "approximate number of requests that each replay samples")
      .range(kLeastRequests, kMostRequests)
      .capture_default_str();
  verb.add_option("--threads", arguments->threads, "threads to use; 0: one per core")
      .range(0, kMostThreads)
      .capture_default_str();
  verb.add_flag("--no-leave-out", arguments->no_leave_out,
                "skip the fits that leave out one kernel each");
  verb.add_flag("--json", arguments->json, "print JSON instead of text");
  verb.add_option("--color", arguments->color, "always, never or auto")
      .one_of({"always", "never", "auto"});
  verb.add_option("-o,--output", arguments->file, "write the fitted GPU to a file")
      .type_name("FILE.toml");
  verb.footer(kCalibrateExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_calibrate(*arguments); });
}

}  // namespace heddle::tool
