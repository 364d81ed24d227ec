// What ncu printed, as a table with a row per launch: the same counters give the same table, whatever
// page they stand on and in whatever units.
//
//   --page raw        a column per metric, a row of units      gpu__time_duration.sum   31,072 ns
//   --page details    a row per metric, under ncu's labels     Duration                  31.07 us
//
// Rules
//   1. Columns have the names of ncu's metrics; times are in ns, sizes in bytes, clocks in Hz, and
//      rates those of a second.
//   2. A metric whose unit is not known, or not one that its name may have, has no value, and
//      `unreadable` says why. So has one whose value is not a number. Labels that heddle has no
//      metric for are left out.
//   3. Numbers as another locale writes them are an Error: others of the file would be misread.
//   4. Of a metric that a page tells several times the first value counts.
//   5. launch__warps is made of the sizes of grid and block. Sums that ncu tells per cycle only are
//      made of those (smsp__sass_thread_inst_executed_op_*).
//   6. Each row of a raw page is a launch, whatever its ID. Rows of a details page that give one ID to
//      two kernels are an Error.
//   7. The chip is what the first launch says.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/recorded_names.h"
#include "results/panel.h"

namespace heddle::profile {

struct NcuRecording {
  CounterTable table;
  std::map<std::string, std::string> unreadable;  ///< metric -> why it has no value
  SystemFields system;                            ///< under the names of sysinfo.csv
};

/// An Error where no launch is in the text.
NcuRecording read_ncu_recording(std::string_view text, const std::string& shown,
                                std::vector<ProfileNote>& notes);

}  // namespace heddle::profile
