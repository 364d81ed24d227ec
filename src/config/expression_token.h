// The tokens of an expression. For expression_parse.cpp only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/launch.h"

namespace heddle::config {

struct Token {
  enum class Kind { number, text, word, symbol, end };
  Kind kind = Kind::end;
  std::string text;  ///< as written; of a text literal: what it says
  Value value;       ///< number
};

/// The last token is `end`. Throws Error on a character that no expression has.
std::vector<Token> split_tokens(std::string_view text);

}  // namespace heddle::config
