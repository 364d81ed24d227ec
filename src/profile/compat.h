// Versions of rocprofiler-compute whose numbers --compat gives.
//
//   parse_compat("")      3.0, the formulas and the format of commit 95b600e
//   parse_compat("3.7")   averages of ratios are ratios of sums, and nothing is infinite
//   parse_compat("3.8.0") "Percent of Peak" for "Pct of Peak"
//
// What a version changed of a single formula stands beside it in panels/ (compat_until).
#pragma once

#include <string_view>

namespace heddle::profile {

/// 3.MINOR.
struct CompatVersion {
  int minor = 0;

  bool sums_ratios() const { return minor >= 7; }
  bool prints_infinite() const { return minor < 7; }
  bool says_percent() const { return minor >= 8; }
};

/// An Error for a version that is not known.
CompatVersion parse_compat(std::string_view text);

}  // namespace heddle::profile
