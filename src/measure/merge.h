// heddle merge: what an agent measured, with counters that were taken elsewhere.
//
//   merge_bundle({"bundle", {}})                 what the agent wrote, judged
//   merge_bundle({"bundle", {"1=ncu.csv"}})      with counters of candidate 1 from a profiler's
//   file
#pragma once

#include <string>
#include <vector>

#include "results/measurement.h"

namespace heddle::measure {

struct MergeRequest {
  std::string folder;                ///< a bundle with results
  std::vector<std::string> imports;  ///< "1=ncu.csv": counters of a candidate, taken elsewhere
};

/// The bundles that folders stand for: themselves, or those in them, by name.
std::vector<std::string> find_bundles(const std::vector<std::string>& folders);

/// Reads what an agent measured. Throws Error where there is nothing.
MeasurementReport merge_bundle(const MergeRequest& request);

}  // namespace heddle::measure
