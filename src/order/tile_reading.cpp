#include "order/tile_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "order/axis_name.h"
#include "order/tile_counts.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::order {
namespace {

constexpr const char* kHint =
    "give the tile space with --tiles ROWSxCOLS, and the names with --result row,col";

Space line_of(std::int64_t blocks) {
  Space space;
  space.launch = Grid({blocks});
  return space;
}

/// One axis of the index: a name, and what the text counts on that axis.
struct Axis {
  std::string name;
  const std::vector<TileCount>* counts = nullptr;  ///< null: the text does not count it
};

/// One way to give every counted axis an extent.
struct Choice {
  std::vector<std::int64_t> extents;  ///< 0: not counted
  std::vector<std::string> names;     ///< of the counts
  std::int64_t product = 1;
};

class Reader {
 public:
  Reader(const Order& order, const Bindings& bindings)
      : program_(order.program({1, 1, false}, bindings)),
        flow_(program_, program_.own),
        counts_(program_, flow_, bindings) {
    if (program_.results_given)
      take_given();
    else
      find_index();
  }

  bool uses_one_axis() const {
    return std::ranges::none_of(program_.nodes, [](const Node& node) {
      return node.kind == Node::Kind::launch && node.value > 0;
    });
  }
  bool is_linear() const { return index_.size() + uncounted_.size() < 2 && !is_tuple_; }
  const std::vector<Axis>& index() const { return index_; }
  const std::vector<Axis>& uncounted() const { return uncounted_; }
  const Program& program() const { return program_; }

  /// Why a linear id may not be what the text means; empty where nothing else can be.
  std::string doubt() const;
  std::string ending() const;
  /// Every choice of extents on a space; `index` may have axes without counts.
  std::vector<Choice> choices(const std::vector<Axis>& index, const Space& space) const;

 private:
  std::string name(int slot) const { return program_.variables[static_cast<std::size_t>(slot)]; }
  bool is_counted(int slot) const { return counts_.has(axis_of(name(slot))); }
  Axis axis(const std::string& name) const {
    const std::string key = axis_of(name);
    return {name, counts_.has(key) ? &counts_.of(key) : nullptr};
  }
  void take_given();
  void find_index();
  std::vector<int> unread_without_offsets() const;
  std::map<std::string, int> counted_names(const std::vector<int>& open) const;

