// The measured points of one kernel, ready to be predicted on any GPU.
//
//   for (const PointGroup& group : group_points(points)) {
//     Workload workload(group, loaded);                   // the orders become maps, once
//     ComparedGroup compared = compare(workload, gpu, {});
//   }
//
// Rules
//   1. A group is what shares job, overrides (in any order) and GPU; groups and their points keep
//      the order of the tables.
//   2. The baseline of a group is its first point whose order is `identity`, unless its speedup is
//      another than 1; else its first with a speedup of 1; else `identity` is simulated besides.
//   3. A measured speedup is the table's; where that is empty and point and baseline have times,
//      it is their quotient. The baseline itself has none; one that the table gives must be 1.
//   4. Tiles are traced once for each GPU, and equal maps are replayed once.
//   5. Orders are of the kernel's tile space, as everywhere (tiles/launch.h); of the launch grid
//      where that has none, or where a point of the group gives `tiles`.
//   6. Errors name the table and the line; those of a job keep their place and add it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/gpu.h"
#include "config/launch.h"
#include "kernel/program.h"
#include "kernel/source.h"
#include "order/evaluate.h"
#include "order/order.h"
#include "results/validation.h"
#include "sim/simulate.h"
#include "support/error.h"
#include "tiles/launch.h"

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

/// An order as it runs: the block of each turn, and whether every tile is computed once.
struct OrderMap {
  order::Map map;
  bool permutation = true;
  int operations = 0;  ///< order/cost.h
  std::string note;    ///< order::idle_note
};

class Workload {
 public:
  /// Reads the orders of the group; the kernel is that of its job and overrides.
  Workload(PointGroup group, kernel::LoadedKernel loaded);

  const PointGroup& group() const { return group_; }
  const config::Launch& launch() const { return launch_.single->launch; }
  const kernel::KernelProgram& program() const { return launch_.single->program; }
  Grid grid() const { return grid_; }  ///< that the job launches
  /// What a replay of the kernel has to know besides.
  sim::SimOptions options(sim::SimOptions usual) const {
    usual.blocks = launch_.blocks;
    return usual;
  }
  /// One for each point; the baseline's comes last where it is not a point.
  const std::vector<OrderMap>& orders() const { return orders_; }
  std::size_t baseline() const { return baseline_; }
  std::optional<double> measured_speedup(std::size_t point) const;

 private:
  PointGroup group_;
  Grid grid_;
  tiles::TileLaunch launch_;
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
