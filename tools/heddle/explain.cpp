// heddle explain: what the checks of audit and the findings of analyze mean.
#include <fmt/format.h>

#include <memory>

#include "output.h"
#include "report/clean_text.h"
#include "report/finding_report.h"
#include "support/spelling.h"
#include "verbs.h"

namespace heddle::tool {
namespace {

constexpr const char* kExplainExamples = R"text(
Examples:
  heddle explain
  heddle explain impossible-bandwidth
  heddle explain same-work --json
docs/checks.md links to a page for each.)text";

constexpr std::size_t kLongestShownId = 80;

struct ExplainArguments {
  std::string id;
  bool asked = false;
  OutputArguments output;
};

Error unknown(const std::string& id) {
  std::vector<std::string> ids;
  for (const CheckKind& check : audit_checks()) ids.emplace_back(check.id);
  for (const FindingKind& kind : finding_kinds()) ids.emplace_back(kind.id);
  return Error(
      fmt::format("no check or finding is called '{}'", report::one_line(id, kLongestShownId)),
      fmt::format("{}use one of: {}", did_you_mean(id, ids), word_list(ids)));
}

ExitCode run_explain(const ExplainArguments& arguments) {
  const OutputArguments& output = arguments.output;
  const CheckKind* check = arguments.asked ? find_audit_check(arguments.id) : nullptr;
  const FindingKind* kind = arguments.asked ? find_finding_kind(arguments.id) : nullptr;
  if (arguments.asked && check == nullptr && kind == nullptr) throw unknown(arguments.id);
  if (output.wants_json()) {
    std::vector<CheckKind> checks;
    std::vector<FindingKind> kinds;
    if (!arguments.asked) {
      checks = audit_checks();
      kinds = finding_kinds();
    }
    if (check != nullptr) checks.push_back(*check);
    if (kind != nullptr) kinds.push_back(*kind);
    output.print(json_text(report::explanations_json(checks, kinds)));
  } else if (check != nullptr) {
    output.print(report::check_kind_text(*check, output.style()));
  } else if (kind != nullptr) {
    output.print(report::finding_kind_text(*kind, output.style()));
  } else {
    output.print(report::explanations_text(audit_checks(), finding_kinds(), output.style()));
  }
  return ExitCode::good;
}

}  // namespace

void add_explain(Program& program, Outcome& outcome) {
  Verb verb = program.add_verb("explain", "explain a check of audit or a finding of analyze");
  const auto arguments = std::make_shared<ExplainArguments>();
  const Flag id = verb.add_option("ID", arguments->id,
                                  "a check or finding, such as above-peak; all by default");
  arguments->output.add(verb);
  verb.footer(kExplainExamples);
  verb.callback([arguments, id, &outcome] {
    arguments->asked = id.is_given();
    outcome.code = run_explain(*arguments);
  });
}

}  // namespace heddle::tool