  const Program program_;
  const Flow flow_;
  const TileCounts counts_;
  std::vector<Axis> index_;      ///< names with counts, or all that are given
  std::vector<Axis> uncounted_;  ///< further names that nothing reads
  bool is_tuple_ = false;        ///< the program yields several values
};

void Reader::take_given() {
  is_tuple_ = program_.results.size() > 1;
  for (const std::string& each : program_.result_names) index_.push_back(axis(each));
}

/// The names that nothing reads, an offset standing for the counted name it is made of.
std::vector<int> Reader::unread_without_offsets() const {
  std::vector<int> result;
  for (int slot : flow_.unread()) {
    const auto base = flow_.offset_of(slot);
    if (!is_counted(slot) && base && is_counted(*base)) slot = *base;
    if (!is_one_of(slot, result)) result.push_back(slot);
  }
  return result;
}

/// One name for every axis that is counted; rule 1 of tile_reading.h.
std::map<std::string, int> Reader::counted_names(const std::vector<int>& open) const {
  std::map<std::string, int> chosen;
  const auto is_open = [&](int slot) { return is_one_of(slot, open); };
  for (const int slot : program_.own) {  // the last assigned name of an axis stays
    if (flow_.is_index(slot) && is_counted(slot) && !is_open(slot))
      chosen[axis_of(name(slot))] = slot;
  }
  std::set<std::string> seen;
  for (const int slot : open) {
    if (!is_counted(slot)) continue;
    const std::string key = axis_of(name(slot));
    if (!seen.insert(key).second) {
      throw Error(fmt::format("the order ends in both {} and {}, which may be the same axis",
                              name(chosen.at(key)), name(slot)),
                  kHint);
    }
    chosen[key] = slot;
  }
  const auto belongs = [&](int reader) {
    const auto base = flow_.offset_of(reader);
    return std::ranges::any_of(chosen, [&](const auto& entry) {
      return entry.second == reader || (base && entry.second == *base);
    });
  };
  for (bool changed = true; changed;) {  // a name that something else reads is intermediate
    changed = false;
    for (auto entry = chosen.begin(); entry != chosen.end(); ++entry) {
      const std::set<int> readers = flow_.readers(entry->second);
      if (is_open(entry->second) || std::ranges::all_of(readers, belongs)) continue;
      chosen.erase(entry);
      changed = true;
      break;
    }
  }
  const bool any_open =
      std::ranges::any_of(chosen, [&](const auto& entry) { return is_open(entry.second); });
  return any_open ? chosen : std::map<std::string, int>{};
}

void Reader::find_index() {
  is_tuple_ = program_.results.size() > 1;
  const std::vector<int> open = unread_without_offsets();
  const std::map<std::string, int> chosen = counted_names(open);
  std::set<int> taken;
  for (const auto& [key, slot] : chosen) taken.insert(slot);
  std::vector<std::string> names;
  for (const int slot : program_.own) {
    if (taken.count(slot) > 0) names.push_back(name(slot));
  }
  sort_rows_first(names);
  for (const std::string& each : names) index_.push_back(axis(each));
  for (const int slot : open) {
    if (taken.count(slot) == 0) uncounted_.push_back({name(slot), nullptr});
  }
}

std::string Reader::ending() const {
  std::vector<std::string> names;
  for (const auto* list : {&index_, &uncounted_}) {
    for (const Axis& each : *list) names.push_back(each.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string Reader::doubt() const {
  if (program_.results_given || index_.size() + uncounted_.size() < 2) return {};
  return fmt::format(
      "{} may be the tile index, and taken alone {} is not a permutation; the text does not say "
      "which",
      ending(), fmt::join(program_.result_names, ", "));
}

std::vector<Choice> Reader::choices(const std::vector<Axis>& index, const Space& space) const {
  std::vector<Choice> result = {{}};
  for (const Axis& each : index) {
    std::map<std::int64_t, std::string> values;  // one name for each
    if (each.counts == nullptr) values[0] = "";
    for (std::size_t i = 0; each.counts != nullptr && i < each.counts->size(); ++i) {
      const TileCount& count = (*each.counts)[i];
      if (const auto value = counts_.value(count, space)) values.emplace(*value, count.name);
    }
    std::vector<Choice> longer;
    for (const Choice& choice : result) {
      for (const auto& [value, count] : values) {
        Choice next = choice;
        next.extents.push_back(value);
        if (value > 0) next.names.push_back(count);
        next.product = std::min(kBlockLimit, next.product * std::max<std::int64_t>(1, value));
        longer.push_back(std::move(next));
      }
      if (longer.size() > 1024) throw Error("the text counts too many things", kHint);
    }
    result = std::move(longer);
  }
  return result;
}

std::string product_text(const Choice& choice) {
  std::vector<std::int64_t> extents;
  for (const std::int64_t extent : choice.extents) {
    if (extent > 0) extents.push_back(extent);
  }
  return fmt::format("{} = {}", fmt::join(choice.names, " x "), fmt::join(extents, "x"));
}

/// The one choice that makes up all blocks; an axis that is not counted takes what is left.
std::optional<Choice> fitting(std::vector<Choice> choices, std::int64_t blocks) {
  std::optional<Choice> found;
  for (Choice& choice : choices) {
    if (blocks % choice.product != 0) continue;
    const std::int64_t rest = blocks / choice.product;
    const auto open = std::ranges::find(choice.extents, 0);
    if (open == choice.extents.end() && rest != 1) continue;
    if (open != choice.extents.end()) {
      choice.names.insert(choice.names.begin() + (open - choice.extents.begin()), "the rest");
      *open = rest;
    }
    if (found && found->extents != choice.extents) {
      throw Error(fmt::format("the tile space may be {} or {}", fmt::join(found->extents, "x"),
                              fmt::join(choice.extents, "x")),
                  kHint);
    }
    found = std::move(choice);
  }
  return found;
}

TileReading reading_of(const std::vector<Axis>& index, const Choice& choice, bool given) {
  TileReading reading;
  std::vector<std::string> names;
  for (const Axis& each : index) names.push_back(each.name);
  reading.tiles = choice.extents;
  if (!given) {
    reading.results = names;
    reading.note = fmt::format("result: {} (in {})", fmt::join(names, ", "), product_text(choice));
  }
  return reading;
}

/// Without a launch, the tiles that the text counts are the launch.
TileReading reading_of_counts(const Reader& reader) {
  const Error unclear("no grid is given", "add --grid 256x256, --grids 1..4096 or --all-sizes");
  const std::vector<Axis>& index = reader.index();
  const bool counted =
      std::ranges::all_of(index, [](const Axis& each) { return each.counts != nullptr; });
  if (index.size() < 2 || !counted || !reader.uncounted().empty()) throw unclear;
  const std::vector<Choice> choices = reader.choices(index, line_of(1));
  const std::vector<Choice> elsewhere = reader.choices(index, line_of(1009));
  if (choices.size() != 1 || elsewhere.size() != 1 || choices[0].extents != elsewhere[0].extents ||
      choices[0].product >= kBlockLimit)
    throw unclear;
  return reading_of(index, choices[0], reader.program().results_given);
}

[[noreturn]] void fail(const Reader& reader, const std::vector<Choice>& choices,
                       std::int64_t blocks) {
  if (choices.size() == 1 && !choices[0].names.empty()) {
    throw Error(fmt::format("the order ends in {}; {} does not make up the {} of the launch",
                            reader.ending(), product_text(choices[0]), count_of(blocks, "block")),
                kHint);
  }
  throw Error(fmt::format("the order ends in {}, and the text does not say how many tiles each has",
                          reader.ending()),
              kHint);
}

TileReading reading_on(const Reader& reader, std::int64_t blocks) {
  if (!reader.uses_one_axis() || reader.is_linear()) return {};
  const bool given = reader.program().results_given;
  std::vector<Axis> index = reader.index();
  std::vector<Choice> choices = reader.choices(index, line_of(blocks));
  std::optional<Choice> choice;
  const auto open = [](const Axis& each) { return each.counts == nullptr; };
  if (std::ranges::count_if(index, open) < 2 && !index.empty()) choice = fitting(choices, blocks);
  const auto& more = reader.uncounted();
  const bool is_alone = index.size() == 1 && reader.program().results.size() > 1;
  if ((!choice || is_alone) && !index.empty() && more.size() == 1 &&
      !axis_of(more[0].name).empty()) {
    index.insert(index.begin(), more[0]);
    std::vector<std::string> names;
    for (const Axis& each : index) names.push_back(each.name);
    sort_rows_first(names);
    std::ranges::sort(index, [&](const Axis& a, const Axis& b) {
      return std::ranges::find(names, a.name) < std::ranges::find(names, b.name);
    });
    choice = fitting(reader.choices(index, line_of(blocks)), blocks);
  }
  if (choice && index.size() > 1 && index.size() <= 3) return reading_of(index, *choice, given);
  if (reader.program().results.size() == 1) return {{}, {}, {}, reader.doubt()};
  fail(reader, choices, blocks);
}

}  // namespace

TileReading read_tiles(const Order& order, const Bindings& bindings,
                       std::optional<std::int64_t> blocks) {
  if (order.origin() != Order::Origin::formula) return {};
  const Reader reader(order, bindings);
  return blocks ? reading_on(reader, *blocks) : reading_of_counts(reader);
}

std::function<TileReading(std::int64_t)> tile_reader(const Order& order, const Bindings& bindings) {
  if (order.origin() != Order::Origin::formula) return [](std::int64_t) { return TileReading{}; };
  // The reader points at the bindings.
  const auto kept = std::make_shared<const Bindings>(bindings);
  const auto reader = std::make_shared<const Reader>(order, *kept);
  return [kept, reader](std::int64_t blocks) { return reading_on(*reader, blocks); };
}

TileAxes read_tile_axes(const Order& order, const Bindings& bindings) {
  TileAxes result;
  if (order.origin() != Order::Origin::formula) return result;
  const Reader reader(order, bindings);
  if (!reader.uses_one_axis() || reader.is_linear()) return result;
  const std::vector<Axis>& index = reader.index();
  if (index.size() < 2 && reader.program().results.size() == 1) {
    result.doubt = reader.doubt();
    return result;
  }
  result.axes = static_cast<int>(index.size());
  const bool counted =
      std::ranges::all_of(index, [](const Axis& each) { return each.counts != nullptr; });
  if (index.size() < 2 || index.size() > 3 || !counted || !reader.uncounted().empty()) {
    throw Error(
        fmt::format("the order ends in {}, and the text does not say how many tiles each has",
                    reader.ending()),
        "name the index with --result row,col and its axes with --tile-axes 2");
  }
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{3, 5, 2}, {7, 2, 4}, {16, 9, 1}, {1, 1, 6}}) {
    Space space;
    space.tiles = Grid({sizes.begin(), sizes.begin() + result.axes});
    space.launch = Grid({space.tiles->count()});
    const std::vector<Choice> choices = reader.choices(index, space);
    const bool follows = std::ranges::any_of(
        choices, [&](const Choice& choice) { return choice.extents == space.tiles->extents(); });
    if (follows) continue;
    result.reason =
        choices.size() == 1
            ? fmt::format(
                  "the text counts {} tiles whatever the size; bind its sizes to the tile "
                  "space, as in --let M=128*t0,N=128*t1",
                  product_text(choices[0]))
            : std::string("the tiles that the text counts are not those of every tile space");
    return result;
  }
  const bool given = reader.program().results_given;
  const TileReading reading = reading_of(index, reader.choices(index, line_of(1)).at(0), given);
  result.follows = true;
  result.results = reading.results;
  if (!given)
    result.note = fmt::format("result: {} (the last assigned)", fmt::join(reading.results, ", "));
  return result;
}

}  // namespace heddle::order
