// Orders as values: a named family, a formula somebody wrote, or an explicit table.
//
//   Order remap = read_compact("xcd(8) | group(4)");
//   Map map = materialize(remap, space, {});        // map[launch id] = tile
//   Order back = inverse(remap);                    // group and xcd undone, in reverse
//
// Rules
//   1. Immutable; operations return new orders.
//   2. An order is symbolic: it has a program for every shape of space, and becomes a Map only on
//      a space of given size.
//   3. Making an order claims nothing: `proof` says whether it is a permutation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "order/bindings.h"
#include "order/family.h"
#include "order/program.h"
#include "order/space.h"

namespace heddle::order {

/// One family with its parameters, or its inverse.
struct Stage {
  const Family* family = nullptr;
  std::vector<std::int64_t> parameters;
  bool inverted = false;
  std::string written = {};  ///< how a family without a name of its own is written (digits.h)
  std::shared_ptr<const void> owner = {};  ///< keeps such a family

  /// "xcd(8)", "inverse(xcd(8))", "digits(a b=8 -> b a)".
  std::string text() const;
};

/// How many axes the launch and the tile space have; a program depends on nothing else of them.
struct Shape {
  int launch_axes = 1;
  int tile_axes = 1;
  bool own_tiles = false;  ///< --tiles was given

  static Shape of(const Space& space);
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// What reading a formula needs to know besides its text.
struct ReadOptions {
  std::optional<Language> language;  ///< else found from the text
  std::vector<std::string> results;
  std::vector<std::string> constexprs;
  std::string results_note = {};  ///< why these results were taken, where they were not given
};

/// The source of a formula given on the command line; a short one is its own title.
inline constexpr const char* kInline = "order";

class Order {
 public:
  enum class Origin { family, formula, table };

  static Order from_stages(std::vector<Stage> stages);
  static Order from_formula(std::string text, std::string source, ReadOptions options);
  static Order from_table(std::vector<std::int64_t> tiles, std::string source);

  Origin origin() const { return origin_; }
  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<std::int64_t>& table() const { return table_; }
  /// The compact form, or where the formula or table came from.
  const std::string& title() const { return title_; }
  const std::string& source() const { return source_; }

  /// The same formula, read for these names.
  Order with_results(std::vector<std::string> results, std::string note) const;

  /// The order as a program for spaces of this shape. Throws Error for tables, for a walk on a
  /// line, and for formulas that cannot be read.
  Program program(const Shape& shape, const Bindings& bindings) const;

 private:
  Origin origin_ = Origin::family;
  std::vector<Stage> stages_;
  std::string text_;
  std::string source_;
  std::string title_;
  ReadOptions options_;
  std::vector<std::int64_t> table_;
};

/// First `first`, then `second`. Families only.
Order compose(const Order& first, const Order& second);
/// Families only: the stages undone in reverse.
Order inverse(const Order& order);

/// An order on one space: the tile of each launch id, or kIdle, kOutside, kFailed.
using Map = std::vector<std::int64_t>;
Map materialize(const Order& order, const Space& space, const Bindings& bindings);
/// The map that undoes a permutation; nothing if it is not one.
std::optional<Map> invert(const Map& map);
/// second[first[i]]; nothing if an entry of first has no tile.
std::optional<Map> compose(const Map& first, const Map& second);

}  // namespace heddle::order
