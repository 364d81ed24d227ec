#include "report/tile_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/clean_text.h"
#include "report/figures.h"
#include "report/optimization_facts.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kLongestMapName = 120;
constexpr std::size_t kBins = 60;      ///< of the time axis
constexpr int kMostDieLines = 8;       ///< more dies are one line, their mean
constexpr std::size_t kFirstIds = 64;  ///< launch ids in a table
constexpr int kMostDieRows = 512;

/// Tiles, misses and the end of each die.
Table die_table(const TileRun& run) {
  struct Sums {
    std::int64_t tiles = 0;
    double misses = 0;
    double end_us = 0;
  };
  std::vector<Sums> dies(static_cast<std::size_t>(run.dies));
  for (std::size_t turn = 0; turn < run.tiles.size(); ++turn) {
    if (run.tiles[turn] < 0) continue;
    Sums& die = dies[static_cast<std::size_t>(run.die_of(static_cast<std::int64_t>(turn)))];
    ++die.tiles;
    if (turn >= run.turns.size()) continue;
    die.misses += run.turns[turn].l2_misses;
    die.end_us = std::max<double>(die.end_us, run.turns[turn].end_us);
  }
  Table table{"Tiles of each die", {{"die", true}, {"tiles", true}}};
  if (!run.turns.empty())
    table.columns.insert(table.columns.end(), {{"L2 misses", true}, {"last tile ends", true}});
  for (int die = 0; die < std::min(run.dies, kMostDieRows); ++die) {
    const Sums& sums = dies[static_cast<std::size_t>(die)];
    std::vector<Text> row = {ours(std::to_string(die)), ours(with_separators(sums.tiles))};
    if (!run.turns.empty())
      row.insert(row.end(),
                 {ours(number_text(std::round(sums.misses))), ours(time_text(sums.end_us))});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string tile_index(const TileRun& run, std::int64_t tile) {
  std::vector<std::int64_t> index(run.axes.size());
  for (std::size_t axis = run.axes.size(); axis-- > 0;) {
    index[axis] = tile % run.axes[axis].extent;
    tile /= run.axes[axis].extent;
  }
  return index_text(index);
}

/// The first launch ids and what they compute.
Table first_ids_table(const TileRun& run) {
  const auto shown = static_cast<std::int64_t>(std::min(kFirstIds, run.tiles.size()));
  Table table{fmt::format("The first {}", count_of(shown, "launch id")),
              {{"launch id", true}, {"tile", true}, {"index"}, {"die", true}},
              {},
              {}};
  for (std::size_t turn = 0; turn < std::min(kFirstIds, run.tiles.size()); ++turn) {
    const std::int64_t tile = run.tiles[turn];
    const bool is_inside = tile >= 0 && tile < run.tile_count();
    table.rows.push_back({ours(std::to_string(turn)),
                          ours(is_inside ? with_separators(tile) : "none"),
                          ours(is_inside ? tile_index(run, tile) : ""),
                          ours(std::to_string(run.die_of(static_cast<std::int64_t>(turn))))});
  }
  return table;
}

/// Mean tiles that each die has in flight, in bins of time.
struct DieLoads {
  double bin_us = 0;
  std::vector<std::vector<double>> dies;
};

DieLoads die_loads(const TileRun& run) {
  DieLoads loads;
  double end = 0;
  for (const TileRun::Turn& turn : run.turns) end = std::max<double>(end, turn.end_us);
  if (end <= 0) return loads;
  loads.bin_us = end / static_cast<double>(kBins);
  loads.dies.assign(static_cast<std::size_t>(run.dies), std::vector<double>(kBins));
  for (std::size_t turn = 0; turn < run.turns.size(); ++turn) {
    const TileRun::Turn& seen = run.turns[turn];
    if (run.tiles[turn] < 0 || seen.end_us <= seen.start_us) continue;
    std::vector<double>& bins =
        loads.dies[static_cast<std::size_t>(run.die_of(static_cast<std::int64_t>(turn)))];
    const auto first = static_cast<std::size_t>(seen.start_us / loads.bin_us);
    for (std::size_t bin = first; bin < kBins; ++bin) {
      const double from = std::max<double>(seen.start_us, static_cast<double>(bin) * loads.bin_us);
      const double to = std::min<double>(seen.end_us, static_cast<double>(bin + 1) * loads.bin_us);
      if (to <= from) break;
      bins[bin] += (to - from) / loads.bin_us;
    }
  }
  return loads;
}

Plot::Series load_series(const std::string& name, const DieLoads& loads, std::size_t first,
                         std::size_t last) {
  Plot::Series series{name, Plot::Series::Kind::steps, {}, false};
  const auto count = static_cast<double>(last - first);
  double value = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    value = 0;
    for (std::size_t die = first; die < last; ++die) value += loads.dies[die][bin] / count;
    series.points.push_back({static_cast<double>(bin) * loads.bin_us, value, name, {}});
  }
  series.points.push_back({static_cast<double>(kBins) * loads.bin_us, value, name, {}});
  return series;
}

void add_die_load(const NamedReplay& replay, Document& page) {
  const TileRun& run = *replay.result->tiles;
  const DieLoads loads = die_loads(run);
  if (loads.dies.empty()) return;
  Plot plot;
  plot.x = {"time, us", false, 0.0};
  plot.y = {run.dies > 1 ? "tiles in flight on a die" : "tiles in flight", false, 0.0};
  Table table{"Tiles in flight over time", {{"from, us", true}}};
  const bool is_mean = run.dies > kMostDieLines;
  if (is_mean) {
    plot.series.push_back(load_series("mean of all dies", loads, 0, loads.dies.size()));
  } else {
    for (std::size_t die = 0; die < loads.dies.size(); ++die)
      plot.series.push_back(load_series(fmt::format("die {}", die), loads, die, die + 1));
  }
  plot.has_filter = plot.series.size() > 1;
  for (const Plot::Series& series : plot.series) table.columns.push_back({series.name, true});
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    std::vector<Text> row = {ours(fmt::format("{:.2f}", static_cast<double>(bin) * loads.bin_us))};
    for (const Plot::Series& series : plot.series)
      row.push_back(ours(fmt::format("{:.1f}", series.points[bin].y)));
    table.rows.push_back(std::move(row));
  }
  const std::size_t turns = run.turns.size();
  page.add(Picture{fmt::format("Load over time: {}", one_line(replay.name, kLongestMapName)),
                   turns < run.tiles.size()
                       ? fmt::format("The first {} of {} launch ids, which were replayed.",
                                     with_separators(static_cast<std::int64_t>(turns)),
                                     with_separators(std::ssize(run.tiles)))
                       : std::string(),
                   std::move(plot), std::move(table)});
}

