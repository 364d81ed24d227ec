#include "support/spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.h"

namespace heddle {
namespace {

/// Letters to insert, delete or replace, and neighbours to swap, whatever their case.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> above(right.size() + 1);  // the row before the last
  std::vector<std::size_t> last(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = left[i - 1] == right[j - 1];
      row[j] = std::min({last[j - 1] + (same ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
        row[j] = std::min(row[j], above[j - 2] + 1);
    }
    above.swap(last);
    last.swap(row);
  }
  return last[right.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  const std::string lowered = lower_case(word);
  // A third of the letters may differ, or one, but not all.
  std::size_t best = std::min(word.size(), std::max<std::size_t>(word.size() / 3 + 1, 2));
  std::string_view nearest;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestWord) continue;
    const std::size_t apart = distance(lowered, lower_case(candidate));
    if (apart >= best) continue;
    best = apart;
    nearest = candidate;
  }
  return nearest.empty() ? std::string() : fmt::format("did you mean '{}'? ", nearest);
}

std::string word_list(const std::vector<std::string>& words) {
  constexpr std::size_t kShown = 30;
  if (words.size() <= kShown) return fmt::format("{}", fmt::join(words, " "));
  const std::vector<std::string> first(words.begin(), words.begin() + kShown);
  return fmt::format("{} ... ({} in all)", fmt::join(first, " "), words.size());
}

}  // namespace heddle
