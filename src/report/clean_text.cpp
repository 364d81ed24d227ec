#include "report/clean_text.h"

#include <cstdint>

#include "report/style.h"
#include "report/validation_table.h"
#include "support/text.h"

namespace heddle::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

bool continues(std::string_view text, std::size_t place) {
  return place < text.size() && (byte_at(text, place) & 0xC0U) == 0x80U;
}

/// Bytes of the character that begins here; 0 where none does.
std::size_t character_size(std::string_view text, std::size_t place) {
  const unsigned first = byte_at(text, place);
  if (first < 0x80U) return 1;
  const std::size_t size = first >= 0xF0U && first <= 0xF4U   ? 4
                           : first >= 0xE0U && first <= 0xEFU ? 3
                           : first >= 0xC2U && first <= 0xDFU ? 2
                                                              : 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(text, place + i)) return 0;
  }
  if (size < 3) return size;
  const unsigned second = byte_at(text, place + 1);
  const bool is_overlong = (first == 0xE0U && second < 0xA0U) || (first == 0xF0U && second < 0x90U);
  const bool is_surrogate = first == 0xEDU && second > 0x9FU;
  const bool is_too_large = first == 0xF4U && second > 0x8FU;
  return is_overlong || is_surrogate || is_too_large ? 0 : size;
}

/// Marks that make a terminal write from right to left: U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069.
bool turns_direction(unsigned second, unsigned third, unsigned first) {
  if (first != 0xE2U) return false;
  if (second == 0x80U)
    return third == 0x8EU || third == 0x8FU || (third >= 0xAAU && third <= 0xAEU);
  return second == 0x81U && third >= 0xA6U && third <= 0xA9U;
}

/// C0, DEL and, in two bytes, C1; marks of direction.
bool is_control(std::string_view text, std::size_t place, std::size_t size) {
  const unsigned first = byte_at(text, place);
  if (size == 1) return (first < 0x20U && first != '\n' && first != '\t') || first == 0x7FU;
  if (size == 3) return turns_direction(byte_at(text, place + 1), byte_at(text, place + 2), first);
  return size == 2 && first == 0xC2U && byte_at(text, place + 1) < 0xA0U;
}

std::string cleaned(std::string_view text, bool keep_controls) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    if (size == 0)
      result += kReplacement;
    else if (!keep_controls && is_control(text, at, size))
      result += ' ';
    else
      result += text.substr(at, size);
    at += size == 0 ? 1 : size;
  }
  return result;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return cleaned(text, true);
}

std::string printable(std::string_view text) {
  return cleaned(text, false);
}

std::string one_line(std::string_view text, std::size_t width) {
  return cut(trim(printable(text)), width);
}

std::string end_of_line(std::string_view text, std::size_t width) {
  constexpr std::string_view kDots = "...";
  const std::string line(trim(printable(text)));
  if (line.size() <= width || width <= kDots.size()) return cut(line, width);
  std::size_t at = line.size() - (width - kDots.size());
  // Not in the middle of a letter.
  while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U) ++at;
  return std::string(kDots) + line.substr(at);
}

}  // namespace heddle::report
