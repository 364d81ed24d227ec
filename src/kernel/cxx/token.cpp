#include "kernel/cxx/token.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

constexpr std::size_t kLongestRawDelimiter = 16;

/// Also every byte of a character beyond ASCII.
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/// Longer ones first.
constexpr std::array<std::string_view, 29> kOperators = {
    "<<<", ">>>", "<<=", ">>=", "<=>", "...", "->*", "::", "->", "++", "--", "<<", ">>", "<=", ">=",
    "==",  "!=",  "&&",  "||",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "##", ".*"};

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& path) : text_(text), path_(path) {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = line_start_ = 3;
  }

  std::vector<Token> run() {
    while (skip_space()) {
      const char c = text_[at_];
      if (c == '#' && line_is_new_) {
        directive();
        continue;
      }
      if (is_name_start(c)) {
        word();
      } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
        number();
      } else if (c == '"' || c == '\'') {
        quoted(at_, c);
      } else {
        symbol();
      }
      line_is_new_ = false;
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Position position(std::size_t offset) const {
    return {line_, static_cast<int>(offset - line_start_) + 1};
  }
  [[noreturn]] void fail(const char* what, const char* hint, Position place) const {
    throw Error(what, hint).at(path_, place);
  }

  /// Moves on by one byte and counts lines.
  void step() {
    const bool ends = is_line_end();
    ++at_;
    if (!ends) return;
    ++line_;
    line_start_ = at_;
    line_is_new_ = true;
  }
  void step_to(std::size_t end) {
    while (at_ < end) step();
  }

  /// A line feed, or a carriage return without one behind it, which compilers take for one.
  bool is_line_end() const { return text_[at_] == '\n' || (text_[at_] == '\r' && peek(1) != '\n'); }

  /// How many bytes a backslash and the line end behind it take; 0 if there is none here. Compilers
  /// let white space stand between the two.
  std::size_t splice() const {
    if (peek(0) != '\\') return 0;
    std::size_t length = 1;
    while (peek(length) != '\r' && is_blank(peek(length))) ++length;
    if (peek(length) == '\n') return length + 1;
    if (peek(length) != '\r') return 0;
    return length + (peek(length + 1) == '\n' ? 2 : 1);
  }

  void line_comment() {
    while (at_ < text_.size() && !is_line_end()) step_to(at_ + std::max<std::size_t>(1, splice()));
  }

  void block_comment() {
    const Position begin = position(at_);
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos)
      fail("the comment is not closed", "write */ where it ends", begin);
    const bool was_new = line_is_new_;
    step_to(end + 2);
    line_is_new_ = was_new;
  }

  /// White space and comments; false at the end of the text.
  bool skip_space() {
    while (at_ < text_.size()) {
      const bool was_new = line_is_new_;
      if (const std::size_t length = splice()) {
        step_to(at_ + length);
        line_is_new_ = was_new;
      } else if (is_blank(text_[at_]) || text_[at_] == '\n' || text_[at_] == '\0') {
        step();
      } else if (peek(0) == '/' && peek(1) == '/') {
        line_comment();
      } else if (peek(0) == '/' && peek(1) == '*') {
        block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void add(TokenKind kind, std::size_t begin, Position place) {
    tokens_.push_back({kind, text_.substr(begin, at_ - begin), begin, place});
  }

  void word() {
    const std::size_t begin = at_;
    std::size_t end = begin;
    while (end < text_.size() && is_name_part(text_[end])) ++end;
    const std::string_view name = text_.substr(begin, end - begin);
    const char next = end < text_.size() ? text_[end] : '\0';
    const bool is_prefix = name == "u8" || name == "u" || name == "U" || name == "L";
    const bool is_raw =
        name == "R" || name == "u8R" || name == "uR" || name == "UR" || name == "LR";
    if (is_raw && next == '"') {
      const Position place = position(begin);
      step_to(raw_end(end, place));
      return add(TokenKind::text, begin, place);
    }
    if (is_prefix && (next == '"' || next == '\'')) {
      at_ = end;
      return quoted(begin, next);
    }
    at_ = end;
    add(TokenKind::name, begin, position(begin));
  }

  /// Where the raw string ends whose quote is at `quote`.
  std::size_t raw_end(std::size_t quote, Position place) const {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos || open - quote - 1 > kLongestRawDelimiter)
      fail("the raw string has no '(' where it should start", "write R\"(text)\"", place);
    std::string close = ")";
    close += text_.substr(quote + 1, open - quote - 1);
    close += '"';
    const std::size_t end = text_.find(close, open);
    if (end == std::string_view::npos)
      fail("the raw string is not closed", "end it with )\" and the letters that it began with",
           place);
    return end + close.size();
  }

  void quoted(std::size_t begin, char quote) {
    const Position place = position(begin);
    step();
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (const std::size_t length = splice()) {
        step_to(at_ + length);
      } else {
        step_to(std::min(text_.size(), at_ + (text_[at_] == '\\' && peek(1) != '\n' ? 2 : 1)));
      }
    }
    if (at_ >= text_.size() || text_[at_] != quote)
      fail(quote == '"' ? "the string is not closed" : "the character is not closed",
           quote == '"' ? "write \" where it ends" : "write ' where it ends", place);
    step();
    add(TokenKind::text, begin, place);
  }

  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = at_ > begin ? text_[at_ - 1] : '\0';
      const bool is_sign = (c == '+' || c == '-') &&
                           (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool is_separator = c == '\'' && at_ > begin && is_name_part(peek(1));
      if (!is_name_part(c) && c != '.' && !is_sign && !is_separator) break;
      // 0xE+1 is a sum only to people: the language reads one number, and refuses it.
      ++at_;
    }
    add(TokenKind::number, begin, position(begin));
  }

  void symbol() {
    const std::size_t begin = at_;
    const auto found = std::find_if(kOperators.begin(), kOperators.end(), [&](auto known) {
      return text_.substr(begin, known.size()) == known;
    });
    at_ += found == kOperators.end() ? 1 : found->size();
    add(TokenKind::symbol, begin, position(begin));
  }

  void directive() {
    const std::size_t begin = at_;
    const Position place = position(begin);
    while (at_ < text_.size() && !is_line_end()) {
      if (const std::size_t length = splice()) {
        step_to(at_ + length);
      } else if (peek(0) == '/' && peek(1) == '*') {
        block_comment();
      } else if (peek(0) == '/' && peek(1) == '/') {
        line_comment();
      } else if (peek(0) == '"' || peek(0) == '\'') {
        quoted_in_directive();
      } else {
        step();
      }
    }
    std::size_t end = at_;
    while (end > begin && is_blank(text_[end - 1])) --end;
    tokens_.push_back({TokenKind::directive, text_.substr(begin, end - begin), begin, place});
    if (is_never(tokens_.back())) skip_branch();
  }

  /// A string of a directive, so that // within it is no comment; a lone quote is a letter there.
  void quoted_in_directive() {
    const char quote = text_[at_];
    if (quote == '"' && at_ > 0 && text_[at_ - 1] == 'R') {
      const std::size_t open = text_.find('(', at_);
      if (open != std::string_view::npos && open - at_ - 1 <= kLongestRawDelimiter)
        return step_to(raw_end(at_, position(at_)));
    }
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' && end + 1 < text_.size() ? std::size_t{2} : 1;
    const bool is_closed = end < text_.size() && text_[end] == quote;
    step_to(is_closed ? end + 1 : at_ + 1);
  }

  /// Goes to the directive that ends a branch which is never compiled.
  void skip_branch() {
    int depth = 0;
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
      std::string_view line = trim(text_.substr(at_, end - at_));
      if (!line.empty() && line.front() == '#') {
        line = trim(line.substr(1));
        if (line.substr(0, 2) == "if") ++depth;
        const bool ends = line.substr(0, 5) == "endif";
        if (depth == 0 && (ends || line.substr(0, 2) == "el")) return;
        if (ends) --depth;
      }
      step_to(std::min(end + 1, text_.size()));
    }
  }

  std::string_view text_;
  const std::string& path_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool line_is_new_ = true;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& path) {
  return Lexer(text, path).run();
}

std::string_view directive_name(const Token& directive) {
  std::string_view rest = trim(directive.text.substr(1));
  std::size_t end = 0;
  while (end < rest.size() && is_name_part(rest[end])) ++end;
  return rest.substr(0, end);
}

std::string_view directive_rest(const Token& directive) {
  const std::string_view rest = trim(directive.text.substr(1));
  return trim(rest.substr(directive_name(directive).size()));
}

bool is_never(const Token& directive) {
  if (directive_name(directive) != "if") return false;
  const std::string_view rest = directive_rest(directive);
  if (rest.substr(0, 1) != "0") return false;
  const std::string_view behind = trim(rest.substr(1));
  return behind.empty() || behind.front() == '/';
}

}  // namespace heddle::kernel::cxx
