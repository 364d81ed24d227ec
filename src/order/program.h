// An order as a small typed program: what evaluation, proof and emission all work on.
//
//   pid = tl.program_id(0)              assign v0 = launch[0]
//   x = pid % 8                 ==>     assign v1 = remainder.i32(v0, 8)
//   pid = x * (g0 // 8) + pid // 8      assign v0 = add.i32(multiply.i32(v1, ...), ...)
//                                       results: v0
//
// Rules
//   1. Variables are slots; a step writes one. Helper functions have been inlined.
//   2. Every node carries its type and its rounding: the language's meaning is fixed here.
//   3. `stop` ends a block that computes no tile; nothing follows it on its path.
//   4. Programs are bounded: at most kNodeLimit nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "order/operation.h"
#include "order/syntax.h"
#include "support/error.h"

namespace heddle::order {

inline constexpr std::size_t kNodeLimit = 20'000;

struct Node {
  enum class Kind : std::uint8_t {
    constant,     ///< value
    launch,       ///< block index on axis `value`
    grid,         ///< launch extent on axis `value`
    tile_extent,  ///< tile space extent on axis `value`
    name,         ///< free name number `value`
    variable,     ///< slot number `value`
    unary,        ///< operation on a
    binary,       ///< operation on a, b
    logical_and,  ///< a, b; b is not evaluated where a is false, unless `eager`
    logical_or,
    select,  ///< a ? b : c; only the chosen side is evaluated, unless `eager`
    cast,    ///< a from operand_type to type
  };
  Kind kind = Kind::constant;
  Operation operation = Operation::add;
  Type type = Type::i32;
  Type operand_type = Type::i32;  ///< comparisons: the type they compare in; casts: the source
  Rounding rounding = Rounding::truncate;
  bool eager = false;  ///< all operands are computed, and may fail, as in tl.where
  int a = -1;
  int b = -1;
  int c = -1;
  std::int64_t value = 0;
  Position at;
};

struct Step {
  enum class Kind : std::uint8_t { assign, branch, loop, stop };
  Kind kind = Kind::assign;
  int variable = -1;
  int node = -1;
  std::vector<Step> body = {};
  std::vector<Step> otherwise = {};
  Position at = {};
};

struct Program {
  Language language = Language::triton;
  std::vector<Node> nodes;
  std::vector<std::string> variables;  ///< their names, for messages and emission
  std::vector<std::string> names;      ///< free names, to be bound
  std::vector<Step> steps;
  std::vector<int> results;  ///< variables, axis 0 first; one = a linear tile id
  std::vector<std::string> result_names;
  std::vector<int> own;  ///< slots of the names the text assigns itself, last assigned last
  std::vector<std::string> notes;
  bool stops = false;          ///< some block may do nothing
  bool results_given = false;  ///< named, returned or a lone expression: not found by their use
};

}  // namespace heddle::order
