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
//   7. Sizes for which the original cannot be read are left out, and so are launches to trace on
//      which it divides by zero or leaves its tensors; sizes for which a quotient of counts has a
//      remainder that it has not in the job (whole_quotients.h); and sizes with which the original's
//      own host code does not launch it. A number of changed lines none of whose other values could
//      be judged is not proved.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "audit/index_ranges.h"
#include "audit/shape_launches.h"
#include "support/text.h"

namespace heddle::audit {
namespace {

constexpr int kProbedBits = 24;  ///< 2^24 blocks, some of which are run
constexpr int kMostBits = 29;    ///< of the blocks along one axis
constexpr std::int64_t kMostSize = INT32_MAX;
constexpr std::int64_t kMostBlocksInTurns = 2048;
constexpr std::size_t kMostTraced = 6;  ///< launches
constexpr std::size_t kMostNotes = 2;

using Launch = ShapeLaunch;

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
    launches_.emplace(request_, judge_);
    std::set<std::int64_t> counts;
    for (const config::VaryingSize& size : tiled())
      if (size.per_tile == 1) counts.insert(size.value);
    if (!counts.empty()) judge_.keep_whole(request_, counts);
    if (launches_->varying().empty() && judge_.named().empty() && judge_.configs(request_) < 2)
      return leave_out("the grid depends on no number of the job");
    judge_all();
    if (tried_ == 0) return leave_out("the original works with no other sizes that were tried");
    finish();
  }

 private:
  void leave_out(const Launch& launch) {
    if (left_out_.empty())
      left_out_ = fmt::format(
          "with {} the original {}: such sizes are left out", sizes_text(launch),
          judge_.is_original_undefined() ? "divides by zero, or uses a value that was never set"
                                         : "leaves its tensors");
  }

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

  bool has_tiles() const { return launches_->has_tiles(); }
  const std::vector<config::VaryingSize>& tiled() const { return launches_->tiled(); }

  void judge_all() {
    if (!judge(launches_->few())) return;
    if (!judge(launches_->of_names()) || !judge(launches_->of_configs())) return;
    if (!judge_changed_configs()) return;
    if (!judge(launches_->of_relations())) return;
    // Index values do not show whether tiles depend on one another: two launches are traced.
    if (has_tiles())
      for (const std::int64_t count : {3, 5})
        if (!judge_few(launches_->of_tiles(std::vector<std::int64_t>(tiled().size(), count))))
          return;
    note_constants();
    if (!judge(launches_->of_constants()) || !judge(launches_->of_many())) return;
    if (!judge(launches_->of_strides())) return;
    judge_block_counts();
    if (has_tiles() && result_.notes.empty()) judge_lines();
    if (has_tiles() && result_.verdict != Verdict::refuted) probe();
  }

  /// Each config that the new file changes, with few tiles of its own in all combinations.
  bool judge_changed_configs() {
    for (const std::int64_t config : judge_.changed_configs(request_)) {
      PatchRequest own = request_;
      own.config = config;
      const std::int64_t tried = tried_;
      std::vector<Launch> launches;
      if (judge_.takes_config(own)) launches = ShapeLaunches(own, judge_).few();
      for (Launch& launch : launches) launch.config = config;
      if (!judge(launches)) return false;
      if (tried_ == tried)
        note(
            fmt::format("not for config {}, which the new file changes: none of its launches could "
                        "be judged",
                        config));
    }
    return true;
  }

  void note_constants() {
    for (const std::int64_t constant : judge_.constants())
      if (constant > PatchJudge::kMostBlocks)
        note(
            fmt::format("not for sizes beyond {}, a number of its index code: that is more blocks "
                        "than were tried",
                        with_separators(constant)));
    if (judge_.constants().size() > ShapeLaunches::kMostConstants)
      note(fmt::format("its index code holds more than {} numbers that it may know",
                       ShapeLaunches::kMostConstants));
  }

