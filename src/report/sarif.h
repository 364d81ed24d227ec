// Verdicts as SARIF 2.1.0, which code review tools read.
//
//   {"version": "2.1.0", "runs": [{"tool": ..., "results": [
//     {"ruleId": "order", "level": "error", "message": ..., "locations": [...]}]}]}
//
// Rules
//   1. REFUTED is an error, UNKNOWN a warning: what is not known must be looked at by a person.
//      PROVED is not a result.
//   2. A rule for every check of the table, so that ids keep their meaning; its helpUri is its page
//      among the installed documents.
//   3. Fingerprints hold the check, the file and the place's own text, not line or figures: a
//      finding that moves, or is measured again, is the same one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "results/check.h"

namespace heddle::report {

/// A verdict and where it belongs.
struct SarifResult {
  std::string_view check;
  const CheckResult* result = nullptr;
  std::string subject;  ///< "iteration 4"; may be empty
  std::string file;     ///< as the user named it; empty: none
  int line = 0;         ///< 0: the file as a whole
  std::string key;      ///< tells it from others of the same check in the file; may be empty
};

nlohmann::json sarif_json(const std::vector<SarifResult>& results, const std::string& version);

}  // namespace heddle::report
