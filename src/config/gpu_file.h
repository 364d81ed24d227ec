// A GPU file as GPUs: one for each of its modes. docs/add-a-gpu.md describes the format.
//
//   const std::vector<Gpu> modes = gpus_of_file("mi300x", "gpus/mi300x.toml", read_toml(path));
//
// Rules
//   1. A key that is not known, a number without a source, a source that is not in [sources], a
//      missing key and a geometry that cannot be are Errors with the file and, where there is one,
//      the place.
//   2. All modes are read and checked, whichever is wanted: a file is right or wrong as a whole.
#pragma once

#include <string>
#include <vector>

#include "config/gpu.h"
#include "config/toml_document.h"

namespace heddle::config {

/// One GPU for each mode in the order of the file; exactly one, without a mode, if it has none.
std::vector<Gpu> gpus_of_file(const std::string& name, const std::string& shown_path,
                              const TomlNode& root);

}  // namespace heddle::config
