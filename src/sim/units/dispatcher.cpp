#include "sim/units/dispatcher.h"

#include <algorithm>

namespace heddle::sim {

Dispatcher::Dispatcher(const config::Gpu& gpu, int die, int blocks_of_unit, const order::Map& map,
                       std::int64_t last_launch)
    : map_(map),
      launch_(die),
      last_(std::min(last_launch, static_cast<std::int64_t>(map.size()))),
      dies_(gpu.compute.dies),
      engines_(gpu.compute.shader_engines),
      room_(static_cast<std::size_t>(gpu.compute.compute_units), blocks_of_unit) {
  // 38 units in 4 engines are 10, 10, 9 and 9.
  const int units = gpu.compute.compute_units;
  int first = 0;
  for (int engine = 0; engine < engines_; ++engine) {
    engine_first_.push_back(first);
    first += units / engines_ + (engine < units % engines_ ? 1 : 0);
  }
  engine_first_.push_back(units);
}

std::optional<Dispatcher::Start> Dispatcher::next() {
  while (launch_ < last_ && map_[static_cast<std::size_t>(launch_)] < 0) launch_ += dies_;
  if (launch_ >= last_) return std::nullopt;
  const auto engine = static_cast<std::size_t>(turn_ % engines_);
  const auto first = room_.begin() + engine_first_[engine];
  const auto last = room_.begin() + engine_first_[engine + 1];
  const auto best = std::max_element(first, last);
  if (*best == 0) return std::nullopt;
  --*best;
  ++turn_;
  const Start start{map_[static_cast<std::size_t>(launch_)],
                    static_cast<int>(best - room_.begin())};
  launch_ += dies_;
  return start;
}

}  // namespace heddle::sim
