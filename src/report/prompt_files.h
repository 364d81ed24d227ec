// The files of prompts/, as they were when heddle was built. The build writes prompt_files.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::report {

struct PromptFile {
  std::string_view name;  ///< "first.md"
  std::string_view text;
};

/// Sorted by name.
const std::vector<PromptFile>& prompt_files();

}  // namespace heddle::report
