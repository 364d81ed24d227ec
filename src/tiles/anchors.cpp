#include "tiles/anchors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "support/text.h"

namespace heddle::tiles {
namespace {

using Tile = std::vector<std::int64_t>;

class AnchorSearch {
 public:
  explicit AnchorSearch(const kernel::IndexProbe& probe)
      : probe_(probe), tables_(show_numbers(probe)), instead_(stand_ins(probe)) {
    for (const ShownRows& table : tables_)
      blocks_.emplace_back(table.block.begin(), table.block.end());
  }

  Showing run() {
    Showing best;
    best.coordinates.refusal = "no block gets to a store";
    bool has_answer = false;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i].rows() == 0 || !probe_.anchors[i].shows_numbers) continue;
      Showing found = from(i);
      const bool is_better = found.is_found() ? !best.is_found() || found.coordinates.rows.size() >
                                                                        best.coordinates.rows.size()
                                              : !has_answer;
      has_answer = true;
      if (is_better) best = std::move(found);
    }
    if (!shared_.empty()) {
      best = {};
      best.coordinates.refusal = shared_;
    }
    std::set<std::int64_t> working;
    for (const auto& blocks : blocks_) working.insert(blocks.begin(), blocks.end());
    best.working = static_cast<std::int64_t>(working.size());
    return best;
  }

 private:
  Showing from(std::size_t first) {
    Showing found;
    found.anchors = {first};
    cover(found.anchors);
    const std::size_t covering = found.anchors.size();
    while (true) {
      found.shown = joined(probe_, tables_, found.anchors);
      found.coordinates = find_coordinates(probe_, found.shown);
      if (!found.is_found() && !found.coordinates.has_holes) break;
      const auto more = with_other_tiles(found);
      if (!more) break;
      found.anchors.push_back(*more);
    }
    if (covering > 1 && is_simpler(found)) found.coordinates = {};
    const bool is_other = found.coordinates.numbers.empty() || !found.is_found();
    if (is_other && covering > 1 && !found.coordinates.is_shared)
      found.coordinates.refusal = other_work(first, found.anchors[1]);
    if (found.is_found()) add_returns(found);
    return found;
  }

  // ---- rule 3

  void add_returns(Showing& found) const {
    std::vector<std::size_t> all = found.anchors;
    for (std::size_t i = 0; i < tables_.size(); ++i)
      if (!has(all, i) && shows_tiles(i, found.coordinates.numbers)) all.push_back(i);
    if (all.size() == found.anchors.size()) return;
    ShownRows shown = joined(probe_, tables_, all);
    std::vector<std::size_t> turns = shown.turns(found.coordinates.numbers);
    if (turns.size() == found.coordinates.rows.size()) return;
    found.anchors = std::move(all);
    found.shown = std::move(shown);
    found.coordinates.rows = std::move(turns);
  }

  bool shows_tiles(std::size_t anchor, const std::vector<int>& numbers) const {
    const kernel::IndexAnchor& one = probe_.anchors[anchor];
    if (one.is_local || !one.shows_numbers || tables_[anchor].rows() == 0) return false;
    for (std::size_t row = 0; row < tables_[anchor].rows(); ++row)
      if (!tile_at(anchor, row, numbers)) return false;
    return true;
  }

  /// One of them alone has more coordinates than all together: those are different tasks.
  bool is_simpler(const Showing& found) const {
    return found.is_found() &&
           std::any_of(found.anchors.begin(), found.anchors.end(), [&](std::size_t one) {
             const Coordinates alone = find_coordinates(probe_, tables_[one]);
             return alone.refusal.empty() &&
                    alone.numbers.size() > found.coordinates.numbers.size();
           });
  }

  // ---- rule 1

  void cover(std::vector<std::size_t>& anchors) const {
    std::set<std::int64_t> done = blocks_[anchors.front()];
    while (true) {
      std::size_t best = anchors.front();
      std::int64_t most = 0;
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const std::int64_t gain = std::count_if(blocks_[i].begin(), blocks_[i].end(),
                                                [&](auto block) { return done.count(block) == 0; });
        if (gain <= most) continue;
        most = gain;
        best = i;
      }
      if (most == 0) return;
      anchors.push_back(best);
      done.insert(blocks_[best].begin(), blocks_[best].end());
    }
  }

  /// Of the two, the one with more blocks is what the others' work differs from.
  std::string other_work(std::size_t first, std::size_t other) const {
    if (blocks_[first].size() < blocks_[other].size()) std::swap(first, other);
    std::vector<std::int64_t> others;
    for (const std::int64_t block : blocks_[other])
      if (blocks_[first].count(block) == 0) others.push_back(block);
    if (others.empty()) return "blocks do different work";
    const std::int64_t from = others.front();
    const std::int64_t to = others.back();
    const bool is_range = to - from + 1 == static_cast<std::int64_t>(others.size());
    std::string who = count_of(static_cast<std::int64_t>(others.size()), "block");
    if (is_range && from < to) who = fmt::format("blocks {} to {}", from, to);
    if (from == to) who = fmt::format("block {}", from);
    return fmt::format("{} {} other work (line {})", who, from == to ? "does" : "do",
                       probe_.anchors[other].line);
  }

  // ---- rule 2

  /// Nothing where some coordinate has no value there.
  std::optional<Tile> tile_at(std::size_t anchor, std::size_t row,
                              const std::vector<int>& numbers) const {
    Tile tile;
    for (const int number : numbers) {
      const int other = instead_[anchor][static_cast<std::size_t>(number)];
      const std::int64_t value = other < 0 ? kNotShown : tables_[anchor].at(other, row);
      if (value == kNotShown) return std::nullopt;
      tile.push_back(value);
    }
    return tile;
  }

  std::map<Tile, std::int64_t> tiles_of(const Showing& found) const {
    std::map<Tile, std::int64_t> owner;
    for (std::size_t row = 0; row < found.shown.rows(); ++row) {
      Tile tile;
      for (const int number : found.coordinates.numbers)
        tile.push_back(found.shown.at(number, row));
      owner.emplace(std::move(tile), found.shown.block[row]);
    }
    return owner;
  }

  /// An anchor that shows a tile which is not among those found; `shared_` where a tile is of two
  /// blocks.
  std::optional<std::size_t> with_other_tiles(const Showing& found) {
    std::map<Tile, std::int64_t> owner = tiles_of(found);
    std::optional<std::size_t> result;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const kernel::IndexAnchor& anchor = probe_.anchors[i];
      if (has(found.anchors, i) || anchor.is_local || !anchor.shows_numbers) continue;
      for (std::size_t row = 0; row < tables_[i].rows(); ++row) {
        const auto tile = tile_at(i, row, found.coordinates.numbers);
        if (!tile) break;
        const std::int64_t block = tables_[i].block[row];
        const auto [known, is_new] = owner.emplace(*tile, block);
        if (is_new && !result) result = i;
        if (known->second == block) continue;
        share(found, *tile, known->second, block);
        return std::nullopt;
      }
    }
    return result;
  }

  void share(const Showing& found, const Tile& tile, std::int64_t a, std::int64_t b) {
    std::string names;
    for (const int one : found.coordinates.numbers)
      names += (names.empty() ? "" : " x ") + probe_.numbers[static_cast<std::size_t>(one)].name;
    if (!shared_.empty() && (!found.is_found() || is_shared_box_)) return;
    is_shared_box_ = found.is_found();
    shared_ = fmt::format("blocks share tiles of {}: {} and {} both work on ({}) (stream-K)", names,
                          std::min(a, b), std::max(a, b), fmt::join(tile, ", "));
  }

  static bool has(const std::vector<std::size_t>& list, std::size_t one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  }

  const kernel::IndexProbe& probe_;
  std::vector<ShownRows> tables_;
  StandIns instead_;
  std::vector<std::set<std::int64_t>> blocks_;  ///< per anchor: those that get there
  std::string shared_;                          ///< a refusal that no other answer outweighs
  bool is_shared_box_ = false;                  ///< it is of tiles that fill a box
};

}  // namespace

Showing find_showing(const kernel::IndexProbe& probe) {
  return AnchorSearch(probe).run();
}

}  // namespace heddle::tiles
