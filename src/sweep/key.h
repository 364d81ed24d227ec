// What tells a unit's work from any other: 128 bits of everything that decides its result.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::sweep {

struct Key {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Key&) const = default;

  /// 32 hexadecimal digits.
  std::string text() const;
};

inline constexpr std::size_t kKeyDigits = 32;

Key key_of(std::string_view everything);
/// Nothing: these are not 32 digits.
std::optional<Key> read_key(std::string_view digits);

}  // namespace heddle::sweep
