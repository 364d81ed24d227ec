// A gate as text, page, Markdown, JSON, JUnit and SARIF.
//
// Rules
//   1. JUnit: a suite a kernel, a case an item. `fail` is a failure, `doubt` is skipped with its
//      reason; notes are output of their case. Times are left out: they would differ every time.
//   2. SARIF: `fail` is an error, `doubt` a warning; the rest is not a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/gate.h"

namespace heddle::report {

Document gate_view(const GateReport& report);
std::string gate_text(const GateReport& report, const Style& style);
/// With a headline; for the summary of a CI run, or a comment.
std::string gate_markdown(const GateReport& report);
nlohmann::json gate_json(const GateReport& report);
std::string gate_junit(const GateReport& report);
nlohmann::json gate_sarif(const GateReport& report, const std::string& version);

}  // namespace heddle::report
