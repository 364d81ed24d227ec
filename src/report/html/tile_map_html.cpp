#include "report/html/tile_map_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "report/html/markup.h"
#include "report/html/tile_cells.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr int kTileColours = 8;
constexpr int kPale = 2;            ///< steps
constexpr double kLongestSide = 3;  ///< over the other: cells are stretched beyond it
constexpr std::int64_t kMostLines = 64;
constexpr double kTenNanoseconds = 100;  ///< of a microsecond

/// How pale the colour of a die is that computes only some of a cell's tiles.
int paleness(const TileCell& cell) {
  if (cell.die < 0 || cell.die_share > 0.75) return 0;
  return cell.die_share > 0.5 ? 1 : 2;
}

/// Which of the colours a cell has; -1: none. Paler ones come after all others.
int colour_of(const TileCell& cell, const TileRun& run) {
  if (cell.first_turn < 0) return -1;
  if (run.dies > 1)
    return cell.die < 0 ? kTileColours
                        : cell.die % kTileColours + paleness(cell) * (kTileColours + 1);
  const auto turns = static_cast<std::int64_t>(run.tiles.size());
  return static_cast<int>(cell.first_turn * kTileColours / std::max<std::int64_t>(1, turns));
}

std::string pale_class(int paleness) {
  return paleness == 0 ? std::string() : fmt::format(" pale{}", paleness);
}

/// The cells of a colour as one path, neighbours of a row together.
std::string cells_path(const TilePlane& plane, const TileRun& run, int colour) {
  std::string path;
  for (std::int64_t row = 0; row < plane.cell_rows; ++row) {
    for (std::int64_t column = 0; column < plane.cell_columns;) {
      const auto is_it = [&](std::int64_t at) {
        const TileCell& cell = plane.cells[static_cast<std::size_t>(row * plane.cell_columns + at)];
        return cell.tiles > 0 && colour_of(cell, run) == colour;
      };
      if (!is_it(column)) {
        ++column;
        continue;
      }
      const std::int64_t first = column;
      while (column < plane.cell_columns && is_it(column)) ++column;
      fmt::format_to(std::back_inserter(path), "M{} {}h{}v1h-{}z", first, row, column - first,
                     column - first);
    }
  }
  return path;
}

bool has_missed(const TilePlane& plane) {
  return std::ranges::any_of(plane.cells, [](const TileCell& cell) { return cell.is_missed(); });
}
bool has_repeated(const TilePlane& plane) {
  return std::ranges::any_of(plane.cells, [](const TileCell& cell) { return cell.is_repeated(); });
}

/// Tiles that nothing computes are crossed out, those that several blocks compute have a dot.
std::string wrong_svg(const TilePlane& plane) {
  std::string missed;
  std::string repeated;
  for (std::size_t i = 0; i < plane.cells.size(); ++i) {
    const auto column = static_cast<std::int64_t>(i) % plane.cell_columns;
    const auto row = static_cast<std::int64_t>(i) / plane.cell_columns;
    if (plane.cells[i].is_missed()) missed += fmt::format("M{} {}l1 1m0 -1l-1 1", column, row);
    if (plane.cells[i].is_repeated()) repeated += fmt::format("M{}.3 {}.3h.4v.4h-.4z", column, row);
  }
  std::string text;
  if (!missed.empty()) text += fmt::format("<path class=\"missed\" d=\"{}\"/>", missed);
  if (!repeated.empty()) text += fmt::format("<path class=\"repeated\" d=\"{}\"/>", repeated);
  return text;
}

/// Lines between tiles, where there are few enough to see them.
std::string lines_path(const TilePlane& plane) {
  if (plane.cell_rows > kMostLines || plane.cell_columns > kMostLines) return {};
  std::string path;
  for (std::int64_t x = 1; x < plane.cell_columns; ++x)
    path += fmt::format("M{} 0V{}", x, plane.cell_rows);
  for (std::int64_t y = 1; y < plane.cell_rows; ++y)
    path += fmt::format("M0 {}H{}", y, plane.cell_columns);
  return path.empty() ? path : fmt::format("<path class=\"between\" d=\"{}\"/>", path);
}

std::string marks_svg(const TileMap& map, const TilePlane& plane, bool is_close_up) {
  std::string text;
  for (const TileMap::Mark& mark : map.marks) {
    if (mark.tile < 0 || mark.tile >= map.run->tile_count()) continue;
    const std::int64_t row = mark.tile / plane.columns / (is_close_up ? 1 : plane.row_tiles);
    const std::int64_t column = mark.tile % plane.columns / (is_close_up ? 1 : plane.column_tiles);
    if (row >= plane.cell_rows || column >= plane.cell_columns) continue;
    text += fmt::format(
        "<g class=\"counterexample\"><rect x=\"{}\" y=\"{}\" width=\"1\" "
        "height=\"1\"/><title>{}</title></g>",
        column, row, html_text(mark.text));
  }
  return text;
}

