// The files of validation/intervals, as they were when heddle was built. The build writes
// interval_files.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::sim {

struct IntervalFile {
  std::string_view name;  ///< "learnt.csv"
  std::string_view text;
};

/// Sorted by name.
const std::vector<IntervalFile>& interval_files();

}  // namespace heddle::sim
