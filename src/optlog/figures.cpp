#include "optlog/figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace heddle::optlog {
namespace {

struct UnitName {
  std::string_view name;
  Unit unit;
};

// A name is matched up to the end of its word.
constexpr std::array<UnitName, 25> kUnitNames = {{
    {"%", Unit::per_cent},
    {"percent", Unit::per_cent},
    {"per cent", Unit::per_cent},
    {"pct", Unit::per_cent},
    {"x", Unit::factor},
    {"\xC3\x97", Unit::factor},  // multiplication sign
    {"nanoseconds", Unit::nanoseconds},
    {"nanosecond", Unit::nanoseconds},
    {"nsec", Unit::nanoseconds},
    {"ns", Unit::nanoseconds},
    {"microseconds", Unit::microseconds},
    {"microsecond", Unit::microseconds},
    {"usec", Unit::microseconds},
    {"us", Unit::microseconds},
    {"\xC2\xB5s", Unit::microseconds},  // micro sign
    {"\xCE\xBCs", Unit::microseconds},  // Greek mu
    {"milliseconds", Unit::milliseconds},
    {"millisecond", Unit::milliseconds},
    {"msec", Unit::milliseconds},
    {"ms", Unit::milliseconds},
    {"seconds", Unit::seconds},
    {"second", Unit::seconds},
    {"secs", Unit::seconds},
    {"sec", Unit::seconds},
    {"s", Unit::seconds},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

/// Whether a digit at this place begins a number rather than the tail of a name or a negative one.
bool begins_number(std::string_view text, std::size_t at) {
  if (!is_digit(text[at])) return false;
  if (at == 0) return true;
  const char before = text[at - 1];
  if (before == '-') return at >= 2 && (is_digit(text[at - 2]) || text[at - 2] == '-');
  return !is_word(before) && before != '.' && before != ',';
}

/// The number's characters with separators removed and a point for the decimal sign; moves `at`
/// past it.
std::string number_text(std::string_view text, std::size_t& at) {
  std::string digits;
  const auto take_digits = [&] {
    const std::size_t end = skip_digits(text, at);
    digits.append(text.substr(at, std::min(end - at, kLongestNumber + 1)));
    at = end;
  };
  take_digits();
  bool has_point = false;
  while (!has_point && at + 1 < text.size() && text[at] == ',' && is_digit(text[at + 1])) {
    const bool three = skip_digits(text, at + 1) - at == 4;
    ++at;
    if (!three || digits == "0") {
      digits += '.';
      has_point = true;
    }
    take_digits();
    if (digits.size() > kLongestNumber) break;
  }
  if (!has_point && at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    ++at;
    digits += '.';
    take_digits();
  }
  if (at + 1 < text.size() && text[at] == 'e') {
    const bool sign = text[at + 1] == '-' || text[at + 1] == '+';
    const std::size_t exponent = at + (sign ? 2 : 1);
    if (exponent < text.size() && is_digit(text[exponent])) {
      digits += text[at + 1] == '-' ? "e-" : "e";
      at = exponent;
      take_digits();
    }
  }
  return digits;
}

std::optional<double> number_value(const std::string& digits) {
  if (digits.size() > kLongestNumber) return std::nullopt;
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// The unit that follows a number; moves `at` past it where there is one.
Unit read_unit(std::string_view text, std::size_t& at) {
  const std::size_t begin = skip_blanks(text, at);
  for (const UnitName& candidate : kUnitNames) {
    if (text.substr(begin, candidate.name.size()) != candidate.name) continue;
    const std::size_t end = begin + candidate.name.size();
    if (candidate.name != "%" && end < text.size() && is_word(text[end])) continue;
    if (candidate.unit == Unit::per_cent && text.substr(skip_blanks(text, end), 5) == "point") {
      return Unit::none;
    }
    at = end;
    return candidate.unit;
  }
  return Unit::none;
}

}  // namespace

std::vector<Figure> find_figures(std::string_view sentence) {
  std::vector<Figure> figures;
  std::size_t at = 0;
  while (at < sentence.size()) {
    if (!begins_number(sentence, at)) {
      ++at;
      continue;
    }
    Figure figure;
    figure.begin = at;
    const std::optional<double> value = number_value(number_text(sentence, at));
    figure.unit = read_unit(sentence, at);
    figure.end = at;
    if (value) {
      figure.value = *value;
      figures.push_back(figure);
    }
  }
  return figures;
}

bool is_time(Unit unit) {
  return unit == Unit::seconds || unit == Unit::milliseconds || unit == Unit::microseconds ||
         unit == Unit::nanoseconds;
}

double to_milliseconds(double value, Unit unit) {
  switch (unit) {
    case Unit::seconds:
      return value * 1e3;
    case Unit::microseconds:
      return value / 1e3;
    case Unit::nanoseconds:
      return value / 1e6;
    default:
      return value;
  }
}

}  // namespace heddle::optlog
