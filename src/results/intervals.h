// How far off a prediction may be: 80 % intervals, learnt from kernels that were measured.
//
//   time 34 us, interval 30 to 41 us: the measured time of four in five kernels like it lies there
//
// Rules
//   1. Kernels are like each other if predictions say so: what limits them, whether their tiles are
//      equal, whether the replay was sampled (PredictionKind).
//   2. Intervals are those of kernels that a table has not seen: docs/validate.md, "Intervals".
//   3. Absent is std::optional: nothing was measured that an interval could be learnt from.
//   4. Whether an order is faster, less traffic tells best: gains have 90 % intervals by `Traffic`,
//      and those decide (search/decide.h).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "results/fields.h"

namespace heddle {

/// What intervals are of. The difference of measured and predicted hit rate, in points; of the
/// others measured / predicted. A speedup is the ratio of the times of two orders of one kernel; a
/// gain is one that is predicted, by what the order does to the traffic: the exponent that makes it the
/// measured one.
enum class Figure { l2_hit_rate, dram_reads, time, speedup, gain_less, gain_same, gain_more };

inline constexpr std::array<Figure, 7> kFigures = {
    Figure::l2_hit_rate, Figure::dram_reads, Figure::time,     Figure::speedup,
    Figure::gain_less,   Figure::gain_same,  Figure::gain_more};

/// "L2 hit rate", "DRAM reads", "time", "speedup", "gain with less traffic", ...
std::string_view figure_text(Figure figure);

/// The share of measured figures that lie within an interval.
inline constexpr double kIntervalShare = 0.8;
inline constexpr double kGainShare = 0.9;

/// By figure.
double share_of(Figure figure);

/// The time that memory and last-level cache work for an order, against the launch order's.
enum class Traffic { less, same, more };

/// As a share of that time, beyond which it is less or more.
inline constexpr double kSameTraffic = 0.05;

Traffic traffic_against(double traffic_us, double launch_us);
Figure gain_of(Traffic traffic);
/// "less", "the same", "more".
std::string_view traffic_text(Traffic traffic);

/// The requests of a launch's largest tile, over the mean, from which on its tiles are unequal.
inline constexpr double kUnequalTiles = 1.2;

struct PredictionKind {
  std::string limited_by;  ///< SimResult::limited_by
  bool unequal_tiles = false;
  bool sampled = false;

  bool operator==(const PredictionKind&) const = default;
  /// "memory, equal tiles", "latency, unequal tiles, sampled".
  std::string text() const;
};

struct Interval {
  double low = 0;
  double high = 0;

  bool holds(double value) const { return low <= value && value <= high; }
  Interval times(double factor) const { return {low * factor, high * factor}; }

  template <class Visitor, class... All>
  static void fields(Visitor&& visit, All&... all) {
    visit("low", all.low...);
    visit("high", all.high...);
  }
};

/// Of one prediction.
struct PredictionIntervals {
  std::optional<Interval> l2_hit_pct;  ///< within 0 to 100
  std::optional<Interval> hbm_read_bytes;
  std::optional<Interval> time_us;
  /// Factors of a speedup: measured over predicted, of this order against another of the kernel.
  std::optional<Interval> speedup;
  std::string learnt_from;  ///< of the time: "h200, memory, equal tiles", "all GPUs, all kinds"
  int families = 0;         ///< that it was learnt from
};

}  // namespace heddle
