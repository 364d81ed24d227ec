// An audit of a changed kernel, as text for people and as JSON for programs.
//
//   after.py  3 PROVED, 1 REFUTED
//
//     order   PROVED   each of the 65,536 blocks computes one tile of the original, ...
//                      the order is xcd(8)
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/patch_audit.h"

namespace heddle::report {

Document patch_view(const PatchAudit& audit);
std::string patch_text(const PatchAudit& audit, const Style& style);
nlohmann::json patch_json(const PatchAudit& audit);

}  // namespace heddle::report
