#include "order/order.h"

#include <fmt/format.h>

#include "order/compact.h"
#include "order/digit_map.h"
#include "order/evaluate.h"
#include "order/lower.h"
#include "order/read.h"
#include "support/lists.h"
#include "support/text.h"

namespace heddle::order {

std::string Stage::text() const {
  std::string plain = written.empty() ? std::string(family->name) : written;
  if (!parameters.empty()) plain += fmt::format("({})", fmt::join(parameters, ", "));
  return inverted ? fmt::format("inverse({})", plain) : plain;
}

Shape Shape::of(const Space& space) {
  return {space.launch.axes(), space.tile_axes(), space.tiles.has_value()};
}

Order Order::from_stages(std::vector<Stage> stages) {
  Order order;
  order.origin_ = Origin::family;
  std::vector<std::string> parts;
  for (const Stage& stage : stages) {
    std::int64_t product = 1;
    if (stage.parameters.size() != stage.family->parameters.size()) {
      const std::string parameters = fmt::format("{}", fmt::join(stage.family->parameters, ", "));
      throw Error(fmt::format("{} takes {}, not {}", stage.family->name,
                              count_of(static_cast<std::int64_t>(stage.family->parameters.size()),
                                       "parameter"),
                              stage.parameters.size()),
                  parameters.empty() ? fmt::format("write {}", stage.family->name)
                                     : fmt::format("write {}({})", stage.family->name, parameters));
    }
    for (const std::int64_t parameter : stage.parameters) {
      if (parameter < 1 || parameter >= kBlockLimit || (product *= parameter) >= kBlockLimit) {
        throw Error(fmt::format("{}: parameters are at least 1 and their product is below 2^31",
                                stage.text()),
                    "write positive numbers, such as xcd(8) or xcd_chunk(8, 64)");
      }
    }
    parts.push_back(stage.text());
  }
  order.stages_ = std::move(stages);
  order.title_ = fmt::format("{}", fmt::join(parts, " | "));
  order.source_ = order.title_;
  return order;
}

Order Order::from_formula(std::string text, std::string source, ReadOptions options) {
  Order order;
  order.origin_ = Origin::formula;
  const bool is_short =
      source == kInline && text.size() <= 60 && text.find('\n') == std::string::npos;
  order.title_ = is_short ? text : source;
  order.text_ = std::move(text);
  order.source_ = std::move(source);
  order.options_ = std::move(options);
  return order;
}

Order Order::from_table(std::vector<std::int64_t> tiles, std::string source) {
  Order order;
  order.origin_ = Origin::table;
  order.table_ = std::move(tiles);
  order.title_ = source;
  order.source_ = std::move(source);
  return order;
}

Order Order::with_results(std::vector<std::string> results, std::string note) const {
  Order order = *this;
  order.options_.results = std::move(results);
  order.options_.results_note = std::move(note);
  return order;
}

Program Order::program(const Shape& shape, const Bindings& bindings) const {
  if (origin_ == Origin::table) {
    throw Error("an explicit table has no formula",
                "give a formula or a family instead of --order-table");
  }
  LowerOptions options;
  options.launch_axes = shape.launch_axes;
  options.tile_axes = shape.tile_axes;
  if (origin_ == Origin::family) {
    options.results = stages_results(shape);
    Program program = lower(stages_module(stages_, shape), options);
    program.notes.clear();
    return program;
  }
  options.results = options_.results;
  options.results_note = options_.results_note;
  options.rows_first = shape.own_tiles;
  options.bound = bindings.names();
  options.wide = bindings.wide_names();
  options.constexprs = {options_.constexprs.begin(), options_.constexprs.end()};
  try {
    return lower_formula(text_, source_, options_.language, options);
  } catch (const Error& error) {
    throw error.source().empty() ? error.in(source_) : error;
  }
}

Order compose(const Order& first, const Order& second) {
  if (first.origin() != Order::Origin::family || second.origin() != Order::Origin::family) {
    throw Error("only families compose as orders", "materialize formulas and compose their maps");
  }
  std::vector<Stage> stages = first.stages();
  append(stages, second.stages());
  return Order::from_stages(std::move(stages));
}

Order inverse(const Order& order) {
  if (order.origin() != Order::Origin::family) {
    throw Error("only families have an inverse formula",
                "materialize the order and invert its map");
  }
  std::vector<Stage> stages(order.stages().rbegin(), order.stages().rend());
  for (Stage& stage : stages) stage.inverted = !stage.inverted;
  return Order::from_stages(std::move(stages));
}

Map materialize(const Order& order, const Space& space, const Bindings& bindings) {
  if (order.origin() == Order::Origin::table) return order.table();
  if (const auto digits = digits_of(order))
    if (auto map = digit_map(*digits, space)) return std::move(*map);
  const Program program = order.program(Shape::of(space), bindings);
  Evaluator evaluator(program, space, bindings.values(program.names, space));
  Map map(static_cast<std::size_t>(space.block_count()));
  for (std::size_t first = 0; first < map.size(); first += kLanes) {
    const std::size_t count = std::min<std::size_t>(kLanes, map.size() - first);
    evaluator.run(LaunchId{static_cast<std::int64_t>(first)}, {map.data() + first, count});
  }
  return map;
}

std::optional<Map> invert(const Map& map) {
  Map result(map.size(), kIdle);
  for (std::size_t id = 0; id < map.size(); ++id) {
    const std::int64_t tile = map[id];
    if (tile < 0 || tile >= static_cast<std::int64_t>(map.size())) return std::nullopt;
    std::int64_t& slot = result[static_cast<std::size_t>(tile)];
    if (slot != kIdle) return std::nullopt;
    slot = static_cast<std::int64_t>(id);
  }
  return result;
}

std::optional<Map> compose(const Map& first, const Map& second) {
  Map result;
  result.reserve(first.size());
  for (const std::int64_t middle : first) {
    if (middle < 0 || middle >= static_cast<std::int64_t>(second.size())) return std::nullopt;
    result.push_back(second[static_cast<std::size_t>(middle)]);
  }
  return result;
}

}  // namespace heddle::order
