// All counters of a workload folder as one table, whatever files they are in.
//
//   pmc_perf.csv                          a row for each dispatch, or, since 3.3, for each counter
//   results_pmc_perf_0.csv, ...           since 3.6: a file for each replay, a row for each counter
//   pmc_perf_0.csv, ...                   a file for each replay, a row for each dispatch
//   7_counter_collection.csv              of rocprofv3
//   7_kernel_trace.csv                    its kernels and times, where it has counted nothing
//   out/pmc_1/node/7_results.db           databases of rocprofv3, where they were kept
//   timestamps.csv                        kernels and times, where nothing else is left
//
// Rules
//   1. The first of these that can be read is taken; any may be "NAME.gz".
//   2. A table under one of these names that has none of their columns is not read, and a note says
//      so: what is not understood is not shown. Replays of both forms beside one another are an
//      Error.
//   3. Files with a row for each dispatch are joined by row where their kernels agree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/folder.h"
#include "profile/workload/recorded_names.h"
#include "results/panel.h"

namespace heddle::profile {

struct JoinedCounters {
  CounterTable table;       ///< no rows where nothing can be read
  std::string file;         ///< what notes call it
  bool times_only = false;  ///< a kernel trace
  bool is_long = false;     ///< it was recorded with a row for each counter
  SystemFields system;      ///< what a database tells of the chip
  /// Of each row, in ns, where replays told several.
  std::vector<std::optional<double>> durations;
};

JoinedCounters read_counters(const WorkloadFolder& folder, std::vector<ProfileNote>& notes);

/// The table with a row per dispatch, if its rows are counters; else as it is.
CounterTable turned(CounterTable table, const std::string& shown, Multiplexing multiplexing,
                    std::vector<ProfileNote>& notes);

}  // namespace heddle::profile
