// What a profiler counted while a kernel ran on a GPU, in heddle's words.
//
// Rules
//   1. Absent is std::optional, never a zero. What a file does not say has a line in `reasons`.
//   2. l2_hit_pct counts as docs/validation.md does: on NVIDIA hits of all sectors that the L2 looks
//      up, on AMD hits of all requests.
//   3. Bytes of DRAM are those that the memory moved, not what the L2 asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

struct KernelCounters {
  std::string kernel;  ///< as the profiler names it
  std::string source;  ///< "ncu CSV", "rocprofv3 CSV", "rocprofiler-compute"
  std::optional<double> time_us;
  std::optional<double> l2_hit_pct;
  std::optional<double> l2_hits;     ///< sectors on NVIDIA, requests on AMD
  std::optional<double> l2_lookups;  ///< hits and misses, in the same unit
  std::optional<double> dram_read_bytes;
  std::optional<double> dram_write_bytes;
  std::vector<std::string> reasons;  ///< "no DRAM bytes: the file has no dram__bytes_read.sum"
};

}  // namespace heddle
