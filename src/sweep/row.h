// A row as JSON and as CSV.
//
//   {"verb": "simulate", "job": "gemm.toml", "gpu": "mi300x", "answer": "simulated", ...}
//
// Rules
//   1. Fields that a row does not have are left out of JSON and are empty in CSV.
//   2. read_row(row_json(row)) == row. The same row gives the same bytes.
//   3. Texts are UTF-8 in the end: bytes that are not become U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "results/sweep.h"

namespace heddle::sweep {

/// On one line, without its end.
std::string row_json(const SweepRow& row);
/// Throws Error for a text that row_json cannot have written.
SweepRow read_row(std::string_view json);

/// The names of the columns, and a row of them, both with a line end. The patch is left out.
std::string csv_head();
std::string csv_row(const SweepRow& row);

}  // namespace heddle::sweep
