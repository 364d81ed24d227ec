// heddle optimize: from a kernel to a proven, explained, better order.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "duration.h"
#include "history_path.h"
#include "interrupt.h"
#include "measure/agent_process.h"
#include "notes.h"
#include "optimize_command.h"
#include "optimize_files.h"
#include "optimize_model.h"
#include "optimize_progress.h"
#include "order_arguments.h"
#include "output.h"
#include "pipeline.h"
#include "report/optimization_json.h"
#include "report/optimization_text.h"
#include "search_arguments.h"
#include "support/file.h"
#include "support/version.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kOptimizeExamples = R"text(
Examples:
  heddle optimize examples/stencil_2d.toml --gpu mi300x
  heddle optimize examples/gemm.toml --gpu mi300x --set M=4096 --effort high -o gemm_out
  heddle optimize examples/ising.toml --gpu mi300x --propose answers.txt
  heddle optimize examples/gemm_wide.toml --gpu h200 --measure
  heddle optimize examples/gemm.toml --gpu mi300x --tune BLOCK_M=64,128 --tune num_warps=4,8
  heddle optimize examples/gemm.toml --gpu mi300x --shapes "M=4096,8192;N=4096"
  heddle optimize examples/gemm.toml --gpu h200 --propose-cmd "python3 ask_a_model.py"
  heddle optimize examples/gemm.toml --gpu h200 --model qwen3 --endpoint http://localhost:8080
optimize writes the kernel, a patch, the order in four languages, a log, a summary, report.json and
report.html to the folder -o.
Ctrl-C keeps the best order so far; a second run continues from the history.
Exit codes: 0 faster, measure these, or leave it, 3 tiles not known to be independent, 4 --measure cannot
measure here (the answer is then predicted), 130 interrupted.)text";

constexpr std::size_t kLargestGiven = std::size_t{64} << 20;

struct OptimizeArguments : SearchArguments {
  OrderArguments order;
  std::vector<std::string> propose;
  std::string command;
  std::string command_time = "60s";
  ModelArguments model;
  std::string history;
  bool no_history = false;
  bool measure = false;
  std::string agent;
  std::string python;
  std::string folder = "out";
  bool json = false;
  std::string color = "auto";
};

/// A history that the user has named must work; the usual one may be missing.
void name_history(const OptimizeArguments& arguments, OptimizeRequest& request) {
  request.history_needed = !arguments.history.empty() || std::getenv("HEDDLE_HISTORY") != nullptr;
  try {
    request.history = history_path(arguments.history);
  } catch (const Error&) {
    if (request.history_needed) throw;
  }
}

void fill_request(OptimizeArguments& arguments) {
  arguments.fill_request();
  OptimizeRequest& request = arguments.request;
  request.reading = arguments.order.read_options();
  request.lets = arguments.order.lets;
  request.model = fmt::format("heddle {} model {}", version(), sim::kModelVersion);
  if (!arguments.no_history) name_history(arguments, request);
  for (const std::string& file : arguments.propose)
    request.given.push_back({display_name(file), read_text(file, kLargestGiven)});
}

/// What of the command line decides the answer, besides job and GPU.
std::vector<std::string> options_of(const OptimizeArguments& arguments) {
  std::vector<std::string> options;
  const auto add = [&](const char* name, const std::vector<std::string>& values) {
    for (const std::string& value : values) options.insert(options.end(), {name, value});
  };
  add("--set", arguments.request.overrides);
  if (arguments.request.fixed_grid) options.emplace_back("--fixed-grid");
  if (arguments.effort != OptimizeArguments::kUsual) add("--effort", {arguments.effort});
  if (arguments.risk != OptimizeArguments::kUsual) add("--risk", {arguments.risk});
  if (arguments.budget != OptimizeArguments::kNoBudget) add("--budget", {arguments.budget});
  if (arguments.request.iterations > 0)
    add("--iterations", {std::to_string(arguments.request.iterations)});
  add("--propose", arguments.propose);
  if (!arguments.command.empty()) add("--propose-cmd", {arguments.command});
  add("--let", arguments.order.lets);
  add("--tune", arguments.request.tune);
  add("--shapes", arguments.request.shapes);
  if (arguments.measure) options.emplace_back("--measure");
  return options;
}

/// An agent of this machine, with a bundle for each round in the folder of -o. Where it cannot
/// measure, the search still has its answer: `failed` says why that was not measured.
Measure measure_with_agent(const OptimizeArguments& arguments, std::optional<Error>& failed) {
  auto round = std::make_shared<int>(0);
  return [&, round](const measure::Bundle& bundle) -> std::optional<MeasurementReport> {
    measure::AgentOptions options;
    options.folder = fmt::format("{}/measured/{}", arguments.folder, ++*round);
    options.program = arguments.agent;
    options.python = arguments.python;
    options.stop = arguments.request.stop;
    try {
      return measure::measure_here(bundle, options);
    } catch (const Error& error) {
      failed = error;
      return std::nullopt;
    }
  };
}

/// The model that is asked, if one is. `--iterations` are then its rounds.
std::unique_ptr<ModelProposer> make_model(OptimizeArguments& arguments) {
  if (!arguments.model.is_wanted()) return nullptr;
  OptimizeRequest& request = arguments.request;
  if (!arguments.command.empty() || !request.tune.empty() || !request.shapes.empty())
    throw Error("a model does not go with --propose-cmd, --tune and --shapes",
                "run the one, then the other");
  const int rounds = request.iterations;
  request.iterations = 0;
  return std::make_unique<ModelProposer>(
      arguments.model, duration(arguments.command_time, "--propose-time"), rounds);
}