  /// Every grid of a range, where the index lines can be read as an order.
  void judge_lines() {
    const std::optional<Grid> grid = launches_->grid_with({});
    std::vector<SizeOfAxis> sizes;
    std::vector<std::string> numbers;
    for (const config::VaryingSize& size : launches_->varying()) {
      if (size.per_tile == 0 || size.axis < 0) return;
      sizes.push_back({size, size.axis});
    }
    if (!grid) return;
    for (const std::string& number : judge_.numbers())
      if (!launches_->is_size(number.substr(0, number.find('=')))) numbers.push_back(number);
    const IndexRange range =
        check_index_lines(judge_.index_lines(), sizes, grid->axes(), std::move(numbers));
    if (range.verdict == Verdict::proved) checked_lines_ = range.text;
    if (range.verdict != Verdict::refuted || range.tiles.size() != tiled().size()) return;
    // A hint alone: the lines may mean another tile space than they seem to.
    const Launch launch = launches_->of_tiles(range.tiles);
    const std::optional<Grid> failing = grid_of(launch);
    if (!failing || failing->count() > PatchJudge::kMostBlocks) return;
    const bool by_turns = judge_.is_by_turns(failing->count());
    const std::optional<bool> is_permuted = judge_.is_permuted(request_of(launch), by_turns);
    if (is_permuted && !*is_permuted) judge_misfit(launch, !by_turns);
  }

  void note(std::string text) {
    if (result_.notes.size() < kMostNotes) result_.notes.push_back(std::move(text));
  }

