#include "tiles/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_set>

#include "tiles/same_work.h"
#include "tiles/turned_sum.h"

namespace heddle::tiles {
namespace {

using kernel::IndexNumber;

constexpr std::size_t kMostCandidates = 12;
constexpr int kMostDistance = 8;

class CoordinateSearch {
 public:
  CoordinateSearch(const kernel::IndexProbe& probe, const ShownRows& shown)
      : probe_(probe), shown_(shown), extent_(probe.numbers.size(), 0) {
    for (std::size_t i = 0; i < extent_.size(); ++i) extent_[i] = find_extent(static_cast<int>(i));
  }

  Coordinates run() {
    if (find_block_coordinates()) return finish();
    for (int more = 0; more <= kMostDistance; ++more) {
      find_candidates(more);
      if (choose(candidates_)) {
        if (more == 0 || !has_same_work()) return finish();
        return std::move(result_);
      }
      if (more == 0 && is_apart(candidates_)) break;  // more numbers are no help
    }
    refuse();
    return std::move(result_);
  }

 private:
  const IndexNumber& number(int index) const {
    return probe_.numbers[static_cast<std::size_t>(index)];
  }
  std::int64_t extent(int index) const { return extent_[static_cast<std::size_t>(index)]; }

  /// n, where the number takes all values 0 .. n - 1 and no others; else 0.
  std::int64_t find_extent(int index) const {
    const std::vector<std::int64_t>& column = shown_.number[static_cast<std::size_t>(index)];
    if (number(index).is_loaded || column.empty()) return 0;
    const auto rows = static_cast<std::int64_t>(column.size());
    std::vector<bool> seen(column.size(), false);
    std::int64_t distinct = 0;
    std::int64_t most = 0;
    for (const std::int64_t value : column) {
      if (value < 0 || value >= rows) return 0;
      most = std::max(most, value);
      if (!seen[static_cast<std::size_t>(value)]) ++distinct;
      seen[static_cast<std::size_t>(value)] = true;
    }
    return distinct == most + 1 ? distinct : 0;
  }

  /// Numbers behind those that work sees tell tiles apart which are one to it.
  bool has_same_work() {
    const auto found = find_same_work(probe_, shown_);
    if (!found) return false;
    result_ = {};
    result_.refusal =
        fmt::format("blocks {} and {} compute one tile{}", found->first, found->second,
                    found->values.empty() ? "" : fmt::format(": {}", found->values));
    return true;
  }

  // ---- candidates

  /// Rule 6: numbers of the blocks, where a block's loop only adds to them.
  bool find_block_coordinates() {
    const Grid& grid = probe_.launch.grid;
    int axes = 0;
    for (int axis = 0; axis < grid.axes(); ++axis) axes += grid.extent(axis) > 1 ? 1 : 0;
    const bool is_looping =
        shown_.rows() > 0 && shown_.block.size() > 1 &&
        std::adjacent_find(shown_.block.begin(), shown_.block.end()) != shown_.block.end();
    if (axes < 2 || !is_looping) return false;
    skips_loops_ = true;
    find_candidates(0);
    skips_loops_ = false;
    return std::all_of(candidates_.begin(), candidates_.end(),
                       [&](int one) { return is_of_block(one); }) &&
           choose(candidates_);
  }

  /// It has one value in a block.
  bool is_of_block(int index) const {
    const std::vector<std::int64_t>& column = shown_.number[static_cast<std::size_t>(index)];
    for (std::size_t row = 1; row < column.size(); ++row)
      if (shown_.block[row] == shown_.block[row - 1] && column[row] != column[row - 1])
        return false;
    return true;
  }

  /// Variables that an expression without a name is the sum of; false: it is not such a sum.
  bool summands(int index, std::set<int>& out, int depth = 0) const {
    constexpr int kDeepestSum = 12;  // numbers that loops carry are made of themselves
    const IndexNumber& one = number(index);
    if (one.is_variable) {
      if (extent(index) <= 1) return false;
      out.insert(index);
      return true;
    }
    return depth < kDeepestSum && one.is_linear && !one.made_of.empty() &&
           std::all_of(one.made_of.begin(), one.made_of.end(),
                       [&](int part) { return summands(part, out, depth + 1); });
  }

