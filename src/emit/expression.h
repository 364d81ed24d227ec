// Prints one value as an expression of a dialect, with the parentheses it needs and no more.
#pragma once

#include <array>
#include <map>
#include <string>

#include "emit/emit.h"
#include "emit/simplify.h"

namespace heddle::emit {

/// What Triton's module, its functions and the launch values are called in the code.
struct Spelling {
  std::string language = "tl";
  std::string minimum = "min";
  std::string maximum = "max";
  std::array<std::string, 3> launch = {"p0", "p1", "p2"};
  std::array<std::string, 3> grid = {"g0", "g1", "g2"};
  std::array<std::string, 3> extent = {"t0", "t1", "t2"};
};

class ExpressionPrinter {
 public:
  ExpressionPrinter(const Code& code, Dialect dialect, bool plain_division, Spelling spelling)
      : code_(code),
        dialect_(dialect),
        plain_division_(plain_division),
        spelling_(std::move(spelling)) {}

  /// From now on this node is printed by name.
  void name_node(int node, std::string name) { names_[node] = std::move(name); }
  void name_cell(int cell, std::string name) { cells_[cell] = std::move(name); }
  bool is_named(int node) const { return names_.count(node) > 0; }
  const std::string& cell_name(int cell) const { return cells_.at(cell); }

  std::string print(int node) const { return print(node, 0); }
  /// The expression itself, even where the node has a name.
  std::string print_definition(int node) const;
  /// True if printing the node reads the cell (not through a named node).
  bool reads_cell(int node, int cell) const;

  bool is_python() const { return dialect_ == Dialect::triton; }
  const Spelling& spelling() const { return spelling_; }
  std::string type_name(order::Type type) const;

 private:
  std::string print(int node, int context) const;
  std::string print_node(const CodeNode& node, int context) const;
  std::string leaf(const CodeNode& node) const;
  std::string binary(const CodeNode& node, int context) const;
  std::string division(const CodeNode& node, int context) const;
  std::string function(const CodeNode& node) const;
  std::string magnitude(int node) const;
  std::string unary(const CodeNode& node, int context) const;
  std::string cast(const CodeNode& node) const;
  std::string wide_constant(const CodeNode& node) const;

  const Code& code_;
  Dialect dialect_;
  bool plain_division_;
  Spelling spelling_;
  std::map<int, std::string> names_;
  std::map<int, std::string> cells_;
};

/// What the extents of an own tile space are called: "rows", "cols", ...
std::string tile_extent_name(int axis, int axes);

}  // namespace heddle::emit
