// A value that cannot be, or is worth a doubt: what plausibility checks find.
//
//   id      above-peak
//   where   "2.1.22 L2-Fabric Read BW", "vecCopy(...)", dispatch 3
//   what    "1925.1 GB/s, 117 % of the peak of 1638.4"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct Finding {
  std::string id;     ///< "above-peak": one of finding_kinds()
  std::string where;  ///< metric, dispatch or file
  std::string what;   ///< the figures
  std::string run;    ///< the folder; empty where there is only one
};

/// All findings, and what could not be looked at.
struct PlausibilityReport {
  std::vector<Finding> findings;
  std::vector<std::string> not_checked;  ///< "bandwidth of the L2 (sysinfo.csv has no max_sclk)"
};

/// What is known of one kind of finding.
struct FindingKind {
  std::string_view id;
  std::string_view summary;      ///< one line
  std::string_view explanation;  ///< what it means, how it comes about, what to do
};

/// All kinds, in the order in which they are listed.
const std::vector<FindingKind>& finding_kinds();

/// In upper or lower case; null if there is no such kind.
const FindingKind* find_finding_kind(std::string_view id);

}  // namespace heddle
