// The files of gpus/, as they were when heddle was built. The build writes gpu_files.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::config {

struct GpuFile {
  std::string_view name;  ///< "mi300x"
  std::string_view text;
};

/// Sorted by name.
const std::vector<GpuFile>& gpu_files();

}  // namespace heddle::config
