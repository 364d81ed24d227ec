#include "tiles/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/error.h"

namespace heddle::tiles {
namespace {

constexpr std::int64_t kLargestValue = 64;
constexpr std::size_t kMostSettings = 24;

std::optional<KnobSetting> setting_of(const TileLaunch& launch, const TileKnob& knob,
                                      std::int64_t value, const std::string& job_path,
                                      const std::vector<std::string>& overrides) {
  const auto all =
      config::with_overrides(overrides, {fmt::format("{}={}", knob.name, value)});
  try {
    const auto loaded =
        std::make_shared<const kernel::LoadedKernel>(kernel::load_kernel(job_path, all));
    const TileLaunch other = tile_launch(loaded);
    const bool is_alike = other.is_lifted && other.blocks == launch.blocks &&
                          other.orders.tile_grid().extents() ==
                              launch.orders.tile_grid().extents() &&
                          other.space.walk == launch.space.walk && other.own != launch.own;
    if (!is_alike) return std::nullopt;
    return KnobSetting{knob.name, value, other.own, other.own_order};
  } catch (const Error&) {
    return std::nullopt;  // a value that the kernel does not take
  }
}

}  // namespace

std::string KnobSetting::text() const {
  return fmt::format("{} = {}", knob, value);
}

std::vector<KnobSetting> knob_settings(const TileLaunch& launch, const std::string& job_path,
                                       const std::vector<std::string>& overrides, int dies) {
  std::vector<KnobSetting> settings;
  std::set<std::int64_t> values = {dies};
  for (std::int64_t value = 1; value <= kLargestValue; value *= 2) values.insert(value);
  for (const TileKnob& knob : launch.space.knobs)
    for (const std::int64_t value : values) {
      if (value == knob.value || settings.size() >= kMostSettings) continue;
      if (auto found = setting_of(launch, knob, value, job_path, overrides))
        settings.push_back(std::move(*found));
    }
  return settings;
}

}  // namespace heddle::tiles