  void visit(int index, int more, std::set<std::pair<int, int>>& seen) {
    if (!seen.insert({index, more}).second) return;
    std::set<int> sum;
    const bool is_sum = !number(index).is_variable && summands(index, sum) && sum.size() > 1 &&
                        !is_interleaved(sum);
    const bool is_added_to = skips_loops_ && number(index).is_linear && !is_of_block(index);
    const bool is_candidate =
        extent(index) > 1 && !is_sum && !is_added_to && !is_turned_sum(probe_, shown_, index);
    if (is_candidate) add_candidate(index);
    if (is_candidate && --more < 0) return;
    if (number(index).is_choice) {  // a part of it says nothing without the others
      if (!is_candidate && extent(index) != 1 && chosen_.empty()) chosen_ = name_of_choice(index);
      return;
    }
    for (const int part : number(index).made_of) visit(part, more, seen);
  }

  std::string name_of_choice(int index) const {
    if (number(index).is_named) return number(index).name;
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i)
      if (probe_.numbers[i].is_copy && probe_.numbers[i].made_of == std::vector<int>{index})
        return name_of_choice(static_cast<int>(i));
    return {};
  }

  /// Work gets to a part of the sum by another way, too.
  bool is_used_apart(const std::set<int>& sum) const {
    std::set<int> seen;
    std::vector<int> waiting;
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i)
      if (probe_.numbers[i].is_at_work) waiting.push_back(static_cast<int>(i));
    while (!waiting.empty()) {
      const int now = waiting.back();
      waiting.pop_back();
      if (!seen.insert(now).second) continue;
      if (sum.count(now) != 0) return true;
      std::set<int> own;
      const bool is_same = !number(now).is_variable && summands(now, own) && own == sum;
      if (!is_same)
        waiting.insert(waiting.end(), number(now).made_of.begin(), number(now).made_of.end());
    }
    return false;
  }

  /// Rule 1: another digit of the index is between those of the sum. `digits_` are all of them.
  bool is_interleaved(const std::set<int>& sum) const {
    const auto is_axis = [&](int one) { return number(one).is_launch_index; };
    if (digits_.empty() || std::any_of(sum.begin(), sum.end(), is_axis) || is_used_apart(sum))
      return false;
    const std::vector<std::size_t> rows = rows_by_index();
    const auto first_change = [&](int one) {
      std::size_t turn = 1;
      while (turn < rows.size() && shown_.at(one, rows[turn]) == shown_.at(one, rows[0])) ++turn;
      return turn;
    };
    std::set<std::size_t> own;
    for (const int one : sum) own.insert(first_change(one));
    return std::any_of(digits_.begin(), digits_.end(), [&](int digit) {
      const std::size_t change = first_change(digit);
      return *own.begin() < change && change < *own.rbegin() && own.count(change) == 0;
    });
  }

  /// Rows in the order of the number that all digits are unpacked from, if there is one.
  std::vector<std::size_t> rows_by_index() const {
    std::vector<std::size_t> rows(shown_.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const auto tiles = static_cast<std::int64_t>(shown_.turns(digits_).size());
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i) {
      if (extent_[i] < tiles) continue;
      const auto& column = shown_.number[i];
      std::stable_sort(rows.begin(), rows.end(),
                       [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
      break;
    }
    return rows;
  }

  void find_candidates(int more) {
    digits_.clear();
    collect(more);
    digits_ = candidates_;
    collect(more);
  }

  void collect(int more) {
    candidates_.clear();
    std::set<std::pair<int, int>> seen;
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i)
      if (probe_.numbers[i].is_at_work) visit(static_cast<int>(i), more, seen);
    if (candidates_.size() > kMostCandidates) candidates_.resize(kMostCandidates);
  }

  bool is_equal(int a, int b) const {
    return shown_.number[static_cast<std::size_t>(a)] == shown_.number[static_cast<std::size_t>(b)];
  }

  void add_candidate(int index) {
    for (const int known : candidates_)
      if (is_equal(known, index)) return;
    candidates_.push_back(index);
  }

  // ---- sets

  std::int64_t product(const std::vector<int>& set) const {
    std::int64_t result = 1;
    for (const int one : set) result *= extent(one);
    return result;
  }

  /// How many different indexes the rows have.
  std::size_t distinct(const std::vector<int>& set, const std::vector<std::size_t>& rows) const {
    std::set<std::vector<std::int64_t>> seen;
    std::vector<std::int64_t> index(set.size());
    for (const std::size_t row : rows) {
      for (std::size_t i = 0; i < set.size(); ++i) index[i] = shown_.at(set[i], row);
      seen.insert(index);
    }
    return seen.size();
  }

  bool is_apart(const std::vector<int>& set) const {
    return !set.empty() && distinct(set, all_turns_) == all_turns_.size();
  }

  /// The largest set that fills a box and tells all turns apart; nearer to work breaks ties.
  bool choose(const std::vector<int>& from) {
    all_turns_ = shown_.turns(from);
    const auto count = static_cast<std::int64_t>(all_turns_.size());
    std::vector<int> best;
    int best_distance = 0;
    for (std::uint32_t mask = 0; mask < (1U << from.size()); ++mask) {
      std::vector<int> set;
      int distance = 0;
      for (std::size_t i = 0; i < from.size(); ++i) {
        if ((mask >> i & 1U) == 0) continue;
        set.push_back(from[i]);
        distance += number(from[i]).distance;
      }
      const bool is_better =
          set.size() > best.size() || (set.size() == best.size() && distance < best_distance);
      if (!is_better || product(set) != count) continue;
      if (static_cast<std::int64_t>(distinct(set, all_turns_)) != count) continue;
      best = set;
      best_distance = distance;
    }
    if (count == 1 && best.empty() && !probe_.numbers.empty()) best = single_tile();
    result_.numbers = best;
    result_.rows = all_turns_;
    return !best.empty();
  }

  /// A launch of one block: any number that is 0 in it.
  std::vector<int> single_tile() const {
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i)
      if (extent_[i] == 1) return {static_cast<int>(i)};
    return {};
  }

