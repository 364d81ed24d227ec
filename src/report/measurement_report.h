// What a GPU said of a kernel's candidates, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/measurement.h"

namespace heddle::report {

/// With ratios and their intervals in the plane.
Document measurement_view(const MeasurementReport& report);
std::string measurement_text(const MeasurementReport& report, const Style& style);
nlohmann::json measurement_json(const MeasurementReport& report);

/// The candidates and what goes with them, without the answer.
std::string measurement_body(const MeasurementReport& report);

/// "1.313 (1.309-1.316)".
std::string ratio_text(const MeasuredTimes& times);
/// "faster 1.31x: group(8)", "no significant difference": the first line, without a place.
std::string measured_answer(const MeasurementReport& report);

}  // namespace heddle::report
