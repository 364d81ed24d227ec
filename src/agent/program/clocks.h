// Clocks, temperature and power of the GPU while times are taken, from NVML.
//
//   Clocks clocks(bus);              bus "0000:19:00.0", or empty for the first GPU
//   if (auto reading = clocks.read()) ...
//
// Rules
//   1. Without NVML, or where it refuses, `reason` says why and there are no readings.
//   2. A value that one GPU does not have is an empty field, not a zero.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace heddle::agent {

inline constexpr int kNvmlClockSm = 1;
inline constexpr int kNvmlClockMemory = 2;

struct NvmlFunctions {
  int (*init)() = nullptr;
  int (*by_index)(unsigned, void**) = nullptr;
  int (*by_bus)(const char*, void**) = nullptr;
  const char* (*error)(int) = nullptr;
  int (*clock)(void*, int, unsigned*) = nullptr;
  int (*temperature)(void*, int, unsigned*) = nullptr;
  int (*power)(void*, unsigned*) = nullptr;
  int (*throttle)(void*, unsigned long long*) = nullptr;
};

class Clocks {
 public:
  explicit Clocks(const std::string& bus);

  /// Why nothing can be read; empty if it can.
  const std::string& reason() const { return reason_; }

  /// `sm_mhz,memory_mhz,temperature_c,power_w,throttle`
  std::optional<std::string> read() const;

 private:
  std::string reason_;
  void* device_ = nullptr;
  NvmlFunctions nvml_;
};

/// Reads clocks about once a second while times are taken.
class ClockWatch {
 public:
  ClockWatch(const Clocks& clocks, std::string phase, std::vector<std::string>& rows)
      : clocks_(clocks), phase_(std::move(phase)), rows_(rows) {}

  void tick();

 private:
  using Steady = std::chrono::steady_clock;
  const Clocks& clocks_;
  std::string phase_;
  std::vector<std::string>& rows_;
  Steady::time_point began_ = Steady::now();
  double next_s_ = 0;
};

}  // namespace heddle::agent
