// An audit of two recorded runs, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/profile_audit.h"

namespace heddle::report {

Document profile_audit_view(const ProfileAudit& audit);
std::string profile_audit_text(const ProfileAudit& audit, const Style& style);
nlohmann::json profile_audit_json(const ProfileAudit& audit);

}  // namespace heddle::report
