// What a search over more than one launch of a kernel found: other values, or several shapes.
//
//   variant                       as written    best order   with it   speedup
//   0  as it is                       412 us    group(8)      371 us     1.111
//   1  BLOCK_M = 128                  356 us    group(4)      315 us     1.308   chosen
//   2  BLOCK_M = 96                   -         does not work: arange takes powers of two
//
// Rules
//   1. Variant 0 is the job as it is; speedups are against its time as written.
//   2. Absent is std::optional: a variant that does not work has a reason and no times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The job with other values of constexprs or launch numbers, or with another config.
struct TunedVariant {
  std::string title;                   ///< "BLOCK_M = 128, num_warps = 8"; "as it is"
  std::vector<std::string> overrides;  ///< as --set takes them
  std::vector<std::string> set;        ///< the same, with the knob that gives the best order
  std::string reason;                  ///< why it does not work; empty: it does
  std::vector<std::int64_t> grid;
  std::optional<double> written_us;  ///< predicted, as written
  std::string order;                 ///< the best, in one line; "as written"
  std::optional<double> best_us;     ///< predicted, with that order
  std::optional<double> speedup;
  bool sampled = false;
  std::optional<double> measured_written_us;  ///< on a GPU, with cold caches
  std::optional<double> measured_us;          ///< likewise, with the fastest order
};

struct Tuning {
  std::vector<TunedVariant> variants;
  std::size_t chosen = 0;
  bool measured = false;  ///< measured times chose

  const TunedVariant& best() const { return variants.at(chosen); }
  /// Against the job as it is, as written: measured where measured times chose.
  double speedup() const;
};

/// One shape that an order has to be good for.
struct OrderedShape {
  std::string title;  ///< "M = 4096, N = 8192"
  std::vector<std::int64_t> grid;
  double written_us = 0;          ///< predicted, as written
  std::optional<double> with_us;  ///< with the order for all shapes; nothing: there is none
  std::string best;               ///< the best order for this shape alone, in one line
  double best_us = 0;
  bool sampled = false;

  double speedup() const { return with_us ? written_us / *with_us : 1; }
  double best_speedup() const { return best_us > 0 ? written_us / best_us : 1; }
};

/// Geometric mean over the shapes; 1 without any.
double mean_speedup(const std::vector<OrderedShape>& shapes);

}  // namespace heddle