ExitCode run_optimize(OptimizeArguments& arguments) {
  if (!arguments.measure && arguments.measuring.is_given())
    throw Error("--most, --rounds, --measure-time, --limit and --seeds are of measurements",
                "add --measure");
  if (!arguments.request.tune.empty() && !arguments.request.shapes.empty())
    throw Error("--tune and --shapes do not go together", "search one, then the other");
  fill_request(arguments);
  OptimizeRequest& request = arguments.request;
  const auto model = make_model(arguments);
  const InterruptWatch watch;
  OptimizeDisplay display;
  ProposeCommand command(arguments.command, duration(arguments.command_time, "--propose-time"));
  request.stop = [&] { return watch.asked(); };
  request.progress = [&](const search::OptimizeProgress& progress) { display.show(progress); };
  if (!arguments.command.empty())
    request.ask = [&](const OptimizationReport& so_far, int round, std::chrono::milliseconds most) {
      return command.ask(so_far, round, most, request.stop);
    };
  if (model)
    request.ask = [&](const OptimizationReport& so_far, int, std::chrono::milliseconds most) {
      return model->ask(so_far, most, request.stop);
    };
  std::optional<Error> failed;
  if (arguments.measure) request.measure = measure_with_agent(arguments, failed);
  request.to_measure = arguments.measure;
  arguments.kernel.infer(request.job_path, request.overrides, request.gpu);
  const search::Subject subject = read_subject(request);
  const OutputFolder folder(arguments.folder);  // after what could be misspelt
  OptimizationReport report = optimize_job(request, subject);
  display.clear();
  if (failed) report.notes.push_back(failed->message());
  report.options = options_of(arguments);
  for (const std::string& note : command.notes()) report.notes.push_back(note);
  if (model) {
    report.model = model->use();
    report.notes.push_back(model->note());
    folder.write_transcript(model->transcript());
  }
  folder.write(report);
  arguments.kernel.keep(arguments.folder);
  OutputArguments output;
  output.color = arguments.color;
  output.print(arguments.json ? json_text(report::optimization_json(report))
                              : report::optimization_text(report, output.style()));
  say_written(arguments.folder);
  if (report.search.end == SearchEnd::interrupted) return ExitCode::interrupted;
  if (failed) {
    print_message(fmt::format("heddle: {}\n", failed->full_text()));
    return failed->code();
  }
  const bool is_good = report.answer != Answer::not_independent && report.answer != Answer::unknown;
  return is_good ? ExitCode::good : ExitCode::inconclusive;
}

void add_proposals(Verb verb, OptimizeArguments& arguments) {
  verb.add_option("--propose", arguments.propose,
                  "also try the formulas of a file: one per paragraph, or an optimiser's log")
      .type_name("FILE")
      .allow_extra_args(false);
  verb.add_option("--propose-cmd", arguments.command,
                  "also ask a program, once per round: JSON in, formulas out (docs/optimize.md)")
      .type_name("CMD");
  verb.add_option("--propose-time", arguments.command_time,
                  "time limit for one answer of that program or of a model")
      .type_name("TIME")
      .capture_default_str();
}

}  // namespace

void add_optimize(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("optimize", "find, prove and explain a better order");
  const auto arguments = std::make_shared<OptimizeArguments>();
  arguments->add_job(verb, "a known GPU, with a mode after ':', or a .toml file");
  arguments->add_limits(verb, "stop the search after this time: 30s, 2m, 500ms");
  arguments->add_risk(verb);
  verb.add_option("--iterations", arguments->request.iterations,
                  "replay at most this many orders, or with --model run this many rounds; 0: the "
                  "limit of --effort, or 10 rounds")
      .range(0, 1'000'000)
      .capture_default_str();
  arguments->add_fixed_grid(verb);
  arguments->add_launches(verb);
  add_proposals(verb, *arguments);
  arguments->model.add(verb);
  verb.add_flag("--measure", arguments->measure,
                "measure the best orders on the GPU of this machine (docs/measure.md)");
  arguments->measuring.add(verb);
  verb.add_option("--agent", arguments->agent, "the heddle-agent that measures")
      .envname("HEDDLE_AGENT")
      .type_name("FILE");
  verb.add_option("--python", arguments->python, "the Python that has Triton, for --measure")
      .type_name("FILE");
  arguments->order.add_reading(verb);
  verb.remove_option("--tiles");  // a kernel's tile space is its launch grid
  verb.add_option("--history", arguments->history,
                  "the database of past attempts (docs/history.md)")
      .type_name("FILE");
  verb.add_flag("--no-history", arguments->no_history, "do not read or write the history");
  arguments->add_threads(verb);
  verb.add_flag("--json", arguments->json, "print report.json instead of text");
  verb.add_option("--color", arguments->color, "always, never or auto")
      .one_of({"always", "never", "auto"});
  verb.add_option("-o,--output", arguments->folder, "folder for the results")
      .type_name("DIR")
      .capture_default_str();
  verb.footer(kOptimizeExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_optimize(*arguments); });
}

}  // namespace heddle::tool
