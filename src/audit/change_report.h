// Changes of code in words: for the check `code`.
#pragma once

#include <string>
#include <vector>

#include "results/patch_audit.h"

namespace heddle::audit {

/// "2 changed, 4 added"; "none but names".
std::string change_counts(const std::vector<CodeChange>& changes);

/// "more than index lines changed: 3 places", with the first of them as evidence.
void report_others(const std::vector<CodeChange>& changes, CheckResult& code);

}  // namespace heddle::audit
