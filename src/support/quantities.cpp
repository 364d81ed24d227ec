#include "support/quantities.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace heddle {

std::string decimal_bytes(double bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 999.5 && unit + 1 < std::size(kUnits)) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace heddle
