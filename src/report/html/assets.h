// The style sheet and the script of every page, which travel in the program.
#pragma once

#include <string_view>
#include <vector>

namespace heddle::report {

struct PageAsset {
  std::string_view name;  ///< "page.css", "page.js"
  std::string_view text;
  std::string_view sha256;  ///< of the text, hexadecimal
};

/// Sorted by name.
const std::vector<PageAsset>& page_assets();

}  // namespace heddle::report
