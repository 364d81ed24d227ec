#include "emit/place_code.h"

#include <algorithm>

namespace heddle::emit {

std::string fitted(const std::string& code, const kernel::CodePlace& place) {
  constexpr std::size_t kLevel = 4;
  std::string result;
  for (std::size_t at = 0; at < code.size();) {
    const std::string line = code.substr(at, code.find('\n', at) - at);
    at += line.size() + 1;
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    result += place.margin;
    for (std::size_t i = 0; i < blanks / kLevel; ++i) result += place.level;
    result += line.substr(blanks) + place.ending;
  }
  return result;
}

std::size_t comment_columns(const kernel::CodePlace& place) {
  constexpr std::size_t kColumns = 100;
  constexpr std::size_t kFewestColumns = 40;  // however deep the kernel is indented
  return std::max(kColumns - std::min(kColumns, place.margin.size()), kFewestColumns);
}

}  // namespace heddle::emit
