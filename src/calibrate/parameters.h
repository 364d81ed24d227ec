// The numbers of a GPU that nobody has published, and the values that are tried for them.
//
//   l2.replacement        "lru" (the file's), "tree_plru", "random"
//   compute.dispatch_cycles    4 (the file's), 1, 2, 3, 6, 8, 16
//   l2.set_bits           [[7], [12], ...] (the file's), the same with bits from 18 on folded in
//   ...
//
// Rules
//   1. One table in parameters.cpp lists what may be unknown, with the reason and physical bounds.
//      By default those of it are fitted that the GPU's file marks as estimated, or that were
//      calibrated before; a number with a published source is taken as known.
//   2. A user may name any key of a GPU file; one that is not in the table gets the bounds of the
//      file's format.
//   3. The file's value comes first. Numbers get a geometric grid around it, words and switches all
//      there are, index bits the folds of two data tables. `order` says which values are
//      neighbours; it is empty where none are.
//   4. A list may hold values with which the GPU cannot be built: fitting passes over them.
#pragma once

#include <string>
#include <vector>

#include "config/gpu.h"

namespace heddle::calibrate {

struct Parameter {
  std::string key;                  ///< "l2.replacement"
  std::string why;                  ///< nobody knows it
  std::vector<std::string> values;  ///< as TOML; the file's first
  std::vector<std::size_t> order;   ///< places in `values`, smallest first; empty: not ordered
};

/// How the citation of calibrated numbers begins.
inline constexpr const char* kCalibrated = "heddle calibrate";

/// The parameters to fit: those named, or the default ones of this GPU. Throws Error for names that
/// are not keys, of a part that the GPU lacks, or without another value to try.
std::vector<Parameter> parameters_of(const config::Gpu& gpu, const std::vector<std::string>& named);

}  // namespace heddle::calibrate
