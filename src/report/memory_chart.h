// The memory chart: table 3.1 as a picture of the caches, with the traffic between them.
//
//                     ┌─ vL1D ─────────┐         ┌─ L2 ───────────┐         ┌─ Fabric ───┐
//      Rd      64 ──▶ │ Hit       50 % │  Rd   4 │ Hit       32 % │  Rd   4 │ Rd lat 639 │ ...
//
// Rules
//   1. Every value stands in the table too; the picture computes nothing.
//   2. What the table has not, or has blank, is shown as a dash.
//   3. 100 columns; a narrower terminal has a line that says so instead.
#pragma once

#include <string>

#include "results/panel.h"

namespace heddle::report {

/// `per` is what counts are divided by: "wave". Empty if the table is not the whole memory chart.
std::string memory_chart(const PanelTable& table, const std::string& per);

}  // namespace heddle::report
