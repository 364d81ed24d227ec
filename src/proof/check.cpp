#include "proof/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "order/evaluate.h"
#include "support/processor_time.h"
#include "support/text.h"

namespace heddle::proof {
namespace {

using order::Evaluator;
using order::kFailed;
using order::kIdle;
using order::kLanes;
using order::kOutside;
using order::Order;
using order::Space;

/// Gives the tiles of consecutive launch ids, from a program or from a table.
class TileSource {
 public:
  TileSource(const Order& order, const order::Shape& shape, const order::Bindings& bindings)
      : order_(order), bindings_(bindings) {
    if (order.origin() != Order::Origin::table) program_ = order.program(shape, bindings);
  }

  void bind(const Space& space) {
    space_ = space;
    if (order_.origin() == Order::Origin::table) return check_table_size();
    if (order_.origin() == Order::Origin::family && space.block_count() != space.tile_count()) {
      throw Error(
          fmt::format("{} needs as many blocks as tiles; the grid has {}, the tile space {}",
                      order_.title(), space.block_count(), space.tile_count()),
          "make --grid and --tiles agree");
    }
    check_results();
    std::vector<std::int64_t> values = bindings_.values(program_.names, space);
    if (evaluator_)
      evaluator_->rebind(space, std::move(values));
    else
      evaluator_.emplace(program_, space, std::move(values));
  }

  void run(LaunchId first, std::span<std::int64_t> tiles) {
    if (evaluator_) return evaluator_->run(first, tiles);
    const std::int64_t count = space_.tile_count();
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const std::int64_t tile = order_.table()[static_cast<std::size_t>(first.value) + i];
      tiles[i] = tile >= count ? kOutside : tile;
    }
  }

  /// What was computed for one launch id, for messages.
  std::vector<std::int64_t> index_of(LaunchId launch) {
    if (evaluator_) return evaluator_->index_of(launch);
    return {order_.table()[static_cast<std::size_t>(launch.value)]};
  }

  Evaluator* evaluator() { return evaluator_ ? &*evaluator_ : nullptr; }
  const std::vector<std::string>& notes() const { return program_.notes; }

 private:
  void check_table_size() const {
    const auto listed = static_cast<std::int64_t>(order_.table().size());
    if (listed != space_.block_count()) {
      throw Error(fmt::format("{} lists {} launch ids, the grid has {} blocks", order_.source(),
                              listed, space_.block_count()),
                  "list exactly one tile per block");
    }
  }

  /// One result is a linear tile id, as many as axes an index; two on a 3-D launch leave z alone.
  void check_results() const {
    const auto given = static_cast<int>(program_.results.size());
    const bool passes_z =
        given == 2 && space_.tile_axes() == 3 && !space_.tiles && space_.launch.axes() == 3;
    if (given == 1 || given == space_.tile_axes() || passes_z) return;
    throw Error(fmt::format("the order yields {} ({}), the tile space has {} axes", given,
                            fmt::join(program_.result_names, ", "), space_.tile_axes()),
                "name the results with --result, or give the tile space with --tiles ROWSxCOLUMNS");
  }

  const Order& order_;
  const order::Bindings& bindings_;
  order::Program program_;
  Space space_;
  std::optional<Evaluator> evaluator_;
};

/// Counts one grid. The bitmap is kept between grids of a range.
class Scanner {
 public:
  Scanner(TileSource& source, const CheckOptions& options)
      : source_(source),
        dies_(options.dies),
        time_limit_(options.time_limit),
        deadline_(processor_time() + options.time_limit) {}

  bool out_of_time() const { return processor_time() >= deadline_; }

  GridReport run(const Space& space) {
    source_.bind(space);
    report_ = GridReport{};
    report_.grid = space.launch.extents();
    report_.tile_space = space.tile_grid().extents();
    report_.launched = space.block_count();
    report_.tiles = space.tile_count();
    report_.identity = report_.launched == report_.tiles;
    report_.blocks_per_die.assign(static_cast<std::size_t>(dies_), 0);
    seen_.assign(static_cast<std::size_t>((report_.tiles + 63) / 64), 0);
    first_outside_.reset();
    first_collision_.reset();
    scan();
    if (report_.reason.empty())
      conclude(space);
    else
      report_.counted = report_.identity = false;
    return std::move(report_);
  }

