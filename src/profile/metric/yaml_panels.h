// Panels of rocprofiler-compute's own configuration: analysis_configs/gfx950/0200_*.yaml of any version
// since 3.0, so that --config-dir shows what that version defines, under its ids.
//
//   avg: AVG((64 * TCP_READ_sum) / $denom)    Avg = "AVG((64 * TCP_READ_sum) / denom)"
//
// Rules
//   1. Each cell has a formula of its own, which is computed over all dispatches.
//   2. $names become the built-ins of counters.h, TO_INT of a counter is that
//      counter, End_Timestamp - Start_Timestamp is the exact duration.
//   3. A row with a coll_level takes its counters from that level's file.
//   4. A formula that cannot be read leaves its cell blank, with the reason. A file that is not a
//      panel is an Error. Tables that are not of metrics (lists, PC samples) are left out.
#pragma once

#include <string>
#include <string_view>

#include "profile/metric/definition.h"

namespace heddle::profile {

/// The panel of one file; `shown` is what messages call it.
PanelDefinition parse_yaml_panel(std::string_view text, const std::string& shown);

/// A formula of the configuration in heddle's language; `level` is its coll_level, or empty.
std::string translated_formula(std::string_view formula, const std::string& level);

}  // namespace heddle::profile
