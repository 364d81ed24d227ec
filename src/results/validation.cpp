#include "results/validation.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle {

std::string MeasuredPoint::place() const {
  return fmt::format("{}:{}", table, line);
}

std::optional<double> ComparedPoint::l2_error() const {
  if (!measured.l2_hit_pct) return std::nullopt;
  return predicted.l2_hit_pct - *measured.l2_hit_pct;
}

std::optional<double> ComparedPoint::last_level_error() const {
  if (!measured.last_level_hit_pct || !predicted.last_level_hit_pct) return std::nullopt;
  return *predicted.last_level_hit_pct - *measured.last_level_hit_pct;
}

std::optional<double> ComparedPoint::speedup_error_pct() const {
  if (!measured_speedup) return std::nullopt;
  return 100 * (predicted.speedup / *measured_speedup - 1);
}

std::optional<double> ComparedPoint::time_error_pct() const {
  if (!measured.time_us) return std::nullopt;
  return 100 * (predicted.time_us / *measured.time_us - 1);
}

bool ComparedPoint::wrong_sign() const {
  if (!measured_speedup || std::abs(*measured_speedup - 1) <= kClearEffect) return false;
  return *measured_speedup > 1 ? predicted.speedup <= 1 : predicted.speedup >= 1;
}

std::string ComparedGroup::label() const {
  const std::size_t slash = job.rfind('/');
  std::string text = job.substr(slash == std::string::npos ? 0 : slash + 1);
  if (text.ends_with(".toml")) text.resize(text.size() - 5);
  for (const std::string& entry : overrides) text += " " + entry;
  return text;
}

}  // namespace heddle
