// Times of the command line: "30s", "2m", "500ms", "30".
#pragma once

#include <chrono>
#include <string>

namespace heddle::tool {

/// Throws Error that names the option.
std::chrono::milliseconds duration(const std::string& text, const char* option);

}  // namespace heddle::tool
