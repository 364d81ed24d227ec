// heddle validate: predictions beside measurements.
#include <fmt/format.h>

#include <memory>

#include "notes.h"
#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/html/page.h"
#include "report/validation_report.h"
#include "support/file.h"
#include "support/text.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kValidateExamples = R"text(
Examples:
  heddle validate validation/mi300x.csv
  heddle validate mine.csv --gpu my.toml --max-mean 3 --max-error 8
  heddle validate validation/*.csv --gpu mi300x=my.toml --json
  heddle validate validation/*.csv -o docs/validation.md --append validation/deviations.md
Exit codes: 0 within the limits, 1 a limit is exceeded.)text";

constexpr double kMostLimit = 1e6;
constexpr std::size_t kAppendixBytes = std::size_t{1} << 20;

struct ValidateArguments {
  calibrate::ValidationRequest request;
  std::vector<std::string> gpus;
  std::string appendix;
  std::string intervals;
  bool exact = false;
  bool sample = false;
  OutputArguments output;

  bool wants_markdown() const { return output.file.ends_with(".md"); }
};

/// What of the command line changes predictions.
std::vector<std::string> simulation_options(const ValidateArguments& arguments) {
  std::vector<std::string> options;
  for (const std::string& gpu : arguments.gpus) options.push_back("--gpu " + shell_quoted(gpu));
  if (arguments.exact) options.emplace_back("--exact");
  if (arguments.sample) options.emplace_back("--sample");
  const sim::SimOptions usual;
  const std::int64_t requests = arguments.request.options.sample_requests;
  if (requests != usual.sample_requests) options.push_back(fmt::format("--requests {}", requests));
  return options;
}

/// What of the command line a reader of the page needs to repeat it.
std::vector<std::string> shown_options(const ValidateArguments& arguments) {
  std::vector<std::string> options = simulation_options(arguments);
  options.push_back("-o " + shell_quoted(arguments.output.file));
  if (!arguments.appendix.empty())
    options.push_back("--append " + shell_quoted(arguments.appendix));
  return options;
}

std::string rendered(const ValidationReport& report, const ValidateArguments& arguments,
                     const std::string& appendix) {
  if (arguments.output.wants_json()) return json_text(report::validation_json(report));
  if (arguments.output.wants_page()) return report::html_page(report::validation_view(report));
  if (arguments.wants_markdown()) return report::validation_markdown(report, appendix);
  return report::validation_text(report, arguments.output.style());
}

/// The learnt table, below what it was learnt from.
std::string interval_file(const ValidationReport& report, const ValidateArguments& arguments) {
  std::string command = "heddle validate";
  for (const std::string& table : report.tables) command += " " + shell_quoted(table);
  for (const std::string& option : simulation_options(arguments)) command += " " + option;
  return fmt::format(
      "# How far off predictions are: 80 % intervals of what is measured, learnt from kernels "
      "that\n"
      "# were measured (docs/validate.md, \"Intervals\"). Of an L2 hit rate, points that are "
      "added;\n"
      "# of all else, factors. Written by:\n#   {} --intervals {}\n{}",
      command, shell_quoted(arguments.intervals), report.intervals);
}

ExitCode run_validate(ValidateArguments& arguments) {
  if (!arguments.appendix.empty() && !arguments.wants_markdown())
    throw Error("--append needs Markdown output", "add -o FILE.md");
  check_writable(arguments.output.file);
  check_writable(arguments.intervals);
  const std::string appendix =
      arguments.appendix.empty() ? "" : read_text(arguments.appendix, kAppendixBytes);
  for (const std::string& gpu : arguments.gpus)
    arguments.request.gpus.push_back(gpu_substitute(gpu));
  if (arguments.exact) arguments.request.options.fidelity = sim::Fidelity::exact;
  if (arguments.sample) arguments.request.options.fidelity = sim::Fidelity::sampled;
  Progress progress;
  arguments.request.before = [&](const MeasuredPoint& point) {
    progress.show(fmt::format("{}: {}", point.place(), point.order));
  };
  ValidationReport report = validate_tables(arguments.request);
  report.options = shown_options(arguments);
  progress.clear();
  arguments.output.print(rendered(report, arguments, appendix));
  say_written(arguments.output.file);
  if (!arguments.intervals.empty()) {
    write_text(arguments.intervals, interval_file(report, arguments));
    say_written(arguments.intervals);
  }
  if (!arguments.output.file.empty())
    print_message(fmt::format("{}", report::breaches_text(report, {})));
  return report.breaches.empty() ? ExitCode::good : ExitCode::refuted;
}

}  // namespace

void add_validate(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("validate", "compare predictions with measured points");
  const auto arguments = std::make_shared<ValidateArguments>();
  calibrate::ValidationRequest& request = arguments->request;
  verb.add_option("TABLE", request.tables, "tables of measured points (docs/validate.md)")
      .required();
  verb.add_option(
          "--gpu", arguments->gpus,
          "simulate this GPU instead of those of the tables; NAME=GPU: instead of one of them")
      .type_name("[NAME=]GPU")
      .allow_extra_args(false);
  verb.add_option("--max-mean", request.limits.mean_points,
                  "exit 1 if the mean error of L2 hit rates on a GPU is larger")
      .type_name("POINTS")
      .number_range(0, kMostLimit);
  verb.add_option("--max-error", request.limits.largest_points,
                  "exit 1 if an error of an L2 hit rate is larger")
      .type_name("POINTS")
      .number_range(0, kMostLimit);
  verb.add_option("--max-dram-mean", request.limits.dram_mean_pct,
                  "exit 1 if the mean error of DRAM reads on a GPU is larger")
      .type_name("PERCENT")
      .number_range(0, kMostLimit);
  verb.add_option("--max-dram-error", request.limits.dram_error_pct,
                  "exit 1 if an error of DRAM reads is larger")
      .type_name("PERCENT")
      .number_range(0, kMostLimit);
  verb.add_option("--max-speedup-error", request.limits.speedup_error_pct,
                  "exit 1 if an error of a permutation's speedup is larger")
      .type_name("PERCENT")
      .number_range(0, kMostLimit);
  const Flag exact = verb.add_flag("--exact", arguments->exact, "replay every request");
  verb.add_flag("--sample", arguments->sample,
                "always replay samples (by default only if a whole replay would take too long)")
      .excludes(exact);
  verb.add_option("--requests", request.options.sample_requests,
                  "approximate number of requests in a sample")
      .range(kLeastRequests, kMostRequests)
      .capture_default_str();
  verb.add_option("--threads", request.options.threads, "threads to use; 0: one per core")
      .range(0, kMostThreads)
      .capture_default_str();
  verb.add_option("--append", arguments->appendix, "with -o FILE.md: append this Markdown file")
      .type_name("FILE");
  verb.add_option("--intervals", arguments->intervals,
                  "write prediction intervals by kind of kernel, as CSV")
      .type_name("FILE");
  arguments->output.add(verb, true);
  verb.footer(kValidateExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_validate(*arguments); });
}

}  // namespace heddle::tool
