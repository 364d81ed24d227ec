#include "report/kernel_check_report.h"

#include <fmt/format.h>

#include "report/clean_text.h"
#include "report/json_values.h"
#include "report/verdict_list.h"

namespace heddle::report {
namespace {

std::vector<ShownCheck> checks_of(const KernelCheck& check) {
  std::vector<ShownCheck> checks;
  if (check.launch) checks.push_back({"launch", &*check.launch});
  if (check.range) checks.push_back({"range", &*check.range});
  if (check.all_sizes) checks.push_back({"all sizes", &*check.all_sizes});
  return checks;
}

}  // namespace

std::string kernel_check_text(const KernelCheck& check, const Style& style) {
  const Verdict verdict = check.verdict();
  std::string what = fmt::format("{} in {}", check.function, check.kernel);
  if (check.subject != check.kernel) what += fmt::format(", launched by {}", check.subject);
  std::string text = headline(style.verdict(verdict), what);
  if (!check.tiles.empty()) text += labelled("tiles", check.tiles);
  for (const std::string& note : check.notes) text += labelled("note", note);
  text += "\n" + verdict_list(checks_of(check), style);
  if (verdict == Verdict::proved || check.lines.empty()) return text;
  text += "\n  its index lines\n";
  for (const QuotedLine& line : check.lines)
    text += fmt::format("  {:>5}  {}\n", line.line, line.text);
  return text;
}

nlohmann::json kernel_check_json(const KernelCheck& check) {
  nlohmann::json lines = nlohmann::json::array();
  for (const QuotedLine& line : check.lines)
    lines.push_back({{"line", line.line}, {"text", valid_utf8(line.text)}});
  return {{"version", 1},
          {"subject", check.subject},
          {"kernel", check.kernel},
          {"function", check.function},
          {"verdict", verdict_text(check.verdict())},
          {"tiles", check.tiles.empty() ? nlohmann::json() : nlohmann::json(check.tiles)},
          {"checks", verdicts_json(checks_of(check))},
          {"lines", lines},
          {"notes", check.notes}};
}

}  // namespace heddle::report
