#include "audit/size_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "audit/new_lines.h"
#include "audit/strides.h"
#include "config/other_sizes.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

constexpr std::int64_t kMostBlocks = 4096;   ///< of a launch with other sizes
constexpr std::size_t kMostLaunches = 24;    ///< with other sizes
constexpr std::int64_t kLeastMultiples = 3;  ///< numbers of blocks that say something of others

class SizeChecker {
 public:
  SizeChecker(const SizeCheckRequest& request, kernel::Source& source)
      : request_(request), source_(source) {}

  SizeCheck run(const config::Launch& launch, const LaunchJudge& judge) {
    const config::GridWith with = [&](const std::vector<std::string>& more) {
      return grid_with(more);
    };
    const std::vector<config::VaryingSize> varying =
        config::find_varying(request_.job_path, request_.overrides, with);
    has_box_ = judge.space().is_found();
    if (!check_larger(launch, judge.space(), varying)) return std::move(result_);
    if (judge.space().is_found() && judge.space().walk != TileSpace::Walk::once && !check_tiles())
      return std::move(result_);
    if (varying.empty()) return std::move(result_);
    const std::vector<config::VaryingSize> tiled = config::tiled_of(varying);
    result_.range = check_range(tiled, config::loose_sizes(varying, with)).result;
    if (result_.range && result_.range->verdict == Verdict::refuted)
      check_multiples(launch, judge, tiled);  // says nothing of other numbers of blocks
    else if (result_.range && result_.range->verdict == Verdict::proved && check_rest(tiled) &&
             check_along_one(tiled) && check_strides(tiled))
      check_numbers(tiled);
    return std::move(result_);
  }

