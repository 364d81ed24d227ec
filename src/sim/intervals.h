// The table of intervals: what predictions of a kind were off by, on kernels that were measured.
//
//   gpu,limited_by,tiles,replay,figure,low,high,families,points
//   h200,memory,equal,whole,time,0.934,1.117,21,402          measured / predicted
//   h200,any,any,any,L2 hit rate,-4.1,3.6,50,1282            points
//   nvidia,any,any,any,time,0.88,1.21,50,1282
//   any,any,any,any,time,0.88,1.21,50,1282
//
// Rules
//   1. An interval is that of the kind on the GPU; else that of all kinds on the GPU; else of all
//      GPUs of the vendor; else of all GPUs: the first of them that the table has, for each figure
//      by itself.
//   2. The table that comes with heddle is that of the files of validation/intervals, one after the
//      other, inside the program. calibrate/uncertainty.h learns them.
//   3. What is wrong with a table is an Error with its line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/gpu.h"
#include "results/intervals.h"
#include "results/simulation.h"

namespace heddle::sim {

inline constexpr const char* kAny = "any";

/// What rows are of: a GPU, a vendor or any, and a kind or any.
struct IntervalScope {
  std::string gpu;
  std::optional<PredictionKind> kind;  ///< nothing: all kinds

  bool operator==(const IntervalScope&) const = default;
  std::string text() const;  ///< "h200, memory, equal tiles", "all GPUs, all kinds"
};

/// Where to look for an interval, in this order: rule 1.
std::vector<IntervalScope> scopes_of(const std::string& gpu, const std::string& vendor,
                                     const PredictionKind& kind);

struct IntervalRow {
  IntervalScope scope;
  Figure figure = Figure::time;
  Interval interval;
  int families = 0;
  int points = 0;
};

class IntervalTable {
 public:
  IntervalTable() = default;
  explicit IntervalTable(std::vector<IntervalRow> rows) : rows_(std::move(rows)) {}

  const std::vector<IntervalRow>& rows() const { return rows_; }
  /// The row of the first scope that has one; null if none has.
  const IntervalRow* find(const std::vector<IntervalScope>& scopes, Figure figure) const;
  /// As a file holds it, without comments.
  std::string text() const;

 private:
  std::vector<IntervalRow> rows_;
};

/// `shown` is what messages call it.
IntervalTable parse_intervals(std::string_view text, const std::string& shown);

/// The table that comes with heddle.
const IntervalTable& known_intervals();

/// "amd", "nvidia".
std::string vendor_of(const config::Gpu& gpu);

PredictionKind kind_of(const SimResult& result);

/// That memory and the last-level cache are busy.
double traffic_us(const SimResult& result);

/// Exponents of a predicted gain with this traffic (results/decision.h); nothing where none was
/// learnt.
std::optional<Interval> gain_interval(Traffic traffic, const std::string& gpu,
                                      const std::string& vendor, const IntervalTable& table);

/// The intervals of a prediction; that of a sampled hit rate spans at least the error of the
/// sample.
PredictionIntervals intervals_of(const SimResult& result, const config::Gpu& gpu,
                                 const IntervalTable& table);

}  // namespace heddle::sim
