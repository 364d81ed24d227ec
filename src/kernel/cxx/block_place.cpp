// Where an order's code goes in a C++ kernel, and whether a new text is the old one with it.
#include <algorithm>

#include "kernel/cxx/block_uses.h"
#include "kernel/cxx/token.h"
#include "support/text.h"

namespace heddle::kernel::cxx {
namespace {

std::size_t first_visible(const std::string& text, std::size_t offset) {
  return std::min(text.find_first_not_of(" \t", offset), text.size());
}

/// The blanks that a line begins with.
std::string margin_of(const std::string& text, std::size_t offset) {
  const std::size_t begin = line_begin(text, offset);
  return text.substr(begin, first_visible(text, begin) - begin);
}

}  // namespace

/// Below the brace's line where that line has nothing else, or only a // comment.
CodePlace BlockUses::place() const {
  const std::string& text = source_.text();
  const std::vector<Token>& tokens = source_.tokens();
  const Token& open = tokens[function_.body_begin];
  const std::size_t brace = open.offset + open.text.size();
  const std::size_t end = std::min(text.find('\n', brace), text.size());
  const std::string_view rest = trim(std::string_view(text).substr(brace, end - brace));
  const bool is_comment = rest.substr(0, 2) == "//" && rest.back() != '\\';
  CodePlace place;
  place.breaks_line = end == text.size() || (!rest.empty() && !is_comment);
  place.begin = place.breaks_line ? brace : end + 1;
  place.end = place.breaks_line ? first_visible(text, brace) : place.begin;
  const std::size_t newline = text.find('\n');
  if (newline != std::string::npos && newline > 0 && text[newline - 1] == '\r')
    place.ending = "\r\n";
  const std::string outer = margin_of(text, tokens[function_.begin].offset);
  place.margin = outer + "  ";
  const Token& first = tokens[function_.body_begin + 1];
  const bool begins_line = first.offset >= place.begin && !place.breaks_line &&
                           first_visible(text, line_begin(text, first.offset)) == first.offset;
  const bool is_statement = begins_line && first.kind != TokenKind::directive && first.text != "}";
  const std::string found = is_statement ? margin_of(text, first.offset) : std::string();
  if (found.size() > outer.size()) place.margin = found;
  const bool is_deeper = place.margin.rfind(outer, 0) == 0;
  place.level = is_deeper ? place.margin.substr(outer.size()) : "  ";
  place.takes_index.assign(uses.size(), false);
  return place;
}

void BlockUses::check_rewritten(const std::string& after,
                                const std::vector<std::string>& new_names) const {
  const CxxSource changed(path, after);
  const std::vector<Token>& tokens = source_.tokens();
  const std::vector<Token>& others = changed.tokens();
  std::size_t replaced = 0;
  for (const BlockUse& use : tokens_) replaced += use.last - use.first;
  bool is_same = others.size() + replaced >= tokens.size();
  const std::size_t added = is_same ? others.size() + replaced - tokens.size() : 0;
  std::size_t other = 0;
  auto use = tokens_.begin();
  for (std::size_t i = 0; i < tokens.size() && is_same; ++i, ++other) {
    if (i == function_.body_begin + 1) other += added;
    std::string_view wanted = tokens[i].text;
    if (use != tokens_.end() && use->first == i) {
      wanted = new_names[static_cast<std::size_t>(use->axis)];
      i = use->last;
      ++use;
    }
    is_same = other < others.size() && others[other].text == wanted;
  }
  if (!is_same || other != others.size())
    throw Error("the kernel cannot be rewritten without changing something else",
                "write each blockIdx on one line, outside strings")
        .at(path, uses.front().position);
}

}  // namespace heddle::kernel::cxx
