// What an audit asks, and what it answers: one table of checks, one form of verdict.
//
//   order   REFUTED   65,280 of 65,536 tiles are computed
//                     no block computes tile (0, 255) (256 tiles are missing)
//
// Rules
//   1. Each check has one of three verdicts. REFUTED carries evidence, UNKNOWN its reason (both are
//      in `finding` and `evidence`).
//   2. An audit says what it could not ask, in `not_checked`; it has no verdict on that.
//   3. Every id that any audit prints is in audit_checks(), and has a page docs/checks/ID.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/verdict.h"

namespace heddle {

struct CheckResult {
  Verdict verdict = Verdict::unknown;
  std::string finding;                ///< one sentence; UNKNOWN: the reason
  std::vector<std::string> evidence;  ///< counterexamples and figures, a sentence each
  std::vector<std::string> notes;     ///< what the reader should know besides
};

/// A check by its id, and what came of it.
struct NamedCheck {
  std::string_view id;
  CheckResult result;
};

/// REFUTED if a check is, else UNKNOWN if one is; PROVED if there is none.
Verdict worst_verdict(const std::vector<NamedCheck>& checks);

/// What is known of one check.
struct CheckKind {
  std::string_view id;           ///< "same-work"
  std::string_view judges;       ///< "logs", "patches", "profiles", with commas between them
  std::string_view cheats;       ///< the ways to cheat that it is there for
  std::string_view summary;      ///< one line
  std::string_view explanation;  ///< what each verdict means, and what to do
};

/// All of them, in the order in which they are listed.
const std::vector<CheckKind>& audit_checks();

/// In upper or lower case; null if there is no such check.
const CheckKind* find_audit_check(std::string_view id);

}  // namespace heddle
