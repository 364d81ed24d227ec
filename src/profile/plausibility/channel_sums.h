// Counters of the L2's channels against their sum: TCC_HIT[0], TCC_HIT[1], ... and TCC_HIT_sum.
//
//   ChannelSums sums(names, 32);
//   sums.look_at(values, [&](const ChannelCase& one) { ... })   // TCC_HIT_sum: 32 channels, 0, 5e6
//
// Rules
//   1. Channels and sums are counted in different replays, so that only gross contradictions are
//      cases: one is more than twice the other, and they are more than 10,000 apart.
//   2. Only counters of requests: cycles differ more than that between healthy replays.
//   3. Where fewer channels than the GPU has were recorded, they may be less than the sum.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::profile {

struct ChannelCase {
  const std::string& counter;  ///< "TCC_HIT_sum"
  std::size_t count = 0;       ///< of channels
  double channels = 0;
  double sum = 0;
};

class ChannelSums {
 public:
  /// `names` of the values; `all` is how many channels the GPU has.
  ChannelSums(const std::vector<std::string>& names, std::optional<double> all);
  /// One dispatch; NaN is what was not recorded.
  void look_at(const std::vector<double>& values,
               const std::function<void(const ChannelCase&)>& found) const;

 private:
  struct Counter {
    std::string name;
    std::size_t sum = 0;
    std::vector<std::size_t> channels;
    bool whole = false;
  };
  std::vector<Counter> counters_;
};

}  // namespace heddle::profile
