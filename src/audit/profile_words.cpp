#include "audit/profile_words.h"

#include <fmt/format.h>

#include <cmath>

#include "support/text.h"

namespace heddle::audit {

std::string time_of(double ns) {
  if (ns >= 1e6) return fmt::format("{:.3g} ms", ns / 1e6);
  return ns >= 1e3 ? fmt::format("{:.3g} us", ns / 1e3) : fmt::format("{:.3g} ns", ns);
}

std::string count_text(double count) {
  return std::abs(count) < 9e15 ? with_separators(std::llround(count))
                                : fmt::format("{:.4g}", count);
}

std::string factor_text(double factor) {
  return factor < 999.5 ? fmt::format("{:.3g}", factor) : count_text(factor);
}

std::string part_text(double part) {
  if (part > 0 && part < 0.2) return "1/" + factor_text(1 / part);
  if (part > 1.5) return factor_text(part) + " times as much";
  return fmt::format("{:.3g} %", 100 * part);
}

std::string plain_name(const std::string& kernel) {
  std::string name = kernel.substr(0, kernel.find_first_of("(<"));
  for (const std::string_view ending : {".kd", " [clone"}) {
    const std::size_t found = name.find(ending);
    if (found != std::string::npos) name.resize(found);
  }
  return std::string(trim(name));
}

}  // namespace heddle::audit
