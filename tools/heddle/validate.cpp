// heddle validate: predictions beside measurements.
#include <fmt/format.h>

#include <memory>

#include "output.h"
#include "pipeline.h"
#include "progress.h"
#include "report/validation_report.h"
#include "support/file.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle validate validation/mi300x.csv
  heddle validate mine.csv --gpu my.toml --max-mean 3 --max-error 8
  heddle validate validation/*.csv --gpu mi300x=my.toml --json
  heddle validate validation/*.csv -o docs/validation.md --append validation/deviations.md
Exit codes: 0 within the limits, 1 a limit is exceeded.)text";

constexpr int kMostThreads = 1024;
constexpr std::int64_t kLeastRequests = 1000;
constexpr std::int64_t kMostRequests = 1'000'000'000'000;
constexpr std::size_t kAppendixBytes = std::size_t{1} << 20;

struct Arguments {
  ValidationRequest request;
  std::vector<std::string> gpus;
  std::string appendix;
  bool exact = false;
  bool sample = false;
  OutputArguments output;

  bool wants_markdown() const { return output.file.ends_with(".md"); }
};

/// "mi300x=my.toml" or "my.toml", which stands for all.
GpuSubstitute substitute_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {{}, text};
  if (equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("--gpu {} names no GPU", text), "write --gpu mi300x=my.toml");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string rendered(const ValidationReport& report, const Arguments& arguments) {
  if (arguments.output.wants_json()) {
    const nlohmann::json json = report::validation_json(report);
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  if (!arguments.wants_markdown()) return report::validation_text(report, arguments.output.style());
  const std::string appendix =
      arguments.appendix.empty() ? "" : read_text(arguments.appendix, kAppendixBytes);
  return report::validation_markdown(report, appendix);
}

ExitCode run(Arguments& arguments) {
  if (!arguments.appendix.empty() && !arguments.wants_markdown())
    throw Error("--append goes into Markdown alone", "add -o FILE.md");
  for (const std::string& gpu : arguments.gpus)
    arguments.request.gpus.push_back(substitute_of(gpu));
  if (arguments.exact) arguments.request.options.fidelity = sim::Fidelity::exact;
  if (arguments.sample) arguments.request.options.fidelity = sim::Fidelity::sampled;
  Progress progress;
  arguments.request.before = [&](const MeasuredPoint& point) {
    progress.show(fmt::format("{}: {}", point.place(), point.order));
  };
  const ValidationReport report = validate_tables(arguments.request);
  progress.clear();
  arguments.output.print(rendered(report, arguments));
  return report.breaches.empty() ? ExitCode::good : ExitCode::refuted;
}

}  // namespace

void add_validate(CLI::App& app, Outcome& outcome) {
  CLI::App* verb = app.add_subcommand("validate", "predictions beside measured points");
  const auto arguments = std::make_shared<Arguments>();
  ValidationRequest& request = arguments->request;
  const CLI::Range percents(0.0, 1e6);
  verb->add_option("TABLE", request.tables, "tables of measured points (docs/validate.md)")
      ->required();
  verb->add_option("--gpu", arguments->gpus,
                   "another GPU than the tables': for all, or NAME=GPU for one of them")
      ->type_name("[NAME=]GPU")
      ->allow_extra_args(false);
  verb->add_option("--max-mean", request.limits.mean_points,
                   "exit 1 if the mean error of L2 hit rates on a GPU is larger")
      ->type_name("POINTS")
      ->check(percents);
  verb->add_option("--max-error", request.limits.largest_points,
                   "exit 1 if an error of an L2 hit rate is larger")
      ->type_name("POINTS")
      ->check(percents);
  verb->add_option("--max-speedup-error", request.limits.speedup_error_pct,
                   "exit 1 if an error of a permutation's speedup is larger")
      ->type_name("PERCENT")
      ->check(percents);
  CLI::Option* exact = verb->add_flag("--exact", arguments->exact, "replay every request");
  verb->add_flag("--sample", arguments->sample,
                 "replay samples (otherwise only where everything would take too long)")
      ->excludes(exact);
  verb->add_option("--requests", request.options.sample_requests, "requests of a sample")
      ->check(CLI::Range(kLeastRequests, kMostRequests))
      ->capture_default_str();
  verb->add_option("--threads", request.options.threads, "threads to use; 0: one per core")
      ->check(CLI::Range(0, kMostThreads))
      ->capture_default_str();
  verb->add_option("--append", arguments->appendix, "with -o FILE.md: Markdown to put at its end")
      ->type_name("FILE");
  arguments->output.add(*verb);
  verb->footer(kExamples);
  verb->callback([arguments, &outcome] { outcome.code = run(*arguments); });
}

}  // namespace heddle::tool
