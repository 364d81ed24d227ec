// The measured points of one kernel, ready to be predicted on any GPU.
//
//   for (const PointGroup& group : group_points(points)) {
//     Workload workload(group, launch, program);          // the orders become maps, once
//     ComparedGroup compared = compare(workload, gpu, {});
//   }
//
// Rules
//   1. A group is what shares job, overrides (in any order) and GPU; groups and their points keep
//      the order of the tables.
//   2. The baseline of a group is its first point whose order is `identity`; else its first with a
//      speedup of 1; else `identity` is simulated besides the points.
//   3. A measured speedup is the table's; where that is empty and point and baseline have times,
//      it is their quotient. The baseline itself has none; one that the table gives must be 1.
//   4. Tiles are traced once for each GPU, and equal maps are replayed once.
//   5. Errors name the table and the line; those of a job keep their place and add it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "order/evaluate.h"
#include "order/order.h"
#include "results/validation.h"
#include "sim/simulate.h"
#include "support/error.h"

namespace heddle::calibrate {

struct PointGroup {
  std::string job;
  std::vector<std::string> overrides;
  std::string gpu;
  std::vector<MeasuredPoint> points;
};

std::vector<PointGroup> group_points(const std::vector<MeasuredPoint>& points);

/// The error, with the point's line of its table.
Error at_point(const Error& error, const MeasuredPoint& point);

/// An order as it runs: the tile of each launch id, and whether every tile is computed once.
struct OrderMap {
  order::Map map;
  bool permutation = true;
  std::string note;  ///< order::idle_note
};

class Workload {
 public:
  /// Reads the orders of the group; the kernel is that of its job and overrides.
  Workload(PointGroup group, config::Launch launch, kernel::KernelProgram program);

  const PointGroup& group() const { return group_; }
  const config::Launch& launch() const { return launch_; }
  const kernel::KernelProgram& program() const { return program_; }
  /// One for each point; the baseline's comes last where it is not a point.
  const std::vector<OrderMap>& orders() const { return orders_; }
  std::size_t baseline() const { return baseline_; }
  std::optional<double> measured_speedup(std::size_t point) const;

 private:
  PointGroup group_;
  config::Launch launch_;
  kernel::KernelProgram program_;
  std::vector<OrderMap> orders_;
  std::size_t baseline_ = 0;
};

/// Called before each replay; it may throw to end the work.
using BeforeReplay = std::function<void(const MeasuredPoint&)>;

/// Predicts every point of a workload, in their order.
std::vector<Prediction> predict(const Workload& workload, const config::Gpu& gpu,
                                const sim::SimOptions& options, const BeforeReplay& before = {});

/// Predictions beside measurements, with the group's own scores (score.h).
ComparedGroup compare(const Workload& workload, const config::Gpu& gpu,
                      const sim::SimOptions& options, const BeforeReplay& before = {});

}  // namespace heddle::calibrate
