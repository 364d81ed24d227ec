#include "sweep/key.h"

#include <fmt/format.h>

#include <charconv>

#include "config/fingerprint.h"

namespace heddle::sweep {

std::string Key::text() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

Key key_of(std::string_view everything) {
  return read_key(config::fingerprint(everything)).value();
}

std::optional<Key> read_key(std::string_view digits) {
  if (digits.size() != kKeyDigits) return std::nullopt;
  Key key;
  const char* const middle = digits.data() + kKeyDigits / 2;
  const char* const end = digits.data() + kKeyDigits;
  const auto first = std::from_chars(digits.data(), middle, key.high, 16);
  const auto second = std::from_chars(middle, end, key.low, 16);
  if (first.ec != std::errc() || first.ptr != middle || second.ec != std::errc() ||
      second.ptr != end)
    return std::nullopt;
  return key;
}

}  // namespace heddle::sweep
