// Reading whole files with a bound on their size.
#pragma once

#include <cstddef>
#include <string>

namespace heddle {

/// The text of a file, or of standard input where the name is "-".
/// Throws Error if it cannot be read or is larger than the limit.
std::string read_text(const std::string& name, std::size_t limit_bytes);

/// "<stdin>" for "-", else the name: how messages call it.
std::string display_name(const std::string& name);

void write_text(const std::string& name, const std::string& text);

}  // namespace heddle
