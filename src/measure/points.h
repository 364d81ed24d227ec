// Measurements as rows of a validation table (validation/README.md).
#pragma once

#include <string>

#include "measure/bundle.h"
#include "results/measurement.h"

namespace heddle::measure {

/// Header and one row for each candidate with an order and counters. Jobs are named relative to
/// `table`, the path that the text will be written to.
std::string points_csv(const BundleRecord& record, const MeasurementReport& report,
                       const std::string& table);

}  // namespace heddle::measure
