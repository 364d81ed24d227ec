// Fields of comma-separated values, as they are written.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// The text, in quotes where it holds a comma, a quote or a line end; quotes in it are doubled.
std::string csv_field(std::string_view text);

}  // namespace heddle
