#include "kernel/cxx/patch/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "kernel/cxx/patch/work.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {
namespace {

class TextDoubts {
 public:
  TextDoubts(const CxxSource& source, const CxxFunction& function)
      : source_(source), function_(function) {}

  std::vector<std::string> run(std::string_view name) {
    doubt_text(name);
    doubt_lines();
    return std::move(doubts_);
  }

 private:
  void doubt(std::string text) { doubts_.push_back(std::move(text)); }

  void doubt_text(std::string_view name) {
    const std::string& text = source_.text();
    if (const std::size_t at = text.find("\?\?/"); at != std::string::npos)
      doubt(fmt::format("line {} of {} has a trigraph", line_of(text, at), name));
    for (const Token& token : source_.tokens())
      if (token.kind == TokenKind::directive && is_line_directive(token))
        doubt(fmt::format("line {} of {} is a #line directive", token.position.line, name));
    std::vector<std::pair<std::size_t, std::size_t>> directives;
    for (const Token& token : source_.tokens())
      if (token.kind == TokenKind::directive && token.text.find("/*") == std::string_view::npos)
        directives.emplace_back(token.offset, token.offset + token.text.size());
    for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 1)) {
      const std::size_t next = text.find_first_not_of(" \t\f\v", at + 1);
      if (next == std::string::npos || (text[next] != '\n' && text[next] != '\r')) continue;
      const bool is_directive =
          std::any_of(directives.begin(), directives.end(),
                      [&](const auto& range) { return range.first <= at && at < range.second; });
      if (is_directive) continue;
      doubt(fmt::format("line {} of {} is joined to the next one by a backslash", line_of(text, at),
                        name));
      return;
    }
  }

  static bool is_line_directive(const Token& token) {
    const std::string_view word = directive_name(token);
    const std::size_t at = token.text.find_first_not_of("# \t");
    return word == "line" || (at != std::string_view::npos &&
                              std::isdigit(static_cast<unsigned char>(token.text[at])) != 0);
  }

  static std::ptrdiff_t line_of(const std::string& text, std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  }

  /// __LINE__ and its like in host code and in macros.
  void doubt_lines() {
    const auto look = [&](const std::vector<Token>& list, std::size_t i, int line) {
      const std::string_view text = list[i].text;
      if (text == "__COUNTER__" || text == "source_location" || text == "__builtin_LINE")
        doubt(fmt::format("line {} uses {}", line, text));
      if (text == "__LINE__" && !is_printed(list, i))
        doubt(fmt::format("line {} uses __LINE__ for more than a message", line));
    };
    const auto& all = source_.tokens();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_body = i >= function_.body_begin && i <= function_.body_end;
      if (all[i].kind == TokenKind::name && (!is_body || all[i].text == "__COUNTER__"))
        look(all, i, all[i].position.line);
      if (all[i].kind != TokenKind::directive ||
          (all[i].text.find("__LINE__") == std::string_view::npos &&
           all[i].text.find("__COUNTER__") == std::string_view::npos))
        continue;
      const std::string rest(directive_rest(all[i]));
      try {
        const auto words = tokenize(rest, "");
        for (std::size_t k = 0; k < words.size(); ++k) look(words, k, all[i].position.line);
      } catch (const Error&) {
        doubt(fmt::format("line {} uses __LINE__ or __COUNTER__", all[i].position.line));
      }
    }
  }

  const CxxSource& source_;
  const CxxFunction& function_;
  std::vector<std::string> doubts_;
};

}  // namespace

std::vector<std::string> text_doubts(const CxxSource& source, const CxxFunction& function,
                                     std::string_view name) {
  return TextDoubts(source, function).run(name);
}

}  // namespace heddle::kernel::cxx
