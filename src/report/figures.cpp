#include "report/figures.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "support/text.h"

namespace heddle::report {
namespace {

constexpr double kUnit = 1024;
constexpr double kMicrosecondsMs = 1000;  ///< of a millisecond
constexpr double kMicrosecondsS = 1e6;    ///< of a second

/// Three significant digits, without zeros that say nothing.
std::string short_number(double number) {
  if (number == std::floor(number) && number < 1e15)
    return with_separators(static_cast<std::int64_t>(number));
  if (number >= 1000) return with_separators(static_cast<std::int64_t>(std::llround(number)));
  return fmt::format("{:.3g}", number);
}

}  // namespace

std::string bytes_text(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= kUnit && unit + 1 < kUnits.size()) {
    bytes /= kUnit;
    ++unit;
  }
  return fmt::format("{} {}", short_number(bytes), kUnits[unit]);
}

std::string share_text(double share) {
  const double percent = share * 100;
  if (percent <= 0) return "0 %";
  if (percent >= 100) return "100 %";
  if (percent < 0.1) return "under 0.1 %";
  if (percent < 1) return fmt::format("{:.1f} %", percent);
  if (percent > 99) return fmt::format("{:.1f} %", std::min(percent, 99.9));
  return fmt::format("{:.0f} %", percent);
}

std::string percent_text(double percent) {
  return fmt::format("{:.1f} %", percent);
}

std::string part_text(std::int64_t part, std::int64_t whole) {
  const double share = whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
  return fmt::format("{} ({})", with_separators(part), share_text(share));
}

std::string time_text(double time_us) {
  if (time_us >= kMicrosecondsS) return number_text(time_us / kMicrosecondsS) + " s";
  if (time_us >= kMicrosecondsMs) return number_text(time_us / kMicrosecondsMs) + " ms";
  return number_text(time_us) + " us";
}

std::string number_text(double number) {
  return short_number(number);
}

std::string index_text(const std::vector<std::int64_t>& tile) {
  return fmt::format("({})", fmt::join(tile, ", "));
}

}  // namespace heddle::report
