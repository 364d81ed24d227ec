// Unpacks gzip.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::profile {

struct Unpacked {
  std::string text;
  std::string damage;  ///< why it ends early; empty if it does not
};

/// What can be unpacked of a gzip file, at most `limit_bytes`.
Unpacked gunzip(std::string_view packed, std::size_t limit_bytes);

}  // namespace heddle::profile
