#include "tiles/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/error.h"
#include "tiles/find.h"

namespace heddle::tiles {
namespace {

constexpr std::int64_t kLargestValue = 32;
constexpr std::size_t kMostSettings = 24;

/// Reads the kernel's index code again and again.
class SettingReader {
 public:
  SettingReader(const TileLaunch& launch, const std::string& job_path,
                const std::vector<std::string>& overrides)
      : launch_(launch),
        job_path_(job_path),
        overrides_(overrides),
        source_(kernel::Source::open(launch.single->launch.kernel_path)) {}

  std::optional<KnobSetting> read(const std::string& knob, std::int64_t value) {
    const auto all = config::with_overrides(overrides_, {fmt::format("{}={}", knob, value)});
    try {
      const config::Target& target = launch_.single->launch.target;
      const config::Launch launch =
          source_->launch(config::read_job(job_path_, all, target)).launch;
      const TileSpace space = find_tile_space(source_->read_index(launch), launch);
      auto own = own_order(space, launch_);
      if (!own || own->map == launch_.own) return std::nullopt;
      return KnobSetting{knob, value, std::move(own->map), std::move(own->name)};
    } catch (const Error&) {
      return std::nullopt;  // a value that the kernel does not take
    }
  }

 private:
  const TileLaunch& launch_;
  const std::string& job_path_;
  const std::vector<std::string>& overrides_;
  std::unique_ptr<kernel::Source> source_;
};

}  // namespace

std::string KnobSetting::text() const {
  return fmt::format("{} = {}", knob, value);
}

std::vector<KnobSetting> knob_settings(const TileLaunch& launch, const std::string& job_path,
                                       const std::vector<std::string>& overrides, int dies) {
  std::vector<KnobSetting> settings;
  std::set<std::int64_t> values = {dies};
  for (std::int64_t value = 1; value <= kLargestValue; value *= 2) values.insert(value);
  if (launch.space.knobs.empty()) return settings;
  SettingReader reader(launch, job_path, overrides);
  for (const TileKnob& knob : launch.space.knobs)
    for (const std::int64_t value : values) {
      if (value == knob.value || settings.size() >= kMostSettings) continue;
      if (auto found = reader.read(knob.name, value)) settings.push_back(std::move(*found));
    }
  return settings;
}

}  // namespace heddle::tiles
