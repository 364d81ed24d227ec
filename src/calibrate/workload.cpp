#include "calibrate/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/score.h"
#include "kernel/source.h"
#include "order/compact.h"
#include "order/evaluate.h"
#include "order/read.h"
#include "order/tile_map.h"
#include "sim/effects.h"
#include "sim/intervals.h"
#include "sim/simulator.h"
#include "support/error.h"
#include "tiles/find.h"

namespace heddle::calibrate {
namespace {

constexpr const char* kIdentity = "identity";
constexpr std::size_t kLongestOrderShown = 60;
constexpr double kBytesOfMb = 1e6;

/// Every tile once; blocks that do nothing are allowed.
bool is_permutation(const order::Map& map, std::int64_t tiles) {
  std::vector<bool> seen(static_cast<std::size_t>(tiles), false);
  std::int64_t found = 0;
  for (const std::int64_t tile : map) {
    if (tile == order::kIdle) continue;
    if (tile < 0 || seen[static_cast<std::size_t>(tile)]) return false;
    seen[static_cast<std::size_t>(tile)] = true;
    ++found;
  }
  return found == tiles;
}

/// A name of a file; formulas and compact forms have no such endings.
bool is_file_name(const std::string& text) {
  constexpr std::array<std::string_view, 7> kEndings = {".txt",  ".cpp",  ".h",  ".log",
                                                        ".toml", ".json", ".csv"};
  return kernel::is_kernel_path(text) ||
         std::ranges::any_of(kEndings, [&](std::string_view end) { return text.ends_with(end); });
}

OrderMap order_map(const std::string& text, const std::string& tiles,
                   const tiles::TileLaunch& launch) {
  if (is_file_name(text))
    throw Error(
        fmt::format("the order is '{}', the name of a file", text.substr(0, kLongestOrderShown)),
        "write the compact form or a formula: tables take no files for orders");
  const order::Space space =
      launch.is_lifted ? launch.orders
                       : order::tile_space(launch.single->launch.grid, tiles, {}, "tiles");
  const order::Order order = order::looks_compact(text)
                                 ? order::read_compact(text)
                                 : order::Order::from_formula(text, order::kInline, {});
  OrderMap result;
  const order::Map map = order::tile_map(order, space, {});
  result.permutation = is_permutation(map, space.tile_count());
  result.note = order::idle_note(map);
  result.map = launch.schedule(map);
  result.operations = tiles::added_operations(launch, order, space, {});
  return result;
}

tiles::TileLaunch seen_as_tiles(const PointGroup& group,
                                std::shared_ptr<const kernel::LoadedKernel> loaded) {
  const bool has_tiles =
      std::ranges::any_of(group.points, [](const MeasuredPoint& p) { return !p.tiles.empty(); });
  return has_tiles || !tiles::is_looked_at(loaded->launch) ? tiles::unlifted(std::move(loaded))
                                                           : tiles::tile_launch(std::move(loaded));
}

/// In tables --tiles is a column.
Error in_words_of_tables(const Error& error) {
  if (error.hint().find("--tiles") == std::string::npos) return error;
  return Error(error.message(), "fill in the column tiles: 48x36", error.code())
      .at(error.source(), error.position());
}

void check_baseline(const MeasuredPoint& point) {
  if (!point.speedup || *point.speedup == 1.0) return;
  throw Error(fmt::format("the baseline's speedup is {}", *point.speedup),
              "write 1, or leave the field empty: speedups are against this row")
      .at(point.table, {point.line, 1});
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::stable_sort(texts);
  return texts;
}

std::optional<std::size_t> baseline_of(const std::vector<MeasuredPoint>& points) {
  const auto place = [&](auto wanted) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(points, wanted);
    if (found == points.end()) return std::nullopt;
    return static_cast<std::size_t>(found - points.begin());
  };
  const auto identity = place([](const MeasuredPoint& p) { return p.order == kIdentity; });
  const auto usual = place([](const MeasuredPoint& point) { return point.speedup == 1.0; });
  const bool is_other = identity && points[*identity].speedup.value_or(1) != 1 && usual;
  return identity && !is_other ? identity : usual;
}

Prediction prediction_of(const SimResult& result) {
  Prediction prediction;
  prediction.l2_hit_pct = result.l2.cache.hit_rate_pct();
  if (result.last_level) prediction.last_level_hit_pct = result.last_level->hit_rate_pct();
  prediction.dram_read_mb = static_cast<double>(result.hbm_read_bytes) / kBytesOfMb;
  prediction.time_us = result.time_us;
  prediction.kind = sim::kind_of(result);
  prediction.traffic_us = sim::traffic_us(result);
  prediction.spills = result.occupancy.spills;
  return prediction;
}

/// "mi300x", "mi300x:CPX".
std::string gpu_label(const config::Gpu& gpu) {
  const bool is_usual = gpu.modes.empty() || gpu.mode == gpu.modes.front();
  return is_usual ? gpu.name : fmt::format("{}:{}", gpu.name, gpu.mode);
}

void check_last_level(const Workload& workload, const config::Gpu& gpu) {
  if (gpu.last_level) return;
  for (const MeasuredPoint& point : workload.group().points) {
    if (!point.last_level_hit_pct) continue;
    throw Error(fmt::format("{} has no last-level cache", gpu.name),
                "leave last_level_hit_pct empty, or give the GPU file a [last_level]")
        .at(point.table, {point.line, 1});
  }
}

}  // namespace

