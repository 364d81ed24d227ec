// Findings as text, Markdown and JSON; what kinds of findings and checks mean.
//
//   Plausibility: 2 findings
//     above-peak         2.1.22 L2-Fabric Read BW
//                        1,925 GB/s, 117 % of the peak of 1,638
//     zero-duration      dispatch 3, copy(int*)
//                        0 ns between its start and its end
//     not checked: bandwidth of the L2 (sysinfo.csv has no max_sclk)
//     what they mean: heddle explain above-peak
//
// Rules
//   1. No finding is a sentence, not silence. It claims that nothing is wrong only where all
//      checks could run; otherwise it names what was not checked.
//   2. Names of kernels come from files: they are made printable.
//   3. JSON carries the summary of a kind beside its id; its explanation only where it is asked
//   for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/document.h"
#include "report/style.h"
#include "results/check.h"
#include "results/finding.h"

namespace heddle::report {

/// `not_checked` is that of PlausibilityReport.
std::string findings_text(const std::vector<Finding>& findings, const Style& style,
                          const std::vector<std::string>& not_checked = {});
std::string findings_markdown(const std::vector<Finding>& findings,
                              const std::vector<std::string>& not_checked = {});
/// A part of a page.
void add_findings(const PlausibilityReport& found, Document& page);
/// A list, to go into the JSON of a verb.
nlohmann::json findings_json(const std::vector<Finding>& findings);
/// The same of what was not checked.
nlohmann::json not_checked_json(const std::vector<std::string>& not_checked);

/// Checks of audit and kinds of findings, a line each.
std::string explanations_text(const std::vector<CheckKind>& checks,
                              const std::vector<FindingKind>& kinds, const Style& style);
nlohmann::json explanations_json(const std::vector<CheckKind>& checks,
                                 const std::vector<FindingKind>& kinds);
/// One in full.
std::string check_kind_text(const CheckKind& check, const Style& style);
std::string finding_kind_text(const FindingKind& kind, const Style& style);

}  // namespace heddle::report
