// Durations, and cycles against them.
#include <fmt/format.h>

#include <cmath>

#include "profile/plausibility/checks.h"

namespace heddle::profile {
namespace {

/// Clocks of GPUs tick every 10 ns or so; times that are all whole microseconds were rounded.
constexpr std::int64_t kMicrosecond = 1000;
constexpr std::size_t kLeastTimes = 4;
/// A run with counters is slower, and its counters run from before a kernel until after it.
constexpr double kSlowdown = 2;
constexpr double kCyclesAround = 25'000;
/// Times in us instead of ns are a thousandth.
constexpr double kOtherUnit = 300;
/// Counters of each die are started and read around a kernel: up to 350,000 cycles in 372 dispatches
/// of MI300A and MI300X that AMD recorded for its own tests.
constexpr double kCyclesAroundDies = 400'000;
/// Far below the slowest clock: a throttled MI300X at 60 of 2100 MHz has been reported.
constexpr double kLeastClock = 0.01;
/// Shorter ones say more about how a kernel starts than about the clock.
constexpr double kLeastDurationNs = 100'000;

void check_rounding(const Recording& recording, std::vector<Finding>& findings) {
  const Workload& workload = recording.workload();
  const auto start = workload.counters.find("Start_Timestamp");
  const auto end = workload.counters.find("End_Timestamp");
  Group digits("rounded-timestamps", "dispatch");
  std::size_t times = 0, whole = 0;
  std::int64_t unit = kMicrosecond * kMicrosecond * kMicrosecond;
  for (const Dispatch* dispatch : recording.dispatches()) {
    if (!start || !end) return;
    if (dispatch->rounded_time)
      digits.add(0, place_of(*dispatch),
                 fmt::format("written as {}: digits of its nanoseconds are missing",
                             workload.counters.text(*start, dispatch->row)));
    for (const std::size_t column : {*start, *end}) {
      const auto time = workload.counters.integer(column, dispatch->row);
      if (!time) continue;
      ++times;
      if (*time % kMicrosecond == 0) ++whole;
      while (unit > 1 && *time % unit != 0) unit /= 10;
    }
  }
  digits.append_to(findings);
  if (digits.empty() && times >= kLeastTimes && times == whole)
    findings.push_back({"rounded-timestamps",
                        workload.counters_file,
                        fmt::format("all {} timestamps are multiples of {} ns", times,
                                    figure(static_cast<double>(unit))),
                        {}});
}

}  // namespace

void check_times(const Recording& recording, std::vector<Finding>& findings) {
  Group zero("zero-duration", "dispatch");
  Group negative("negative-duration", "dispatch");
  for (const Dispatch* dispatch : recording.dispatches()) {
    if (!dispatch->duration_ns) continue;
    const double duration = *dispatch->duration_ns;
    if (duration == 0)
      zero.add(0, *dispatch, [] { return std::string("0 ns between its start and its end"); });
    if (duration < 0)
      negative.add(-duration, *dispatch, [&] {
        return fmt::format("it ends {} ns before it starts", figure(-duration));
      });
  }
  zero.append_to(findings);
  negative.append_to(findings);
  check_rounding(recording, findings);
}

std::string untold_cycles(const Recording& recording) {
  const auto clock_mhz = recording.system("max_sclk");
  const auto dies = recording.system("num_xcd");
  if (!clock_mhz || !dies || *dies <= 1) return {};
  std::int64_t count = 0;
  double most = 0;
  for (const Dispatch* dispatch : recording.dispatches()) {
    const auto active = recording.counter("GRBM_GUI_ACTIVE", *dispatch);
    if (!active || dispatch->duration_ns.value_or(0) <= 0) continue;
    const double cycles = *active / *dies;
    const double allowed = *dispatch->duration_ns / 1000 * *clock_mhz;
    if (cycles <= kSlowdown * allowed + kCyclesAround ||
        cycles > kSlowdown * allowed + kCyclesAroundDies)
      continue;
    ++count;
    most = std::max(most, cycles / allowed);
  }
  if (count == 0) return {};
  return fmt::format(
      "counters of several dies take up to {} cycles around a kernel; {} so short "
      "that utilizations are too low, by up to {} times",
      figure(kCyclesAroundDies),
      count == 1 ? "1 dispatch is" : fmt::format("{} dispatches are", count), figure(most));
}

void check_cycles(const Recording& recording, std::vector<Finding>& findings) {
  const auto clock_mhz = recording.system("max_sclk");
  // Counters are sums over the dies of an MI300; how many there are depends on its mode.
  const auto known_dies = recording.system("num_xcd");
  const bool comparable = known_dies || !recording.is_mi300();
  const double dies = known_dies.value_or(1);
  Group zero("zero-cycles", "dispatch");
  Group many("cycles-against-duration", "dispatch");
  Group few("duration-against-cycles", "dispatch");
  for (const Dispatch* dispatch : recording.dispatches()) {
    const auto active = recording.counter("GRBM_GUI_ACTIVE", *dispatch);
    if (!active) continue;
    if (*active == 0)
      zero.add(0, *dispatch,
               [] { return std::string("GRBM_GUI_ACTIVE is 0: the GPU was never active"); });
    if (!comparable || !clock_mhz || !dispatch->duration_ns || *dispatch->duration_ns <= 0)
      continue;
    const double cycles = *active / dies;
    const double allowed = *dispatch->duration_ns / 1000 * *clock_mhz;
    const auto few_words = [&] {
      return fmt::format("{} ns, but only {} cycles{}: a clock of {} MHz, where {} are possible",
                         figure(*dispatch->duration_ns), figure(cycles), dies > 1 ? " per XCD" : "",
                         figure(cycles / *dispatch->duration_ns * 1000), figure(*clock_mhz));
    };
    if (cycles > 0 && *dispatch->duration_ns >= kLeastDurationNs && cycles < kLeastClock * allowed)
      few.add(allowed / cycles, *dispatch, few_words);
    if (cycles <= kSlowdown * allowed + (dies > 1 ? kCyclesAroundDies : kCyclesAround)) continue;
    many.add(cycles / allowed, *dispatch, [&] {
      return fmt::format("{} cycles{}, but {} ns at {} MHz are {}: {} times as many{}",
                         figure(cycles), dies > 1 ? " per XCD" : "", figure(*dispatch->duration_ns),
                         figure(*clock_mhz), figure(allowed), figure(cycles / allowed),
                         cycles > kOtherUnit * allowed ? "; are its times in ns?" : "");
    });
  }
  zero.append_to(findings);
  many.append_to(findings);
  few.append_to(findings);
}

}  // namespace heddle::profile
