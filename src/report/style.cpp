#include "report/style.h"

#include <fmt/format.h>

#include <cstdlib>

#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kLabel = 15;

std::string paint(bool color, std::string_view code, std::string_view text) {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace

std::string Style::verdict(Verdict verdict) const {
  const std::string_view code = verdict == Verdict::proved    ? "1;32"
                                : verdict == Verdict::refuted ? "1;31"
                                                              : "1;33";
  return paint(color, code, verdict_text(verdict));
}

std::string Style::bold(std::string_view text) const {
  return paint(color, "1", text);
}
std::string Style::dim(std::string_view text) const {
  return paint(color, "2", text);
}

std::string wrapped(std::string_view text, std::size_t first, std::size_t indent) {
  std::string result;
  std::size_t column = first;
  bool at_start = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!at_start && column + 1 + word.size() > kColumns) {
      result += fmt::format("\n{:{}}", "", indent);
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    at_start = false;
  }
  return result;
}

std::string labelled(std::string_view label, std::string_view text) {
  const std::string start = fmt::format("  {:<{}}", label, kLabel);
  return start + wrapped(text, start.size(), kLabel + 2) + "\n";
}

Style choose_style(std::string_view choice, bool to_terminal) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const char* forced = std::getenv("CLICOLOR_FORCE");
  if (choice == "always") return {true};
  if (choice == "never" || (no_color != nullptr && *no_color != '\0')) return {false};
  if (forced != nullptr && *forced != '\0' && std::string_view(forced) != "0") return {true};
  return {to_terminal && !(terminal != nullptr && std::string_view(terminal) == "dumb")};
}

}  // namespace heddle::report
