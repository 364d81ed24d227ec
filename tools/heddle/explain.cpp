// heddle explain: what the findings of analyze mean.
#include <fmt/format.h>

#include <memory>

#include "config/spelling.h"
#include "output.h"
#include "report/clean_text.h"
#include "report/finding_report.h"
#include "tables.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExamples = R"text(
Examples:
  heddle explain
  heddle explain impossible-bandwidth
  heddle explain no-waves --json
Findings are printed by heddle analyze; docs/explain.md has them all on one page.)text";

constexpr std::size_t kMostShown = 80;

struct Arguments {
  std::string id;
  bool asked = false;
  OutputArguments output;
};

const FindingKind& kind_of(const std::string& id) {
  if (const FindingKind* kind = find_finding_kind(id)) return *kind;
  std::vector<std::string> ids;
  for (const FindingKind& kind : finding_kinds()) ids.emplace_back(kind.id);
  throw Error(
      fmt::format("no finding is called '{}'", report::one_line(id, kMostShown)),
      fmt::format("{}use one of: {}", config::did_you_mean(id, ids), config::word_list(ids)));
}

ExitCode run(const Arguments& arguments) {
  const OutputArguments& output = arguments.output;
  if (!arguments.asked) {
    output.print(output.wants_json() ? json_text(report::finding_kinds_json(finding_kinds()))
                                     : report::finding_kinds_text(finding_kinds(), output.style()));
    return ExitCode::good;
  }
  const FindingKind& kind = kind_of(arguments.id);
  output.print(output.wants_json() ? json_text(report::finding_kinds_json({kind}))
                                   : report::finding_kind_text(kind, output.style()));
  return ExitCode::good;
}

}  // namespace

void add_explain(CLI::App& app, Outcome& outcome) {
  CLI::App* verb = app.add_subcommand("explain", "what a finding of analyze means");
  const auto arguments = std::make_shared<Arguments>();
  CLI::Option* id =
      verb->add_option("ID", arguments->id, "a finding, such as above-peak; all of them otherwise");
  arguments->output.add(*verb);
  verb->footer(kExamples);
  verb->callback([arguments, id, &outcome] {
    arguments->asked = id->count() > 0;
    outcome.code = run(*arguments);
  });
}

}  // namespace heddle::tool
