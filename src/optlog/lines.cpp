#include "optlog/lines.h"

#include <array>

#include "support/text.h"

namespace heddle::optlog {
namespace {

constexpr std::array<std::string_view, 6> kProseHeadings = {
    "code optimization reasoning", "code optimisation reasoning", "reason why old was slow",
    "summary of optimization",     "summary of optimisation",     "reason why new should be better",
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
bool is_figure(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Walks over one heading from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  std::size_t skip(char wanted) {
    const std::size_t begin = at_;
    while (!at_end() && text_[at_] == wanted) ++at_;
    return at_ - begin;
  }

  std::size_t skip_spaces() {
    const std::size_t begin = at_;
    while (!at_end() && is_space(text_[at_])) ++at_;
    return at_ - begin;
  }

  /// The run of '*' and '_' that opens bold or italic text; remembered for close_decoration.
  void open_decoration() {
    const std::size_t begin = at_;
    while (!at_end() && (text_[at_] == '*' || text_[at_] == '_')) ++at_;
    decoration_ = text_.substr(begin, at_ - begin);
  }

  void close_decoration() {
    if (decoration_.empty() || text_.substr(at_, decoration_.size()) != decoration_) return;
    at_ += decoration_.size();
    decoration_ = {};
  }

  /// The phrase in any letter case, each of its blanks matching any run of blanks.
  bool eat_phrase(std::string_view phrase) {
    std::size_t place = at_;
    for (const char wanted : phrase) {
      if (place == text_.size()) return false;
      if (wanted == ' ') {
        if (!is_space(text_[place])) return false;
        while (place != text_.size() && is_space(text_[place])) ++place;
      } else if (lower(text_[place++]) != wanted) {
        return false;
      }
    }
    at_ = place;
    return true;
  }

  bool eat(char wanted) {
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  /// Digits into the mark; false where there are none.
  bool eat_number(LineMark& mark) {
    const std::size_t begin = at_;
    long long value = 0;
    for (; !at_end() && is_figure(text_[at_]); ++at_) {
      if (value <= kLargestNumber) value = value * 10 + (text_[at_] - '0');
    }
    if (at_ == begin) return false;
    mark.number_capped = value > kLargestNumber;
    mark.number = mark.number_capped ? kLargestNumber : static_cast<int>(value);
    return true;
  }

  /// Skips to the first digit.
  void seek_digit() {
    while (!at_end() && !is_figure(text_[at_])) ++at_;
  }

  /// What may follow the words of a heading: closing decoration, a colon. True if there is a colon.
  bool eat_heading_end() {
    close_decoration();
    skip_spaces();
    const bool colon = eat(':');
    close_decoration();
    skip_spaces();
    return colon;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view decoration_;
};

/// "iteration 3" and nothing else, from where the cursor stands.
bool eat_numbered(Cursor cursor, std::string_view words, LineMark& mark) {
  if (!cursor.eat_phrase(words) || cursor.skip_spaces() == 0) return false;
  cursor.eat('#');
  LineMark found = mark;
  if (!cursor.eat_number(found)) return false;
  cursor.eat_heading_end();
  cursor.skip('#');
  if (!cursor.at_end()) return false;
  mark = found;
  return true;
}

/// One of the headings that may carry text after their colon.
bool eat_named(Cursor cursor, std::string_view words, LineMark& mark) {
  if (!cursor.eat_phrase(words)) return false;
  const bool colon = cursor.eat_heading_end();
  if (!colon) cursor.skip('#');
  if (!colon && !cursor.at_end()) return false;
  mark.rest = cursor.at();
  return true;
}

std::string_view strip_ends(std::string_view text, std::string_view unwanted) {
  const std::size_t begin = text.find_first_not_of(unwanted);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(unwanted) - begin + 1);
}

/// "--- ANYTHING ---" or "=== ANYTHING ===", decoration already stripped in front.
LineMark mark_section(std::string_view body, LineMark mark) {
  body = body.substr(0, body.find_last_not_of("*_# \t\r") + 1);
  if (body == "---") mark.kind = LineKind::rule;
  if (body.size() < 7) return mark;
  const std::string_view edge = body.substr(0, 3);
  if ((edge != "---" && edge != "===") || body.substr(body.size() - 3) != edge) return mark;
  const std::string_view inner = trim(strip_ends(body, edge.substr(0, 1)));
  if (inner.empty()) return mark;
  Cursor cursor(inner);
  mark.kind = LineKind::section;
  if (eat_numbered(cursor, "iteration", mark)) {
    mark.kind = LineKind::iteration;
  } else if (cursor.eat_phrase("profiling") || cursor.eat_phrase("profile")) {
    mark.kind = LineKind::profile;
    cursor.seek_digit();
    cursor.eat_number(mark);
  }
  return mark;
}

}  // namespace

LineMark mark_line(std::string_view line) {
  LineMark mark;
  Cursor cursor(line);
  cursor.skip_spaces();
  mark.hashes = cursor.skip('#');
  cursor.skip_spaces();
  cursor.open_decoration();
  const std::string_view body = line.substr(cursor.at());
  if (body.substr(0, 3) == "---" || body.substr(0, 3) == "===") return mark_section(body, mark);

  if (eat_numbered(cursor, "iteration", mark)) {
    mark.kind = LineKind::iteration;
  } else if (eat_numbered(cursor, "profiling iteration", mark)) {
    mark.kind = LineKind::profile;
  } else if (eat_named(cursor, "swizzling formula", mark)) {
    mark.kind = LineKind::formula_heading;
  } else {
    for (const std::string_view words : kProseHeadings) {
      if (eat_named(cursor, words, mark)) mark.kind = LineKind::prose_heading;
    }
  }
  return mark;
}

bool ends_formula(const LineMark& mark, bool headings_have_one_hash) {
  if (mark.kind == LineKind::text) return false;
  return mark.hashes != 1 || headings_have_one_hash;
}

bool is_blank(std::string_view line) {
  for (const char c : line) {
    if (!is_space(c)) return false;
  }
  return true;
}

bool is_fence(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return false;
  const std::string_view edge = line.substr(begin, 3);
  return edge == "```" || edge == "~~~";
}

}  // namespace heddle::optlog
