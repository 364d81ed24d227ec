// A changed kernel that is not a file of its own: a diff, or a block of somebody's answer.
//
//   audit_diff(request, read_text("new.diff", ...), "new.diff")     request.before says what it changes
//
// Rules
//   1. It is judged as `audit --patch BEFORE AFTER` judges files: the new text is written to a
//      folder of its own, beside copies of the sources that stand beside the original, a Python file
//      below links to its packages. What it needs from elsewhere leaves checks UNKNOWN.
//   2. A diff that changes other sources, too, leaves `code` UNKNOWN: those are not judged.
//   3. Reports call the new file as the user does.
#pragma once

#include <string>

#include "pipeline.h"

namespace heddle::tool {

/// Throws Error where the diff does not fit, and what audit_patch throws.
PatchAudit audit_diff(const PatchRequest& request, const std::string& diff,
                      const std::string& shown);

/// `text`: the whole new file.
PatchAudit audit_text(const PatchRequest& request, const std::string& text,
                      const std::string& shown);

}  // namespace heddle::tool
