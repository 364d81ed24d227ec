// A roofline as text and as JSON.
//
//   GFLOP/s
//     10,000 |                      ==================  matrix FP64 9,000
//            |                   ...
//      1,000 |   L1 4,000 GB/s ..   ..  Ah
//
//     A  saxpy(float*, float const*)      169.4   0.0625    0.125   0.1251
//        at L1 29 % of L1; at L2 27 % of L2; at HBM 97 % of HBM
//
// Rules
//   1. At most text_columns() wide, plain ASCII but for the names of kernels.
//   2. A mark is the letter of a kernel and 1, 2 or h: its point at L1, L2 or HBM. Where marks meet
//      there is a star.
//   3. Every point is in the table. One that cannot be drawn says why.
//   4. A roof is named beside its own row. Roofs that fall on one row share a label; their figures
//      stand below the chart.
//   5. Without ceilings there is no chart, only the table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/document.h"
#include "report/style.h"
#include "results/roofline_chart.h"

namespace heddle::report {

/// With a chart that can be pointed at, kernels that can be switched off, and a table.
Document roofline_view(const RooflineReport& report);

std::string roofline_text(const RooflineReport& report, const Style& style);

/// One chart, without its title and legend.
std::string roofline_chart_text(const RooflineReport& report,
                                const std::vector<std::string>& types);

nlohmann::json roofline_json(const RooflineReport& report);

}  // namespace heddle::report
