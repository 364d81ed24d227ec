#include "report/html/markup.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "report/clean_text.h"

namespace heddle::report {

std::string html_text(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_line(const Text& text) {
  std::string line;
  for (const Span& span : text.spans) {
    if (span.kind == Span::Kind::link) {
      line += fmt::format("<a href=\"{}\">{}</a>", html_text(span.target), html_text(span.text));
      continue;
    }
    const char* const element = span.kind == Span::Kind::code     ? "code"
                                : span.kind == Span::Kind::strong ? "strong"
                                                                  : nullptr;
    line += element == nullptr ? html_text(span.text)
                               : fmt::format("<{0}>{1}</{0}>", element, html_text(span.text));
  }
  return line;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string tick_text(double value) {
  constexpr std::array<std::string_view, 5> kUnits = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (std::abs(value) >= 10000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g}{}", value, kUnits[unit]);
}

}  // namespace heddle::report
