#include "sim/units/dispatcher.h"

#include <algorithm>

namespace heddle::sim {

Dispatcher::Dispatcher(const config::Gpu& gpu, int die, int blocks_of_unit, const order::Map& map,
                       std::int64_t last_turn, std::int64_t blocks)
    : map_(map),
      launch_(die),
      last_turn_(std::min(last_turn, static_cast<std::int64_t>(map.size()))),
      blocks_(blocks),
      dies_(gpu.compute.dies),
      engines_(gpu.compute.shader_engines),
      room_(static_cast<std::size_t>(gpu.compute.compute_units), blocks_of_unit) {
  last_ = blocks > 0 ? std::min(blocks, last_turn_) : last_turn_;
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
  auto best = room_.end();
  for (int k = 0; k < engines_ && best == room_.end(); ++k) {
    const auto engine = static_cast<std::size_t>(engine_);
    engine_ = (engine_ + 1) % engines_;
    const auto last = room_.begin() + engine_first_[engine + 1];
    const auto most = std::max_element(room_.begin() + engine_first_[engine], last);
    if (*most > 0) best = most;
  }
  if (best == room_.end()) return std::nullopt;
  --*best;
  ++started_;
  const Start start{map_[static_cast<std::size_t>(launch_)], static_cast<int>(best - room_.begin()),
                    launch_};
  launch_ += dies_;
  return start;
}

std::optional<Dispatcher::Start> Dispatcher::after(std::int64_t turn, int unit) const {
  if (blocks_ == 0) return std::nullopt;
  for (turn += blocks_; turn < last_turn_; turn += blocks_)
    if (map_[static_cast<std::size_t>(turn)] >= 0)
      return Start{map_[static_cast<std::size_t>(turn)], unit, turn};
  return std::nullopt;
}

}  // namespace heddle::sim
