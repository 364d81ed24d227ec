#include "profile/compat.h"

#include <fmt/format.h>

#include "support/error.h"
#include "support/text.h"

namespace heddle::profile {
namespace {

constexpr std::int64_t kNewestMinor = 10;

}  // namespace

CompatVersion parse_compat(std::string_view text) {
  if (text.empty()) return {};
  const auto parts = split(text, '.');
  const auto minor = parts.size() > 1 ? parse_integer(parts[1]) : std::int64_t{0};
  const bool known = parts.size() <= 3 && parts[0] == "3" && minor && *minor >= 0 &&
                     *minor <= kNewestMinor && (parts.size() < 3 || parse_integer(parts[2]));
  if (!known)
    throw Error(fmt::format("'{}' is not a version of rocprofiler-compute whose numbers heddle "
                            "knows",
                            text),
                fmt::format("write --compat 3.0 to --compat 3.{}", kNewestMinor));
  return {static_cast<int>(*minor)};
}

}  // namespace heddle::profile
