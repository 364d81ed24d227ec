#include "sim/units/memory_rows.h"

#include <cmath>

#include "sim/die.h"

namespace heddle::sim {

MemoryRows::MemoryRows(const config::Gpu& gpu, std::int64_t stands_for) {
  if (!gpu.rows) return;
  const auto channels = static_cast<std::size_t>(gpu.l2.channels);
  free_.resize(channels);
  const double bytes_per_cycle =
      gpu.memory.read_bytes_per_second / (gpu.compute.clock_mhz * 1e6) / gpu.l2.channels;
  sector_ticks_ = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(kSectorBytes * stands_for) / bytes_per_cycle * kTicks));
  if (stands_for > 1) return;
  miss_ticks_ = gpu.rows->miss_cycles * kTicks;
  const int line_bytes = gpu.l2.shape.line_bytes;
  const int chunk_lines = std::max(1, gpu.l2.interleave_bytes / line_bytes);
  lines_of_chunks_ = static_cast<std::uint64_t>(chunk_lines) * channels;
  banks_ = static_cast<std::uint64_t>(gpu.rows->banks);
  open_.resize(channels * banks_);
}

}  // namespace heddle::sim
