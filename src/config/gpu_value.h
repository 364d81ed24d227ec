// One value of a GPU file, read and put into its place.
//
//   "4 MiB" -> 4194304        "4.2 TB/s" -> 4.2e12        [[8], [9, 13]] -> IndexBits
//
// A value that has another type, or is out of the key's bounds, is an Error at its place, without
// the file's name.
#pragma once

#include <string>

#include "config/gpu_keys.h"
#include "config/toml_document.h"

namespace heddle::config {

void set_gpu_value(Gpu& gpu, const GpuKey& key, const TomlNode& value);

/// The value as the file writes it: "8", "4 MiB", "[[8], [9, 13]]".
std::string written_value(const TomlNode& value);

}  // namespace heddle::config
