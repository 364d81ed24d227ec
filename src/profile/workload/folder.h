// The files of a workload folder: which there are, and each as a table.
//
//   find_folder("workloads/vcopy")        workloads/vcopy/MI200, its tables and databases
//   read_table(folder, "pmc_perf.csv")    also of pmc_perf.csv.gz
//
// Rules
//   1. Nothing is written. Pipes, devices and links to nothing are not waited for.
//   2. ".gz" is not part of a name; of both kinds the unpacked one is read.
//   3. Databases are "*.db" files of the folder and of out/, where rocprofv3 puts them. The path of
//      one database stands for a folder that holds nothing else.
//   4. The path of a table of rocprofv3 stands for a folder that holds it and its fellows of the same
//      process. Its folders pmc_1, pmc_2, ... are replays of one program.
//   5. Columns have the names of today, whatever the profiler's version called them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/long_counters.h"
#include "results/panel.h"

namespace heddle::profile {

inline constexpr const char* kCountersFile = "pmc_perf.csv";
/// rocprofv3 begins their names with the number of the process.
inline constexpr const char* kCollectionFile = "counter_collection.csv";
inline constexpr const char* kTraceFile = "kernel_trace.csv";
inline constexpr const char* kSamplesJson = "ps_file_results.json";
inline constexpr const char* kAgentFile = "agent_info.csv";

struct WorkloadFolder {
  std::filesystem::path path;
  std::map<std::string, std::filesystem::path> files;      ///< tables, by name
  std::map<std::string, std::filesystem::path> databases;  ///< "out/pmc_1/node/7_results.db"
  std::set<std::string> packed_otherwise = {};             ///< tables that cannot be read
  std::set<std::string> twice = {};                        ///< tables that are there packed, too
  std::set<std::string> odd;    ///< pipes, folders, links to nothing that have a table's name
  std::string samples_as_json;  ///< of the program counter; they are not read
  bool truncated = false;
  Multiplexing multiplexing = Multiplexing::none;  ///< as profiling_config.yaml says
};

/// The folder itself, or the only one inside it that holds a workload. An Error where there is none.
WorkloadFolder find_folder(const std::string& path, std::vector<ProfileNote>& notes);

/// The first table whose name ends so.
std::optional<std::string> file_ending(const WorkloadFolder& folder, std::string_view ending);

/// Why the folder has no such file.
std::string absence(const WorkloadFolder& folder, const std::string& name);

/// An empty table where it cannot be read; notes say why.
CounterTable read_table(const WorkloadFolder& folder, const std::string& name,
                        std::vector<ProfileNote>& notes);

/// Whether any row is left.
bool is_readable(const CounterTable& table);

/// The names of its kernels, row by row.
std::vector<std::string> kernel_names(const CounterTable& table);

}  // namespace heddle::profile
