#include "duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "support/error.h"

namespace heddle::tool {

std::chrono::milliseconds duration(const std::string& text, const char* option) {
  std::size_t end = 0;
  double number = -1;
  try {
    number = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(end);
  const double scale = unit == "ms" ? 1 : unit == "m" ? 60'000 : unit == "h" ? 3'600'000 : 1000;
  const bool is_unit = unit.empty() || unit == "s" || unit == "ms" || unit == "m" || unit == "h";
  if (end == 0 || !is_unit || !std::isfinite(number) || number <= 0 || number * scale > 1e9)
    throw Error(fmt::format("{} '{}' is not a time", option, text), "write 30s, 2m or 500ms");
  return std::chrono::milliseconds(std::max<std::int64_t>(1, std::llround(number * scale)));
}

}  // namespace heddle::tool
