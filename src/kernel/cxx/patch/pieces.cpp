#include "kernel/cxx/patch/pieces.h"

#include <algorithm>

#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {

namespace {

constexpr std::size_t kLongestPiece = 70;

}  // namespace

bool opens_bracket(const Token& token) {
  return token.text == "(" || token.text == "[" || token.text == "{";
}
bool closes_bracket(const Token& token) {
  return token.text == ")" || token.text == "]" || token.text == "}";
}

std::string quoted(const CxxSource& source, TokenRange range) {
  const Token& first = source.tokens()[range.begin];
  const Token& last = source.tokens()[range.end];
  std::string text =
      source.text().substr(first.offset, last.offset + last.text.size() - first.offset);
  text = text.substr(0, text.find('\n'));
  if (text.size() > kLongestPiece) text = text.substr(0, kLongestPiece) + " ...";
  return text;
}

std::pair<TokenRange, TokenRange> from_difference(const std::vector<Token>& before, TokenRange olds,
                                                  const std::vector<Token>& after,
                                                  TokenRange news) {
  std::size_t i = olds.begin;
  std::size_t k = news.begin;
  while (i < olds.end && k < news.end && before[i].text == after[k].text) {
    ++i;
    ++k;
  }
  const auto line_of = [](const std::vector<Token>& tokens, std::size_t first, std::size_t at) {
    while (at > first && tokens[at - 1].position.line == tokens[at].position.line) --at;
    return at;
  };
  return {{line_of(before, olds.begin, i), olds.end}, {line_of(after, news.begin, k), news.end}};
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

namespace {

/// The < and > of `template <...>` in front of a function's name; equal: there are none.
TokenRange template_list(const std::vector<Token>& tokens, std::size_t name) {
  std::size_t first = name;
  while (first > 0 && tokens[first].text != "template" && tokens[first].text != ";" &&
         tokens[first].text != "}")
    --first;
  if (tokens[first].text != "template" || first + 1 >= name || tokens[first + 1].text != "<")
    return {};
  int depth = 0;
  for (std::size_t i = first + 1; i < name; ++i) {
    if (tokens[i].text == "<") ++depth;
    if (tokens[i].text == ">" && --depth == 0) return {first + 1, i};
  }
  return {};
}

}  // namespace

AddedParameters added_template(const std::vector<Token>& before, std::size_t old_name,
                               const std::vector<Token>& after, std::size_t new_name) {
  if (old_name >= before.size() || new_name >= after.size()) return {};
  if (template_list(before, old_name).end != 0) return {};
  const TokenRange list = template_list(after, new_name);
  // Without defaults for all of them a launch is another.
  std::size_t parameters = 1;
  std::size_t defaults = 0;
  for (std::size_t i = list.begin; i < list.end; ++i) {
    if (after[i].text == ",") ++parameters;
    if (after[i].text == "=") ++defaults;
  }
  return list.end == 0 || defaults < parameters ? AddedParameters()
                                                : AddedParameters{list.begin - 1, list.end + 1};
}

AddedParameters added_parameters(const std::vector<Token>& before, std::size_t old_name,
                                 const std::vector<Token>& after, std::size_t new_name) {
  if (old_name >= before.size() || new_name >= after.size()) return {};
  const TokenRange olds = template_list(before, old_name);
  const TokenRange news = template_list(after, new_name);
  const std::size_t shared = olds.end - olds.begin;
  if (shared == 0 || news.end - news.begin <= shared) return {};
  for (std::size_t i = 0; i < shared; ++i)
    if (before[olds.begin + i].text != after[news.begin + i].text) return {};
  const AddedParameters added{news.begin + shared, news.end};
  for (std::size_t i = added.begin; i < added.end; i += 5) {
    // , int DIES = 8, unsigned int GROUP = 4
    if (after[i].text != ",") return {};
    if (i + 2 < added.end && after[i + 1].text == "unsigned" && after[i + 2].text == "int") ++i;
    const bool is_number = i + 4 < added.end &&
                           (after[i + 1].text == "int" || after[i + 1].text == "unsigned") &&
                           is_name(after[i + 2]) && after[i + 2].text != "int" &&
                           after[i + 3].text == "=" && after[i + 4].kind == TokenKind::number;
    const auto knows = [&](const Token& token) {
      return token.kind == TokenKind::directive
                 ? token.text.find(after[i + 2].text) != std::string_view::npos
                 : token.text == after[i + 2].text;
    };
    if (!is_number || std::any_of(before.begin(), before.end(), knows)) return {};
  }
  return added;
}

bool is_start(const std::vector<Token>& all, const TokenRange& piece, std::string_view name) {
  return piece.end == piece.begin + 2 && all[piece.begin].text == "namespace" &&
         all[piece.begin + 1].text == name && all[piece.end].text == "{";
}

std::string_view declared_name(const std::vector<Token>& all, const TokenRange& piece) {
  for (std::size_t i = piece.begin + 1; i <= piece.end; ++i)
    if (all[i].text == "(" || all[i].text == "=") return all[i - 1].text;
  const std::string_view word = all[piece.begin].text;
  return word == "struct" || word == "class" ? all[piece.begin + 1].text : std::string_view();
}

std::string key_of(const std::vector<Token>& all, const TokenRange& piece) {
  const Token& first = all[piece.begin];
  if (first.kind != TokenKind::directive) return std::string(declared_name(all, piece));
  return "#" + std::string(directive_name(first)) + " " + macro_name(first);
}

std::string what_of(const std::vector<Token>& all, const TokenRange& piece) {
  if (all[piece.begin].kind == TokenKind::directive) return "a directive";
  for (std::size_t i = piece.begin; i <= piece.end; ++i) {
    if (all[i].text == "__global__") return "another kernel";
    if (all[i].text == "__device__") return "a helper function";
  }
  return "host code";
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
