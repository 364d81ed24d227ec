// What was measured, what a simulated GPU predicts for it, and how far the two lie apart.
//
// Sample (one group: a kernel, its sizes and a GPU):
//   order      L2 hit rate: measured, predicted    speedup: measured, predicted
//   identity                29.7      28.1                   1.000     1.000     baseline
//   xcd(8)                   4.3       4.6                   0.936     0.951
//   0, p0                   99.6      99.6                   1.283     1.310     no permutation
//
// Rules
//   1. Absent is std::optional: a figure that was not measured is not compared.
//   2. Errors of hit rates are predicted minus measured, in points; errors of speedups, times and
//      DRAM reads are predicted / measured - 1, in per cent. Means and largest ones are of absolute
//      errors.
//   3. Orders that are not a permutation do another kernel's work: their hit rates count like any
//      other, their speedups are scored separately.
//   4. Scores are of one GPU at a time, so that a good one does not hide a bad one.
//   5. A group belongs to the family that the table gives its first point, else to one with the name
//      of its job's file.
//   6. Regret is the measured time of the order that is predicted fastest, over that of the fastest
//      measured, minus 1. Of orders that are predicted the same the first in the table is taken.
//   7. DRAM reads below kLeastDramReadMb have no error in per cent: what a profiler and the launch
//      itself read counts as much there. Their errors are in MB and scored separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/intervals.h"

namespace heddle {

/// One row of a table of measurements.
struct MeasuredPoint {
  std::string table;  ///< the file, and the line of it
  int line = 0;
  std::string job;        ///< a path that can be opened
  std::string gpu;        ///< a name, or a path that can be opened
  std::string gpu_field;  ///< as the table writes it
  std::string order;
  std::string tiles;                   ///< as --tiles gives it; empty: the kernel's grid
  std::vector<std::string> overrides;  ///< "NAME=VALUE"
  std::string family;                  ///< what the kernel belongs to; may be empty
  std::optional<double> l2_hit_pct;
  std::optional<double> last_level_hit_pct;
  std::optional<double> dram_read_mb;  ///< 10^6 bytes that the memory was read for
  std::optional<double> speedup;       ///< against the baseline of the group
  std::optional<double> time_us;
  std::string source;
  std::string note;

  /// "validation/mi300x.csv:7".
  std::string place() const;
};

struct Prediction {
  double l2_hit_pct = 0;
  std::optional<double> last_level_hit_pct;  ///< nothing: the GPU has none
  double dram_read_mb = 0;
  double time_us = 0;
  double speedup = 1;               ///< baseline's time over this one's
  double traffic_us = 0;            ///< that memory and last level are busy
  Traffic traffic = Traffic::same;  ///< against the baseline's
  bool spills = false;              ///< registers: what orders do to that is not predicted
  PredictionKind kind;
};

struct ComparedPoint {
  MeasuredPoint measured;
  Prediction predicted;
  bool permutation = true;
  bool baseline = false;  ///< what speedups are against
  /// As the table gives it, or from its times; nothing for the baseline.
  std::optional<double> measured_speedup;
  std::string note;  ///< on blocks that do nothing; mostly empty

  std::optional<double> l2_error() const;
  std::optional<double> last_level_error() const;
  /// Nothing where less than kLeastDramReadMb was measured.
  std::optional<double> dram_read_error_pct() const;
  /// In MB, only where less than kLeastDramReadMb was measured.
  std::optional<double> small_dram_read_error_mb() const;
  std::optional<double> speedup_error_pct() const;
  std::optional<double> time_error_pct() const;
  /// The measured effect is beyond kClearEffect.
  bool clear_effect() const;
  /// The measured effect is clear and the predicted one goes the other way, or nowhere.
  bool wrong_sign() const;
  /// A permutation that is predicted faster and measured slower, both by more than kHarm.
  bool harmful() const;
};

/// A measured effect beyond this, as a share of the time, must be predicted with the right sign.
inline constexpr double kClearEffect = 0.05;

/// An order that is predicted faster by more than this, as a share of the time, and measured slower
/// by more than this, would have done harm.
inline constexpr double kHarm = 0.03;

/// DRAM reads of less than this are scored in MB.
inline constexpr double kLeastDramReadMb = 2;

/// The points of one kernel with the same sizes on the same GPU.
struct ComparedGroup {
  std::string job;
  std::string name;    ///< of the job among others; empty: the job's file without
                       ///< its ending
  std::string kernel;  ///< the function
  std::vector<std::int64_t> grid;
  std::vector<std::string> overrides;
  std::string gpu;       ///< that was simulated: "mi300x", "mi300x:CPX", "my" or "a/my.toml"
  std::string gpu_name;  ///< as its file gives it, without a mode
  std::string vendor;    ///< "amd", "nvidia"
  std::string gpu_path;
  std::string gpu_title;
  std::vector<ComparedPoint> points;
  std::optional<double> l2_rank;          ///< Spearman's correlation; of at least three points
  std::optional<double> last_level_rank;  ///< likewise
  std::optional<double> time_rank;        ///< of the times of permutations
  /// Of the permutations with a measured speedup, baseline included; nothing if there are no two.
  std::optional<std::size_t> fastest_measured;
  std::optional<std::size_t> fastest_predicted;
  std::optional<double> regret_pct;           ///< where there is a fastest
  std::optional<double> baseline_regret_pct;  ///< of the baseline, where it is one of them