 private:
  void scan() {
    std::array<std::int64_t, kLanes> tiles{};
    for (std::int64_t first = 0; first < report_.launched; first += kLanes) {
      const auto count =
          static_cast<std::size_t>(std::min<std::int64_t>(kLanes, report_.launched - first));
      source_.run(LaunchId{first}, {tiles.data(), count});
      for (std::size_t i = 0; i < count; ++i) take(first + static_cast<std::int64_t>(i), tiles[i]);
      if (first + kLanes < report_.launched && out_of_time()) {
        report_.reason = fmt::format("the time limit of {} s passed after {} blocks",
                                     time_limit_.count(), with_separators(first));
        return;
      }
    }
    for (std::int64_t die = 0; die < dies_; ++die) {
      std::int64_t& blocks = report_.blocks_per_die[static_cast<std::size_t>(die)];
      blocks += report_.launched / dies_ + (die < report_.launched % dies_ ? 1 : 0);
    }
  }

  void take(std::int64_t launch, std::int64_t tile) {
    if (tile >= 0) {
      std::uint64_t& word = seen_[static_cast<std::size_t>(tile >> 6)];
      const std::uint64_t bit = std::uint64_t{1} << (tile & 63);
      if ((word & bit) == 0) {
        word |= bit;
        ++report_.distinct_tiles;
      } else if (!first_collision_) {
        first_collision_ = {launch, tile};
      }
      report_.identity = report_.identity && tile == launch;
      return;
    }
    report_.identity = false;
    if (tile == kIdle) {
      ++report_.idle;
      --report_.blocks_per_die[static_cast<std::size_t>(launch % dies_)];
    } else if (tile == kFailed) {
      ++report_.failed;
    } else {
      ++report_.out_of_grid;
      if (!first_outside_) first_outside_ = launch;
    }
  }

  void conclude(const Space& space) {
    if (Evaluator* evaluator = source_.evaluator()) {
      report_.wraps_unsigned = evaluator->wrapped();
      report_.negative_division = evaluator->saw_negative_division();
      report_.beyond_int32 = evaluator->went_beyond_int32();
    }
    Counterexample example;
    example.grid = report_.grid;
    if (report_.failed > 0) {
      if (!explain_fault(example)) return;
    } else if (first_outside_) {
      explain_outside(space, example);
    } else if (first_collision_) {
      explain_collision(space, example);
    } else if (report_.distinct_tiles < report_.tiles) {
      explain_missing(space, example);
    } else {
      report_.verdict = Verdict::proved;
      return;
    }
    report_.verdict = Verdict::refuted;
    report_.counterexample = std::move(example);
  }

  /// False if there is no counterexample: the verdict is UNKNOWN because a loop did not end.
  bool explain_fault(Counterexample& example) {
    const order::FaultReport fault = *source_.evaluator()->first_fault();
    if (fault.fault == order::Fault::too_many_steps) {
      report_.verdict = Verdict::unknown;
      report_.counted = false;
      report_.reason = fmt::format("the loop at line {} runs more than {} times at launch id {}",
                                   fault.at.line, order::kLoopLimit, fault.launch.value);
      return false;
    }
    example.kind = Counterexample::Kind::arithmetic;
    example.first = fault.launch;
    example.message = fmt::format("{} at launch id {}", order::fault_text(fault.fault, fault.type),
                                  fault.launch.value);
    if (fault.at.line > 0)
      example.message += fmt::format(" (line {}, column {})", fault.at.line, fault.at.column);
    return true;
  }

  static std::string tile_text(const Space& space, TileId tile) {
    if (space.tile_axes() == 1) return fmt::format("tile {}", tile.value);
    return fmt::format("tile {} at ({})", tile.value, fmt::join(space.index_of(tile), ", "));
  }

  void explain_outside(const Space& space, Counterexample& example) {
    example.kind = Counterexample::Kind::outside;
    example.first = LaunchId{*first_outside_};
    example.index = source_.index_of(*example.first);
    const bool linear = example.index.size() == 1;
    example.message =
        fmt::format("launch id {} computes {} {}, outside {}", *first_outside_,
                    linear ? "tile" : "index", fmt::join(example.index, ", "),
                    linear ? fmt::format("0..{}", report_.tiles - 1) : space.tile_grid().text());
  }

