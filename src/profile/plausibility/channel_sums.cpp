#include "profile/plausibility/channel_sums.h"

#include <array>
#include <cmath>
#include <map>

namespace heddle::profile {
namespace {

constexpr double kTolerance = 2;
constexpr double kNoise = 10'000;

/// Requests repeat from replay to replay. Cycles do not: four times as many have been recorded.
bool counts_requests(std::string_view name) {
  constexpr std::array<std::string_view, 4> kCycles = {"CYCLE", "STALL", "LEVEL", "BUSY"};
  for (const std::string_view word : kCycles) {
    if (name.find(word) != std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

ChannelSums::ChannelSums(const std::vector<std::string>& names, std::optional<double> all) {
  std::map<std::string, Counter> counters;
  std::map<std::string, std::size_t> sums;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const std::size_t bracket = name.find('[');
    if (name.starts_with("TCC_") && bracket != std::string::npos)
      counters[name.substr(0, bracket) + "_sum"].channels.push_back(i);
    else if (name.ends_with("_sum"))
      sums.emplace(name, i);
  }
  for (auto& [name, counter] : counters) {
    const auto sum = sums.find(name);
    if (sum == sums.end() || !counts_requests(name)) continue;
    counter.name = name;
    counter.sum = sum->second;
    counter.whole = all && static_cast<double>(counter.channels.size()) >= *all;
    counters_.push_back(std::move(counter));
  }
}

void ChannelSums::look_at(const std::vector<double>& values,
                          const std::function<void(const ChannelCase&)>& found) const {
  for (const Counter& counter : counters_) {
    const double sum = values[counter.sum];
    double channels = 0;
    for (const std::size_t place : counter.channels) channels += values[place];
    // What was not recorded is not a number, and compares with nothing.
    if (!(std::abs(channels - sum) > kNoise)) continue;
    const bool below = counter.whole && sum > kTolerance * channels;
    if (channels > kTolerance * sum || below)
      found({counter.name, counter.channels.size(), channels, sum});
  }
}

}  // namespace heddle::profile
