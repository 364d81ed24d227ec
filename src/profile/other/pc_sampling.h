// Block 21: where the waves were when the hardware looked, by line of source.
//
//   ps_file_pc_sampling_stochastic.csv     with what each wave did: issued, or why it stalled
//   ps_file_pc_sampling_host_trap.csv      places only
//
//   Source_Line       Instruction                  Count   Issued   Stalled   Stall_Reason
//   .../copy.hip:12   global_load_dwordx2 v[...       420       12       408   WAITCNT 390, ...
//
// Rules
//   1. Samples are summed up by their line (Instruction_Comment); the instruction is the first one
//      seen there. The line with the most samples comes first; of equals, the first by name.
//   2. Samples are of all dispatches, whatever is chosen: other recordings count their dispatches
//      anew. Names of folders are left out, as in rocprofiler-compute.
//   3. The first file by name is read, stochastic ones before others.
#pragma once

#include <cstddef>
#include <vector>

#include "profile/workload/counter_table.h"
#include "profile/workload/folder.h"
#include "results/panel.h"

namespace heddle::profile {

inline constexpr int kSamplesPanel = 21;

/// No tables where the folder has no samples.
Panel read_samples(const WorkloadFolder& folder, std::vector<ProfileNote>& notes);

/// Of one file. `shown` is what notes call it.
Panel samples_of(const CounterTable& table, const std::string& shown,
                 std::vector<ProfileNote>& notes);

}  // namespace heddle::profile
