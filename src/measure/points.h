// Measurements as rows of a validation table (validation/README.md).
#pragma once

#include <string>

#include "measure/bundle.h"
#include "results/measurement.h"

namespace heddle::measure {

/// The first line of a table.
std::string points_header();

/// One row for each candidate with an order and counters; of a lean bundle, with an order and times.
/// Jobs are named relative to `table`, the path that the text will be written to.
std::string points_rows(const BundleRecord& record, const MeasurementReport& report,
                        const std::string& table);

}  // namespace heddle::measure
