// The flags that every verb with an order shares: ORDER, --let, --result, --tiles, --order-table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags.h"
#include "order/bindings.h"
#include "order/order.h"
#include "order/space_range.h"
#include "results/verdict.h"

namespace heddle::tool {

struct OrderArguments {
  std::string order;
  std::string table;
  std::vector<std::string> lets;
  std::vector<std::string> results;
  std::vector<std::string> constexprs;
  std::string language;
  std::string tiles;
  std::optional<std::string> text = {};  ///< what ORDER means, where that is not what it holds

  /// --let, --result, --constexpr, --source, --tiles.
  void add_reading(Verb verb);
  /// ORDER and --order-table besides.
  void add_order(Verb verb);

  order::Bindings bindings() const { return order::Bindings(lets); }
  order::ReadOptions read_options() const;
  /// Exactly one of ORDER and --order-table must be there. A table lists `blocks` ids at most.
  order::Order read(std::optional<std::int64_t> blocks = std::nullopt) const;
};

/// An order with the sizes it is asked about. An order for a 1-D launch that yields a row and a
/// column without --tiles is read for the tile space that its text counts (order/tile_reading.h).
struct SizedOrder {
  order::Order order;
  std::optional<order::SpaceRange> range;  ///< nothing where only --all-sizes is given
  std::optional<order::Shape> all_sizes;
  std::string doubt;  ///< other names could be the tile index: REFUTED would say too much
  std::string open;   ///< not empty: the sizes asked about are not those of the text, and why

  /// An Error that asks for --result where a refutation rests on a doubtful reading.
  void refuse_doubtful(Verdict verdict) const;
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
  /// `families_alone`: a family is asked about for all sizes, whatever the flags say.
  SizedOrder read(const OrderArguments& arguments, bool families_alone = false) const;
  /// Whether a flag asks about sizes.
  bool is_given() const { return has_grid() || all_sizes || axes > 0 || tile_axes > 0; }
  /// The grid or range of grids; nothing where only --all-sizes is given.
  std::optional<order::SpaceRange> range(const OrderArguments& order) const;

 private:
  bool has_grid() const { return !grid.empty() || !grids.empty(); }
  std::optional<order::SpaceRange> given_range(const OrderArguments& order) const;
  /// The shape for --all-sizes: from --axes, the range, or the order itself.
  order::Shape shape(const order::Order& order, const OrderArguments& arguments) const;
  void read_all_sizes(const OrderArguments& arguments, SizedOrder& sized) const;
  void read_range(const OrderArguments& arguments, SizedOrder& sized) const;
};

}  // namespace heddle::tool
