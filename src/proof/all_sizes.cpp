#include "proof/all_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "order/evaluate.h"
#include "order/space_range.h"
#include "proof/smt.h"

namespace heddle::proof {
namespace {

using order::Order;
using order::Shape;
using order::Space;

constexpr std::int64_t kFullCheckLimit = std::int64_t{1}
                                         << 27;  ///< blocks counted for a counterexample

/// The exhaustive range that goes with a shape.
std::string small_range(const Shape& shape) {
  const int axes = shape.own_tiles ? shape.tile_axes : shape.launch_axes;
  return axes == 1 ? "1..1024" : axes == 2 ? "1..32x1..32" : "1..8x1..8x1..8";
}

Space make_space(const Shape& shape, std::vector<std::int64_t> extents) {
  Space space;
  if (shape.own_tiles) {
    space.tiles = Grid(extents);
    space.launch = Grid({space.tiles->count()});
  } else {
    space.launch = Grid(std::move(extents));
  }
  return space;
}

/// Large grids on which int32 arithmetic is most likely to overflow.
std::vector<std::vector<std::int64_t>> large_extents(int axes) {
  if (axes == 1)
    return {{2147483647}, {2147483640}, {1073741825}, {1000000007}, {16777217}, {65537}};
  if (axes == 2)
    return {{46340, 46340}, {1, 2147483647}, {2147483647, 1},
            {3, 715827882}, {65537, 32765},  {257, 8191}};
  return {{1290, 1290, 1290},
          {1, 1, 2147483647},
          {2147483647, 1, 1},
          {1, 2147483647, 1},
          {97, 101, 103}};
}

/// Larger than the exhaustive range, small enough to count.
std::vector<std::vector<std::int64_t>> middle_extents(int axes) {
  if (axes == 1) return {{4099}, {20000}, {100003}};
  if (axes == 2) return {{251, 257}, {3, 30011}, {30011, 3}};
  return {{37, 41, 43}, {2, 3, 10007}, {10007, 3, 2}};
}

/// Tries some launch ids of a large grid; a fault or an index outside refutes.
std::optional<GridReport> probe(const order::Program& program, const Space& space,
                                const order::Bindings& bindings) {
  order::Evaluator evaluator(program, space, bindings.values(program.names, space));
  const std::int64_t count = space.block_count();
  std::vector<std::int64_t> ids = {0,         1,         7,         8,         9,
                                   63,        64,        255,       256,       count / 2,
                                   count / 3, count - 9, count - 8, count - 2, count - 1};
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 64; ++i)
    ids.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  for (const std::int64_t id : ids) {
    if (id < 0 || id >= count) continue;
    std::int64_t tile = 0;
    evaluator.run(LaunchId{id}, {&tile, 1});
    if (tile >= 0 || tile == order::kIdle) continue;
    GridReport report;
    report.grid = space.launch.extents();
    report.tile_space = space.tile_grid().extents();
    report.launched = count;
    report.tiles = space.tile_count();
    Counterexample example;
    example.grid = report.grid;
    example.first = LaunchId{id};
    if (tile == order::kFailed) {
      const order::FaultReport fault = *evaluator.first_fault();
      if (fault.fault == order::Fault::too_many_steps) return std::nullopt;
      example.kind = Counterexample::Kind::arithmetic;
      example.message = fmt::format("{} at launch id {} (line {}, column {})",
                                    order::fault_text(fault.fault, fault.type), id, fault.at.line,
                                    fault.at.column);
    } else {
      example.kind = Counterexample::Kind::outside;
      example.index = evaluator.index_of(LaunchId{id});
      example.message = fmt::format("launch id {} computes index {}, outside {}", id,
                                    fmt::join(example.index, ", "), space.tile_grid().text());
    }
    report.verdict = Verdict::refuted;
    report.counted = false;
    report.reason = "found by a probe; the grid is too large to count";
    report.counterexample = std::move(example);
    return report;
  }
  return std::nullopt;
}

/// Looks at both ends of a grid that is too large to count: two ids with one tile refute it.
std::optional<GridReport> probe_ends(const order::Program& program, const Space& space,
                                     const order::Bindings& bindings) {
  constexpr std::int64_t kEnd = 16 * order::kLanes;
  const std::int64_t count = space.block_count();
  order::Evaluator evaluator(program, space, bindings.values(program.names, space));
  std::map<std::int64_t, std::int64_t> done_by;
  std::array<std::int64_t, order::kLanes> tiles{};
  for (std::int64_t begin : {std::int64_t{0}, std::max(kEnd, count - kEnd)}) {
    const std::int64_t end = std::min(begin + kEnd, count);
    for (std::int64_t first = begin; first < end; first += order::kLanes) {
      const auto lanes =
          static_cast<std::size_t>(std::min<std::int64_t>(order::kLanes, end - first));
      evaluator.run(LaunchId{first}, {tiles.data(), lanes});
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t id = first + static_cast<std::int64_t>(lane);
        if (tiles[lane] < 0) continue;
        const auto [known, is_new] = done_by.emplace(tiles[lane], id);
        if (is_new) continue;
        GridReport report;
        report.grid = space.launch.extents();
        report.tile_space = space.tile_grid().extents();
        report.launched = count;
        report.tiles = space.tile_count();
        report.verdict = Verdict::refuted;
        report.counted = false;
        report.reason = "found by a probe; the grid is too large to count";
        Counterexample example;
        example.grid = report.grid;
        example.first = LaunchId{known->second};
        example.second = LaunchId{id};
        example.tile = TileId{tiles[lane]};
        example.message = fmt::format("launch ids {} and {} both compute tile {}", known->second,
                                      id, tiles[lane]);
        report.counterexample = std::move(example);
        return report;
      }
    }
  }
  return std::nullopt;
}

