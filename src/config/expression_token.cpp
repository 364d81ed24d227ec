#include "config/expression_token.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "support/error.h"

namespace heddle::config {
namespace {

constexpr std::array<std::string_view, 28> kSymbols = {
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=",  // two characters first
    "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~", "<",
    ">",  "(",  ")",  "[",  "]",  ",",  ".",  ":",  "=", "!"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.emplace_back();
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Token next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return word();
    if (c == '\'' || c == '"') return literal(c);
    for (const std::string_view symbol : kSymbols) {
      if (text_.substr(at_, symbol.size()) != symbol) continue;
      at_ += symbol.size();
      return {Token::Kind::symbol, std::string(symbol), {}};
    }
    throw Error(fmt::format("'{}' is not part of an expression", printable(c)),
                "use numbers, names, + - * / // % ** and functions such as cdiv(a, b)");
  }

  static std::string printable(char c) {
    const bool visible = c > ' ' && c < '\x7f';
    return visible ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }

  Token word() {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return {Token::Kind::word, std::string(text_.substr(start, at_ - start)), {}};
  }

  Token number() {
    const std::size_t start = at_;
    const bool prefixed = peek() == '0' && is_letter(peek(1)) && peek(1) != 'e' && peek(1) != 'E';
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
      const bool exponent = !prefixed && (peek() == 'e' || peek() == 'E');
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-')) ++at_;
    }
    std::string written(text_.substr(start, at_ - start));
    Value value = prefixed ? prefixed_value(written) : decimal_value(written);
    return {Token::Kind::number, std::move(written), std::move(value)};
  }

  static std::string without_underscores(std::string_view written) {
    std::string digits;
    for (const char c : written) {
      if (c != '_') digits += c;
    }
    return digits;
  }

  static Error bad_number(const std::string& written) {
    return Error(fmt::format("'{}' is not a number", written), "write 128, 0x80 or 1e-6");
  }

  static Value integer_value(const std::string& written, const std::string& digits, int base) {
    std::int64_t result = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, result, base);
    if (error == std::errc::result_out_of_range) {
      throw Error(fmt::format("{} does not fit into 64 bits", written), "use a smaller number");
    }
    if (error != std::errc{} || stop != end) throw bad_number(written);
    return Value{result};
  }

  static Value prefixed_value(const std::string& written) {
    const char letter = written[1];
    const int base = letter == 'x' || letter == 'X'   ? 16
                     : letter == 'o' || letter == 'O' ? 8
                     : letter == 'b' || letter == 'B' ? 2
                                                      : 0;
    if (base == 0) throw bad_number(written);
    return integer_value(written, without_underscores(written.substr(2)), base);
  }

  static Value decimal_value(const std::string& written) {
    const std::string digits = without_underscores(written);
    if (digits.find_first_of(".eE") == std::string::npos) {
      return integer_value(written, digits, 10);
    }
    double result = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, result);
    if (error != std::errc{} || stop != end) throw bad_number(written);
    return Value{result};
  }

  Token literal(char quote) {
    std::string content;
    ++at_;
    while (true) {
      const char c = peek();
      if (at_ >= text_.size() || c == '\n') {
        throw Error(fmt::format("a text has no closing {}", quote), "close it: 'relu'");
      }
      ++at_;
      if (c == quote) return {Token::Kind::text, content, Value{content}};
      content += c == '\\' ? escaped() : c;
    }
  }

  char escaped() {
    const char c = peek();
    ++at_;
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case '\\':
      case '\'':
      case '"':
        return c;
      default:
        throw Error("a text has a backslash that means nothing", "write \\\\ for a backslash");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> split_tokens(std::string_view text) {
  return Scanner(text).run();
}

}  // namespace heddle::config
