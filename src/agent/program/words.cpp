#include "words.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace heddle::agent {
namespace {

template <class Number>
std::optional<Number> whole(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || at != end) return std::nullopt;
  return number;
}

}  // namespace

std::vector<std::string_view> split(std::string_view line) {
  return split_first(line, line.size() + 1);
}

std::vector<std::string_view> split_first(std::string_view line, std::size_t count) {
  std::vector<std::string_view> words;
  while (words.size() < count) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    if (space == std::string_view::npos) return words;
    line.remove_prefix(space + 1);
  }
  words.push_back(line);
  return words;
}

std::optional<std::int64_t> integer(std::string_view text) {
  return whole<std::int64_t>(text);
}

std::optional<std::uint64_t> natural(std::string_view text) {
  return whole<std::uint64_t>(text);
}

std::optional<double> real(std::string_view text) {
  return whole<double>(text);
}

std::string printable(std::string_view text, std::size_t most) {
  std::string result;
  for (const char character : text.substr(0, most))
    result += static_cast<unsigned char>(character) < 32 || character == 127 ? ' ' : character;
  if (text.size() > most) result += " ...";
  return result;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

std::string number_text(double value, int digits) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
  return buffer.data();
}

}  // namespace heddle::agent
