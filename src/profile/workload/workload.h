// A workload folder of rocprofiler-compute (Omniperf before): counters of every dispatch.
//
//   workloads/vcopy/MI200/   pmc_perf.csv     the table: a row per dispatch, a column per counter
//                            SQ_*.csv         runs of their own, for counters that need one
//                            sysinfo.csv      the machine, a header and a row
//                            roofline.csv     measured peaks, a row per GPU
//
// Rules
//   1. Nothing is written into the folder.
//   2. The files of every version since Omniperf 1.0 are read; names are those of today
//      (recorded_names.h), and the counters may be in several files (joining.h).
//   3. A folder that holds one such folder stands for it: "workloads/vcopy" for ".../MI200".
//   4. What is damaged or missing is a note; what is left is read. An Error where nothing is left,
//      and where the format or the profiler's version is not known.
//   5. Recordings that are one file of another profiler are read too (other/other_recordings.h).
//   6. Files of SQ_* counters are aligned with pmc_perf.csv by row. Where the kernel names of a row
//      differ, a note says so, and analysis takes nothing from that file's row.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/dispatches.h"
#include "results/panel.h"

namespace heddle::profile {

struct Workload {
  std::string path;                                         ///< as the user wrote it
  CounterTable counters;                                    ///< pmc_perf.csv
  std::string counters_file;                                ///< what it was read from
  std::map<std::string, CounterTable> levels;               ///< "SQ_LEVEL_WAVES" -> its table
  std::vector<Dispatch> dispatches;                         ///< rows that are not damaged
  std::vector<std::pair<std::string, std::string>> system;  ///< sysinfo.csv, in its order
  std::string arch;                                         ///< "gfx90a"; empty if nobody can tell
  bool times_only = false;                                  ///< no counter is known
  bool arch_guessed = false;                                ///< from the names of counters
  CounterTable roofline;                                    ///< no rows where there is none
  Panel samples;                                            ///< block 21; no tables: there are none
  std::map<std::string, std::string> unreadable;            ///< counter -> why it has no value
  std::vector<ProfileNote> notes;

  /// Null if sysinfo.csv has no such field, or nothing in it.
  const std::string* system_text(const std::string& name) const;
  std::optional<double> system_number(const std::string& name) const;
};

Workload read_workload(const std::string& path);

/// Counted by ncu, or on a chip of NVIDIA's.
inline bool is_of_nvidia(const Workload& workload) {
  return workload.arch.starts_with("sm_");
}

}  // namespace heddle::profile
