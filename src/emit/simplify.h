// Turns an order's program into short code: constants folded, copies and dead code gone, every
// value computed once, nothing divided twice.
//
//   x = pid % 8              q = p0 // 8
//   q = pid // 8      ==>    x = p0 - q * 8          (one division, not two)
//   y = x * 1 + 0            ... x used in place of y
//
// Rules
//   1. Values are shared only where they are certain to be computed anyway: what stands in a
//      branch stays there, so nothing new can divide by zero.
//   2. Where two paths meet, and around loops, values live in cells. All cells of one `set` line
//      take their new values at once.
//   3. The meaning is the program's, exactly; tests compare every emitted language with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order/program.h"

namespace heddle::emit {

struct CodeNode {
  enum class Kind {
    constant,
    launch,
    grid,
    tile_extent,
    name,
    cell,
    unary,
    binary,
    logical_and,
    logical_or,
    select,
    cast
  };
  Kind kind = Kind::constant;
  order::Operation operation = order::Operation::add;
  order::Type type = order::Type::i32;
  order::Type operand_type = order::Type::i32;
  order::Rounding rounding = order::Rounding::truncate;
  int a = -1;
  int b = -1;
  int c = -1;
  std::int64_t value = 0;    ///< constant, axis, name or cell number
  std::string hint;          ///< what the source called it
  int quotient = -1;         ///< remainder: the division of the same operands
  bool inline_only = false;  ///< belongs to a branch that became a conditional expression
  // Filled in by count_uses:
  int uses = 0;
  bool by_quotient = false;  ///< remainder printed as a - quotient * b
  bool stored = false;       ///< goes straight into a cell or a result, which names it
};

struct CodeLine {
  enum class Kind { value, set, branch, loop, stop };
  Kind kind = Kind::value;
  int node = -1;                          ///< value; condition of branch and loop
  std::vector<std::pair<int, int>> sets;  ///< cell, node
  std::vector<CodeLine> body;
  std::vector<CodeLine> otherwise;
};

struct Code {
  std::vector<CodeNode> nodes;
  std::vector<std::string> cells;  ///< names suggested for them
  std::vector<order::Type> cell_types;
  std::vector<std::string> names;  ///< free names
  std::vector<CodeLine> lines;
  std::vector<int> results;  ///< nodes
  std::vector<std::string> result_names;
};

/// `plain_integers`: every value is known to fit int32, so types and casts are dropped.
Code simplify(const order::Program& program, bool plain_integers);

}  // namespace heddle::emit