  bool fastest_right() const { return fastest_measured == fastest_predicted; }
  /// "stencil_2d", "gemm M=4096".
  std::string label() const;
  std::string family() const;
};

/// A name for each path: the file without folder and ending, or the path where those collide.
std::vector<std::string> distinct_names(const std::vector<std::string>& paths);

/// Gives groups of different jobs different names, and those of different GPUs different GPUs.
void name_groups(std::vector<ComparedGroup>& groups);

/// Where a point stands in a report.
struct PointPlace {
  std::size_t group = 0;
  std::size_t point = 0;
};

struct ErrorScore {
  int count = 0;
  double mean = 0;
  double largest = 0;
  PointPlace worst;  ///< meaningless if there are none
};

/// A mean over groups.
struct GroupMean {
  int count = 0;  ///< groups that have the figure
  double mean = 0;
};

/// Over some groups of a GPU.
struct PointScore {
  int points = 0;
  ErrorScore l2;
  ErrorScore last_level;
  ErrorScore dram_read;        ///< in per cent
  ErrorScore small_dram_read;  ///< in MB
  ErrorScore speedup;          ///< of permutations
  ErrorScore speedup_others;   ///< of other orders
  ErrorScore time;
  GroupMean l2_rank;
  GroupMean time_rank;
  GroupMean regret_pct;
  GroupMean baseline_regret_pct;
  int clear_effects = 0;                ///< of permutations
  std::vector<PointPlace> wrong_signs;  ///< of these
  int gains = 0;                        ///< permutations that are predicted faster beyond kHarm
  std::vector<PointPlace> harmful;      ///< of these
  std::vector<std::size_t> groups;
};

/// Points of a figure that lie within 80 % intervals learnt from all other families.
struct FigureCoverage {
  Figure figure = Figure::time;
  int points = 0;
  int inside = 0;
};

/// What heddle would have answered about one kernel of which several orders were measured, with
/// intervals of all other families.
struct GroupDecision {
  enum class Answer { faster, measure, leave };
  Answer answer = Answer::leave;
  std::size_t group = 0;
  std::optional<std::size_t> chosen;    ///< faster: the point
  std::vector<std::size_t> to_measure;  ///< measure: the points
  double best = 1;                      ///< the largest measured speedup
  double taken = 1;       ///< the measured speedup of the answer; measured, of the best
  double unmeasured = 1;  ///< the same, had nobody measured

  double regret_pct() const { return 100 * (best / unmeasured - 1); }
  double measured_regret_pct() const { return 100 * (best / taken - 1); }
  bool harmful() const { return unmeasured < 1 - kHarmfulAnswer; }

  static constexpr double kHarmfulAnswer = 0.01;
};

/// Of some decisions; regrets are means.
struct DecisionSums {
  explicit DecisionSums(const std::vector<GroupDecision>& decisions);
  int faster = 0;
  int right = 0;  ///< of those, measured no slower than the baseline
  int measure = 0;
  int leave = 0;
  double regret_pct = 0;
  double measured_regret_pct = 0;
  double baseline_regret_pct = 0;
};

struct FamilyScore : PointScore {
  std::string family;
};

struct GpuScore : PointScore {
  std::string gpu;
  std::vector<FamilyScore> families;     ///< in the order of the groups
  std::vector<FigureCoverage> coverage;  ///< of figures that have an interval
  std::vector<GroupDecision>
      decisions;  ///< of groups with two measured orders besides the baseline
};

/// What the user wants to hold, for each GPU by itself.
struct ValidationLimits {
  std::optional<double> mean_points;
  std::optional<double> largest_points;
  std::optional<double> speedup_error_pct;
  std::optional<double> dram_mean_pct;
  std::optional<double> dram_error_pct;
};

struct LimitBreach {
  std::string what;  ///< "largest error of the L2 hit rate"
  std::string unit;  ///< "points", "%"
  double limit = 0;
  double value = 0;
  std::string gpu;
  std::optional<PointPlace> place;
};

struct ValidationReport {
  std::vector<std::string> tables;
  std::vector<ComparedGroup> groups;  ///< in the order of the tables
  std::vector<GpuScore> scores;       ///< one for each GPU, in the order of the groups
  ValidationLimits limits;
  std::vector<LimitBreach> breaches;
  std::vector<std::string> options;  ///< of the command line that matter to the figures
  std::string intervals;             ///< learnt from all points: a table (sim/intervals.h)

  const ComparedPoint& at(PointPlace place) const {
    return groups[place.group].points[place.point];
  }
};

}  // namespace heddle
