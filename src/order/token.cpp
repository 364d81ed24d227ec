#include "order/token.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>

namespace heddle::order {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

class Scanner {
 public:
  Scanner(std::string_view text, Language language) : text_(text), language_(language) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    end_line();
    Token end;
    end.kind = Token::Kind::end;
    end.at = last_end_;
    tokens_.push_back(end);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  Position here() const { return {line_, column_}; }

  void advance(std::size_t count = 1) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        column_ = 1;
        indent_ = 0;
        fresh_line_ = true;
      } else {
        ++column_;
        if (fresh_line_ && c == ' ') ++indent_;
        if (fresh_line_ && c == '\t') indent_ = (indent_ / 8 + 1) * 8;
      }
    }
  }

  void skip_to_line_end() {
    while (at_ < text_.size() && peek() != '\n') advance();
  }

  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw Error(what, hint).at({}, here());
  }

  void push(Token token) {
    if (tokens_.size() >= kTokenLimit) {
      fail(fmt::format("the order has more than {} tokens", kTokenLimit),
           "give only the index arithmetic");
    }
    token.indent = indent_;
    fresh_line_ = false;
    if (token.kind != Token::Kind::line_end) {
      last_end_ = here();
      if (token.kind == Token::Kind::symbol)
        last_end_.column += static_cast<int>(token.text.size());
    }
    tokens_.push_back(std::move(token));
  }

  void end_line() {
    if (language_ != Language::triton || brackets_ > 0) return;
    if (tokens_.empty() || tokens_.back().kind == Token::Kind::line_end) return;
    Token token;
    token.kind = Token::Kind::line_end;
    token.at = last_end_;
    const bool fresh = fresh_line_;
    push(std::move(token));
    fresh_line_ = fresh;
  }

  void step() {
    const char c = peek();
    const bool python = language_ == Language::triton;
    if (c == '\n') {
      end_line();
      advance();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      advance();
    } else if (looking_at("\xC2\xA0")) {  // a no-break space of pasted text
      advance(2);
    } else if (python && c == '#') {
      skip_to_line_end();
    } else if (python && c == '\\') {
      continue_line();
    } else if (!python && c == '#') {
      preprocessor_line();
    } else if (!python && looking_at("//")) {
      skip_to_line_end();
    } else if (!python && looking_at("/*")) {
      block_comment();
    } else if (c == '"' || c == '\'') {
      quoted(c);
    } else if (is_digit(c)) {
      number();
    } else if (is_name_start(c)) {
      name();
    } else {
      operator_symbol();
    }
  }

  void continue_line() {
    const Position at = here();
    advance();
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') advance();
    if (peek() != '\n' && at_ < text_.size()) {
      throw Error("a backslash stands in the middle of a line",
                  "end the line after it, or remove it")
          .at({}, at);
    }
    const int indent = indent_;
    advance();
    while (peek() == ' ' || peek() == '\t') advance();
    indent_ = indent;
    fresh_line_ = false;
  }

  /// `#define NAME tokens` is remembered; conditions are refused, other lines skipped.
  void preprocessor_line() {
    const Position at = here();
    advance();
    while (peek() == ' ' || peek() == '\t') advance();
    if (looking_at("if") || looking_at("el") || looking_at("endif") || looking_at("undef")) {
      throw Error("preprocessor conditions and #undef are not read", "give the lines that apply")
          .at({}, at);
    }
    if (!looking_at("define")) return skip_to_line_end();
    advance(6);
    while (peek() == ' ' || peek() == '\t') advance();
    if (!is_name_start(peek())) return skip_to_line_end();
    std::string macro;
    while (is_name_part(peek())) {
      macro += peek();
      advance();
    }
    if (peek() == '(') return skip_to_line_end();  // one with arguments: unknown when it is called
    const std::size_t before = tokens_.size();
    while (at_ < text_.size() && peek() != '\n' && !looking_at("//")) step();
    macros_[macro].assign(tokens_.begin() + static_cast<std::ptrdiff_t>(before), tokens_.end());
    tokens_.resize(before);
  }

  /// A macro's tokens in place of its name, as the preprocessor would put them.
  bool expand(const Token& name) {
    const auto macro = macros_.find(name.text);
    if (macro == macros_.end()) return false;
    for (Token part : macro->second) {
      part.at = name.at;
      push(std::move(part));
    }
    return true;
  }

  void block_comment() {
    advance(2);
    while (at_ < text_.size() && !looking_at("*/")) advance();
    if (at_ >= text_.size()) fail("a /* comment has no end", "close it with */");
    advance(2);
  }

  void quoted(char quote) {
    Token token;
    token.kind = Token::Kind::text;
    token.at = here();
    const std::string triple(3, quote);
    const bool is_triple = looking_at(triple);
    const bool fresh = fresh_line_;
    const int indent = indent_;
    fresh_line_ = false;
    advance(is_triple ? 3 : 1);
    while (at_ < text_.size() && !(is_triple ? looking_at(triple) : peek() == quote)) {
      if (!is_triple && peek() == '\n') break;
      if (peek() == '\\') advance();
      advance();
    }
    if (at_ >= text_.size() || (!is_triple && peek() == '\n')) {
      throw Error("a quoted text has no end", "close the quotation mark").at({}, token.at);
    }
    advance(is_triple ? 3 : 1);
    fresh_line_ = fresh;
    indent_ = indent;
    push(std::move(token));
  }

  void number() {
    Token token;
    token.kind = Token::Kind::number;
    token.at = here();
    unsigned base = 10;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) base = 16;
    if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) base = 2;
    if (peek() == '0' && (peek(1) == 'o' || peek(1) == 'O')) base = 8;
    const bool leading_zero = peek() == '0' && is_digit(peek(1));
    if (leading_zero && language_ == Language::triton &&
        text_.substr(at_).find_first_not_of("0_") != 0) {
      throw Error("a number begins with 0", "drop the zero (0o10 is octal)").at({}, token.at);
    }
    if (base != 10) advance(2);
    if (leading_zero && language_ == Language::c_like) base = 8;  // 010 is 8 in C
    token.is_decimal = base == 10;
    bool any = false;
    while (is_name_part(peek()) || peek() == '\'') {
      const char c = peek();
      unsigned digit = 99;
      if (is_digit(c)) digit = static_cast<unsigned>(c - '0');
      if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a' + 10);
      if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A' + 10);
      if (c == '_' || c == '\'') {
        advance();
        continue;
      }
      if (digit >= base) break;
      if (__builtin_mul_overflow(token.value, std::uint64_t{base}, &token.value) ||
          __builtin_add_overflow(token.value, std::uint64_t{digit}, &token.value)) {
        throw Error("the number does not fit 64 bits", "use smaller constants").at({}, token.at);
      }
      any = true;
      advance();
    }
    while (peek() == 'u' || peek() == 'U' || peek() == 'l' || peek() == 'L') {
      if (peek() == 'u' || peek() == 'U')
        token.is_unsigned = true;
      else
        token.is_wide = true;
      advance();
    }
    if (!any || is_name_part(peek()) ||
        (peek() == '.' && (is_digit(peek(1)) || !is_name_start(peek(1))))) {
      throw Error("this is not an integer", "an order is integer arithmetic: 8, 0xff, 1024u")
          .at({}, token.at);
    }
    push(std::move(token));
  }

  void name() {
    Token token;
    token.kind = Token::Kind::name;
    token.at = here();
    while (true) {
      while (is_name_part(peek())) {
        token.text += peek();
        advance();
      }
      if (peek() == '.' && is_name_start(peek(1))) {
        token.text += '.';
        advance();
      } else if (looking_at("::") && is_name_start(peek(2))) {
        token.text += "::";
        advance(2);
      } else {
        break;
      }
    }
    if (!expand(token)) push(std::move(token));
  }

  void operator_symbol() {
    static constexpr std::array<std::string_view, 28> kSymbols = {
        "<<=", ">>=", "//=", "**=", "->", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=",
        "-=",  "*=",  "%=",  "&=",  "|=", "^=", "/=", "&&", "||", "++", "--", ":=", "::", "<>"};
    static constexpr std::string_view kSingle = "+-*/%&|^~<>=()[]{},;:?!.@";
    Token token;
    token.kind = Token::Kind::symbol;
    token.at = here();
    for (const std::string_view candidate : kSymbols) {
      if (!looking_at(candidate)) continue;
      if (candidate.substr(0, 2) == "//" && language_ == Language::c_like) continue;
      token.text = candidate;
      break;
    }
    if (token.text.empty()) {
      if (kSingle.find(peek()) == std::string_view::npos) {
        const auto byte = static_cast<unsigned char>(peek());
        fail(byte >= 32 && byte < 127
                 ? fmt::format("the character '{}' has no meaning here", peek())
                 : fmt::format("the byte 0x{:02x} has no meaning here", byte),
             "an order is integer arithmetic over names, numbers and + - * // % << >> & | ^ ~");
      }
      token.text = std::string(1, peek());
    }
    const std::string text = token.text;
    push(std::move(token));
    advance(text.size());
    if (text == "(" || text == "[") ++brackets_;
    if ((text == ")" || text == "]") && brackets_ > 0) --brackets_;
  }

  std::string_view text_;
  Language language_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
  int indent_ = 0;
  int brackets_ = 0;
  bool fresh_line_ = true;
  Position last_end_{1, 1};
  std::map<std::string, std::vector<Token>> macros_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> read_tokens(std::string_view text, Language language) {
  return Scanner(text, language).run();
}

}  // namespace heddle::order
