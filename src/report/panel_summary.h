// What panels say at a glance, above hundreds of lines of them.
//
//   kernels        3; longest row_sum(double const*, double*, int), 83.8 % of the time
//   of its peak    HBM Bandwidth 91 %, Wavefront Occupancy 48 %, vL1D Cache BW 21 %
//   findings       5, at the end; the gravest:
//                  negative-rate, 17.2.3 Hit Rate: -3.1 % (avg)
//                  above-hbm, 2.1.22 L2-Fabric Read BW: 1,900 GB/s, 116 % of the peak of 1,638
//   panels         0 1 2 3 5 6 7 10 11 12; -b ID shows one
//
// Rules
//   1. Nothing is computed: cells of tables 0.1 and 2.1 are quoted, of several runs those of the first.
//   2. What is not recorded has no line. All of it has at most ten lines of 100 columns.
#pragma once

#include <string>
#include <vector>

#include "results/finding.h"
#include "results/panel.h"

namespace heddle::report {

/// `findings` is null where nobody looked for any.
std::string panels_summary(const std::vector<Panel>& panels, const std::vector<Finding>* findings);

}  // namespace heddle::report
