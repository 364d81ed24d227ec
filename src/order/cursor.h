// A cursor over tokens, shared by the two parsers: looking, taking, failing with a place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "order/syntax.h"
#include "order/token.h"

namespace heddle::order {

class Cursor {
 public:
  Cursor(std::vector<Token> tokens, std::string accepted)
      : tokens_(std::move(tokens)), accepted_(std::move(accepted)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    return token;
  }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  bool at_line_end() const { return at_end() || peek().kind == Token::Kind::line_end; }
  bool is_symbol(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::symbol && peek(ahead).text == text;
  }
  bool is_name(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind == Token::Kind::name && peek(ahead).text == text;
  }
  bool take_symbol(std::string_view text) { return is_symbol(text) && (take(), true); }
  bool take_name(std::string_view text) { return is_name(text) && (take(), true); }
  void expect_symbol(std::string_view text, std::string_view after);

  /// "unexpected X"; the hint lists what can be read.
  [[noreturn]] void unexpected(std::string_view wanted) const;
  [[noreturn]] void fail(std::string what, std::string hint, Position at) const;
  [[noreturn]] void unsupported(std::string what, Position at) const {
    fail(std::move(what), accepted_, at);
  }

  std::size_t place() const { return next_; }
  void back_to(std::size_t place) { next_ = place; }

 private:
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::string accepted_;
};

/// Counts nested calls of the parser; throws before the stack is in danger.
class DepthGuard {
 public:
  DepthGuard(int& depth, Position at);
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

}  // namespace heddle::order
