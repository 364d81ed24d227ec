// Panels as boxes of text, the way Omniperf and rocprofiler-compute print them.
//
//   16.1 Speed-of-Light
//   ╒═════════════╤═════════════╤═══════╤═════════════╕
//   │ Metric_ID   │ Metric      │   Avg │ Unit        │
//   ╞═════════════╪═════════════╪═══════╪═════════════╡
//   │ 16.1.0      │ Hit rate    │ 49.98 │ Pct of Peak │
//   ╘═════════════╧═════════════╧═══════╧═════════════╛
//
// Rules
//   1. Columns of numbers are aligned to the right, with `decimals` digits; blank cells stay empty.
//   2. With `compat` a column with a blank cell is a column of text, as in the original.
//   3. Names of kernels are cut to lines; what else comes from files is made printable.
#pragma once

#include <string>
#include <vector>

#include "results/panel.h"

namespace heddle::report {

struct PanelStyle {
  int decimals = 2;
  bool compat = false;
  std::string per = {};  ///< "wave": what counts are divided by; empty: no memory chart
};

std::string panels_text(const std::vector<Panel>& panels, const PanelStyle& style);

/// A table alone, without its title.
std::string box_text(const PanelTable& table, const PanelStyle& style);

/// What blank cells lack, each reason once with how many cells it leaves blank; empty if none does.
std::string blank_reasons(const std::vector<Panel>& panels);

}  // namespace heddle::report