  void explain_collision(const Space& space, Counterexample& example) {
    const auto [launch, tile] = *first_collision_;
    example.kind = Counterexample::Kind::collision;
    example.second = LaunchId{launch};
    example.tile = TileId{tile};
    std::array<std::int64_t, kLanes> tiles{};
    for (std::int64_t first = 0; first <= launch && !example.first; first += kLanes) {
      const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kLanes, launch - first));
      if (count == 0) break;
      source_.run(LaunchId{first}, {tiles.data(), count});
      for (std::size_t i = 0; i < count && !example.first; ++i) {
        if (tiles[i] == tile) example.first = LaunchId{first + static_cast<std::int64_t>(i)};
      }
    }
    example.message = fmt::format("launch ids {} and {} both compute {}", example.first->value,
                                  launch, tile_text(space, TileId{tile}));
  }

  void explain_missing(const Space& space, Counterexample& example) {
    example.kind = Counterexample::Kind::missing;
    std::int64_t tile = 0;
    for (std::size_t word = 0; word < seen_.size(); ++word) {
      if (seen_[word] == ~std::uint64_t{0}) continue;
      tile = static_cast<std::int64_t>(word) * 64 + std::countr_one(seen_[word]);
      break;
    }
    example.tile = TileId{tile};
    example.message = fmt::format("no block computes {}", tile_text(space, TileId{tile}));
  }

  TileSource& source_;
  int dies_;
  std::chrono::seconds time_limit_;
  std::chrono::nanoseconds deadline_;
  GridReport report_;
  std::vector<std::uint64_t> seen_;
  std::optional<std::int64_t> first_outside_;
  std::optional<std::pair<std::int64_t, std::int64_t>> first_collision_;  ///< launch id, tile
};

}  // namespace

GridReport check_grid(const Order& order, const Space& space, const order::Bindings& bindings,
                      const CheckOptions& options) {
  TileSource source(order, order::Shape::of(space), bindings);
  GridReport report = Scanner(source, options).run(space);
  report.notes = source.notes();
  return report;
}

RangeReport check_range(const Order& order, const order::SpaceRange& range,
                        const order::Bindings& bindings, const CheckOptions& options) {
  TileSource source(order, range.shape(), bindings);
  Scanner scanner(source, options);
  RangeReport result;
  result.range = range.text();
  result.notes = source.notes();
  result.verdict = Verdict::proved;
  result.identity = true;
  range.for_each([&](const Space& space) {
    if (result.grids_checked > 0 && scanner.out_of_time()) {
      result.reason = fmt::format(
          "the time limit of {} s passed before grid {}; {} checked before it",
          options.time_limit.count(), space.launch.text(), count_of(result.grids_checked, "grid"));
      return false;
    }
    GridReport report = scanner.run(space);
    ++result.grids_checked;
    result.identity = result.identity && report.identity;
    result.negative_division = result.negative_division || report.negative_division;
    result.beyond_int32 = result.beyond_int32 || report.beyond_int32;
    if (report.verdict == Verdict::unknown && result.reason.empty()) {
      result.reason = fmt::format("grid {}: {}", space.launch.text(), report.reason);
    }
    if (report.verdict == Verdict::refuted) {
      result.failing_sizes.push_back(range.label(space));
      const bool smaller =
          !result.smallest_failure || report.launched < result.smallest_failure->launched;
      if (smaller) result.smallest_failure = std::move(report);
    }
    return true;
  });
  if (result.grids_checked == 0) {
    result.reason = "the range holds no grid under 2^31 blocks";
    result.identity = false;
  }
  if (!result.failing_sizes.empty())
    result.verdict = Verdict::refuted;
  else if (!result.reason.empty())
    result.verdict = Verdict::unknown;
  return result;
}

std::optional<Difference> compare(const Order& first, const Order& second, const Space& space,
                                  const order::Bindings& bindings) {
  TileSource left(first, order::Shape::of(space), bindings);
  TileSource right(second, order::Shape::of(space), bindings);
  left.bind(space);
  right.bind(space);
  std::array<std::int64_t, kLanes> a{};
  std::array<std::int64_t, kLanes> b{};
  for (std::int64_t start = 0; start < space.block_count(); start += kLanes) {
    const auto count =
        static_cast<std::size_t>(std::min<std::int64_t>(kLanes, space.block_count() - start));
    left.run(LaunchId{start}, {a.data(), count});
    right.run(LaunchId{start}, {b.data(), count});
    for (std::size_t i = 0; i < count; ++i) {
      if (a[i] != b[i])
        return Difference{LaunchId{start + static_cast<std::int64_t>(i)}, a[i], b[i]};
    }
  }
  return std::nullopt;
}

}  // namespace heddle::proof
