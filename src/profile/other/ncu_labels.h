// Labels of ncu's page "details", and the metrics that they stand for.
//
//   ncu_metric("GPU Speed Of Light Throughput", "Duration")   gpu__time_duration.sum
//   ncu_metric("", "lts__t_sectors.sum")                      itself
#pragma once

#include <string_view>

namespace heddle::profile {

/// Empty for a label that is not known.
std::string_view ncu_metric(std::string_view section, std::string_view label);

}  // namespace heddle::profile
