#include "order/parser.h"

namespace heddle::order {

const Level* Parser::find_level(std::span<const Level> levels, const Token& token) {
  if (token.kind != Token::Kind::symbol) return nullptr;
  for (const Level& level : levels) {
    if (level.symbol == token.text) return &level;
  }
  return nullptr;
}

std::optional<Operation> Parser::augmented_by(const Token& token) const {
  if (token.text.size() < 2 || token.text.back() != '=' || find_level(levels_, token) != nullptr)
    return std::nullopt;
  Token plain = token;
  plain.text.pop_back();
  const Level* level = find_level(levels_, plain);
  return level != nullptr ? std::optional(level->operation) : std::nullopt;
}

ExpressionPtr Parser::binary(int least) {
  ExpressionPtr left = unary();
  while (const Level* level = find_level(levels_, cursor_.peek())) {
    if (level->precedence < least) break;
    const Position at = cursor_.take().at;
    ExpressionPtr right = binary(level->precedence + 1);
    left = level->kind == Expression::Kind::binary ? make_binary(level->operation, left, right, at)
                                                   : make_of(level->kind, {left, right}, at);
  }
  return left;
}

ExpressionPtr Parser::sign() {
  const Position at = cursor_.peek().at;
  if (cursor_.take_symbol("-")) return make_unary(Operation::negate, unary(), at);
  if (cursor_.take_symbol("~")) return make_unary(Operation::bit_not, unary(), at);
  return cursor_.take_symbol("+") ? unary() : nullptr;
}

ExpressionPtr Parser::primary() {
  if (cursor_.peek().kind == Token::Kind::number) return number();
  if (cursor_.peek().kind == Token::Kind::name) return name_or_call();
  if (cursor_.take_symbol("(")) {
    ExpressionPtr inner = in_parentheses();
    cursor_.expect_symbol(")", "the expression");
    return inner;
  }
  cursor_.unexpected("a number, a name or '('");
}

std::vector<ExpressionPtr> Parser::list_until(std::string_view closing) {
  std::vector<ExpressionPtr> result;
  while (!cursor_.is_symbol(closing)) {
    result.push_back(expression());
    if (!cursor_.take_symbol(",")) break;
  }
  cursor_.expect_symbol(closing, "the arguments");
  return result;
}

}  // namespace heddle::order
