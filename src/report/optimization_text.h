// What a search found, as the terminal shows it at the end.
//
//   improved 1.12x: xcd(8) | columns, PROVED for all sizes
//   examples/stencil_2d.toml  stencil_2d_kernel on grid 256x256, AMD Instinct MI300X (mi300x), ...
//
//     predicted            launch order     best     change
//     time                       167 us   149 us    -10.9 %
//     L2 hit rate                31.9 %   69.2 %     +37.3
//     ...
//     why            xcd(8) | columns is predicted to take 149 us instead of 167 us ...
//     search         45 orders proposed: 40 replayed, 3 duplicates, ...
//
//     iteration  order             hit rate    time  speedup  proved for
//             4  xcd(8) | columns    69.2 %  149 us    1.122  all sizes
//
// Rules
//   1. The first line is the answer; exactly one line.
//   2. A figure that a replay or a GPU does not have is left out, or "-" beside one that exists.
//   3. Text keeps to text_columns(), whatever an order's text holds, and obeys no control character.
//   4. A tilde marks a speedup from a sample, an asterisk one that was read back from the history.
#pragma once

#include <string>

#include "report/style.h"
#include "results/optimization.h"

namespace heddle::report {

std::string optimization_text(const OptimizationReport& report, const Style& style);

}  // namespace heddle::report