template <class Value>
void add_numbers(std::string& json, const char* name, const TilePlane& plane, Value value) {
  fmt::format_to(std::back_inserter(json), ",\"{}\":[", name);
  for (std::size_t i = 0; i < plane.cells.size(); ++i)
    fmt::format_to(std::back_inserter(json), "{}{}", i == 0 ? "" : ",",
                   static_cast<std::int64_t>(value(plane.cells[i])));
  json += ']';
}

/// What the script needs to know of the cells. Axes are names of others: < is escaped.
std::string cells_json(const TileRun& run, const TilePlane& plane) {
  std::string json = fmt::format(
      "{{\"rows\":{},\"columns\":{},\"rowTiles\":{},\"columnTiles\":{},\"tileColumns\":{},"
      "\"turns\":{},\"replayed\":{},\"dies\":{},\"extents\":[",
      plane.cell_rows, plane.cell_columns, plane.row_tiles, plane.column_tiles, plane.columns,
      run.tiles.size(), run.turns.size(), run.dies);
  for (std::size_t i = 0; i < run.axes.size(); ++i)
    json += fmt::format("{}{}", i == 0 ? "" : ",", run.axes[i].extent);
  json += "]";
  add_numbers(json, "turn", plane, [](const TileCell& cell) { return cell.first_turn; });
  add_numbers(json, "die", plane,
              [](const TileCell& cell) { return cell.tiles == 0 ? -2 : cell.die; });
  if (plane.is_aggregated())
    add_numbers(json, "share", plane, [](const TileCell& cell) { return 100 * cell.die_share; });
  const bool has_wrong = std::ranges::any_of(
      plane.cells, [](const TileCell& cell) { return cell.is_repeated() || cell.is_missed(); });
  if (has_wrong) add_numbers(json, "runs", plane, [](const TileCell& cell) { return cell.runs; });
  if (!run.turns.empty()) {
    add_numbers(json, "start", plane, [](const TileCell& cell) {
      return cell.is_replayed ? std::llround(cell.start_us * kTenNanoseconds) : -1;
    });
    add_numbers(json, "end", plane, [](const TileCell& cell) {
      return cell.is_replayed ? std::llround(cell.end_us * kTenNanoseconds) : -1;
    });
    add_numbers(json, "misses", plane, [](const TileCell& cell) {
      return cell.is_replayed ? std::llround(cell.l2_misses) : -1;
    });
    for (std::size_t cause = 0; cause < TileRun::kCauses && !run.causes.empty(); ++cause)
      add_numbers(json, fmt::format("cause{}", cause).c_str(), plane, [&](const TileCell& cell) {
        return cell.is_replayed ? std::llround(cell.causes[cause]) : -1;
      });
  }
  return json + "}";
}

/// Width over height, as it is drawn.
double aspect_of(const TilePlane& plane) {
  const double aspect = static_cast<double>(plane.cell_columns) /
                        static_cast<double>(std::max<std::int64_t>(1, plane.cell_rows));
  return std::clamp(aspect, 1 / kLongestSide, kLongestSide);
}

std::string plane_svg(const TileMap& map, const TilePlane& plane, const std::string& label,
                      bool is_close_up) {
  const double aspect = aspect_of(plane);
  constexpr double kSide = 600;
  const double width = aspect >= 1 ? kSide : kSide * aspect;
  const double height = aspect >= 1 ? kSide / aspect : kSide;
  std::string text = fmt::format(
      "<svg class=\"tiles {}\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\" "
      "preserveAspectRatio=\"none\" role=\"img\" tabindex=\"0\" aria-label=\"{}\">"
      "<path class=\"never\" d=\"{}\"/>",
      map.run->dies > 1 ? "by-die" : "by-turn", number(width), number(height), plane.cell_columns,
      plane.cell_rows, html_text(label), cells_path(plane, *map.run, -1));
  const int last = plane.is_aggregated() ? (kPale + 1) * (kTileColours + 1) : kTileColours + 1;
  for (int colour = 0; colour < last; ++colour)
    text +=
        fmt::format("<path class=\"k{}{}\" d=\"{}\"/>", colour % (kTileColours + 1),
                    pale_class(colour / (kTileColours + 1)), cells_path(plane, *map.run, colour));
  return text + lines_path(plane) + wrong_svg(plane) +
         "<path class=\"later\"/><path class=\"flying\"/>" + marks_svg(map, plane, is_close_up) +
         "<rect class=\"cursor\" width=\"1\" height=\"1\" visibility=\"hidden\"/></svg>";
}

