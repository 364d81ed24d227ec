// Expressions of job files: a small part of Python, with Python's meaning.
//
//   evaluate(parse_expression("cdiv(M, 128) * 2"), names)     // names say what M is
//   evaluate(parse_expression("-7 // 2"), names)              // -4
//   evaluate(parse_expression("a_ptr.stride(0)"), names)      // of a tensor of the job
//   evaluate(parse_expression("tl.float16"), names)           // the text 'tl.float16'
//
// Rules
//   1. // and % round down, / gives a float, ** with a negative exponent gives a float; `and` and
//      `or` give one of their operands; comparisons chain.
//   2. Integers have 64 bits: what passes them is an Error, never wrapped. So is a division by
//   zero.
//   3. Nothing is executed but this. Length, nesting and the size of lists are bounded.
//   4. Errors here have no place; who knows the file and the line adds them.
//
// Does not model: integers beyond 2^53 are rounded where they meet floats (Python compares
// exactly).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/launch.h"

namespace heddle::config {

struct Expression {
  enum class Kind {
    literal,      ///< value
    name,         ///< text
    attribute,    ///< operand 0 . text
    call,         ///< operand 0 is called with the others
    subscript,    ///< operand 0 [operand 1]
    unary,        ///< text: - + ~ not
    binary,       ///< text: + - * / // % ** << >> & | ^
    compare,      ///< operand 0, texts[0], operand 1, texts[1], operand 2, ...
    logical_and,  ///< two operands
    logical_or,
    conditional,  ///< operand 1 if operand 0 else operand 2
    list,
  };
  Kind kind = Kind::literal;
  Value value;
  std::string text;
  std::vector<std::string> texts;
  std::vector<Expression> operands;
  int height = 1;  ///< of the tree; bounded
};

/// Throws Error on anything that is not one whole expression.
Expression parse_expression(std::string_view text);

/// A letter or underscore, then letters, digits and underscores; no word of the language.
bool is_plain_name(std::string_view text);

/// A plain name, or `in` or `is`: C++ kernels have parameters of that name. Expressions cannot name
/// them.
bool is_parameter_name(std::string_view text);

/// What the names of an expression stand for.
class Names {
 public:
  virtual ~Names() = default;
  /// Nothing if there is no such name.
  virtual std::optional<Value> find(const std::string& name) = 0;
  /// Every name there is, for hints.
  virtual std::vector<std::string> all() const = 0;
  virtual std::vector<std::int64_t> shape(TensorReference tensor) = 0;
  virtual std::vector<std::int64_t> strides(TensorReference tensor) = 0;
  virtual std::int64_t element_bytes(TensorReference tensor) = 0;
  virtual std::int64_t csr_nonzeros(std::int64_t rows, std::int64_t columns, double density,
                                    std::uint64_t seed) = 0;

  int depth = 0;  ///< of evaluations within evaluations; evaluate counts it
};

Value evaluate(const Expression& expression, Names& names);

/// "an integer", "a text", "a list", "a tensor", ...
std::string_view kind_text(const Value& value);

/// The integer a value holds (True is 1). Throws Error naming `what` otherwise.
std::int64_t integer_of(const Value& value, std::string_view what);
/// Any number.
double number_of(const Value& value, std::string_view what);

}  // namespace heddle::config
