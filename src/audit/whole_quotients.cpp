#include "audit/whole_quotients.h"

#include <algorithm>

namespace heddle::audit {

WholeQuotients::WholeQuotients(const std::vector<kernel::LaunchQuotient>& quotients,
                               const std::set<std::int64_t>& counts) {
  const auto has_remainder_of = [&](const kernel::LaunchQuotient& one) {
    return std::ranges::any_of(quotients, [&](const kernel::LaunchQuotient& other) {
      return other.is_remainder && other.a == one.a && other.b == one.b;
    });
  };
  for (const kernel::LaunchQuotient& one : quotients)
    if (!one.is_remainder && counts.contains(one.a) && one.b > 1 && one.a % one.b == 0 &&
        !has_remainder_of(one))
      places_.insert({one.line, one.column});
}

std::optional<int> WholeQuotients::broken_line(
    const std::vector<kernel::LaunchQuotient>& quotients) const {
  for (const kernel::LaunchQuotient& one : quotients)
    if (!one.is_remainder && places_.contains({one.line, one.column}) &&
        (one.b == 0 || one.a % one.b != 0))
      return one.line;
  return std::nullopt;
}

}  // namespace heddle::audit
