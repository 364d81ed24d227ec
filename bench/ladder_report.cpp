// How well the rungs of a search agree: every group of tables of measured points, its orders once
// in outline, once sampled as a search does, once in full.
//
//   heddle_ladder TABLE ...
//
// Prints for each group Spearman's correlation of each rung's times with the full ones, what the
// rung's fastest costs beyond the fastest, and milliseconds an order; at the end the means. Groups
// whose full times differ by less than 2 % have no ranks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "calibrate/points.h"
#include "calibrate/score.h"
#include "calibrate/workload.h"
#include "config/gpu.h"
#include "pipeline.h"
#include "search/scorer.h"
#include "sim/simulator.h"
#include "support/error.h"

namespace {

using namespace heddle;
using Clock = std::chrono::steady_clock;

constexpr double kLeastSpread = 1.02;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Rung {
  const char* name;
  std::vector<double> times = {};
  double milliseconds = 0;
  double ranks = 0;
  double lost = 0;
  int groups = 0;
};

/// How much slower the order is that a rung says is the fastest.
double lost_by(const std::vector<double>& rung, const std::vector<double>& full) {
  const auto chosen = std::ranges::min_element(rung) - rung.begin();
  return full[static_cast<std::size_t>(chosen)] / *std::ranges::min_element(full) - 1;
}

void compare(const calibrate::PointGroup& group, Rung& sketched, Rung& sampled) {
  const config::Gpu gpu = config::read_gpu(group.gpu);
  const calibrate::Workload workload(
      group, load_kernel(group.job, group.overrides, config::target_of(gpu)));
  sim::Simulator simulator(workload.program(), workload.launch(), gpu);
  const auto options_for = [&](const calibrate::OrderMap& order, sim::SimOptions options) {
    options = workload.options(options);
    options.index_operations = order.operations;
    return options;
  };
  const auto sampling =
      search::replay_options(search::Purpose::search, simulator.requests_estimated());
  std::vector<double> full;
  for (Rung* rung : {&sketched, &sampled}) rung->times.clear();
  const auto& orders = workload.orders();
  const auto& base = orders[workload.baseline()];
  const SimResult known = simulator.run(base.map, options_for(base, {}));
  const auto begin = Clock::now();
  const auto sketch = simulator.sketch(0);
  const double built = milliseconds_since(begin);
  if (!sketch) return;
  const sim::SketchTime clock(known, sketch->run(base.map, workload.options({}).blocks),
                              sketch->us_of_operation());
  for (const calibrate::OrderMap& order : orders) {
    if (!order.permutation) continue;
    full.push_back(simulator.run(order.map, options_for(order, {})).time_us);
    auto since = Clock::now();
    sketched.times.push_back(
        clock.time_us(sketch->run(order.map, workload.options({}).blocks), order.operations));
    sketched.milliseconds += milliseconds_since(since) / static_cast<double>(orders.size());
    since = Clock::now();
    sampled.times.push_back(simulator.run(order.map, options_for(order, sampling)).time_us);
    sampled.milliseconds += milliseconds_since(since) / static_cast<double>(orders.size());
  }
  std::string line = fmt::format("{} {} {}", group.gpu, group.job.substr(group.job.rfind('/') + 1),
                                 fmt::join(group.overrides, " "));
  const auto [least, most] = std::ranges::minmax_element(full);
  const double spread = *most / *least;
  fmt::print("{:70} {:6.3f} touches {:6} factor {:5} built {:4.0f} ms", line.substr(0, 70), spread,
             sketch->touches(), sketch->factor(), built);
  for (Rung* rung : {&sketched, &sampled}) {
    const auto rank = calibrate::rank_correlation(rung->times, full);
    if (!rank || spread < kLeastSpread) continue;
    const double lost = lost_by(rung->times, full);
    ++rung->groups;
    rung->ranks += *rank;
    rung->lost += lost;
    fmt::print("  {} {:5.2f} {:5.1f} %", rung->name, *rank, 100 * lost);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> tables(argv + 1, argv + argc);
  Rung sketched{"outline"}, sampled{"sampled"};
  int groups = 0;
  try {
    std::vector<MeasuredPoint> points;
    for (const std::string& table : tables)
      for (MeasuredPoint& point : calibrate::read_points(table)) points.push_back(std::move(point));
    for (const calibrate::PointGroup& group : calibrate::group_points(points)) {
      compare(group, sketched, sampled);
      ++groups;
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.full_text());
    return 2;
  }
  for (const Rung& rung : {sketched, sampled})
    fmt::print("{}: {} groups, rank correlation {:.3f}, lost {:.2f} %, {:.2f} ms an order\n",
               rung.name, rung.groups, rung.ranks / std::max(1, rung.groups),
               100 * rung.lost / std::max(1, rung.groups), rung.milliseconds / std::max(1, groups));
  return 0;
}