  /// Another GPU launches another number of persistent blocks: counts up to 40, those of GPUs, and
  /// numbers of the index code. Blocks do two tiles each, and one does three.
  void judge_block_counts() {
    if (!judge_.has_turns() || !has_tiles()) return;
    std::set<std::int64_t> counts = {46,  48,  56,  60,  64,  66,  68,  72,  78,  80,  84,
                                     96,  104, 108, 110, 114, 120, 128, 132, 142, 144, 148,
                                     152, 160, 188, 192, 208, 216, 228, 256, 264, 304, 512};
    for (std::int64_t count = 1; count <= 40; ++count) counts.insert(count);
    for (const std::int64_t constant : judge_.constants())
      for (const std::int64_t count : {constant - 1, constant, constant + 1}) counts.insert(count);
    for (const std::int64_t count : counts) {
      if (judge_.is_exhausted() || count > kMostBlocksInTurns) break;
      if (count < 1) continue;
      std::vector<std::int64_t> tiles(tiled().size(), 1);
      tiles.front() = 2 * count + 1;
      const Launch launch = launches_->of_tiles(tiles, true);
      const std::optional<bool> is_same = judge_.is_same_in_turns(request_of(launch), count);
      if (!is_same || *is_same) continue;
      note(fmt::format("not with {} of them, and {}: blocks go on from their tiles to others",
                       count_of(count, "block"), sizes_text(launch)));
      return;
    }
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
      if (!is_launched(launch)) continue;
      const bool by_turns = judge_.is_by_turns(grid->count());
      const std::optional<bool> is_permuted = judge_.is_permuted(request_of(launch), by_turns);
      const bool is_traced = !launch.is_large && !by_turns;
      note_number(launch, is_permuted.has_value());
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
      const Launch& launch = *open[open.size() - 1 - i];
      if (is_odd(launch)) continue;
      ++tried_;
      if (!judge_by_trace(launch)) return false;
      if (was_left_out_) --tried_;
    }
    return true;
  }

  /// Where the original's file launches it as the job does, its host code may have numbers of its
  /// own: a count of parts that the job varies.
  bool is_launched(const Launch& launch) {
    if (!is_job_launched_) is_job_launched_ = judge_.is_launched(request_);
    if (!launch.has_others && !*is_job_launched_) return true;
    return judge_.is_launched(request_of(launch));
  }

  /// A number of changed lines that has another value: whether that says anything.
  void note_number(const Launch& launch, bool is_known) {
    if (launch.varied.empty() || launch.is_guess || !judge_.has_index()) return;
    if (is_known)
      numbers_[launch.varied] = true;
    else if (judge_.was_undefined())
      numbers_.insert({launch.varied, false});
  }

  /// Heads that their groups do not divide, for example: no launch has these sizes.
  bool is_odd(const Launch& launch) {
    const PatchRequest request = request_of(launch);
    if (config::has_odd_shape(request_.job_path, request.overrides)) return true;
    const std::string line = judge_.broken_quotient(request);
    if (!line.empty() && odd_.empty())
      odd_ = fmt::format(
          "sizes that leave a remainder in a quotient of the original, where the job's leave none, "
          "are left out: {} in {}",
          sizes_text(launch), line);
    return !line.empty();
  }

  /// A launch on which index values do not fit: REFUTED if its trace does not either.
  bool judge_misfit(const Launch& launch, bool can_be_traced) {
    const std::size_t notes = result_.notes.size();
    const bool is_traced = can_be_traced && traced_++ < kMostTraced;
    const std::string misfit = judge_.misfit();
    ++tried_;
    if (is_traced && !judge_by_trace(launch)) return false;
    if (result_.notes.size() == notes)
      note(fmt::format(
          "not with {}: {}", sizes_text(launch),
          misfit.empty() ? "the work reads different numbers than in the original" : misfit));
    return true;
  }

  /// A launch whose index values fit: do its tiles depend on one another? An original that leaves
  /// its tensors is not made for these sizes.
  bool judge_few(const Launch& launch) {
    if (!is_launched(launch)) return true;
    if (is_odd(launch)) return judge_few_whole(launch);
    if (!judge_by_trace(launch)) return false;
    if (!was_left_out_) return true;
    Launch full = launch;
    full.sizes.clear();
    for (std::size_t i = 0; i < tiled().size(); ++i)
      full.sizes.push_back(
          fmt::format("{}={}", tiled()[i].name, launch.tiles[i] * tiled()[i].per_tile));
    if (needs_full_tiles_.empty()) needs_full_tiles_ = sizes_text(launch);
    if (!judge_by_trace(full)) return false;
    return !was_left_out_ || judge_few_whole(launch);
  }

  /// Heads that their groups do not divide: the same tiles for multiples of the job's own heads.
  bool judge_few_whole(const Launch& launch) {
    Launch whole = launch;
    for (std::size_t i = 0; i < tiled().size(); ++i)
      if (tiled()[i].per_tile == 1) whole.tiles[i] *= tiled()[i].value;
    whole.sizes = launches_->of_tiles(whole.tiles).sizes;
    const std::optional<Grid> grid = grid_of(whole);
    if (!grid || grid->count() > kTracedBlocks) return true;
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
    was_left_out_ = false;
    try {
      other = judge_.audit(request_of(launch));
    } catch (const Error&) {
      return true;
    }
    const std::string where = fmt::format(
        "with {}{} on grid {}", sizes_text(launch),
        launch.tiles.empty() ? "" : fmt::format(" ({} tiles)", fmt::join(launch.tiles, " x ")),
        fmt::join(other.grid_before, "x"));
    if (judge_.is_original_undefined()) {
      was_left_out_ = true;
      leave_out(launch);
      return true;
    }
    for (const CheckResult* check : {&other.order, &other.bytes, &other.launch}) {
      if (check->verdict != Verdict::refuted) continue;
      result_ = *check;
      result_.finding = fmt::format("{}: {}", where, check->finding);
      return false;
    }
    const CheckResult& open = other.order.verdict == Verdict::unknown ? other.order : other.bytes;
    was_left_out_ = open.verdict == Verdict::unknown &&
                    (judge_.is_original_undefined() || judge_.is_original_outside());
    if (was_left_out_)
      leave_out(launch);
    else if (open.verdict == Verdict::unknown)
      note(fmt::format("not {}: {}", where, open.finding));
    return true;
  }

  /// Launches with many tiles, along all sizes and along each: the index code of some blocks.
  void probe() {
    const std::int64_t along_all = std::int64_t{1}
                                   << (kProbedBits / static_cast<int>(tiled().size()));
    probe_tiles(std::vector<std::int64_t>(tiled().size(), along_all));
    for (std::size_t i = 0; i < tiled().size(); ++i) probe_along(i);
  }

  /// As many tiles as the original can have along one size, or nearly, and 3 along the others.
  void probe_along(std::size_t i) {
    std::vector<std::int64_t> tiles(tiled().size(), 3);
    for (int bits = kMostBits; bits >= kProbedBits - 4; --bits) {
      tiles[i] = std::int64_t{1} << bits;
      if (tiles[i] <= kMostSize / tiled()[i].per_tile && probe_tiles(tiles)) return;
    }
  }

  /// False: the original does not work there.
  bool probe_tiles(const std::vector<std::int64_t>& tiles) {
    const Launch launch = launches_->of_tiles(tiles, true);
    if (!probe(launch)) return false;
    for (const NamedNumber& one : judge_.named()) {
      if (one.is_old || one.is_truth || launches_->is_size(one.name)) continue;
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

  // ---- all of them --------------------------------------------------------------------------

  /// "1 to 31 tiles along M and N, and other H"
  std::string sizes_tried() const {
    std::vector<std::string> tiled_names;
    std::vector<std::string> others;
    for (const config::VaryingSize& size : launches_->varying())
      (size.per_tile > 0 ? tiled_names : others).push_back(size.name);
    if (tiled_names.empty() && others.empty())
      for (const NamedNumber& one : judge_.named()) others.push_back(one.name);
    if (tiled_names.empty() && others.empty()) others.emplace_back("config");
    const std::string text = fmt::format("other {}", fmt::join(others, " and "));
    if (tiled_names.empty()) return text;
    return fmt::format("1 to {} tiles along {}{}", config::kMostTileCount,
                       fmt::join(tiled_names, " and "), others.empty() ? "" : ", and " + text);
  }

  void finish() {
    if (result_.verdict != Verdict::refuted) {
      for (const std::string& lonely : judge_.lonely_cases())
        note(fmt::format("one case of it was never met: {}", lonely));
      for (const auto& [name, is_known] : numbers_)
        if (!is_known)
          note(fmt::format("for other values of {} that were tried the original is not defined",
                           name));
      const std::string launches = count_of(tried_, "other size");
      if (result_.notes.empty()) {
        result_.verdict = Verdict::proved;
        result_.finding = fmt::format("the same holds on {} with {}", launches, sizes_tried());
        if (!needs_full_tiles_.empty())
          result_.evidence.push_back(
              fmt::format("the original leaves its tensors with {}: of such sizes only the "
                          "index values are compared",
                          needs_full_tiles_));
        else if (!left_out_.empty())
          result_.evidence.push_back(left_out_);
        if (!odd_.empty()) result_.evidence.push_back(odd_);
        if (!checked_lines_.empty())
          result_.finding += fmt::format(", and by its lines on {}", checked_lines_);
      } else {
        result_.finding =
            fmt::format("of {} with {}, not all could be judged", launches, sizes_tried());
      }
    }
    audit_.sizes = fmt::format("grid {} and {}", fmt::join(audit_.grid_before, "x"),
                               count_of(tried_, "other size"));
    audit_.shapes = std::move(result_);
  }

  const PatchRequest& request_;
  PatchJudge& judge_;
  PatchAudit& audit_;
  std::optional<ShapeLaunches> launches_;
  std::size_t traced_ = 0;
  CheckResult result_;
  std::optional<bool> is_job_launched_;
  std::string odd_;                      ///< sizes that break one, and which
  std::string checked_lines_;            ///< grids on which the index lines are right
  std::string needs_full_tiles_;         ///< sizes for which the original is not made
  std::map<std::string, bool> numbers_;  ///< that varied: whether any other value was judged
  std::string left_out_;                 ///< the first sizes for which it is not, and why
  bool was_left_out_ = false;            ///< the launch that was traced last
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
