// The memory behind everything, as one queue that all dies share.
//
//   epoch k     the dies fetch and write; their traffic is added up
//   epoch k+1   what the memory did not get done in epoch k, everybody waits for
//
// Rules
//   1. Reads and writes cost what a kernel of only reads or only writes measured; a mix costs more
//      or less, so that an even one costs what a copy measured.
//   2. The last-level cache has a queue of its own; the longer one counts.
//   3. What is asked of memory is done: work left over is carried on, never dropped.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/gpu.h"
#include "sim/die.h"

namespace heddle::sim {

/// What the dies asked for in an epoch, in bytes.
struct MemoryTraffic {
  std::int64_t fetched = 0;   ///< from behind the L2s
  std::int64_t written = 0;   ///< to behind the L2s
  std::int64_t hbm_read = 0;  ///< of that, what the last-level cache did not have
  std::int64_t hbm_written = 0;
  MemoryTraffic& operator+=(const MemoryTraffic& other) {
    fetched += other.fetched;
    written += other.written;
    hbm_read += other.hbm_read;
    hbm_written += other.hbm_written;
    return *this;
  }
  MemoryTraffic times(std::int64_t factor) const {
    return {fetched * factor, written * factor, hbm_read * factor, hbm_written * factor};
  }
};

class Memory {
 public:
  explicit Memory(const config::Gpu& gpu);

  /// An epoch of so many ticks has passed.
  void advance(const MemoryTraffic& traffic, std::int64_t ticks);
  /// What a die fetched in that epoch, in sectors, and for how much of it memory was waited for.
  void fetched(std::size_t die, std::int64_t sectors, std::int64_t from_memory);
  /// What a miss of a die costs now.
  MemoryDelay delay(std::size_t die) const;

  std::int64_t backlog_ticks() const;
  double memory_busy_ticks() const { return memory_busy_; }
  double last_level_busy_ticks() const { return last_level_busy_; }

 private:
  double ticks_per_read_byte_ = 0;
  double ticks_per_write_byte_ = 0;
  double mix_ticks_per_byte_ = 0;  ///< more, for an even mix
  double ticks_per_cached_byte_ = 0;
  std::int64_t memory_latency_ = 0;
  std::optional<std::int64_t> last_level_latency_;
  double backlog_ = 0;
  double last_level_backlog_ = 0;
  std::vector<double> share_cached_;  ///< of what a die fetched lately
  double memory_busy_ = 0;
  double last_level_busy_ = 0;
};

}  // namespace heddle::sim
