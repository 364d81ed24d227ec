#include "order_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "order/read.h"
#include "order/tile_reading.h"
#include "support/file.h"
#include "support/text.h"

namespace heddle::tool {
namespace {

std::vector<std::string> split_names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    for (const std::string_view part : split(text, ',')) {
      if (!trim(part).empty()) names.emplace_back(trim(part));
    }
  }
  return names;
}

Error no_grid() {
  return Error("no grid is given", "add --grid 256x256, --grids 1..4096 or --all-sizes");
}

}  // namespace

void OrderArguments::add_reading(Verb verb) {
  verb.add_option("--let", lets,
                  "values of free names: M=8192,BLOCK=32 (may be expressions over g0 g1 g2)")
      .type_name("NAME=VALUE,...")
      .allow_extra_args(false);
  verb.add_option("--result", results, "names of the tile index, axis 0 first: pid_m,pid_n")
      .type_name("NAME,...")
      .allow_extra_args(false);
  verb.add_option("--constexpr", constexprs,
                  "names given by --let that are tl.constexpr (they divide as in Python)")
      .type_name("NAME,...")
      .allow_extra_args(false);
  verb.add_option("--source", language, "language of the order: triton or c; detected by default")
      .one_of({"triton", "c"});
  verb.add_option("--tiles", tiles, "tile space of an order that gives a row and a column: 48x36")
      .type_name("ROWSxCOLS");
}

void OrderArguments::add_order(Verb verb) {
  verb.add_option("--order,ORDER", order,
                  "a file, '-', the compact form or a formula: \"xcd(8) | group(4)\"");
  verb.add_option("--order-table", table,
                  "a table of tiles, one per launch id (text or .npy; -1: the block does nothing)")
      .type_name("FILE");
  add_reading(verb);
}

order::ReadOptions OrderArguments::read_options() const {
  order::ReadOptions options;
  if (!language.empty())
    options.language = language == "c" ? order::Language::c_like : order::Language::triton;
  options.results = split_names(results);
  options.constexprs = split_names(constexprs);
  return options;
}

order::Order OrderArguments::read(std::optional<std::int64_t> blocks) const {
  if (order.empty() == table.empty()) {
    throw Error(order.empty() ? "no order is given" : "ORDER and --order-table exclude each other",
                "give a file, '-', the compact form such as \"xcd(8)\", or --order-table FILE");
  }
  if (text) return order::Order::from_formula(*text, display_name(order), read_options());
  if (table.empty()) return order::read_order(order, read_options());
  return order::read_table(table,
                           std::min(blocks.value_or(order::kMostListed), order::kMostListed));
}

void SizeArguments::add(Verb verb) {
  verb.add_option("--grid", grid, "the launch grid: 4096, 256x256, 64x64x8").type_name("GRID");
  verb.add_option("--grids", grids, "every launch grid of a range: 1..4096, 1..64x1..64")
      .type_name("RANGE");
  verb.add_flag("--all-sizes", all_sizes,
                "every grid under 2^31 blocks, in int32 without overflow");
  verb.add_option("--axes", axes, "with --all-sizes: axes of the launch grid").range(1, 3);
  verb.add_option("--tile-axes", tile_axes,
                  "with --all-sizes: a 1-D launch over a tile space of 2 or 3 axes")
      .range(2, 3);
  verb.add_option("--time-limit", time_limit_s,
                  "time limit for counting grids and for Z3, in seconds of processor time")
      .range(1, 86400)
      .capture_default_str();
}

std::optional<order::SpaceRange> SizeArguments::range(const OrderArguments& order) const {
  auto given = given_range(order);
  if (!given && !all_sizes) throw no_grid();
  return given;
}

std::optional<order::SpaceRange> SizeArguments::given_range(const OrderArguments& order) const {
  if (!grid.empty() && !grids.empty())
    throw Error("--grid and --grids exclude each other", "give one of them");
  if (!grid.empty() && grid.find("..") != std::string::npos)
    throw Error("--grid takes one grid", "use --grids for a range");
  const std::string& chosen = grid.empty() ? grids : grid;
  if (chosen.empty() && order.tiles.empty()) return std::nullopt;
  return order::SpaceRange(chosen, order.tiles, order.bindings());
}

