// From what an agent wrote to an answer: which candidate is faster, if any.
//
// Rules
//   1. A candidate that was rejected in any run is out, and so is one that was not compared on
//   every
//      launch with every seed of the bundle.
//   2. Times are compared within rounds; statistics.h has the rest.
//   3. The winner is the candidate that a fresh process found faster again. Where the first times
//      named one and the second did not, there is none, and `not_confirmed` says so.
#pragma once

#include <string>

#include "measure/bundle.h"
#include "measure/results.h"
#include "results/measurement.h"

namespace heddle::measure {

MeasurementReport judge(const BundleRecord& record, const AgentResults& results);

/// Reads a bundle and its results, and judges them. Throws Error where nothing was measured.
MeasurementReport read_measurement(const std::string& folder);

}  // namespace heddle::measure
