// A patch, judged again with other sizes: what is right for one shape only is found by another.
//
// Rules
//   1. Tile counts are chosen by heddle (config/other_sizes.h), few tiles first, and grown ones that
//      keep all divisors. Whole numbers in the new index code choose more: sizes and tile counts
//      at, below and above each.
//   2. Blocks are compared by their index values. Where those are not known, or do not fit, the
//      launch is traced; a launch that is traced wrong is REFUTED with its sizes.
//   3. Two launches of few tiles are traced in any case: index values do not show whether tiles
//      depend on one another. Where the original writes outside its tensors with tiles that are not
//      full, they are traced with full ones.
//   4. Launches that are too large to trace must fit by their index values, and at some blocks of
//      the largest that the original can have the index code must be defined.
//   5. Index lines that can be read as an order are checked on every grid of a range, too.
//   6. Arithmetic that chooses (min, %, &, a product) must have come out both ways (block_cases.h).
//   7. Sizes for which the original cannot be read are left out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "audit/index_ranges.h"
#include "audit/patch.h"
#include "config/other_sizes.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

/// Grids of fewer tiles grow by three along each axis, others by two.
constexpr std::int64_t kManyTiles = 1024;
constexpr int kProbedBits = 24;  ///< 2^24 blocks, some of which are run
constexpr int kMostBits = 29;    ///< of the blocks along one axis
constexpr std::int64_t kMostSize = INT32_MAX;
constexpr std::size_t kMostTraced = 6;  ///< launches
constexpr std::size_t kMostNotes = 2;

constexpr std::int64_t kTracedBlocks = 8192;  ///< of a launch that is traced
constexpr std::int64_t kManyBlocks = 70'001;  ///< of a launch that is not traced

struct Launch {
  std::vector<std::string> sizes;   ///< overrides
  std::vector<std::int64_t> tiles;  ///< along each size; empty: not known
  bool is_large = false;            ///< not traced
  bool has_others = false;          ///< other numbers than sizes differ: host code may have its own
  bool is_guess = false;            ///< perhaps no launch has these: a misfit says nothing
  std::optional<std::int64_t> config = {};
};

class Shapes {
 public:
  Shapes(const PatchRequest& request, PatchJudge& judge, PatchAudit& audit)
      : request_(request), judge_(judge), audit_(audit) {}

  /// Fills in `shapes`, or why there is none.
  void run() {
    audit_.sizes = fmt::format("grid {} alone", fmt::join(audit_.grid_before, "x"));
    if (request_.after_grid) return leave_out("--after-grid says the grid of this launch alone");
    if (!request_.after_job_path.empty()) return leave_out("the new kernel has a job of its own");
    for (const CheckResult* check : {&audit_.order, &audit_.bytes, &audit_.launch})
      if (check->verdict == Verdict::refuted) return leave_out("the job's own sizes refute it");
    if (audit_.code.verdict == Verdict::refuted) return leave_out("more than index code changed");
    if (audit_.order.verdict == Verdict::unknown && audit_.bytes.verdict == Verdict::unknown)
      return leave_out("the job's own sizes are not judged");
    varying_ =
        config::find_varying(request_.job_path, request_.overrides,
                             [&](const std::vector<std::string>& more) { return grid_with(more); });
    if (varying_.empty() && judge_.named().empty() && judge_.configs(request_) < 2)
      return leave_out("the grid depends on no number of the job");
    judge_all();
    if (tried_ == 0) return leave_out("the original works with no other sizes that were tried");
    finish();
  }

 private:
  void leave_out(const char* why) { audit_.not_checked.push_back(fmt::format("shapes ({})", why)); }

  PatchRequest request_of(const Launch& launch) const {
    PatchRequest other = request_;
    other.overrides = config::with_overrides(request_.overrides, launch.sizes);
    if (launch.config) other.config = launch.config;
    return other;
  }

