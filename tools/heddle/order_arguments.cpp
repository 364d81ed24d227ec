#include "order_arguments.h"

#include <fmt/format.h>

#include "order/read.h"
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

}  // namespace

void OrderArguments::add_reading(Verb verb) {
  verb.add_option("--let", lets,
                  "values of free names: M=8192,BLOCK=32 (expressions over g0 g1 g2 work)")
      .type_name("NAME=VALUE,...")
      .allow_extra_args(false);
  verb.add_option("--result", results, "names of the tile index, axis 0 first: pid_m,pid_n")
      .type_name("NAME,...")
      .allow_extra_args(false);
  verb.add_option("--constexpr", constexprs,
                  "bound names that are tl.constexpr (they divide as Python does)")
      .type_name("NAME,...")
      .allow_extra_args(false);
  verb.add_option("--source", language,
                  "language of the order: triton or c; found from the text otherwise")
      .one_of({"triton", "c"});
  verb.add_option("--tiles", tiles, "tile space of a launch that yields a row and a column: 48x36")
      .type_name("ROWSxCOLS");
}

void OrderArguments::add_order(Verb verb) {
  verb.add_option("--order,ORDER", order,
                  "a file, '-', the compact form or a formula: \"xcd(8) | group(4)\"");
  verb.add_option("--order-table", table,
                  "explicit tiles, one per launch id (text or .npy; -1 = does nothing)")
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

order::Order OrderArguments::read() const {
  if (order.empty() == table.empty()) {
    throw Error(order.empty() ? "no order is given" : "ORDER and --order-table exclude each other",
                "give a file, '-', the compact form such as \"xcd(8)\", or --order-table FILE");
  }
  return table.empty() ? order::read_order(order, read_options()) : order::read_table(table);
}

void SizeArguments::add(Verb verb) {
  verb.add_option("--grid", grid, "the launch grid: 4096, 256x256, 64x64x8").type_name("GRID");
  verb.add_option("--grids", grids, "every launch grid of a range: 1..4096, 1..64x1..64")
      .type_name("RANGE");
  verb.add_flag("--all-sizes", all_sizes, "every grid under 2^31 blocks, int32, no overflow");
  verb.add_option("--axes", axes, "with --all-sizes: axes of the launch grid").range(1, 3);
  verb.add_option("--tile-axes", tile_axes,
                  "with --all-sizes: a 1-D launch over a tile space of 2 or 3 axes")
      .range(2, 3);
  verb.add_option("--time-limit", time_limit_s, "seconds for counting grids and for Z3")
      .range(1, 86400)
      .capture_default_str();
}

std::optional<order::SpaceRange> SizeArguments::range(const OrderArguments& order) const {
  if (!grid.empty() && !grids.empty())
    throw Error("--grid and --grids exclude each other", "give one of them");
  if (!grid.empty() && grid.find("..") != std::string::npos)
    throw Error("--grid takes one grid", "use --grids for a range");
  const std::string& chosen = grid.empty() ? grids : grid;
  if (chosen.empty() && order.tiles.empty()) {
    if (all_sizes) return std::nullopt;
    throw Error("no grid is given", "add --grid 256x256, --grids 1..4096 or --all-sizes");
  }
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

}  // namespace heddle::tool