/// A row a group, a column a series.
Table bars_table(const std::string& caption, const std::string& first, const Bars& bars) {
  Table table{caption, {{first}}};
  for (const std::string& series : bars.series) table.columns.push_back({series, true});
  for (const Bars::Group& group : bars.groups) {
    std::vector<Text> row = {group.label};
    for (const std::string& text : group.texts) row.push_back(ours(text));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_bars(const std::string& title, const std::string& caption, const std::string& first,
              Bars bars, Document& page) {
  if (bars.groups.empty()) return;
  Table table = bars_table(title, first, bars);
  page.add(Picture{title, caption, std::move(bars), std::move(table)});
}

std::vector<std::string> names_of(const std::vector<NamedReplay>& replays) {
  std::vector<std::string> names;
  for (const NamedReplay& replay : replays) names.push_back(one_line(replay.name, kLongestMapName));
  return names;
}

}  // namespace

void add_tile_maps(const std::vector<NamedReplay>& replays, Document& page) {
  for (const NamedReplay& replay : replays) {
    if (!replay.result->tiles) continue;
    const std::string name = one_line(replay.name, kLongestMapName);
    const bool has_dies = replay.result->tiles->dies > 1;
    page.add(Picture{
        "Tile map: " + name,
        has_dies ? "Colours show which die computes each tile; the slider steps through the launch."
                 : "Colours show when each tile is launched; the slider steps through the launch.",
        TileMap{name, replay.result->tiles, {}}, die_table(*replay.result->tiles)});
  }
}

void add_checked_map(const std::string& name, TileRun run,
                     const std::optional<Counterexample>& counterexample, Document& page) {
  TileMap map;
  map.name = one_line(name, kLongestMapName);
  if (counterexample && counterexample->tile)
    map.marks.push_back({counterexample->tile->value, counterexample->message});
  Table table = first_ids_table(run);
  map.run = std::make_shared<const TileRun>(std::move(run));
  page.add(Picture{
      "Tile map: " + map.name,
      map.marks.empty()
          ? "Colours show which die computes each tile; the slider steps through the launch."
          : "Colours show which die computes each tile; the slider steps through the launch. The "
            "counterexample is "
            "framed.",
      std::move(map), std::move(table)});
}

void add_die_loads(const std::vector<NamedReplay>& replays, Document& page) {
  for (const NamedReplay& replay : replays)
    if (replay.result->tiles) add_die_load(replay, page);
}

void add_miss_causes(const std::vector<NamedReplay>& replays, Document& page) {
  Bars bars{names_of(replays), {}};
  for (const NamedReplay& replay : replays)
    if (causes_of(*replay.result).empty()) return;
  const std::size_t causes = replays.empty() ? 0 : causes_of(*replays.front().result).size();
  for (std::size_t i = 0; i < causes; ++i) {
    Bars::Group group{causes_of(*replays.front().result)[i].name, {}, {}};
    for (const NamedReplay& replay : replays) {
      const auto count = static_cast<double>(causes_of(*replay.result)[i].count);
      group.values.emplace_back(count);
      group.texts.push_back(number_text(count));
    }
    bars.groups.push_back(std::move(group));
  }
  add_bars("L2 misses by cause", "A first touch is a cold miss, which no order avoids.", "cause",
           std::move(bars), page);
}

void add_utilization(const std::vector<NamedReplay>& replays, Document& page) {
  Bars bars{names_of(replays), {}};
  if (replays.empty()) return;
  for (const Utilization& one : replays.front().result->utilization) {
    Bars::Group group{one.resource, {}, {}};
    for (const NamedReplay& replay : replays) {
      const auto& all = replay.result->utilization;
      const auto it = std::ranges::find(all, one.resource, &Utilization::resource);
      group.values.push_back(it == all.end() ? std::nullopt : std::optional(it->percent));
      group.texts.push_back(it == all.end() ? "-" : percent_text(it->percent));
    }
    bars.groups.push_back(std::move(group));
  }
  add_bars(
      "How busy each resource is",
      "Share of the time in which each resource is busy. Near 100 % a resource limits the kernel.",
      "resource", std::move(bars), page);
}

void add_tensor_traffic(const TraceReport& memory, Document& page) {
  Bars bars{{"read by tiles", "written by tiles", "distinct lines"}, {}};
  for (const TensorSummary& tensor : memory.tensors) {
    const auto read = static_cast<double>(tensor.read_bytes);
    const auto written = static_cast<double>(tensor.written_bytes);
    std::optional<double> distinct;
    if (tensor.distinct_lines)
      distinct = static_cast<double>(*tensor.distinct_lines) * memory.line_bytes;
    bars.groups.push_back({one_line(tensor.name, 28),
                           {read, written, distinct},
                           {bytes_text(read), bytes_text(written),
                            distinct ? bytes_text(*distinct) : std::string("-")}});
  }
  add_bars("Traffic of each tensor",
           memory.tiles_traced < memory.tiles
               ? fmt::format("What {} of {} request; distinct lines are what any order must move.",
                             with_separators(memory.tiles_traced), count_of(memory.tiles, "tile"))
               : "Requests of all tiles together. Any order must move the distinct lines.",
           "tensor", std::move(bars), page);
}

}  // namespace heddle::report
