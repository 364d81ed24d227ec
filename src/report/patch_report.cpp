#include "report/patch_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace heddle::report {
namespace {

using nlohmann::json;

constexpr std::size_t kIndent = 19;  ///< column at which the findings begin

std::string check_text(std::string_view name, const PatchCheck& check, const Style& style) {
  // Colour codes have no width, so the verdict is padded by hand.
  const std::string verdict = verdict_text(check.verdict);
  std::string text = fmt::format("  {:<7} {}{:{}}  {}\n", name, style.verdict(check.verdict), "",
                                 7 - verdict.size(), wrapped(check.finding, kIndent, kIndent));
  for (const std::string& line : check.evidence)
    text += fmt::format("{:{}}{}\n", "", kIndent, wrapped(line, kIndent, kIndent));
  for (const std::string& line : check.notes)
    text += fmt::format("{:{}}{}\n", "", kIndent,
                        style.dim(wrapped("note: " + line, kIndent, kIndent)));
  return text;
}

std::string count_text(const PatchAudit& audit) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::proved, Verdict::refuted, Verdict::unknown}) {
    const auto checks = audit.checks();
    const auto count = std::count_if(checks.begin(), checks.end(), [&](const auto& one) {
      return one.check->verdict == verdict;
    });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, verdict_text(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

json check_json(const PatchCheck& check) {
  return {{"verdict", verdict_text(check.verdict)},
          {"finding", check.finding},
          {"evidence", check.evidence},
          {"notes", check.notes}};
}

json change_json(const CodeChange& change) {
  const auto line = [](int number) { return number > 0 ? json(number) : json(nullptr); };
  const auto text = [](const std::string& part) {
    return part.empty() ? json(nullptr) : json(part);
  };
  return {{"kind", change.kind == CodeChange::Kind::index ? "index" : "other"},
          {"line_before", line(change.line_before)},
          {"line_after", line(change.line_after)},
          {"what", text(change.what)},
          {"before", text(change.before)},
          {"after", text(change.after)}};
}

}  // namespace

std::string patch_text(const PatchAudit& audit, const Style& style) {
  std::string text = fmt::format("{}  {}\n\n", style.bold(audit.after), count_text(audit));
  for (const auto& [name, check] : audit.checks()) text += check_text(name, *check, style);
  text += "\n" + labelled("original", audit.before);
  return text + labelled("holds for", audit.traced_on);
}

json patch_json(const PatchAudit& audit) {
  json changes = json::array();
  for (const CodeChange& change : audit.changes) changes.push_back(change_json(change));
  json checks = json::object();
  for (const auto& [name, check] : audit.checks()) checks[std::string(name)] = check_json(*check);
  return {
      {"version", 1},
      {"before",
       {{"file", audit.before}, {"function", audit.function_before}, {"grid", audit.grid_before}}},
      {"after",
       {{"file", audit.after}, {"function", audit.function_after}, {"grid", audit.grid_after}}},
      {"verdict", verdict_text(audit.verdict())},
      {"checks", checks},
      {"changes", changes},
      {"traced_on", audit.traced_on}};
}

}  // namespace heddle::report
