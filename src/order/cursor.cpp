#include "order/cursor.h"

#include <fmt/format.h>

namespace heddle::order {

void Cursor::expect_symbol(std::string_view text, std::string_view after) {
  if (take_symbol(text)) return;
  unexpected(fmt::format("'{}' after {}", text, after));
}

void Cursor::unexpected(std::string_view wanted) const {
  const Token& token = peek();
  std::string found = fmt::format("'{}'", token.text);
  if (token.kind == Token::Kind::end) found = "the end of the text";
  if (token.kind == Token::Kind::line_end) found = "the end of the line";
  if (token.kind == Token::Kind::number) found = fmt::format("the number {}", token.value);
  if (token.kind == Token::Kind::text) found = "a quoted text";
  unsupported(fmt::format("expected {}, found {}", wanted, found), token.at);
}

void Cursor::fail(std::string what, std::string hint, Position at) const {
  throw Error(std::move(what), std::move(hint)).at({}, at);
}

DepthGuard::DepthGuard(int& depth, Position at) : depth_(depth) {
  if (++depth_ > kDepthLimit) {
    --depth_;
    throw Error("the text nests too deep", "split it over several assignments").at({}, at);
  }
}

}  // namespace heddle::order
