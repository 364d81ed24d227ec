#include "report/verdict_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/clean_text.h"
#include "report/json_values.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostLine = 2000;

/// What comes from files, names of kernels say, is made printable.
std::string clean(const std::string& text) {
  return one_line(text, kMostLine);
}

}  // namespace

std::string verdict_list(const std::vector<ShownCheck>& checks, const Style& style) {
  std::size_t width = 7;
  for (const ShownCheck& check : checks) width = std::max(width, check.id.size());
  const std::size_t indent = width + 12;
  std::string text;
  for (const auto& [id, result] : checks) {
    // Colour codes have no width, so the verdict is padded by hand.
    const std::size_t padding = 7 - verdict_text(result->verdict).size();
    text += fmt::format("  {:<{}} {}{:{}}  {}\n", id, width, style.verdict(result->verdict), "",
                        padding, wrapped(clean(result->finding), indent, indent));
    for (const std::string& line : result->evidence)
      text += fmt::format("{:{}}{}\n", "", indent, wrapped(clean(line), indent, indent));
    for (const std::string& line : result->notes)
      text += fmt::format("{:{}}{}\n", "", indent,
                          style.dim(wrapped("note: " + clean(line), indent, indent)));
  }
  return text;
}

Table verdict_table(const std::vector<ShownCheck>& checks) {
  Table table{"Verdicts", {{"check"}, {"verdict"}, {"finding"}}};
  for (const auto& [id, result] : checks) {
    if (result->verdict == Verdict::refuted) table.marked.push_back(table.rows.size());
    table.rows.push_back(
        {code(std::string(id)), ours(verdict_text(result->verdict)), Text(clean(result->finding))});
    for (const std::string& line : result->evidence)
      table.rows.push_back({ours(""), ours(""), Text(clean(line))});
    for (const std::string& line : result->notes)
      table.rows.push_back({ours(""), ours(""), Text("note: " + clean(line))});
  }
  return table;
}

std::string verdict_counts(const std::vector<ShownCheck>& checks) {
  std::vector<std::string> parts;
  for (const Verdict verdict : {Verdict::proved, Verdict::refuted, Verdict::unknown}) {
    const auto count = std::ranges::count_if(
        checks, [&](const ShownCheck& one) { return one.result->verdict == verdict; });
    if (count > 0) parts.push_back(fmt::format("{} {}", count, verdict_text(verdict)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

nlohmann::json verdicts_json(const std::vector<ShownCheck>& checks) {
  nlohmann::json json = nlohmann::json::object();
  const auto lines = [](const std::vector<std::string>& texts) {
    return list_json(texts, valid_utf8);
  };
  for (const auto& [id, result] : checks)
    json[std::string(id)] = {{"verdict", verdict_text(result->verdict)},
                             {"finding", valid_utf8(result->finding)},
                             {"evidence", lines(result->evidence)},
                             {"notes", lines(result->notes)}};
  return json;
}

std::vector<ShownCheck> shown(const std::vector<NamedCheck>& checks) {
  std::vector<ShownCheck> list;
  for (const NamedCheck& check : checks) list.push_back({check.id, &check.result});
  return list;
}

}  // namespace heddle::report