Error at_point(const Error& error, const MeasuredPoint& point) {
  const std::string& source = error.source();
  const bool is_of_row = source.empty() || source == order::kInline || source.starts_with("--");
  if (is_of_row)
    return Error(error.message(), error.hint(), error.code()).at(point.table, {point.line, 1});
  return Error(fmt::format("{} (for {})", error.message(), point.place()), error.hint(),
               error.code())
      .at(source, error.position());
}

std::vector<PointGroup> group_points(const std::vector<MeasuredPoint>& points) {
  std::vector<PointGroup> groups;
  for (const MeasuredPoint& point : points) {
    auto group = std::ranges::find_if(groups, [&](const PointGroup& known) {
      return known.job == point.job && known.gpu == point.gpu &&
             sorted(known.overrides) == sorted(point.overrides);
    });
    if (group == groups.end())
      group = groups.insert(group, PointGroup{point.job, point.overrides, point.gpu, {}});
    group->points.push_back(point);
  }
  return groups;
}

Workload::Workload(PointGroup group, kernel::LoadedKernel loaded)
    : group_(std::move(group)),
      grid_(loaded.launch.grid),
      launch_(
          seen_as_tiles(group_, std::make_shared<const kernel::LoadedKernel>(std::move(loaded)))) {
  for (const MeasuredPoint& point : group_.points) {
    try {
      orders_.push_back(order_map(point.order, point.tiles, launch_));
    } catch (const Error& error) {
      throw at_point(in_words_of_tables(error), point);
    }
  }
  const std::optional<std::size_t> baseline = baseline_of(group_.points);
  baseline_ = baseline.value_or(orders_.size());
  if (baseline) check_baseline(group_.points[*baseline]);
  if (!baseline) orders_.push_back(order_map(kIdentity, {}, launch_));
}

std::optional<double> Workload::measured_speedup(std::size_t point) const {
  if (point == baseline_) return std::nullopt;
  const MeasuredPoint& measured = group_.points[point];
  if (measured.speedup) return measured.speedup;
  if (!measured.time_us || baseline_ >= group_.points.size()) return std::nullopt;
  const std::optional<double> start_us = group_.points[baseline_].time_us;
  if (!start_us) return std::nullopt;
  return *start_us / *measured.time_us;
}

std::vector<Prediction> predict(const Workload& workload, const config::Gpu& gpu,
                                const sim::SimOptions& options, const BeforeReplay& before) {
  check_last_level(workload, gpu);
  const std::vector<MeasuredPoint>& points = workload.group().points;
  const std::vector<OrderMap>& orders = workload.orders();
  sim::Simulator simulator(workload.program(), workload.launch(), gpu);
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto is_same = [&](const OrderMap& other) { return other.map == orders[i].map; };
    const auto first = std::ranges::find_if(orders, is_same);
    const auto known = static_cast<std::size_t>(first - orders.begin());
    if (known < i) {
      const Prediction repeated = predictions[known];
      predictions.push_back(repeated);
      continue;
    }
    if (before) before(points[std::min(i, points.size() - 1)]);
    sim::SimOptions its = workload.options(options);
    its.index_operations = orders[i].operations;
    predictions.push_back(prediction_of(simulator.run(orders[i].map, its)));
  }
  const Prediction start = predictions[workload.baseline()];
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    Prediction& prediction = predictions[i];
    if (orders[i].permutation)
      prediction.time_us =
          sim::time_beside(prediction.time_us, start.time_us, prediction.spills, gpu);
    prediction.speedup = prediction.time_us > 0 ? start.time_us / prediction.time_us : 1;
    prediction.traffic = traffic_against(prediction.traffic_us, start.traffic_us);
  }
  predictions.resize(points.size());
  return predictions;
}

ComparedGroup compare(const Workload& workload, const config::Gpu& gpu,
                      const sim::SimOptions& options, const BeforeReplay& before) {
  ComparedGroup compared;
  compared.job = workload.group().job;
  compared.kernel = workload.program().function;
  compared.grid = workload.grid().extents();
  compared.overrides = workload.group().overrides;
  compared.gpu = gpu_label(gpu);
  compared.gpu_name = gpu.name;
  compared.vendor = sim::vendor_of(gpu);
  compared.gpu_path = gpu.path;
  compared.gpu_title = gpu.title;
  const std::vector<Prediction> predictions = predict(workload, gpu, options, before);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    ComparedPoint point;
    point.measured = workload.group().points[i];
    point.predicted = predictions[i];
    point.permutation = workload.orders()[i].permutation;
    point.note = workload.orders()[i].note;
    point.baseline = i == workload.baseline();
    point.measured_speedup = workload.measured_speedup(i);
    compared.points.push_back(std::move(point));
  }
  score_group(compared);
  return compared;
}

}  // namespace heddle::calibrate
