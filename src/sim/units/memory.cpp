#include "sim/units/memory.h"

#include <algorithm>
#include <cmath>

namespace heddle::sim {

Memory::Memory(const config::Gpu& gpu) : share_cached_(static_cast<std::size_t>(gpu.compute.dies)) {
  const double ticks_per_second = gpu.compute.clock_mhz * 1e6 * static_cast<double>(kTicks);
  ticks_per_read_byte_ = ticks_per_second / gpu.memory.read_bytes_per_second;
  ticks_per_write_byte_ = ticks_per_second / gpu.memory.write_bytes_per_second;
  mix_ticks_per_byte_ = ticks_per_second / gpu.memory.copy_bytes_per_second -
                        (ticks_per_read_byte_ + ticks_per_write_byte_) / 2;
  memory_latency_ = gpu.memory.latency_cycles * kTicks;
  if (gpu.last_level) {
    last_level_latency_ = gpu.last_level->latency_cycles * kTicks;
    ticks_per_cached_byte_ = ticks_per_second / gpu.last_level->bytes_per_second;
  }
}

void Memory::advance(const MemoryTraffic& traffic, std::int64_t ticks) {
  const auto read = static_cast<double>(traffic.hbm_read);
  const auto written = static_cast<double>(traffic.hbm_written);
  double work = read * ticks_per_read_byte_ + written * ticks_per_write_byte_;
  if (read + written > 0) work += mix_ticks_per_byte_ * 4 * read * written / (read + written);
  work = std::max(work, 0.0);
  memory_busy_ += work;
  backlog_ = std::max(0.0, backlog_ + work - static_cast<double>(ticks));
  if (!last_level_latency_) return;

  const auto moved = static_cast<double>(traffic.fetched + traffic.written);
  last_level_busy_ += moved * ticks_per_cached_byte_;
  last_level_backlog_ = std::max(
      0.0, last_level_backlog_ + moved * ticks_per_cached_byte_ - static_cast<double>(ticks));
}

void Memory::fetched(std::size_t die, std::int64_t sectors, std::int64_t from_memory) {
  if (sectors <= 0) return;
  const double cached = 1 - static_cast<double>(from_memory) / static_cast<double>(sectors);
  share_cached_[die] += (std::clamp(cached, 0.0, 1.0) - share_cached_[die]) / 4;
}

std::int64_t Memory::backlog_ticks() const {
  return std::llround(std::max(backlog_, last_level_backlog_));
}

MemoryDelay Memory::delay(std::size_t die) const {
  if (!last_level_latency_)
    return {memory_latency_ + std::llround(backlog_), std::llround(backlog_)};
  // A hit in the last-level cache does not wait for the memory behind it.
  const double hit = static_cast<double>(*last_level_latency_) + last_level_backlog_;
  const double miss =
      static_cast<double>(memory_latency_) + std::max(backlog_, last_level_backlog_);
  return {std::llround(share_cached_[die] * hit + (1 - share_cached_[die]) * miss),
          backlog_ticks()};
}

}  // namespace heddle::sim