std::string axis_words(const TileRun& run, const TilePlane& plane) {
  if (plane.is_wrapped)
    return fmt::format("{} in a line, {} a row", count_of(run.tile_count(), "tile"), plane.columns);
  if (run.axes.size() < 2) return count_of(run.tile_count(), "tile");
  std::string down;
  for (std::size_t i = 0; i + 1 < run.axes.size(); ++i)
    down += fmt::format("{}{} ({})", i == 0 ? "" : ", ", run.axes[i].name, run.axes[i].extent);
  return fmt::format("{} down, {} ({}) to the right", down, run.axes.back().name,
                     run.axes.back().extent);
}

std::string legend_of(const TileRun& run, const TilePlane& plane) {
  const bool has_mixed = std::ranges::any_of(
      plane.cells, [](const TileCell& cell) { return cell.runs > 0 && cell.die < 0; });
  const bool has_pale = std::ranges::any_of(
      plane.cells, [](const TileCell& cell) { return cell.runs > 0 && paleness(cell) > 0; });
  std::string text = "<ul class=\"legend tiles-legend\">";
  const auto add = [&](const std::string& classes, const std::string& words) {
    text += fmt::format(
        "<li><svg class=\"tiles {}\" width=\"16\" height=\"16\" aria-hidden=\"true\"><rect "
        "class=\"{}\" x=\"1\" y=\"1\" width=\"14\" height=\"14\"/></svg> {}</li>",
        run.dies > 1 ? "by-die" : "by-turn", classes, words);
  };
  if (run.dies > 1) {
    for (int die = 0; die < std::min(run.dies, kTileColours); ++die)
      add(fmt::format("k{}", die),
          fmt::format("die {}{}", die, run.dies > kTileColours ? ", ..." : ""));
    if (has_pale) {
      add("k0 pale1", "three quarters of a cell or less");
      add("k0 pale2", "half or less");
    }
    if (has_mixed) add(fmt::format("k{}", kTileColours), "shared equally by several dies");
  } else {
    add("k0", "launched first");
    add(fmt::format("k{}", kTileColours - 1), "launched last");
  }
  if (has_missed(plane))
    text +=
        "<li><svg class=\"tiles\" width=\"16\" height=\"16\" aria-hidden=\"true\"><rect "
        "class=\"never\" x=\"1\" y=\"1\" width=\"14\" height=\"14\"/><path class=\"missed\" "
        "d=\"M1 1l14 14M15 1l-14 14\"/></svg> never computed</li>";
  if (has_repeated(plane))
    text +=
        "<li><svg class=\"tiles\" width=\"16\" height=\"16\" aria-hidden=\"true\"><path "
        "class=\"repeated\" d=\"M5 5h6v6h-6z\"/></svg> computed more than once</li>";
  return text + "</ul>";
}

std::string one_plane(const TileMap& map, const TilePlane& plane, const std::string& id,
                      const std::string& label, bool is_close_up) {
  return fmt::format("<div class=\"plane\" data-map=\"{0}\">{1}</div>", id,
                     plane_svg(map, plane, label, is_close_up)) +
         fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>", id,
                     cells_json(*map.run, plane));
}

}  // namespace

std::string tile_map_html(const TileMap& map, const std::string& id) {
  if (!map.run || map.run->tile_count() <= 0 || map.run->dies < 1) return {};
  const TileRun& run = *map.run;
  const TilePlane plane = tile_plane(run);
  const std::string label = fmt::format("tile map of {}: {}", map.name, axis_words(run, plane));
  std::string text = fmt::format(
      "<div class=\"controls\" hidden><button type=\"button\" class=\"play\" aria-label=\"play the "
      "launch of {0}\">&#9654;</button><input type=\"range\" min=\"0\" max=\"1000\" value=\"1000\" "
      "aria-label=\"how much of the launch of {0} has started\"><label class=\"colours\">colour by "
      "<select></select></label><output></output></div>",
      html_text(map.name));
  text += fmt::format("<div class=\"planes\"><div><p class=\"axes\">{}{}</p>{}</div>",
                      html_text(axis_words(run, plane)),
                      plane.is_aggregated() ? fmt::format("; a cell is {} x {} tiles",
                                                          plane.row_tiles, plane.column_tiles)
                                            : "",
                      one_plane(map, plane, id, label, false));
  if (plane.is_aggregated()) {
    const TilePlane part = close_up(run);
    text += fmt::format("<div><p class=\"axes\">close-up: the first {} x {} tiles</p>{}</div>",
                        part.cell_rows, part.cell_columns,
                        one_plane(map, part, id + "-close-up", "close-up of the " + label, true));
  }
  text += "</div>" + legend_of(run, plane);
  return text;
}

}  // namespace heddle::report
