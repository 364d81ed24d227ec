// The tokens of a C++ file, read as text.
//
//   k<<<g, b>>>(1'000, R"(x)");   ->   k  <<<  g  ,  b  >>>  (  1'000  ,  R"(x)"  )  ;
//
// Rules
//   1. Comments and white space give no token; a directive is one token, with the lines that it
//      continues on.
//   2. <<< and >>> are tokens of their own, like every operator of C++.
//   3. The text between `#if 0` and its #else, #elif or #endif gives no token.
//   4. A string, character or comment that is not closed is an Error with its place.
//
// Does not model: trigraphs, digraphs, a line splice in the middle of a word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// Views into `text`, which must outlive them. `path` is for messages.
std::vector<Token> tokenize(std::string_view text, const std::string& path);

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// Where the line of that place begins.
inline std::size_t line_begin(const std::string& text, std::size_t offset) {
  const std::size_t end = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  return end == std::string::npos ? 0 : end + 1;
}

inline bool is_name(const Token& token) {
  return token.kind == TokenKind::name;
}
inline bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::symbol && token.text == text;
}

/// "if", "define", "include", ... of a directive; "" of `#` alone.
std::string_view directive_name(const Token& directive);
/// What follows that word, without the line's continuations and white space around it.
std::string_view directive_rest(const Token& directive);

/// `#if 0`, whose text is no code.
bool is_never(const Token& directive);

}  // namespace heddle::kernel::cxx
