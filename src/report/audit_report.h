// An audit as a table for people and as JSON for programs.
//
//   iteration  verdict  tiles            claimed hit rate   claimed    remarks
//           6  REFUTED  256 of 65,536    29.7 -> 99.6 %     1.29x      launch ids 0 and 1 ...
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/audit.h"

namespace heddle::report {

/// With what the log claims in the plane.
Document audit_view(const AuditReport& report, const std::string& log);
std::string audit_text(const AuditReport& report, const std::string& log, const Style& style);
nlohmann::json audit_json(const AuditReport& report, const std::string& log);

}  // namespace heddle::report
