// Tokens of order texts, for both languages.
//
// Rules
//   1. Triton: `#` begins a comment, `//` divides, lines and their indentation matter (but not
//      inside brackets, nor after a backslash).
//   2. C-like: `//` and `/* */` are comments, lines do not matter; the tokens of `#define NAME ...`
//      replace the name; #if and its kin are refused, other `#` lines skipped.
//   3. Strings are kept as one token (only docstrings and assertions have them).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "order/syntax.h"

namespace heddle::order {

struct Token {
  enum class Kind { name, number, text, symbol, line_end, end };
  Kind kind = Kind::end;
  std::string text;          ///< names keep their dots: "tl.program_id", "blockIdx.x", "std::min"
  std::uint64_t value = 0;   ///< number
  bool is_unsigned = false;  ///< number with a u suffix
  bool is_wide = false;      ///< number with an l suffix
  bool is_decimal = true;
  Position at;
  int indent = 0;  ///< columns before the first token of its line
};

/// Throws Error (with a position) on a character or a number that cannot be read.
std::vector<Token> read_tokens(std::string_view text, Language language);

}  // namespace heddle::order