std::optional<GridReport> find_counterexample(const Order& order, const Shape& shape,
                                              const order::Bindings& bindings,
                                              const CheckOptions& options, AllSizesReport& result) {
  const std::string range_text = small_range(shape);
  const order::SpaceRange range(shape.own_tiles ? "" : range_text,
                                shape.own_tiles ? range_text : "", bindings);
  const RangeReport small = check_range(order, range, bindings, options);
  result.checked_range = small.range;
  result.notes = small.notes;
  if (small.verdict == Verdict::refuted) return small.smallest_failure;
  if (small.verdict == Verdict::unknown) result.reason = small.reason;
  const order::Program program = order.program(shape, bindings);
  const int axes = shape.own_tiles ? shape.tile_axes : shape.launch_axes;
  for (auto& extents : middle_extents(axes)) {
    GridReport middle = check_grid(order, make_space(shape, extents), bindings, options);
    if (middle.verdict == Verdict::refuted) return middle;
  }
  for (auto& extents : large_extents(axes)) {
    if (auto found = probe(program, make_space(shape, extents), bindings)) return found;
  }
  return std::nullopt;
}

void by_construction(const Order& order, AllSizesReport& result) {
  result.verdict = Verdict::proved;
  result.method = "by construction";
  result.plain = true;  // family.h, rules 2 and 3
  for (const order::Stage& stage : order.stages()) {
    result.argument.push_back(fmt::format("{}: {}", stage.text(), stage.family->argument));
    if (stage.inverted) result.argument.back() += "; the inverse of a permutation is one";
  }
  if (order.stages().size() > 1)
    result.argument.emplace_back("permutations of one tile space compose");
}

void by_z3(const Order& order, const Shape& shape, const order::Bindings& bindings,
           const CheckOptions& options, AllSizesReport& result) {
  const SmtAnswer answer =
      ask_z3(order.program(shape, bindings), shape, bindings, options.time_limit);
  if (answer.kind == SmtAnswer::Kind::proved) {
    result.verdict = Verdict::proved;
    result.method = "by Z3";
    result.plain = answer.plain;
    return;
  }
  result.verdict = Verdict::unknown;
  result.reason = answer.reason;
  if (answer.kind != SmtAnswer::Kind::candidate) return;
  const std::vector<std::int64_t>& extents = shape.own_tiles ? answer.tile_extents : answer.extents;
  std::int64_t blocks = 1;
  for (const std::int64_t extent : extents)
    blocks = std::min(kBlockLimit, blocks * std::min(extent, kBlockLimit));
  if (blocks >= kBlockLimit) {
    result.reason = "Z3 found no counterexample that is a grid";
    return;
  }
  const Space space = make_space(shape, extents);
  result.reason =
      fmt::format("Z3 suspects grid {}, which is too large to confirm", space.launch.text());
  const bool is_large = space.block_count() > kFullCheckLimit;
  std::optional<GridReport> ends;
  if (is_large) ends = probe_ends(order.program(shape, bindings), space, bindings);
  if (is_large && !ends) return;
  GridReport report = ends ? std::move(*ends) : check_grid(order, space, bindings, options);
  if (report.verdict != Verdict::refuted) {
    result.reason =
        fmt::format("Z3 suspects grid {}, which holds when counted", space.launch.text());
    return;
  }
  result.reason.clear();
  result.verdict = Verdict::refuted;
  result.method = "by counterexample";
  result.failure = std::move(report);
}

}  // namespace

AllSizesReport check_all_sizes(const Order& order, const Shape& shape,
                               const order::Bindings& bindings, const CheckOptions& options) {
  AllSizesReport result;
  if (order.origin() == Order::Origin::table) {
    throw Error("a table speaks of one grid only", "drop --all-sizes");
  }
  if (order.origin() == Order::Origin::family) {
    order.program(shape, bindings);  // refuses a walk on a line
    by_construction(order, result);
    return result;
  }
  if (auto failure = find_counterexample(order, shape, bindings, options, result)) {
    result.verdict = Verdict::refuted;
    result.method = "by counterexample";
    result.failure = std::move(failure);
    return result;
  }
  if (!result.reason.empty()) return result;  // the small range itself is open: no more to be had
  by_z3(order, shape, bindings, options, result);
  return result;
}

}  // namespace heddle::proof
