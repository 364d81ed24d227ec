// The syntax tree that every reader of order texts produces, whatever the language.
//
// Triton Python and C-like text differ in how they look, not in what an order can say, so both
// parsers fill these structs and `lower` gives them a meaning (types, rounding, overflow).
//
// Rules
//   1. Trees are bounded: no deeper than kDepthLimit, so recursion over them is safe.
//   2. Every node knows its position in the text; line and column count from 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "order/operation.h"
#include "support/error.h"

namespace heddle::order {

enum class Language { triton, c_like };

inline constexpr int kDepthLimit = 200;  ///< nesting of expressions and of blocks
inline constexpr std::size_t kTokenLimit = 50'000;
inline constexpr std::size_t kSourceLimit = 1 << 20;  ///< bytes of an order text

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

struct Expression {
  enum class Kind {
    number,       ///< value, type
    name,         ///< text: "pid", "blockIdx.x", "tl.int64"
    call,         ///< text(arguments)
    unary,        ///< operation(arguments[0])
    binary,       ///< operation(arguments[0], arguments[1])
    logical_and,  ///< short-circuit
    logical_or,
    conditional,  ///< arguments: condition, then, else
    cast,         ///< type(arguments[0])
    tuple,
  };
  Kind kind = Kind::number;
  Position at;
  Operation operation = Operation::add;
  Type type = Type::constexpr_int;
  std::int64_t value = 0;
  std::string text;
  std::vector<ExpressionPtr> arguments;
  int depth = 1;
};

struct Target {
  std::string name;
  std::optional<Type> declared;  ///< C-like: the type it was declared with
  Position at;
};

struct Parameter {
  std::string name;
  ExpressionPtr standard;     ///< default value, may be null
  bool is_constexpr = false;  ///< annotated tl.constexpr
  std::optional<Type> declared;
};

struct Statement {
  enum class Kind {
    assign,      ///< targets = value, or targets operation= value
    declare,     ///< C-like: a variable without a value yet
    evaluate,    ///< an expression on its own
    branch,      ///< if value: body else: otherwise
    loop,        ///< while value: body
    count_loop,  ///< for targets[0] in range(bounds...): body
    give_back,   ///< return value (null: nothing)
    define,      ///< def name(parameters): body
    nothing,
  };
  Kind kind = Kind::nothing;
  Position at;
  std::vector<Target> targets;
  std::optional<Operation> augmented;
  ExpressionPtr value;
  std::vector<ExpressionPtr> bounds;
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;
  bool at_compile_time = false;  ///< define: @triton.constexpr_function
};

struct Module {
  Language language = Language::triton;
  std::vector<Statement> statements;
  std::vector<std::string> notes;  ///< what the reader skipped or assumed
};

/// Builds a node and checks rule 1.
ExpressionPtr make_expression(Expression expression);
ExpressionPtr make_name(std::string name, Position at);
ExpressionPtr make_cast(Type type, ExpressionPtr value, Position at);
ExpressionPtr make_number(std::int64_t value, Type type, Position at);
ExpressionPtr make_unary(Operation operation, ExpressionPtr operand, Position at);
ExpressionPtr make_binary(Operation operation, ExpressionPtr left, ExpressionPtr right,
                          Position at);
ExpressionPtr make_call(std::string name, std::vector<ExpressionPtr> arguments, Position at);
ExpressionPtr make_of(Expression::Kind kind, std::vector<ExpressionPtr> arguments, Position at);

}  // namespace heddle::order
