#include "kernel/cxx/patch/pieces.h"

#include <algorithm>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {

namespace {

constexpr std::size_t kLongestPiece = 70;

}  // namespace

std::string quoted(const CxxSource& source, TokenRange range) {
  const Token& first = source.tokens()[range.begin];
  const Token& last = source.tokens()[range.end];
  std::string text =
      source.text().substr(first.offset, last.offset + last.text.size() - first.offset);
  text = text.substr(0, text.find('\n'));
  if (text.size() > kLongestPiece) text = text.substr(0, kLongestPiece) + " ...";
  return text;
}

std::vector<TokenRange> cut_pieces(const std::vector<Token>& tokens, std::size_t begin,
                                   std::size_t end) {
  std::vector<TokenRange> pieces;
  std::size_t first = begin;
  int depth = 0;
  const auto finish = [&](std::size_t last) {
    pieces.push_back({first, last});
    first = last + 1;
    depth = 0;
  };
  for (std::size_t i = begin; i <= end && i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind == TokenKind::directive && depth == 0) {
      if (first < i) finish(i - 1);
      finish(i);
      continue;
    }
    if (is_symbol(token, "(") || is_symbol(token, "[") || is_symbol(token, "{")) ++depth;
    const bool is_scope =
        is_symbol(token, "{") && depth == 1 &&
        (tokens[first].text == "namespace" ||
         (tokens[first].text == "extern" && i == first + 2 && tokens[i - 1].text == "\"C\""));
    if (is_scope) finish(i);
    const bool closes = is_symbol(token, ")") || is_symbol(token, "]") || is_symbol(token, "}");
    if (closes) --depth;
    if (depth < 0) {
      finish(i);  // the end of a namespace
      continue;
    }
    const std::string_view next = i < end ? tokens[i + 1].text : std::string_view();
    const bool ends_block = is_symbol(token, "}") && depth == 0 && next != ";" && next != "," &&
                            next != ")" && next != "else" && next != "while";
    const bool ends_line = is_symbol(token, ";") && depth == 0 && next != "else";
    if (first <= i && (ends_block || ends_line)) finish(i);
  }
  if (first <= end && first < tokens.size()) finish(std::min(end, tokens.size() - 1));
  return pieces;
}

std::string tokens_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i <= end && i < tokens.size(); ++i) {
    if (!text.empty()) text += ' ';
    text += tokens[i].text;
  }
  return text;
}

}  // namespace heddle::kernel::cxx