 private:
  std::optional<Grid> grid_with(const std::vector<std::string>& more) const {
    try {
      return source_.launch(request_.job_with(more)).launch.grid;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// Other numbers of tiles on the blocks of a persistent kernel. False: the verdict stands.
  bool check_tiles() {
    const auto tiles_with = [&](const std::vector<std::string>& more) -> std::optional<Grid> {
      try {
        const config::Launch other = source_.launch(request_.job_with(more)).launch;
        const TileSpace space = tiles::find_tile_box(source_.read_index(other), other);
        if (space.is_found()) return Grid({space.count()});
      } catch (const Error&) {
      }
      return std::nullopt;
    };
    const std::vector<config::VaryingSize> varying =
        config::tiled_of(config::find_varying(request_.job_path, request_.overrides, tiles_with));
    if (varying.empty()) return true;
    std::size_t count = 0;
    for (const std::vector<std::int64_t>& counts : config::tile_counts(varying.size())) {
      if (++count > kMostLaunches) break;
      if (is_refuted_with(config::sizes_with(varying, counts))) return false;
    }
    return check_along_one(varying) && check_strides(varying);
  }

  /// One element in the last tile, along sizes that do not fill it in the job either. False: the
  /// verdict stands.
  bool check_rest(const std::vector<config::VaryingSize>& varying) {
    std::vector<std::string> sizes;
    for (const config::VaryingSize& size : varying) {
      const bool is_full = size.value % size.per_tile == 0;
      sizes.push_back(
          fmt::format("{}={}", size.name, size.per_tile * (is_full ? 3 : 2) + (is_full ? 0 : 1)));
    }
    return !is_refuted_with(sizes);
  }

  /// Each number of tiles along one size. False: the verdict stands.
  bool check_along_one(const std::vector<config::VaryingSize>& varying) {
    return std::ranges::none_of(config::counts_along_one(varying.size(), 2),
                                [&](const std::vector<std::int64_t>& counts) {
                                  return is_refuted_with(config::sizes_with(varying, counts));
                                });
  }

  /// Many tiles along each size by their index values, then as many as those of neighbouring blocks
  /// lie apart. False: the verdict stands.
  bool check_strides(const std::vector<config::VaryingSize>& varying) {
    constexpr std::size_t kMost = 8;
    std::set<std::int64_t> strides;
    for (std::size_t i = 0; i < varying.size(); ++i) {
      std::set<std::string> names;  // of the coordinates that are found, with few tiles and many
      for (const std::int64_t many : {1021, 70'001})
        if (!look_at_many(varying, i, many, strides, names)) return false;
    }
    std::size_t count = 0;
    for (const std::int64_t stride : strides) {
      if (++count > kMost) break;
      for (std::size_t i = 0; i < varying.size(); ++i)
        if (!check_many(varying, i, stride)) return false;
    }
    return true;
  }

  /// False: blocks do not have a tile each there, or numbers beside the tile's, such as the block's
  /// own, are all that fills a box: arithmetic that overflows beyond some size.
  bool look_at_many(const std::vector<config::VaryingSize>& varying, std::size_t i,
                    std::int64_t tiles, std::set<std::int64_t>& strides,
                    std::set<std::string>& names) {
    std::vector<std::int64_t> counts(varying.size(), 1);
    counts[i] = tiles;
    const std::vector<std::string> sizes = config::sizes_with(varying, counts);
    try {
      const config::Launch many = source_.launch(request_.job_with(sizes)).launch;
      if (many.grid.count() > tiles::kMostBlocks) return true;
      const TileSpace space = tiles::find_tile_box(source_.read_index(many), many);
      add_box_strides(space, many.grid, strides);
      const std::string where = fmt::format("with {} ({} tiles): ", fmt::join(sizes, ", "), tiles);
      if (source_.compiles_quickly(many))
        if (const std::string twice = repeated_tile(source_.compile(many), many); !twice.empty()) {
          result_.range = CheckResult{Verdict::refuted, where + twice, {}, {}};
          return false;
        }
      std::set<std::string> found;
      for (const TileCoordinate& one : space.coordinates)
        if (one.extent > 1) found.insert(one.name);
      const bool is_other = space.is_found() && !names.empty() && found != names;
      names = std::move(found);
      if ((space.is_found() && !is_other) || !has_box_) return true;
      result_.range->verdict = Verdict::unknown;
      result_.range->finding =
          where + (is_other ? "the blocks' tiles are not told by the numbers that tell fewer"
                            : space.refusal);
      return false;
    } catch (const Error&) {
      return true;  // the kernel does not take so many
    }
  }

  static void add_box_strides(const TileSpace& space, const Grid& launch,
                              std::set<std::int64_t>& strides) {
    if (!space.is_found() || space.coordinates.size() > 3 || space.blocks() != launch.count())
      return;
    std::vector<std::int64_t> extents;
    for (const TileCoordinate& coordinate : space.coordinates)
      extents.insert(extents.begin(), coordinate.extent);
    std::vector<std::int64_t> firsts;
    for (std::size_t block = 0; block + 1 < space.first.size(); ++block) {
      if (space.first[block] == space.first[block + 1]) return;  // an idle block
      firsts.push_back(space.tiles[static_cast<std::size_t>(space.first[block])]);
    }
    add_strides(firsts, launch, Grid(extents), strides);
  }

  /// Numbers of the index lines, where a case may begin: as many tiles, and that many of a size.
  void check_numbers(const std::vector<config::VaryingSize>& varying) {
    constexpr std::size_t kMostNumbers = 6;
    std::set<std::int64_t> numbers = line_numbers(varying);
    std::vector<std::string> untried;
    std::size_t count = 0;
    for (const std::int64_t number : numbers) {
      if (number >= kMostBlocks || ++count > kMostNumbers) {
        untried.push_back(fmt::format("{}", number));
        continue;
      }
      for (std::size_t i = 0; i < varying.size(); ++i)
        for (const std::int64_t tiles : {number + 1, number + 2, number / varying[i].per_tile,
                                         number / varying[i].per_tile + 1})
          if (!check_many(varying, i, tiles)) return;
    }
    if (untried.empty()) return;
    result_.range->verdict = Verdict::unknown;
    result_.range->evidence.push_back(
        fmt::format("not tried: as many tiles as the numbers of its index lines say ({})",
                    fmt::join(untried, ", ")));
  }

  /// So many tiles along one size. False: they are not computed once.
  bool check_many(const std::vector<config::VaryingSize>& varying, std::size_t i,
                  std::int64_t tiles) {
    constexpr std::int64_t kOthers = 3;
    if (tiles < 1) return true;
    std::vector<std::string> sizes;
    for (std::size_t k = 0; k < varying.size(); ++k)
      sizes.push_back(
          fmt::format("{}={}", varying[k].name, varying[k].per_tile * (k == i ? tiles : kOthers)));
    return !is_refuted_with(sizes);
  }

  bool is_refuted_with(const std::vector<std::string>& sizes) {
    const auto one = check_with(sizes);
    if (!one || one->verdict != Verdict::refuted) return false;
    result_.range = *one;
    result_.range->finding = fmt::format("with {}: {}", fmt::join(sizes, ", "), one->finding);
    return true;
  }

  /// Whole numbers over 17 of the index lines, but for those that count tiles; 1 << n for a shift.
  std::set<std::int64_t> line_numbers(const std::vector<config::VaryingSize>& varying) const {
    constexpr std::int64_t kSmall = 17;
    std::set<std::int64_t> numbers;
    try {
      const kernel::IndexLines lines = source_.index_lines(request_.function);
      for (const std::int64_t number : numbers_in(lines.text, source_.language().comment()))
        if (number > kSmall) numbers.insert(number);
    } catch (const Error&) {
    }
    for (const config::VaryingSize& size : varying) numbers.erase(size.per_tile);
    return numbers;
  }

  struct TriedSizes {
    std::optional<CheckResult> result = {};  ///< nothing: the kernel cannot be launched so
    std::int64_t count = 0;
    std::int64_t most = 0;  ///< tiles along one of them
  };

  /// Few tiles along each size; then values of loose ones.
  TriedSizes check_range(const std::vector<config::VaryingSize>& varying,
                         const std::vector<std::vector<std::string>>& loose = {}) {
    TriedSizes tried;
    CheckResult range;
    std::vector<std::pair<std::vector<std::string>, std::vector<std::int64_t>>> launches;
    for (const std::vector<std::int64_t>& counts : config::tile_counts(varying.size())) {
      if (varying.empty() || launches.size() == kMostLaunches) break;
      std::vector<std::string> sizes;
      for (std::size_t i = 0; i < varying.size(); ++i)
        sizes.push_back(fmt::format("{}={}", varying[i].name, varying[i].per_tile * counts[i]));
      launches.emplace_back(sizes, counts);
    }
    for (const std::vector<std::string>& sizes : loose) launches.push_back({sizes, {}});
    for (const auto& [sizes, counts] : launches) {
      auto one = check_with(sizes);
      if (!one) continue;
      ++tried.count;
      for (const std::int64_t count : counts) tried.most = std::max(tried.most, count);
      // Other numbers of the job may have to follow a loose size: such a launch refutes nothing.
      if (counts.empty() && one->verdict == Verdict::refuted) one->verdict = Verdict::unknown;
      if (one->verdict == Verdict::proved) continue;
      if (tried.result && one->verdict == Verdict::unknown) continue;  // one of them is shown
      const std::string tiles =
          counts.empty() ? "" : fmt::format(" ({} tiles)", fmt::join(counts, " x "));
      tried.result = std::move(one);
      tried.result->finding =
          fmt::format("with {}{}: {}", fmt::join(sizes, ", "), tiles, tried.result->finding);
      if (tried.result->verdict == Verdict::refuted) return tried;
    }
    if (tried.count == 0 || tried.result) return tried;
    std::vector<std::string> names;
    for (const config::VaryingSize& size : varying) names.push_back(size.name);
    std::set<std::string> others;
    for (const std::vector<std::string>& sizes : loose)
      others.insert(sizes.back().substr(0, sizes.back().find('=')));
    range.verdict = Verdict::proved;
    range.finding = count_of(tried.count, "other size") + " with ";
    if (!names.empty())
      range.finding += fmt::format("1 to {} tiles along {}", tried.most, fmt::join(names, " and "));
    if (!others.empty())
      range.finding +=
          fmt::format("{}other {}", names.empty() ? "" : ", and ", fmt::join(others, " and "));
    tried.result = std::move(range);
    return tried;
  }

  /// Rule 4: the range is refuted, and its only size is the number of a persistent kernel's blocks.
  void check_multiples(const config::Launch& launch, const LaunchJudge& judge,
                       const std::vector<config::VaryingSize>& varying) {
    if (varying.size() != 1) return;
    const config::VaryingSize& size = varying.front();
    const bool is_blocks =
        judge.space().is_found() && judge.space().walk != TileSpace::Walk::once &&
        !has_other_shapes(launch, {fmt::format("{}={}", size.name, size.value / 2)});
    if (!is_blocks) return;
    for (const std::int64_t divisor : judge.divisors()) {
      // Its own number of blocks alone says nothing of others.
      if (size.value % (divisor * size.per_tile) != 0 || divisor * size.per_tile >= size.value)
        continue;
      config::VaryingSize multiple = size;
      multiple.per_tile *= divisor;
      TriedSizes tried = check_range({multiple});
      if (!tried.result || tried.result->verdict != Verdict::proved ||
          tried.count < kLeastMultiples)
        continue;
      tried.result->finding = fmt::format(
          "{} with {} = {} to {}, multiples of {}", count_of(tried.count, "other size"), size.name,
          multiple.per_tile, multiple.per_tile * tried.most, name_of(divisor));
      tried.result->notes.push_back("wrong for other numbers of blocks: " + result_.range->finding);
      result_.range = std::move(tried.result);
      result_.is_wrong_elsewhere = true;
      return;
    }
  }

  /// "NUM_XCDS (8)" of a constexpr, "8" otherwise.
  std::string name_of(std::int64_t number) const {
    for (const auto& [name, value] : request_.constants)
      if (value == number) return fmt::format("{} ({})", name, value);
    return fmt::format("{}", number);
  }

  /// Sizes that the grid does not depend on, twice as large. False: the verdict stands.
  bool check_larger(const config::Launch& launch, const TileSpace& space,
                    const std::vector<config::VaryingSize>& varying) {
    const bool is_persistent = space.is_found() && space.walk != TileSpace::Walk::once;
    for (const std::string& name :
         config::other_numbers(request_.job_path, request_.overrides, varying)) {
      const auto value = std::ranges::find(launch.arguments, name, &config::Argument::name);
      if (value == launch.arguments.end()) continue;
      const auto* number = std::get_if<std::int64_t>(&value->value.data);
      if (number == nullptr || *number < 2) continue;
      const std::vector<std::string> sizes = {fmt::format("{}={}", name, 2 * *number)};
      if (!has_other_shapes(launch, sizes)) continue;
      auto one = check_with(sizes);
      if (!one || one->verdict != Verdict::refuted) continue;
      std::string grid;
      if (!is_persistent && !refute_on_larger_grid(launch.grid, sizes, *one, grid)) continue;
      result_.range = *one;
      result_.range->finding = fmt::format("with {}{}: {}", sizes.front(), grid, one->finding);
      return false;
    }
    return true;
  }

  /// A grid that the job writes as numbers has to follow the size: twice as long along one of its
  /// axes. False: with one of these grids the kernel is right.
  bool refute_on_larger_grid(const Grid& grid, const std::vector<std::string>& sizes,
                             CheckResult& refuted, std::string& text) {
    std::optional<CheckResult> found;
    for (int axis = 0; axis < grid.axes(); ++axis) {
      std::vector<std::int64_t> extents;
      for (int i = 0; i < grid.axes(); ++i) extents.push_back(grid.extent(i) * (i == axis ? 2 : 1));
      const Grid larger(extents);
      const auto one = check_with(sizes, larger);
      if (!one) continue;
      if (one->verdict == Verdict::proved) return false;
      if (found || one->verdict != Verdict::refuted) continue;
      found = one;
      text = fmt::format(" on grid {}", larger.text());
    }
    if (found) refuted = *found;
    if (!found) text = fmt::format(" on grid {}", grid.text());
    return true;
  }

  /// Shapes of tensors follow the sizes, and not their strides alone.
  bool has_other_shapes(const config::Launch& launch, const std::vector<std::string>& sizes) const {
    try {
      const config::Launch other = source_.launch(request_.job_with(sizes)).launch;
      for (std::size_t i = 0; i < launch.tensors.size() && i < other.tensors.size(); ++i)
        if (launch.tensors[i].shape != other.tensors[i].shape) return true;
    } catch (const Error&) {
    }
    return false;
  }

  /// Nothing: the kernel cannot be launched so, or not quickly.
  std::optional<CheckResult> check_with(const std::vector<std::string>& sizes,
                                        const std::optional<Grid>& grid = std::nullopt) {
    try {
      kernel::NamedLaunch named = source_.launch(request_.job_with(sizes));
      if (grid) named.launch.grid = *grid;
      if (named.launch.grid.count() > kMostBlocks || !source_.compiles_quickly(named.launch))
        return std::nullopt;
      const kernel::KernelProgram program = source_.compile(named.launch);
      return LaunchJudge(program, named.launch, tiles::lift_box(program, named.launch)).run();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  const SizeCheckRequest& request_;
  kernel::Source& source_;
  SizeCheck result_;
  bool has_box_ = false;  ///< the job's own launch has a tile space
};

}  // namespace

SizeCheck check_sizes(const SizeCheckRequest& request, kernel::Source& source,
                      const config::Launch& launch, const LaunchJudge& judge) {
  return SizeChecker(request, source).run(launch, judge);
}

}  // namespace heddle::audit
