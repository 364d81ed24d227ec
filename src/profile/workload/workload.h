// A workload folder of rocprofiler-compute (Omniperf before): counters of every dispatch.
//
//   workloads/vcopy/MI200/   pmc_perf.csv     the table: a row per dispatch, a column per counter
//                            SQ_*.csv         runs of their own, for counters that need one
//                            sysinfo.csv      the machine, a header and a row
//                            roofline.csv     measured peaks, a row per GPU
//
// Rules
//   1. Nothing is written into the folder.
//   2. Any of these may be "NAME.gz". Where pmc_perf.csv is missing, its parts are joined
//      (pmc_perf_0.csv, results_pmc_perf_0.csv, ...), and failing those timestamps.csv is taken.
//   3. A folder that holds one such folder stands for it: "workloads/vcopy" for ".../MI200".
//   4. What is damaged or missing is a note; what is left is read. An Error where nothing is left.
//   5. Files of SQ_* counters are aligned with pmc_perf.csv by row. Where the kernel names of a row
//      differ, a note says so, and analysis takes nothing from that file's row.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/workload/counter_table.h"
#include "results/panel.h"

namespace heddle::profile {

/// One dispatch: a row of pmc_perf.csv.
struct Dispatch {
  std::size_t row = 0;
  std::int64_t id = 0;  ///< Dispatch_ID; the row where there is none
  std::string kernel;   ///< as recorded, any bytes
  std::string gpu;      ///< GPU_ID, as recorded; "2" for "2.0"
  std::optional<double> duration_ns;
  bool rounded_time = false;  ///< a timestamp has fewer digits than its nanoseconds
};

struct Workload {
  std::string path;                                         ///< as the user wrote it
  CounterTable counters;                                    ///< pmc_perf.csv
  std::string counters_file;                                ///< what it was read from
  std::map<std::string, CounterTable> levels;               ///< "SQ_LEVEL_WAVES" -> its table
  std::vector<Dispatch> dispatches;                         ///< rows that are not damaged
  std::vector<std::pair<std::string, std::string>> system;  ///< sysinfo.csv, in its order
  std::string arch;                                         ///< "gfx90a"; empty if nobody can tell
  bool arch_guessed = false;                                ///< from the names of counters
  CounterTable roofline;                                    ///< no rows where there is none
  std::vector<ProfileNote> notes;

  /// Null if sysinfo.csv has no such field, or nothing in it.
  const std::string* system_text(const std::string& name) const;
  std::optional<double> system_number(const std::string& name) const;
};

Workload read_workload(const std::string& path);

}  // namespace heddle::profile
