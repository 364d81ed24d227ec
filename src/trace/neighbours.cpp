#include "trace/neighbours.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace heddle::trace {
namespace {

/// One neighbour to look at.
struct Direction {
  int axis = 0;
  std::int64_t distance = 0;
};

/// An axis of the tiles: how far apart neighbours are, in numbers of tiles.
struct TileStep {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
};

std::vector<TileStep> steps_of(const Grid& grid, const TileBox* box) {
  std::vector<std::int64_t> extents = grid.extents();
  if (box != nullptr) extents.assign(box->extents.rbegin(), box->extents.rend());
  std::vector<TileStep> steps;
  std::int64_t stride = 1;
  for (const std::int64_t extent : extents) {
    steps.push_back({extent, stride});
    stride *= extent;
  }
  if (box != nullptr) std::reverse(steps.begin(), steps.end());
  return steps;
}

std::vector<Direction> directions_of(const std::vector<TileStep>& axes) {
  std::vector<Direction> result;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    for (std::int64_t distance = 1; distance < axes[axis].extent; distance *= 2)
      result.push_back({static_cast<int>(axis), distance});
  }
  return result;
}

/// The lines of one tile: a set per access, or per tensor.
class TileLines : public AccessSink {
 public:
  TileLines(const config::Launch& launch, AccessTable& table, int line_bytes, bool per_tensor)
      : launch_(launch), table_(table), line_bytes_(line_bytes), per_tensor_(per_tensor) {}

  void access(const AccessPattern& pattern) override {
    if (pattern.tensor < 0) return;
    const std::size_t slot =
        per_tensor_ ? static_cast<std::size_t>(pattern.tensor) : table_.entry_of(pattern);
    if (slot >= sets_.size()) sets_.resize(slot + 1);
    std::optional<LineSet>& set = sets_[slot];
    if (!set) {
      const config::Tensor& tensor = launch_.tensors[static_cast<std::size_t>(pattern.tensor)];
      set.emplace(tensor.address,
                  static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.bytes, 0)), line_bytes_);
    }
    for_each_piece(pattern, [&set](const Run& run) { set->add(run); });
  }

  void clear() {
    for (std::optional<LineSet>& set : sets_) {
      if (set) set->clear();
    }
  }

  const LineSet* find(std::size_t slot) const {
    return slot < sets_.size() && sets_[slot] ? &*sets_[slot] : nullptr;
  }

 private:
  const config::Launch& launch_;
  AccessTable& table_;
  int line_bytes_;
  bool per_tensor_;
  std::vector<std::optional<LineSet>> sets_;
};

/// Whether one set per access and one per tensor fit the memory allowed.
bool fits(const config::Launch& launch, const AccessTable& table, const NeighbourOptions& options) {
  std::int64_t needed = 0;
  const auto add = [&](const config::Tensor& tensor) {
    needed += LineSet::memory_bytes(
        tensor.address, static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.bytes, 0)),
        options.line_bytes);
  };
  for (const config::Tensor& tensor : launch.tensors) add(tensor);
  for (std::size_t entry = 0; entry < table.entries(); ++entry) {
    if (table.tensor_of(entry) >= 0)
      add(launch.tensors[static_cast<std::size_t>(table.tensor_of(entry))]);
  }
  return needed <= options.set_bytes;
}

/// Sums over the sampled tiles, per direction and entry.
struct Sums {
  std::int64_t own = 0;
  std::int64_t common = 0;
};

class Comparison {
 public:
  Comparison(Tracer& tracer, const config::Launch& launch, AccessTable& table, int line_bytes,
             const TileBox* box)
      : tracer_(tracer),
        launch_(launch),
        table_(table),
        box_(box),
        axes_(steps_of(launch.grid, box)),
        directions_(directions_of(axes_)),
        own_(launch, table, line_bytes, false),
        other_(launch, table, line_bytes, true),
        sums_(directions_.size()) {}

  /// How many tiles one sample traces.
  std::size_t tiles_per_sample() const { return 1 + 2 * directions_.size(); }

  std::int64_t steps() const { return steps_; }

