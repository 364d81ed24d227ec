// The flags that every verb with an order shares: ORDER, --let, --result, --tiles, --order-table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags.h"
#include "order/bindings.h"
#include "order/order.h"
#include "order/space_range.h"

namespace heddle::tool {

struct OrderArguments {
  std::string order;
  std::string table;
  std::vector<std::string> lets;
  std::vector<std::string> results;
  std::vector<std::string> constexprs;
  std::string language;
  std::string tiles;

  /// --let, --result, --constexpr, --source, --tiles.
  void add_reading(Verb verb);
  /// ORDER and --order-table besides.
  void add_order(Verb verb);

  order::Bindings bindings() const { return order::Bindings(lets); }
  order::ReadOptions read_options() const;
  /// Exactly one of ORDER and --order-table must be there.
  order::Order read() const;
};

/// --grid, --grids, --all-sizes and what goes with them.
struct SizeArguments {
  std::string grid;
  std::string grids;
  bool all_sizes = false;
  int axes = 0;
  int tile_axes = 0;
  int time_limit_s = 60;

  void add(Verb verb);
  /// The grid or range of grids; nothing where only --all-sizes is given.
  std::optional<order::SpaceRange> range(const OrderArguments& order) const;
  /// The shape for --all-sizes: from --axes, the range, or the order itself.
  order::Shape shape(const order::Order& order, const OrderArguments& arguments) const;
};

}  // namespace heddle::tool
