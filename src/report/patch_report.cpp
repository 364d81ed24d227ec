#include "report/patch_report.h"

#include <fmt/format.h>

#include "report/json_values.h"
#include "report/verdict_list.h"

namespace heddle::report {
namespace {

using nlohmann::json;

std::vector<ShownCheck> checks_of(const PatchAudit& audit) {
  std::vector<ShownCheck> list;
  for (const auto& [name, check] : audit.checks()) list.push_back({name, check});
  return list;
}

json change_json(const CodeChange& change) {
  const auto line = [](int number) { return number > 0 ? json(number) : json(nullptr); };
  const auto text = [](const std::string& part) { return text_or_null(part); };
  return {{"kind", change.kind == CodeChange::Kind::index ? "index" : "other"},
          {"line_before", line(change.line_before)},
          {"line_after", line(change.line_after)},
          {"what", text(change.what)},
          {"before", text(change.before)},
          {"after", text(change.after)}};
}

}  // namespace

std::string patch_text(const PatchAudit& audit, const Style& style) {
  std::string text = fmt::format("{}  {} for {}\n\n", style.bold(audit.after),
                                 verdict_counts(checks_of(audit)), audit.sizes);
  text += verdict_list(checks_of(audit), style) + "\n" + labelled("original", audit.before);
  text += labelled("holds for", audit.traced_on);
  if (!audit.not_checked.empty())
    text += labelled("not checked", fmt::format("{}", fmt::join(audit.not_checked, "; ")));
  return text;
}

json patch_json(const PatchAudit& audit) {
  return {
      {"version", 1},
      {"before",
       {{"file", audit.before}, {"function", audit.function_before}, {"grid", audit.grid_before}}},
      {"after",
       {{"file", audit.after}, {"function", audit.function_after}, {"grid", audit.grid_after}}},
      {"verdict", verdict_text(audit.verdict())},
      {"checks", verdicts_json(checks_of(audit))},
      {"not_checked", audit.not_checked},
      {"changes", list_json(audit.changes, change_json)},
      {"traced_on", audit.traced_on},
      {"sizes", audit.sizes}};
}

}  // namespace heddle::report
