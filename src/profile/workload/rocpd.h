// Databases of rocprofv3 (rocpd): dispatches and their counters.
//
//   rocpd_kernel_dispatch_0a..   event 12: dispatch 3, kernel 7, agent 2, start, end, sizes
//   rocpd_info_pmc_0a..          pmc 5: SQ_WAVES
//   rocpd_pmc_event_0a..         event 12, pmc 5: 16384
//
// Rules
//   1. Tables are read under their full names, each recording (GUID) with its own; the views of the
//      file are not asked. Values are what the view counters_collection would give: of a counter with
//      several instances the sum.
//   2. A file whose schema is neither of major version 3 nor 4.1 (where dispatches belong to tracks,
//      and these to agents) is an Error that names it.
//   3. Dispatches that have no counter are left out, unless no dispatch has one: then there are
//      names and times.
//   4. Several databases are replays of one program, told apart by their names: "pmc_perf_0_77.db"
//      is of process 77 in the replay pmc_perf_0, and so is "out/pmc_perf_0/node/77_results.db".
//      The processes of a replay follow one another by their numbers.
//   5. The chip is what the agent of the first dispatch says; a note names others that were used.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/folder.h"
#include "profile/workload/recorded_names.h"
#include "results/panel.h"

namespace heddle::profile {

struct RocpdCounters {
  CounterTable table;   ///< a row per dispatch
  SystemFields system;  ///< under the names of sysinfo.csv, as far as the agent tells
  std::vector<std::optional<double>> durations;  ///< of each row, in ns (long_counters.h)
};

RocpdCounters read_rocpd(const std::map<std::string, std::filesystem::path>& databases,
                         Multiplexing multiplexing, std::vector<ProfileNote>& notes);

}  // namespace heddle::profile
