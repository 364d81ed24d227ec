#include "tiles/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/job.h"
#include "config/other_sizes.h"
#include "kernel/source.h"
#include "support/error.h"

namespace heddle::tiles {
namespace {

constexpr std::int64_t kBlocksCompared = 2048;
constexpr std::int64_t kMostKnobValue = 1 << 20;

class KnobSearch {
 public:
  KnobSearch(const Lifted& found, const std::string& job_path,
             const std::vector<std::string>& overrides, const config::Launch& launch)
      : found_(found),
        job_path_(job_path),
        overrides_(overrides),
        launch_(launch),
        source_(kernel::Source::open(launch.kernel_path)),
        work_(work_behind(found.probe, found.coordinates.axis_of)) {}

  bool is_knob(const std::string& name, std::int64_t value) {
    for (const std::int64_t other : {value + 1, value * 2, value - 1}) {
      if (other < 1) continue;
      const Outcome outcome = with(fmt::format("{}={}", name, other));
      if (outcome != Outcome::same) return outcome == Outcome::other_order;
    }
    return false;
  }

 private:
  enum class Outcome { same, other_order, other_work };

  Outcome with(const std::string& override_) {
    try {
      const auto all = config::with_overrides(overrides_, {override_});
      const config::Launch launch =
          source_->launch(config::read_job(job_path_, all, launch_.target)).launch;
      if (launch.grid.extents() != launch_.grid.extents()) return Outcome::other_work;
      const kernel::IndexProbe probe =
          source_->read_index(launch).probe_index(launch, found_.all_blocks);
      if (!probe || !is_alike(probe)) return Outcome::other_work;
      if (work_behind(probe, found_.coordinates.axis_of) != work_) return Outcome::other_work;
      return compare(first_blocks(probe));
    } catch (const Error&) {
      return Outcome::other_work;  // the job or the kernel does not take it
    }
  }

  /// The same numbers, made of one another in the same way.
  bool is_alike(const kernel::IndexProbe& probe) const {
    const auto& before = found_.probe.numbers;
    return probe.anchors.size() == found_.probe.anchors.size() &&
           std::equal(before.begin(), before.end(), probe.numbers.begin(), probe.numbers.end(),
                      [](const kernel::IndexNumber& a, const kernel::IndexNumber& b) {
                        return a.line == b.line && a.made_of == b.made_of &&
                               a.is_variable == b.is_variable;
                      });
  }

  ShownRows first_blocks(const kernel::IndexProbe& probe) const {
    return joined(probe, show_numbers(probe, kBlocksCompared), found_.anchors);
  }

  /// Whether the first blocks do the same tiles, other ones, or some that do not exist.
  Outcome compare(const ShownRows& shown) {
    if (before_.empty()) before_ = tiles(first_blocks(found_.probe));
    const auto after = tiles(shown);
    for (const auto& [block, tile] : after)
      for (std::size_t axis = 0; axis < tile.size(); ++axis)
        if (tile[axis] < 0 || tile[axis] >= found_.coordinates.extents[axis])
          return Outcome::other_work;
    return after == before_ ? Outcome::same : Outcome::other_order;
  }

  using Tiles = std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>>;
  /// The block and the tile of each row.
  Tiles tiles(const ShownRows& shown) const {
    Tiles result;
    for (std::size_t row = 0; row < shown.rows(); ++row) {
      std::vector<std::int64_t> tile;
      for (const int number : found_.coordinates.numbers) tile.push_back(shown.at(number, row));
      result.emplace_back(shown.block[row], std::move(tile));
    }
    return result;
  }

  const Lifted& found_;
  const std::string& job_path_;
  const std::vector<std::string>& overrides_;
  const config::Launch& launch_;
  std::unique_ptr<kernel::Source> source_;
  std::uint64_t work_;
  Tiles before_;
};

}  // namespace

std::vector<TileKnob> find_knobs(const Lifted& found, const std::string& job_path,
                                 const std::vector<std::string>& overrides,
                                 const config::Launch& launch) {
  std::vector<TileKnob> knobs;
  try {
    KnobSearch search(found, job_path, overrides, launch);
    for (const config::Argument& argument : launch.arguments) {
      const auto* value = std::get_if<std::int64_t>(&argument.value.data);
      if (value == nullptr || !argument.is_constexpr || *value < 1 || *value > kMostKnobValue)
        continue;
      if (search.is_knob(argument.name, *value)) knobs.push_back({argument.name, *value});
    }
  } catch (const Error&) {
    // Without knobs, then.
  }
  return knobs;
}

}  // namespace heddle::tiles