  std::optional<Grid> grid_of(const Launch& launch) const {
    try {
      return judge_.grid(request_of(launch));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  std::optional<Grid> grid_with(const std::vector<std::string>& more) const {
    return grid_of({more, {}, false});
  }

  bool has_tiles() const {
    return !varying_.empty() &&
           std::all_of(varying_.begin(), varying_.end(),
                       [](const config::VaryingSize& size) { return size.per_tile > 0; });
  }

  void judge_all() {
    std::int64_t tiles = 1;
    for (const std::int64_t extent : audit_.grid_before) tiles *= extent;
    std::vector<Launch> launches;
    if (has_tiles())
      for (const auto& counts : config::tile_counts(varying_.size()))
        launches.push_back({config::sizes_with(varying_, counts), counts, false});
    if (has_tiles())
      for (const std::int64_t rest : {0, 1}) launches.push_back(launch_of_rest(rest));
    if (!varying_.empty()) {
      launches.push_back({config::ragged_sizes(varying_), {}, false});
      launches.push_back({config::grown_sizes(varying_, tiles < kManyTiles ? 3 : 2), {}, false});
    }
    if (!judge(launches)) return;
    if (!judge(launches_of_names()) || !judge(launches_of_configs())) return;
    // Index values do not show whether tiles depend on one another: two launches are traced.
    if (has_tiles())
      for (const std::int64_t count : {3, 5}) {
        const std::vector<std::int64_t> few(varying_.size(), count);
        if (!judge_few({config::sizes_with(varying_, few), few, false})) return;
      }
    if (!judge(launches_of_constants())) return;
    if (has_tiles() && !judge(launches_of_many())) return;
    if (has_tiles() && result_.notes.empty()) judge_lines();
    if (has_tiles() && result_.verdict != Verdict::refuted) probe();
  }

  /// Three tiles along each size: full ones, or one element in the last. A quotient that rounds
  /// wrongly does so there: (N + 30) // 32.
  Launch launch_of_rest(std::int64_t rest) const {
    Launch launch;
    for (const config::VaryingSize& size : varying_) {
      const bool is_one = rest == 1 && !size.is_cut;
      launch.sizes.push_back(
          fmt::format("{}={}", size.name, size.per_tile * (is_one ? 2 : 3) + (is_one ? 1 : 0)));
      launch.tiles.push_back(3);
    }
    return launch;
  }

  /// Every grid of a range, where the index lines can be read as an order.
  void judge_lines() {
    const std::optional<Grid> grid = grid_with({});
    std::vector<SizeOfAxis> sizes;
    std::vector<std::string> numbers;
    for (const config::VaryingSize& size : varying_) {
      const std::optional<Grid> twice =
          grid_with({fmt::format("{}={}", size.name, 2 * size.value)});
      if (!grid || !twice) return;
      int axis = 0;
      while (axis < 2 && twice->extent(axis) == grid->extent(axis)) ++axis;
      sizes.push_back({size, axis});
    }
    for (const std::string& number : judge_.numbers())
      if (!is_size(number.substr(0, number.find('=')))) numbers.push_back(number);
    const IndexRange range =
        check_index_lines(judge_.index_lines(), sizes, grid->axes(), std::move(numbers));
    if (range.verdict == Verdict::proved) checked_lines_ = range.text;
    if (range.verdict != Verdict::refuted || range.tiles.size() != varying_.size()) return;
    // A hint alone: the lines may mean another tile space than they seem to.
    const Launch launch{config::sizes_with(varying_, range.tiles), range.tiles, false};
    const std::optional<Grid> failing = grid_of(launch);
    if (!failing || failing->count() > PatchJudge::kMostBlocks) return;
    const bool by_turns = judge_.is_by_turns(failing->count());
    const std::optional<bool> is_permuted = judge_.is_permuted(request_of(launch), by_turns);
    if (is_permuted && !*is_permuted) judge_misfit(launch, !by_turns);
  }

  /// Sizes and tile counts at, and beyond, whole numbers of the new index code. Other numbers of
  /// the job take their values too.
  std::vector<Launch> launches_of_constants() {
    std::vector<Launch> launches;
    for (const std::int64_t constant : judge_.constants()) {
      if (constant > PatchJudge::kMostBlocks)
        note(
            fmt::format("not for sizes beyond {}, a number of its index code: that is more blocks "
                        "than were tried",
                        with_separators(constant)));
      for (std::size_t i = 0; i < varying_.size(); ++i) {
        const std::int64_t step = std::max<std::int64_t>(varying_[i].per_tile, 1);
        for (const std::int64_t size :
             {constant, constant * step, (constant + 1) * step, (constant + 2) * step})
          for (const std::int64_t others : {1, 3}) {
            launches.push_back({few_tiles(others), {}, constant > kTracedBlocks});
            launches.back().sizes[i] = fmt::format("{}={}", varying_[i].name, size);
          }
      }
      for (const std::string& name :
           config::other_numbers(request_.job_path, request_.overrides, varying_))
        for (const std::int64_t value : {constant - 1, constant, constant + 1}) {
          launches.push_back({few_tiles(3), {}, false, true});
          launches.back().sizes.push_back(fmt::format("{}={}", name, value));
        }
    }
    return launches;
  }

  /// Other values of the numbers that new lines name, one by one.
  std::vector<Launch> launches_of_names() const {
    constexpr std::size_t kMostNames = 8;
    std::vector<Launch> launches;
    std::size_t names = 0;
    for (const NamedNumber& one : judge_.named()) {
      if (is_size(one.name) || ++names > kMostNames) continue;
      std::set<std::int64_t> values = {1, 2, 3, one.value / 2, one.value + 1, 2 * one.value};
      if (one.is_truth) values = {1 - one.value};
      values.erase(one.value);
      for (const std::int64_t value : values) {
        if (value < 0 || (value == 0 && !one.is_truth)) continue;
        const std::string text =
            one.is_truth ? (value != 0 ? "True" : "False") : fmt::format("{}", value);
        const std::string override = fmt::format("{}={}", one.name, text);
        const bool is_of_grid = grid_with({override}) != grid_with({});
        // A number that the original's index code has too may have to fit the others.
        const bool is_guess = one.is_old && !is_of_grid;
        launches.push_back({few_tiles(5), {}, !is_of_grid, true, is_guess});
        launches.back().sizes.push_back(override);
        if (is_of_grid || value > 2) continue;
        for (Launch& many : launches_of_many()) {
          many.sizes.push_back(override);
          many.has_others = true;
          many.is_guess = is_guess;
          launches.push_back(std::move(many));
        }
      }
    }
    return launches;
  }

  /// The other configs that the kernel's decorators list.
  std::vector<Launch> launches_of_configs() const {
    constexpr std::int64_t kMostConfigs = 32;
    std::vector<Launch> launches;
    const std::int64_t count = judge_.configs(request_);
    for (std::int64_t i = 0; count > 1 && i < std::min(count, kMostConfigs); ++i) {
      launches.push_back({few_tiles(5), {}, false});
      launches.back().config = i;
    }
    return launches;
  }

  /// Many tiles along each size, one along the others.
  std::vector<Launch> launches_of_many() const {
    std::vector<Launch> launches;
    if (!has_tiles()) return launches;
    for (std::size_t i = 0; i < varying_.size(); ++i) {
      std::vector<std::int64_t> tiles(varying_.size(), 1);
      tiles[i] = kManyBlocks;
      launches.push_back({config::sizes_with(varying_, tiles), tiles, true});
    }
    return launches;
  }

  std::vector<std::string> few_tiles(std::int64_t tiles) const {
    if (varying_.empty()) return {};
    return has_tiles()
               ? config::sizes_with(varying_, std::vector<std::int64_t>(varying_.size(), tiles))
               : config::ragged_sizes(varying_);
  }

  void note(std::string text) {
    if (result_.notes.size() < kMostNotes) result_.notes.push_back(std::move(text));
  }

  // ---- one launch ---------------------------------------------------------------------------

  /// By index where that is known; else some of the launches are traced, few tiles and many. False:
  /// nothing more needs to be looked at.
  bool judge(const std::vector<Launch>& launches) {
    std::vector<const Launch*> open;
    for (const Launch& launch : launches) {
      if (judge_.is_exhausted()) {
        note("its index code takes too many steps to try all sizes");
        return false;
      }
      const std::optional<Grid> grid = grid_of(launch);
      if (!grid || grid->count() > PatchJudge::kMostBlocks) continue;
      if (launch.has_others && !judge_.is_launched(request_of(launch))) continue;
      const bool by_turns = judge_.is_by_turns(grid->count());
      const std::optional<bool> is_permuted = judge_.is_permuted(request_of(launch), by_turns);
      const bool is_traced = !launch.is_large && !by_turns;
      if (is_permuted && *is_permuted)
        ++tried_;
      else if (is_permuted && !launch.is_guess && !is_odd(launch) &&
               !judge_misfit(launch, is_traced))
        return false;
      else if (!is_permuted && is_traced)
        open.push_back(&launch);
      else if (!is_permuted && judge_.was_cut_short() && !launch.is_guess)
        note(fmt::format("not with {}: its index code takes too many steps", sizes_text(launch)));
    }
    const std::size_t most = audit_.code.verdict == Verdict::proved ? kMostTraced : kMostTraced / 2;
    const std::size_t step = std::max<std::size_t>(1, open.size() / most);
    for (std::size_t i = 0; i < open.size(); i += step) {
      ++tried_;
      if (!judge_by_trace(*open[open.size() - 1 - i])) return false;
    }
    return true;
  }

  /// Heads that their groups do not divide, for example: no launch has these sizes.
  bool is_odd(const Launch& launch) const {
    return config::has_odd_shape(request_.job_path, request_of(launch).overrides);
  }

  /// A launch on which index values do not fit: REFUTED if its trace does not either.
  bool judge_misfit(const Launch& launch, bool can_be_traced) {
    const std::size_t notes = result_.notes.size();
    const bool is_traced = can_be_traced && traced_++ < kMostTraced;
    ++tried_;
    if (is_traced && !judge_by_trace(launch)) return false;
    if (result_.notes.size() == notes)
      note(fmt::format(
          "not with {}: the blocks do not have the index values of the tiles, each once",
          sizes_text(launch)));
    return true;
  }

  /// A launch whose index values fit: do its tiles depend on one another? An original that writes
  /// outside its tensors is not made for these sizes.
  bool judge_few(const Launch& launch) {
    std::vector<std::string> notes = result_.notes;
    if (is_odd(launch)) return judge_few_whole(launch, notes);
    if (!judge_by_trace(launch)) return false;
    if (result_.notes.size() == notes.size()) return true;
    if (!judge_.writes_outside()) return true;
    result_.notes = std::move(notes);
    Launch full = launch;
    full.sizes.clear();
    for (std::size_t i = 0; i < varying_.size(); ++i)
      full.sizes.push_back(
          fmt::format("{}={}", varying_[i].name, launch.tiles[i] * varying_[i].per_tile));
    if (needs_full_tiles_.empty()) needs_full_tiles_ = sizes_text(launch);
    return judge_by_trace(full);
  }

  /// Heads that their groups do not divide: the same tiles for multiples of the job's own heads.
  bool judge_few_whole(const Launch& launch, const std::vector<std::string>& notes) {
    Launch whole = launch;
    for (std::size_t i = 0; i < varying_.size(); ++i)
      if (varying_[i].per_tile == 1) whole.tiles[i] *= varying_[i].value;
    whole.sizes = config::sizes_with(varying_, whole.tiles);
    const std::optional<Grid> grid = grid_of(whole);
    if (!grid || grid->count() > kTracedBlocks) return true;
    result_.notes = notes;
    if (needs_full_tiles_.empty()) needs_full_tiles_ = sizes_text(launch);
    return judge_by_trace(whole);
  }

  static std::string sizes_text(const Launch& launch) {
    std::vector<std::string> parts = launch.sizes;
    if (launch.config) parts.push_back(fmt::format("config={}", *launch.config));
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  bool judge_by_trace(const Launch& launch) {
    PatchAudit other;
    try {
      other = judge_.audit(request_of(launch));
    } catch (const Error&) {
      return true;
    }
    const std::string where = fmt::format(
        "with {}{} on grid {}", sizes_text(launch),
        launch.tiles.empty() ? "" : fmt::format(" ({} tiles)", fmt::join(launch.tiles, " x ")),
        fmt::join(other.grid_before, "x"));
    for (const CheckResult* check : {&other.order, &other.bytes, &other.launch}) {
      if (check->verdict != Verdict::refuted) continue;
      result_ = *check;
      result_.finding = fmt::format("{}: {}", where, check->finding);
      return false;
    }
    const CheckResult& open = other.order.verdict == Verdict::unknown ? other.order : other.bytes;
    if (open.verdict == Verdict::unknown) note(fmt::format("not {}: {}", where, open.finding));
    return true;
  }

  /// Launches with many tiles, along all sizes and along each: the index code of some blocks.
  void probe() {
    const std::int64_t along_all = std::int64_t{1}
                                   << (kProbedBits / static_cast<int>(varying_.size()));
    probe_tiles(std::vector<std::int64_t>(varying_.size(), along_all));
    for (std::size_t i = 0; i < varying_.size(); ++i) probe_along(i);
  }

  /// As many tiles as the original can have along one size, or nearly, and 3 along the others.
  void probe_along(std::size_t i) {
    std::vector<std::int64_t> tiles(varying_.size(), 3);
    for (int bits = kMostBits; bits >= kProbedBits - 4; --bits) {
      tiles[i] = std::int64_t{1} << bits;
      if (tiles[i] <= kMostSize / varying_[i].per_tile && probe_tiles(tiles)) return;
    }
  }

  /// False: the original does not work there.
  bool probe_tiles(const std::vector<std::int64_t>& tiles) {
    const Launch launch{config::sizes_with(varying_, tiles), tiles, true};
    if (!probe(launch)) return false;
    for (const NamedNumber& one : judge_.named()) {
      if (one.is_old || one.is_truth || is_size(one.name)) continue;
      for (const std::int64_t factor : {1024, 128, 16}) {
        Launch large = launch;
        large.sizes.push_back(fmt::format("{}={}", one.name, one.value * factor));
        if (!judge_.is_launched(request_of(large))) continue;
        probe(large);
        break;
      }
    }
    return true;
  }

  bool probe(const Launch& launch) {
    std::int64_t tiles = 1;
    for (const std::int64_t count : launch.tiles) tiles *= count;
    const std::optional<std::string> wrong = judge_.probe(request_of(launch), tiles);
    if (wrong && !wrong->empty()) note(fmt::format("not with {}: {}", sizes_text(launch), *wrong));
    return wrong.has_value();
  }

  bool is_size(const std::string& name) const {
    return std::any_of(varying_.begin(), varying_.end(),
                       [&](const config::VaryingSize& size) { return size.name == name; });
  }

  // ---- all of them --------------------------------------------------------------------------

  void finish() {
    if (result_.verdict != Verdict::refuted) {
      for (const std::string& lonely : judge_.lonely_cases())
        note(fmt::format("one case of it was never met: {}", lonely));
      std::vector<std::string> names;
      for (const config::VaryingSize& size : varying_) names.push_back(size.name);
      if (names.empty())
        for (const NamedNumber& one : judge_.named()) names.push_back(one.name);
      if (names.empty()) names.emplace_back("config");
      const std::string launches = count_of(tried_, "other size");
      const std::string of = fmt::format("{}", fmt::join(names, " and "));
      if (result_.notes.empty()) {
        result_.verdict = Verdict::proved;
        result_.finding = has_tiles()
                              ? fmt::format("the same holds on {} with 1 to {} tiles along {}",
                                            launches, varying_.size() < 3 ? 17 : 8, of)
                              : fmt::format("the same holds on {} with other {}", launches, of);
        if (!needs_full_tiles_.empty())
          result_.evidence.push_back(
              fmt::format("the original leaves its tensors with {}: of such sizes only the "
                          "index values are compared",
                          needs_full_tiles_));
        if (!checked_lines_.empty())
          result_.finding += fmt::format(", and by its lines on {}", checked_lines_);
      } else {
        result_.finding = fmt::format("of {} with other {}, not all could be judged", launches, of);
      }
    }
    audit_.sizes = fmt::format("grid {} and {}", fmt::join(audit_.grid_before, "x"),
                               count_of(tried_, "other size"));
    audit_.shapes = std::move(result_);
  }

  const PatchRequest& request_;
  PatchJudge& judge_;
  PatchAudit& audit_;
  std::vector<config::VaryingSize> varying_;
  std::size_t traced_ = 0;
  CheckResult result_;
  std::string checked_lines_;     ///< grids on which the index lines are right
  std::string needs_full_tiles_;  ///< sizes for which the original is not made
  std::int64_t tried_ = 0;
};

}  // namespace

PatchAudit audit_patch(const PatchRequest& request) {
  PatchJudge judge(request);
  PatchAudit audit = judge.audit(request);
  Shapes(request, judge, audit).run();
  return audit;
}

}  // namespace heddle::audit
