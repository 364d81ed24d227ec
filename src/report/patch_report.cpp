#include "report/patch_report.h"

#include <fmt/format.h>

#include "report/json_values.h"
#include "report/text_blocks.h"
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

Values scope_values(const PatchAudit& audit) {
  Values values = value("original", audit.before) + value("holds for", audit.traced_on);
  if (!audit.not_checked.empty())
    values += value("not checked", fmt::format("{}", fmt::join(audit.not_checked, "; ")));
  return values;
}

/// What differs between the two files, statement by statement.
Table changes_table(const PatchAudit& audit) {
  Table table{"Statements that differ",
              {{"line before", true}, {"line after", true}, {"kind"}, {"before"}, {"after"}}};
  const auto line = [](int number) { return ours(number > 0 ? std::to_string(number) : "-"); };
  for (const CodeChange& change : audit.changes) {
    const bool is_index = change.kind == CodeChange::Kind::index;
    if (!is_index) table.marked.push_back(table.rows.size());
    table.rows.push_back({line(change.line_before), line(change.line_after),
                          is_index ? ours("index") : Text(change.what),
                          change.before.empty() ? Text() : code(change.before),
                          change.after.empty() ? Text() : code(change.after)});
  }
  return table;
}

}  // namespace

Document patch_view(const PatchAudit& audit) {
  Document page;
  page.verb = "audit --patch";
  page.title = Text(audit.after) + ours(": " + verdict_counts(checks_of(audit))) + ours(" for ") +
               Text(audit.sizes);
  page.badge = verdict_text(audit.verdict());
  page.tone = tone_of(audit.verdict());
  page.add(scope_values(audit));
  page.heading(ours("Checks"));
  page.add(verdict_table(checks_of(audit)));
  if (audit.changes.empty()) return page;
  page.heading(ours("Changes"));
  page.add(changes_table(audit));
  return page;
}

std::string patch_text(const PatchAudit& audit, const Style& style) {
  std::string text =
      headline(style.bold(audit.after),
               fmt::format("{} for {}", verdict_counts(checks_of(audit)), audit.sizes)) +
      "\n";
  text += verdict_list(checks_of(audit), style) + "\n";
  return text + text_blocks({scope_values(audit)}, style);
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
