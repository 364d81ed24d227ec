// Rooflines of workloads: ceilings that were measured or are known, points of kernels.
//
// Rules
//   1. Arithmetic per dispatch: 64 lanes × vector instructions (a multiply-add counts two), 512 ×
//      matrix operations. Bytes: 64 a request to the L1 (128 on gfx942, but 64 with `compat`), 64 a
//      request to the L2, and what the L2 asked of memory.
//   2. A kernel's point is the mean of its calls. At most `most_points`, the longest total time
//      first.
//   3. A kernel without arithmetic has a rate of 0 and no place on a logarithmic axis: it is
//      listed, not drawn.
//   4. A dispatch that lacks a counter or its duration is left out of the mean; a point all of
//   whose
//      dispatches do says what is missing. Nothing that is missing is a zero.
//   5. Ceilings come from roofline.csv (the row of `device`), or from a GPU file.
#pragma once

#include <string>

#include "config/gpu.h"
#include "profile/workload/selection.h"
#include "profile/workload/workload.h"
#include "results/roofline.h"

namespace heddle::profile {

struct RooflineOptions {
  bool by_dispatch = false;
  std::size_t most_points = 10;  ///< 0: all
  std::size_t device = 0;        ///< row of roofline.csv
  bool compat = false;
};

/// An Error if roofline.csv is not there, or has no such row.
RooflineCeilings measured_ceilings(const Workload& workload, std::size_t device);

/// What the GPU file says; levels and types it does not know are left out.
RooflineCeilings known_ceilings(const config::Gpu& gpu);

std::vector<RooflinePoint> roofline_points(const Workload& workload, const Selection& selection,
                                           const RooflineOptions& options);

}  // namespace heddle::profile
