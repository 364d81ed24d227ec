#include "tiles/same_work.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace heddle::tiles {
namespace {

using kernel::IndexNumber;

/// Numbers that are shown and that a number depends on; false: on something else, too.
bool find_seen(const kernel::IndexProbe& probe, int index, std::set<int>& visited,
               std::vector<int>& out) {
  if (!visited.insert(index).second) return true;
  const IndexNumber& one = probe.numbers[static_cast<std::size_t>(index)];
  if (!one.is_loaded) {
    out.push_back(index);
    return true;
  }
  return !one.made_of.empty() && std::ranges::all_of(one.made_of, [&](int part) {
    return find_seen(probe, part, visited, out);
  });
}

/// The variable that a number is a multiple of, or the number itself.
int variable_of(const kernel::IndexProbe& probe, int index) {
  int one = index;
  for (std::size_t i = 0; i < probe.numbers.size(); ++i) {
    const IndexNumber& number = probe.numbers[static_cast<std::size_t>(one)];
    if (number.is_named) return one;
    if (!number.is_linear || number.made_of.size() != 1) break;
    one = number.made_of.front();
  }
  return index;
}

/// "pid_m = 0, pid_n = 0".
std::string values_text(const kernel::IndexProbe& probe, const ShownRows& shown,
                        const std::vector<int>& seen, std::size_t row) {
  std::vector<std::string> parts;
  for (const int index : seen) {
    const int shows = variable_of(probe, index);
    const IndexNumber& one = probe.numbers[static_cast<std::size_t>(shows)];
    if (!one.is_named || shown.at(shows, row) == kNotShown) continue;
    std::string part = fmt::format("{} = {}", one.name, shown.at(shows, row));
    if (std::ranges::count(parts, part) == 0) parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::optional<SameWork> find_same_work(const kernel::IndexProbe& probe, const ShownRows& shown) {
  std::vector<int> seen;
  std::set<int> visited;
  for (std::size_t i = 0; i < probe.numbers.size(); ++i)
    if (probe.numbers[i].is_at_work && !find_seen(probe, static_cast<int>(i), visited, seen))
      return std::nullopt;
  std::map<std::vector<std::int64_t>, std::int64_t> done_by;
  for (std::size_t row = 0; row < shown.rows(); ++row) {
    std::vector<std::int64_t> values;
    for (const int one : seen) values.push_back(shown.at(one, row));
    if (std::ranges::count(values, kNotShown) > 0) return std::nullopt;
    const auto [known, is_new] = done_by.emplace(values, shown.block[row]);
    if (is_new || known->second == shown.block[row]) continue;
    return SameWork{known->second, shown.block[row], values_text(probe, shown, seen, row)};
  }
  return std::nullopt;
}

}  // namespace heddle::tiles