  // ---- the answer

  Coordinates finish() {
    sort_by_address();
    add_single();
    for (int& one : result_.numbers) one = best_name(one);
    result_.axis_of.assign(probe_.numbers.size(), -1);
    for (std::size_t axis = 0; axis < result_.numbers.size(); ++axis) {
      const int one = result_.numbers[axis];
      result_.extents.push_back(extent(one));
      for (std::size_t i = 0; i < probe_.numbers.size(); ++i)
        if (is_equal(one, static_cast<int>(i))) result_.axis_of[i] = static_cast<int>(axis);
    }
    return std::move(result_);
  }

  /// Axes of the launch with one block are coordinates, too, if the kernel names them: the slowest, so
  /// that orders of the others are what they are without them.
  void add_single() {
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i) {
      const IndexNumber& one = probe_.numbers[i];
      if (one.is_launch_index && one.is_variable && extent_[i] == 1 && result_.numbers.size() > 1)
        result_.numbers.insert(result_.numbers.begin(), static_cast<int>(i));
    }
  }

  /// The variable that a number is a copy of.
  int copied(int index) const {
    int result = index;
    int one = index;
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i) {
      if (!number(one).is_copy || number(one).made_of.size() != 1) break;
      one = number(one).made_of.front();
      if (number(one).is_variable) result = one;
    }
    return result;
  }

  int best_name(int index) const {
    int best = index;
    const auto rank = [&](int one) {
      const IndexNumber& is = number(one);
      return std::tuple(!is.is_variable, !is.is_named, is.distance, is.line);
    };
    for (std::size_t i = 0; i < probe_.numbers.size(); ++i) {
      const int other = static_cast<int>(i);
      if (extent(other) != extent(index) || !is_equal(other, index)) continue;
      if (extent(index) == 1 && other != index) continue;
      if (rank(other) < rank(best)) best = other;
    }
    return copied(best);
  }

  /// How far apart neighbours along a coordinate are written; -1: not known.
  std::int64_t stride(int coordinate) const {
    std::map<std::vector<std::int64_t>, std::int64_t> address;
    for (const std::size_t row : result_.rows) {
      std::vector<std::int64_t> index;
      for (const int one : result_.numbers) index.push_back(shown_.at(one, row));
      if (shown_.address[row] != kNotShown) address[index] = shown_.address[row];
    }
    std::map<std::int64_t, int> seen;
    constexpr int kEnough = 64;
    int pairs = 0;
    for (const auto& [index, here] : address) {
      std::vector<std::int64_t> next = index;
      for (std::size_t i = 0; i < result_.numbers.size(); ++i)
        if (result_.numbers[i] == coordinate) ++next[i];
      const auto found = address.find(next);
      if (found == address.end()) continue;
      ++seen[std::abs(found->second - here)];
      if (++pairs == kEnough) break;
    }
    const auto most = std::max_element(
        seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == seen.end() ? -1 : most->first;
  }

  void sort_by_address() {
    std::vector<std::pair<std::int64_t, int>> all;
    for (const int one : result_.numbers) all.emplace_back(stride(one), one);
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first > b.first;
      return number(a.second).line < number(b.second).line;
    });
    for (std::size_t i = 0; i < all.size(); ++i) result_.numbers[i] = all[i].second;
  }

  // ---- refusals

  std::string names(const std::vector<int>& set) const {
    std::string text;
    for (const int one : set) text += (text.empty() ? "" : " x ") + number(best_name(one)).name;
    return text;
  }

  void refuse() {
    result_ = {};
    if (shown_.rows() == 0) {
      result_.refusal = "no block gets to the store";
      return;
    }
    find_candidates(0);
    all_turns_ = shown_.turns(candidates_);
    const IndexNumber* const loaded = loaded_number();
    if (loaded != nullptr && !is_apart(candidates_))
      result_.refusal =
          fmt::format("{} is loaded from {}",
                      loaded->loaded_divisor.empty() ? loaded->name : loaded->loaded_divisor,
                      loaded->loaded_from.empty() ? "memory" : loaded->loaded_from);
    else
      refuse_box();
  }

  /// One that the index is divided by; else the first one that work takes, a variable if there is
  /// one behind.
  const IndexNumber* loaded_number() const {
    const IndexNumber* best = nullptr;
    for (const IndexNumber& one : probe_.numbers)
      if (!one.loaded_divisor.empty()) return &one;
    for (const IndexNumber& one : probe_.numbers)
      if (one.is_loaded && (best == nullptr || (one.is_variable && !best->is_variable)))
        best = &one;
    return best;
  }

  void refuse_box() {
    const auto count = static_cast<std::int64_t>(all_turns_.size());
    // A box that is visited more than once is shared.
    std::vector<int> shared;
    for (std::uint32_t mask = 1; mask < (1U << candidates_.size()); ++mask) {
      std::vector<int> set;
      for (std::size_t i = 0; i < candidates_.size(); ++i)
        if ((mask >> i & 1U) != 0) set.push_back(candidates_[i]);
      const std::int64_t tiles = product(set);
      if (set.size() > shared.size() && tiles < count &&
          static_cast<std::int64_t>(distinct(set, all_turns_)) == tiles)
        shared = set;
    }
    if (!is_looped_over(shared, count) && is_apart(candidates_) && count < product(candidates_)) {
      result_.has_holes = true;
      result_.rows = all_turns_;
      result_.numbers = without_block();
      result_.refusal = fmt::format("the tiles fill {} of the {} places of {}", count,
                                    product(result_.numbers), names(result_.numbers));
    } else if (is_looped_over(shared, count)) {
      result_.is_shared = true;
      result_.refusal = fmt::format("blocks share tiles: {} turns on the {} of {} (stream-K)",
                                    count, product(shared), names(shared));
    } else if (const std::vector<int> choices = chosen_candidates(); !choices.empty()) {
      result_.refusal = fmt::format(
          "different blocks have the same {}, which a condition on the block's index decides",
          names(choices));
    } else if (!chosen_.empty()) {
      result_.refusal = fmt::format(
          "{} depends on a condition on the block's index, and does not count from 0 in steps of 1",
          chosen_);
    } else
      result_.refusal = "no numbers of the index tell the tiles apart and fill a box";
  }

  std::vector<int> chosen_candidates() const {
    std::vector<int> result;
    for (const int one : candidates_)
      if (number(one).is_choice) result.push_back(one);
    return result;
  }

  /// Blocks come to these tiles again and again, and differ in nothing but numbers of their own.
  bool is_looped_over(const std::vector<int>& set, std::int64_t count) const {
    if (set.empty() || shown_.block.back() + 1 >= count) return false;
    return std::all_of(candidates_.begin(), candidates_.end(), [&](int one) {
      return is_of_block(one) || std::find(set.begin(), set.end(), one) != set.end();
    });
  }

  /// Candidates that tell the tiles apart, without numbers of the block that are not needed for it.
  std::vector<int> without_block() const {
    std::vector<int> result = candidates_;
    for (const int one : candidates_) {
      std::vector<int> fewer = result;
      std::erase(fewer, one);
      if (is_of_block(one) && is_apart(fewer)) result = fewer;
    }
    return result;
  }

  const kernel::IndexProbe& probe_;
  const ShownRows& shown_;
  std::vector<std::int64_t> extent_;
  std::vector<int> candidates_;
  std::vector<int> digits_;  ///< candidates, if every sum is taken apart
  std::vector<std::size_t> all_turns_;
  bool skips_loops_ = false;
  std::string chosen_;  ///< a number that a condition on the block's index decides
  Coordinates result_;
};

}  // namespace

Coordinates find_coordinates(const kernel::IndexProbe& probe, const ShownRows& shown) {
  return CoordinateSearch(probe, shown).run();
}

}  // namespace heddle::tiles
