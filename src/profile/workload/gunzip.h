// Unpacks gzip.
//
//   gunzip(bytes, kTableBytes)   text "Dispatch_ID,...", damage ""
//
// Rules
//   1. Members follow one another; zero bytes after the last are skipped.
//   2. What comes before damage, an early end or the limit is kept, and `damage` says what it is.
//   3. Time and memory are bounded by the limit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::profile {

/// Whether the bytes begin like a gzip file.
inline bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

struct Unpacked {
  std::string text;
  std::string damage;  ///< why it ends early; empty if it does not
};

/// What can be unpacked of a gzip file, at most `limit_bytes`.
Unpacked gunzip(std::string_view packed, std::size_t limit_bytes);

}  // namespace heddle::profile
