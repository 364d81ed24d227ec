// The files of panels/, as they were when heddle was built. The build writes panel_files.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::profile {

struct PanelFile {
  std::string_view name;  ///< "gfx90a/16.toml"
  std::string_view text;
};

/// Sorted by name.
const std::vector<PanelFile>& panel_files();

}  // namespace heddle::profile
