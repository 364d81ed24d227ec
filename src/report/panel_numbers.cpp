#include "report/panel_numbers.h"

#include <fmt/format.h>

#include <cstdlib>

namespace heddle::report {

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // Nothing but zeros: no sign.
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string rounded_text(double value, int decimals) {
  const std::string cut = fmt::format("{:.{}f}", value, decimals);
  std::string text = fmt::format("{}", std::strtod(cut.c_str(), nullptr));
  if (text.find_first_of(".enia") == std::string::npos) text += ".0";
  return text;
}

std::string exact(double value) {
  return fmt::format("{}", value);
}

}  // namespace heddle::report