order::Shape SizeArguments::shape(const order::Order& order,
                                  const OrderArguments& arguments) const {
  if (tile_axes > 0) return {1, tile_axes, true};
  if (axes > 0) return {axes, axes, false};
  if (!grid.empty() || !grids.empty()) {
    const order::Shape given = range(arguments)->shape();
    if (given.own_tiles && given.launch_axes > 1) {
      throw Error("--all-sizes covers own tile spaces for 1-D launches only",
                  "use --tile-axes, or check a range");
    }
    return given;
  }
  if (!arguments.tiles.empty())
    return {1, static_cast<int>(order::split_extents(arguments.tiles).size()), true};
  // Walks need a plane; formulas need as many axes as they name.
  int needed = 1;
  if (order.origin() == order::Order::Origin::family) {
    for (const order::Stage& stage : order.stages()) {
      if (stage.family->kind == order::FamilyKind::walk) needed = 2;
    }
    return {needed, needed, false};
  }
  const order::Program program = order.program({1, 1, false}, arguments.bindings());
  for (const order::Node& node : program.nodes) {
    if (node.kind == order::Node::Kind::launch)
      needed = std::max(needed, static_cast<int>(node.value) + 1);
  }
  return {needed, needed, false};
}

SizedOrder SizeArguments::read(const OrderArguments& arguments, bool families_alone) const {
  auto range = given_range(arguments);
  std::optional<std::int64_t> blocks;
  if (range && range->is_single()) blocks = range->first().block_count();
  SizedOrder sized{arguments.read(blocks), std::move(range), {}, {}, {}};
  const bool is_family = sized.order.origin() == order::Order::Origin::family;
  if (all_sizes || (families_alone && is_family))
    read_all_sizes(arguments, sized);
  else
    read_range(arguments, sized);
  return sized;
}

void SizeArguments::read_all_sizes(const OrderArguments& arguments, SizedOrder& sized) const {
  sized.all_sizes = shape(sized.order, arguments);
  if (has_grid() || !arguments.tiles.empty() || axes > 0 || tile_axes > 0) return;
  const order::TileAxes found = order::read_tile_axes(sized.order, arguments.bindings());
  sized.doubt = found.doubt;
  sized.open = found.reason;
  if (found.axes < 2) return;
  sized.all_sizes = order::Shape{1, found.axes, true};
  if (!found.results.empty()) sized.order = sized.order.with_results(found.results, found.note);
}

/// Finds the tile space of a launch on a line where the text yields a row and a column.
void SizeArguments::read_range(const OrderArguments& arguments, SizedOrder& sized) const {
  const order::Bindings bindings = arguments.bindings();
  const bool is_line = sized.range && sized.range->shape() == order::Shape{1, 1, false};
  if (!sized.range && sized.order.origin() != order::Order::Origin::formula) throw no_grid();
  if (sized.range && !is_line) return;
  if (sized.range && !sized.range->is_single()) {
    const auto reader = order::tile_reader(sized.order, bindings);
    std::optional<order::TileReading> first;
    sized.range->for_each([&](const order::Space& space) {
      try {
        const order::TileReading reading = reader(space.block_count());
        if (!first) first = reading;
        if (reading.tiles.empty() && first->tiles.empty()) return false;  // a linear id
        if (reading.results == first->results && reading.tiles.size() == first->tiles.size())
          return true;
        sized.open = fmt::format("on grid {} other names are the tile index than on the first",
                                 space.launch.text());
      } catch (const Error& error) {
        sized.open = fmt::format("grid {}: {}", space.launch.text(), error.message());
      }
      return false;
    });
    if (!first || !sized.open.empty()) return;
    sized.doubt = first->doubt;
    if (first->tiles.empty()) return;
    // The extents of the first grid are not those of the others.
    const std::string note = first->note.substr(0, first->note.find(" = ")) + ")";
    if (!first->results.empty()) sized.order = sized.order.with_results(first->results, note);
    sized.range = order::SpaceRange(grids, static_cast<int>(first->tiles.size()),
                                    [reader](std::int64_t blocks) { return reader(blocks).tiles; });
    return;
  }
  std::optional<std::int64_t> blocks;
  if (sized.range) blocks = sized.range->first().block_count();
  const order::TileReading reading = order::read_tiles(sized.order, bindings, blocks);
  sized.doubt = reading.doubt;
  if (reading.tiles.empty()) return;
  if (!reading.results.empty())
    sized.order = sized.order.with_results(reading.results, reading.note);
  sized.range = order::SpaceRange(
      blocks ? grid : fmt::format("{}", order::Space{Grid({1}), Grid(reading.tiles)}.tile_count()),
      fmt::format("{}", fmt::join(reading.tiles, "x")), bindings);
}

void SizedOrder::refuse_doubtful(Verdict verdict) const {
  if (verdict != Verdict::refuted || doubt.empty()) return;
  throw Error(doubt, "name the tile index with --result, and its space with --tiles ROWSxCOLS");
}

}  // namespace heddle::tool
