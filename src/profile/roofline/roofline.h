// Rooflines of workloads: ceilings that were measured or are known, points of kernels.
//
//   choose_ceilings(workload, {}, notes)     HBM 1,400 GB/s, ..., matrix FP64 41,500 GFLOP/s
//   roofline_points(workload, selection, {}) saxpy(float*): 169 GFLOP/s, 0.125 FLOP/byte at HBM
//
// Rules
//   1. Arithmetic per dispatch: 64 lanes × vector instructions (a multiply-add counts two), 512 ×
//      matrix operations. Bytes: 64 a request to the L1 (128 on gfx942, but 64 with `compat`), 64 a
//      request to the L2, and what the L2 asked of memory.
//      NVIDIA: threads' instructions (of pairs of FP16 twice) and sums of the tensor pipes; 32 a
//      sector of the L1, the L1's traffic with the L2, and bytes of DRAM, as ncu counts them.
//   2. A kernel's point is the mean of its calls. At most `most_points`, the longest total time
//      first.
//   3. A kernel without arithmetic has a rate of 0 and no place on a logarithmic axis: it is
//      listed, not drawn.
//   4. A dispatch that lacks a counter or its duration is left out of the mean. A point whose
//      dispatches all do says what is missing. Nothing that is missing is a zero.
//   5. Ceilings come from the GPU file that is asked for; else from roofline.csv; else from the GPU
//      file of the model in sysinfo.csv, in the mode of its compute_partition. A note says what was
//      taken instead of what. Where there is nothing, there are no ceilings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/roofline.h"

namespace heddle::profile {

struct RooflineOptions {
  bool by_dispatch = false;
  std::size_t most_points = 10;       ///< 0: all
  std::optional<std::size_t> device;  ///< row of roofline.csv; otherwise 0, or the first
  std::string gpu;                    ///< a GPU file instead
  bool compat = false;
};

/// By rule 5. An Error if a device or a GPU file that is asked for is not there.
RooflineCeilings choose_ceilings(const Workload& workload, const RooflineOptions& options,
                                 std::vector<ProfileNote>& notes);

/// 0 if roofline.csv has it, otherwise the first that it has.
std::optional<std::size_t> first_device(const Workload& workload);

/// An Error if roofline.csv is not there, or has no such row.
RooflineCeilings measured_ceilings(const Workload& workload, std::size_t device);

/// What the GPU file says; levels and types it does not know are left out. The source names what
/// the file only estimates.
RooflineCeilings known_ceilings(const config::Gpu& gpu);

std::vector<RooflinePoint> roofline_points(const Workload& workload, const Selection& selection,
                                           const RooflineOptions& options);

}  // namespace heddle::profile
