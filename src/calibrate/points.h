// Tables of measurements: CSV files with one row for each measured (kernel, order, GPU).
//
//   job,gpu,order,l2_hit_pct,speedup,source
//   ../examples/stencil_2d.toml,mi300x,identity,29.7,1,"a log"
//   ../examples/stencil_2d.toml,mi300x,xcd(8),4.34,0.936,"a log"
//
// Rules
//   1. Columns are found by their names in the first row, in any order (kColumns below). job, gpu
//      and order must be there; every other one may be, and any of its fields may be empty.
//   2. job is a path relative to the table's folder, and so is a gpu that is a path. order is the
//      compact form or a formula, never a file; set holds NAME=VALUE overrides of the job,
//      separated by white space; tiles is what --tiles takes.
//   3. Hit rates lie in 0..100, DRAM reads in 0..kMostDramMb, speedups in
//      kLeastSpeedup..kMostSpeedup, times in kLeastTimeUs..kMostTimeUs; a row must have one of the
//      five. family is text; registers, shared_bytes and spills are what a compiler made of the
//      kernel. These are kept for other programs, and nothing is compared with them.
//   4. What is wrong is an Error with the file and the line.
//
// Does not do: open jobs, read orders, find GPUs. Those are checked when a point is predicted.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "results/validation.h"

namespace heddle::calibrate {

inline constexpr std::array<std::string_view, 16> kColumns = {
    "job",          "gpu",     "order",      "tiles",
    "set",          "family",  "l2_hit_pct", "last_level_hit_pct",
    "dram_read_mb", "speedup", "time_us",    "registers",
    "shared_bytes", "spills",  "source",     "note"};

inline constexpr double kLeastSpeedup = 1e-4;
inline constexpr double kMostSpeedup = 1e4;
inline constexpr double kMostDramMb = 1e9;
inline constexpr double kLeastTimeUs = 1e-3;
inline constexpr double kMostTimeUs = 1e9;

/// Whether a row must have a measurement: rule 3. A table of points to measure has none.
enum class Rows { measured, any };

/// Reads a table; "-" is standard input, whose jobs are relative to the current folder.
std::vector<MeasuredPoint> read_points(const std::string& path, Rows rows = Rows::measured);

/// The same for a text; `shown` is what messages and points call it, `folder` where jobs start.
std::vector<MeasuredPoint> parse_points(std::string_view text, const std::string& shown,
                                        const std::string& folder, Rows rows = Rows::measured);

}  // namespace heddle::calibrate
