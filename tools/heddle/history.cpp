// heddle history: past searches, the attempts of one, two of them side by side; those of a sweep.
#include "history/history.h"

#include <memory>

#include "history_path.h"
#include "output.h"
#include "report/history_report.h"
#include "report/html/page.h"
#include "support/error.h"
#include "sweep/past.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kHistoryExamples = R"text(
Examples:
  heddle history
  heddle history --job stencil --gpu mi300x
  heddle history --run 3
  heddle history --compare 1 3 --json
  heddle history swept/ --gpu h100
The file: FILE or --history, else HEDDLE_HISTORY, else heddle/history.db in $XDG_STATE_HOME or in
~/.local/state. history does not change the file. Exit codes: 4 if there is no such file.)text";

constexpr int kMostRuns = 1'000'000'000;

struct HistoryArguments {
  std::string file;
  std::string job;
  std::string gpu;
  std::int64_t run = 0;
  std::vector<std::int64_t> compared;
  OutputArguments output;
};

HistoryListing chosen_runs(const HistoryArguments& arguments, HistoryListing listing) {
  std::erase_if(listing.runs, [&](const HistoryRun& run) {
    return run.job.find(arguments.job) == std::string::npos ||
           (!arguments.gpu.empty() && run.gpu != arguments.gpu);
  });
  return listing;
}

ExitCode run_history(const HistoryArguments& arguments) {
  const OutputArguments& output = arguments.output;
  const auto print = [&](const auto& result, auto text, auto json, auto view) {
    output.print(output.wants_page()   ? report::html_page(view(result))
                 : output.wants_json() ? json_text(json(result))
                                       : text(result, output.style()));
  };
  const std::string path = history_path(arguments.file);
  const auto print_list = [&](const HistoryListing& listing) {
    print(chosen_runs(arguments, listing), report::history_list_text, report::history_list_json,
          report::history_list_view);
  };
  if (sweep::is_swept(path)) {
    if (arguments.run != 0 || !arguments.compared.empty())
      throw Error("a sweep keeps the answer of each search, not its attempts",
                  "run heddle optimize on that job: it writes them to the history")
          .in(path);
    print_list(sweep::past_searches(path));
    return ExitCode::good;
  }
  const history::History history(path, history::History::Access::read);
  if (!arguments.compared.empty())
    print(history.compare(arguments.compared.at(0), arguments.compared.at(1)),
          report::history_comparison_text, report::history_comparison_json,
          report::history_comparison_view);
  else if (arguments.run != 0)
    print(history.run(arguments.run), report::history_run_text, report::history_run_json,
          report::history_run_view);
  else
    print_list(history.runs());
  return ExitCode::good;
}

}  // namespace

void add_history(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("history", "show past searches and the orders they tried");
  const auto arguments = std::make_shared<HistoryArguments>();
  const Flag file =
      verb.add_option("FILE", arguments->file, "the history to show, or the folder of a sweep");
  verb.add_option("--history", arguments->file, "the history to show, like FILE")
      .type_name("FILE")
      .excludes(file);
  const Flag run_option = verb.add_option("--run", arguments->run, "show the attempts of one run")
                              .type_name("N")
                              .range(1, kMostRuns);
  const Flag compare = verb.add_option("--compare", arguments->compared,
                                       "compare two runs: predicted times and changes")
                           .type_name("N M")
                           .expected(2)
                           .range(1, kMostRuns)
                           .excludes(run_option);
  for (Flag filter :
       {verb.add_option("--job", arguments->job, "only runs whose job file contains this"),
        verb.add_option("--gpu", arguments->gpu, "only runs on this GPU")})
    filter.excludes(run_option).excludes(compare);
  arguments->output.add(verb, true);
  verb.footer(kHistoryExamples);
  verb.callback([arguments, &outcome] { outcome.code = run_history(*arguments); });
}

}  // namespace heddle::tool
