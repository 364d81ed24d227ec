#include "kernel/cxx/patch/macros.h"

#include <algorithm>

#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_whole(std::string_view number) {
  const bool is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  return std::all_of(number.begin(), number.end(), [&](char c) {
    const std::string_view allowed =
        is_hexadecimal ? "0123456789abcdefABCDEFxXuUlL" : "0123456789uUlL";
    return allowed.find(c) != std::string_view::npos;
  });
}

bool is_arithmetic(const std::string& text, const std::set<std::string>& parameters) {
  static const std::set<std::string_view> kSymbols = {
      "(", ")", "+", "-",  "*",  "/", "%",  "&",  "|",  "^",  "~",  "?",
      ":", "<", ">", "<=", ">=", "!", "==", "!=", "<<", ">>", "&&", "||"};
  try {
    const std::vector<Token> tokens = tokenize(text, "");
    return !tokens.empty() && std::all_of(tokens.begin(), tokens.end(), [&](const Token& token) {
      if (token.kind == TokenKind::name) return parameters.count(std::string(token.text)) != 0;
      if (token.kind == TokenKind::number) return is_whole(token.text);
      return token.kind == TokenKind::symbol && kSymbols.count(token.text) != 0;
    });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string macro_name(const Token& directive) {
  if (directive.kind != TokenKind::directive) return {};
  const std::string_view word = directive_name(directive);
  if (word != "define" && word != "undef") return {};
  const std::string rest(directive_rest(directive));
  return rest.substr(0, rest.find_first_of(" \t("));
}

std::string arithmetic_macro(const Token& directive) {
  const std::string name = macro_name(directive);
  if (name.empty() || directive_name(directive) != "define" ||
      directive.text.find('\\') != std::string_view::npos)
    return {};
  std::string rest(directive_rest(directive).substr(name.size()));
  std::set<std::string> parameters;
  if (!rest.empty() && rest.front() == '(') {
    const std::size_t close = rest.find(')');
    if (close == std::string::npos) return {};
    for (std::size_t at = 1; at < close;) {
      const std::size_t end = std::min(rest.find(',', at), close);
      const std::string parameter(trim(rest.substr(at, end - at)));
      if (parameter.empty() || parameter.find('.') != std::string::npos) return {};
      parameters.insert(parameter);
      at = end + 1;
    }
    rest.erase(0, close + 1);
  } else if (rest.empty() || kBlanks.find(rest.front()) == std::string_view::npos) {
    return {};
  }
  return is_arithmetic(rest, parameters) ? name : std::string();
}

bool is_arithmetic_macro(const std::vector<Token>& tokens, const std::string& name) {
  int defined = 0;
  int depth = 0;
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::directive) continue;
    const std::string_view word = directive_name(token);
    if (word.substr(0, 2) == "if") ++depth;
    if (word == "endif") --depth;
    if (macro_name(token) == name)
      defined += depth == 0 && !arithmetic_macro(token).empty() ? 1 : 2;
  }
  return defined == 1;
}

bool is_index_macro(std::string_view name) {
  static const std::set<std::string_view> kIndexMacros = {
      "hipBlockIdx_x", "hipBlockIdx_y", "hipBlockIdx_z", "hipGridDim_x", "hipGridDim_y",
      "hipGridDim_z",  "hipBlockDim_x", "hipBlockDim_y", "hipBlockDim_z"};
  return kIndexMacros.count(name) != 0;
}

std::string fixed_text(const CxxSource& source, const CxxFunction& function) {
  std::string text;
  int depth = 0;
  for (std::size_t i = function.body_begin; i <= function.body_end; ++i) {
    const Token& token = source.tokens()[i];
    const bool is_directive = token.kind == TokenKind::directive;
    const std::string_view word = is_directive ? directive_name(token) : std::string_view();
    if (word.substr(0, 2) == "if") ++depth;
    if ((is_directive && word != "pragma") || depth > 0) {
      text += token.text;
      text += ' ';
    }
    if (word == "endif") --depth;
  }
  return text;
}

BodyMacros body_macros(const CxxSource& source, const CxxFunction& function,
                       const CxxWorkSide& tree) {
  std::set<std::string_view> seen;
  std::set<int> work_lines;
  std::set<int> index_lines;
  const auto& all = tree.tree->tokens();
  for (const CxxIndex::Statement& one : tree.index->statements())
    for (std::size_t i = tree.tree->first_token(*one.node);
         i < tree.tree->last_token(*one.node) && i < all.size(); ++i) {
      if (all[i].kind == TokenKind::name) seen.insert(all[i].text);
      (one.step >= 0 ? index_lines : work_lines).insert(all[i].position.line);
    }
  BodyMacros macros;
  for (std::size_t i = function.body_begin; i <= function.body_end; ++i) {
    const Token& token = source.tokens()[i];
    const std::string name(token.text);
    if (token.kind != TokenKind::name || seen.count(name) != 0 || is_index_macro(name)) continue;
    const bool is_index =
        index_lines.count(token.position.line) != 0 && work_lines.count(token.position.line) == 0;
    (is_index ? macros.index : macros.work).push_back(name);
  }
  return macros;
}

}  // namespace heddle::kernel::cxx