  void add_sample(std::int64_t id) {
    own_.clear();
    run(id, own_);
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      // Both sides: a tile can share a line with one of them only.
      for (const std::int64_t step : {directions_[d].distance, -directions_[d].distance}) {
        const TileStep& axis = axes_[static_cast<std::size_t>(directions_[d].axis)];
        const std::int64_t index = id / axis.stride % axis.extent + step;
        if (index < 0 || index >= axis.extent) continue;
        other_.clear();
        run(id + step * axis.stride, other_);
        compare(sums_[d]);
      }
    }
  }

  std::vector<std::vector<NeighbourShare>> shares() const {
    std::vector<std::vector<NeighbourShare>> result(table_.entries());
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      for (std::size_t entry = 0; entry < sums_[d].size(); ++entry) {
        const Sums& sums = sums_[d][entry];
        if (sums.own == 0) continue;
        result[entry].push_back({directions_[d].axis, directions_[d].distance,
                                 static_cast<double>(sums.common) / static_cast<double>(sums.own)});
      }
    }
    return result;
  }

 private:
  void run(std::int64_t tile, TileLines& lines) {
    const std::int64_t block =
        box_ != nullptr ? box_->block_of[static_cast<std::size_t>(tile)] : tile;
    tracer_.run(block_of(launch_.grid, LaunchId{block}), lines);
    steps_ += tracer_.steps();
  }

  void compare(std::vector<Sums>& sums) {
    sums.resize(table_.entries());
    for (std::size_t entry = 0; entry < sums.size(); ++entry) {
      const LineSet* mine = own_.find(entry);
      if (mine == nullptr) continue;
      sums[entry].own += mine->count();
      const LineSet* theirs = other_.find(static_cast<std::size_t>(table_.tensor_of(entry)));
      if (theirs != nullptr) sums[entry].common += mine->count_common(*theirs);
    }
  }

  Tracer& tracer_;
  const config::Launch& launch_;
  AccessTable& table_;
  const TileBox* box_;
  std::vector<TileStep> axes_;
  std::vector<Direction> directions_;
  TileLines own_;
  TileLines other_;
  std::vector<std::vector<Sums>> sums_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::vector<std::int64_t> spread_tiles(std::int64_t tiles, std::int64_t count) {
  std::vector<std::int64_t> result;
  if (count >= tiles) {
    result.resize(static_cast<std::size_t>(tiles));
    std::iota(result.begin(), result.end(), std::int64_t{0});
    return result;
  }
  // Multiples of the golden ratio, modulo 1: evenly spread for every count, in step with no axis.
  constexpr std::uint32_t kGoldenRatio = 2654435769U;
  std::unordered_set<std::int64_t> taken = {0, tiles - 1};
  std::uint32_t position = 0;
  while (static_cast<std::int64_t>(taken.size()) < std::max<std::int64_t>(count, 2)) {
    position += kGoldenRatio;
    taken.insert(static_cast<std::int64_t>(
        (std::uint64_t{position} * static_cast<std::uint64_t>(tiles)) >> 32));
  }
  result.assign(taken.begin(), taken.end());
  std::ranges::sort(result);
  return result;
}

NeighbourResult find_neighbour_shares(Tracer& tracer, const config::Launch& launch,
                                      AccessTable& table, double work_per_tile,
                                      const NeighbourOptions& options) {
  NeighbourResult result;
  if (launch.grid.count() < 2 || !fits(launch, table, options)) return result;
  Comparison comparison(tracer, launch, table, options.line_bytes, options.box);
  const double work =
      std::max(1.0, work_per_tile) * static_cast<double>(comparison.tiles_per_sample());
  const auto affordable = static_cast<std::int64_t>(static_cast<double>(options.most_work) / work);
  if (affordable < 1) return result;
  const std::int64_t wanted = std::min<std::int64_t>(options.most_samples, affordable);
  // The first and the last tile have no neighbours on one side: others come before them.
  std::vector<std::int64_t> tiles = spread_tiles(launch.grid.count(), wanted + 2);
  if (static_cast<std::int64_t>(tiles.size()) > wanted)
    tiles = {tiles.begin() + 1, tiles.begin() + 1 + wanted};
  for (const std::int64_t id : tiles) {
    comparison.add_sample(id);
    ++result.samples;
    if (comparison.steps() > options.most_work) break;  // these tiles cost more than the average
  }
  result.shares = comparison.shares();
  return result;
}

}  // namespace heddle::trace
