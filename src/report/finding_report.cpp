#include "report/finding_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/json_values.h"
#include "report/markdown.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostWhere = 200;
constexpr std::size_t kMostWhat = 1000;
constexpr std::size_t kMostUnchecked = 4000;

constexpr std::string_view kNoFinding = "no value contradicts the hardware or another value";

std::size_t id_width(const std::vector<FindingKind>& kinds) {
  std::size_t width = 0;
  for (const FindingKind& kind : kinds) width = std::max(width, kind.id.size());
  return width;
}

std::string place_text(const Finding& finding) {
  const std::string where = one_line(finding.where, kMostWhere);
  return finding.run.empty() ? where
                             : fmt::format("{}: {}", one_line(finding.run, kMostWhere), where);
}

std::string not_checked_text(const std::vector<std::string>& not_checked) {
  return fmt::format("Not checked: {}",
                     one_line(fmt::format("{}", fmt::join(not_checked, "; ")), kMostUnchecked));
}

std::string count_text(std::size_t count) {
  return count_of(static_cast<std::int64_t>(count), "finding");
}

}  // namespace

std::string findings_text(const std::vector<Finding>& findings, const Style& style,
                          const std::vector<std::string>& not_checked) {
  const std::string unchecked = not_checked.empty() ? "" : not_checked_text(not_checked);
  if (findings.empty()) {
    constexpr std::string_view kStart = "Plausibility: ";
    const std::string text =
        unchecked.empty() ? fmt::format("no finding; {}", kNoFinding) : "no finding. " + unchecked;
    return style.bold("Plausibility") + ": " + wrapped(text, kStart.size(), 2) + "\n";
  }
  const std::size_t indent = id_width(finding_kinds()) + 4;
  std::string text =
      fmt::format("{}: {}\n", style.bold("Plausibility"), count_text(findings.size()));
  for (const Finding& finding : findings) {
    const std::string start = fmt::format("{:<{}}", "  " + finding.id, indent);
    text += start + wrapped(place_text(finding), indent, indent) + "\n";
    text += std::string(indent, ' ') + wrapped(one_line(finding.what, kMostWhat), indent, indent) +
            "\n";
  }
  if (!unchecked.empty()) text += "  " + wrapped(unchecked, 2, 4) + "\n";
  return text + fmt::format("  what they mean: heddle explain {}\n", findings.front().id);
}

std::string findings_markdown(const std::vector<Finding>& findings,
                              const std::vector<std::string>& not_checked) {
  std::string text = "## Plausibility\n\n";
  const std::string unchecked = not_checked.empty() ? "" : escaped(not_checked_text(not_checked));
  if (findings.empty())
    return text + (unchecked.empty() ? fmt::format("No finding: {}.\n", kNoFinding)
                                     : fmt::format("No finding. {}.\n", unchecked));
  text += "| finding | where | what |\n|---|---|---|\n";
  for (const Finding& finding : findings)
    text += table_row({inline_code(finding.id), table_cell(escaped(place_text(finding))),
                       table_cell(escaped(one_line(finding.what, kMostWhat)))});
  if (!unchecked.empty()) text += fmt::format("\n{}.\n", unchecked);
  return text;
}

nlohmann::json findings_json(const std::vector<Finding>& findings) {
  nlohmann::json list = nlohmann::json::array();
  for (const Finding& finding : findings) {
    const FindingKind* kind = find_finding_kind(finding.id);
    nlohmann::json one = {{"id", finding.id},
                          {"where", valid_utf8(finding.where)},
                          {"what", valid_utf8(finding.what)}};
    if (kind != nullptr) one["summary"] = kind->summary;
    if (!finding.run.empty()) one["run"] = valid_utf8(finding.run);
    list.push_back(std::move(one));
  }
  return list;
}

nlohmann::json not_checked_json(const std::vector<std::string>& not_checked) {
  return list_json(not_checked, valid_utf8);
}

std::string explanations_text(const std::vector<CheckKind>& checks,
                              const std::vector<FindingKind>& kinds, const Style& style) {
  std::size_t width = id_width(kinds);
  for (const CheckKind& check : checks) width = std::max(width, check.id.size());
  const auto line = [&](std::string_view id, std::string_view summary) {
    const std::string padding(width - id.size() + 2, ' ');
    return "  " + style.bold(id) + padding + wrapped(summary, width + 4, width + 4) + "\n";
  };
  std::string text = "Checks of heddle audit, each PROVED, REFUTED or UNKNOWN:\n";
  for (const CheckKind& check : checks) text += line(check.id, check.summary);
  text += "\nFindings of heddle analyze:\n";
  for (const FindingKind& kind : kinds) text += line(kind.id, kind.summary);
  return text;
}

std::string check_kind_text(const CheckKind& check, const Style& style) {
  return fmt::format("{}: {}\n\n  {}\n\n", style.bold(check.id),
                     wrapped(check.summary, check.id.size() + 2, 2),
                     wrapped(check.explanation, 2, 2)) +
         labelled("judges", check.judges) + labelled("against", check.cheats);
}

std::string finding_kind_text(const FindingKind& kind, const Style& style) {
  return fmt::format("{}: {}\n\n  {}\n", style.bold(kind.id),
                     wrapped(kind.summary, kind.id.size() + 2, 2), wrapped(kind.explanation, 2, 2));
}

nlohmann::json explanations_json(const std::vector<CheckKind>& checks,
                                 const std::vector<FindingKind>& kinds) {
  nlohmann::json audit = nlohmann::json::array();
  for (const CheckKind& check : checks)
    audit.push_back({{"id", check.id},
                     {"judges", check.judges},
                     {"against", check.cheats},
                     {"summary", check.summary},
                     {"explanation", check.explanation}});
  nlohmann::json list = nlohmann::json::array();
  for (const FindingKind& kind : kinds)
    list.push_back({{"id", kind.id}, {"summary", kind.summary}, {"explanation", kind.explanation}});
  return {{"version", 1},
          {"verb", "explain"},
          {"checks", std::move(audit)},
          {"findings", std::move(list)}};
}

void add_findings(const PlausibilityReport& found, Document& page) {
  page.heading(ours("Plausibility"));
  Table table{"Impossible values", {{"finding"}, {"where"}, {"what"}}};
  for (const Finding& finding : found.findings)
    table.rows.push_back(
        {code(finding.id), Text(place_text(finding)), Text(one_line(finding.what, kMostWhat))});
  const std::string unchecked =
      found.not_checked.empty() ? "" : not_checked_text(found.not_checked);
  if (table.rows.empty()) {
    page.paragraph(ours(unchecked.empty() ? "No finding: " : "No finding. ") +
                   Text(unchecked.empty() ? std::string(kNoFinding) : unchecked) + ours("."));
    return;
  }
  page.add(std::move(table));
  if (!unchecked.empty()) page.paragraph(Text(unchecked) + ours("."));
}

}  // namespace heddle::report
