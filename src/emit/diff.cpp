#include "emit/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace heddle::emit {
namespace {

constexpr std::size_t kContext = 3;

using DiffLines = std::vector<std::string_view>;

/// Each with its '\n', so that a last line without one differs from the same line with it.
DiffLines lines_of(std::string_view text) {
  DiffLines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// Lines [before_first, before_last) become [after_first, after_last).
struct Change {
  std::size_t before_first = 0;
  std::size_t before_last = 0;
  std::size_t after_first = 0;
  std::size_t after_last = 0;
};

/// Myers' shortest edit script: rounds[d][k] is how far d edits get on diagonal k.
class ShortestEdits {
 public:
  ShortestEdits(const DiffLines& before, const DiffLines& after, Change whole)
      : before_(before), after_(after), whole_(whole) {}

  std::vector<Change> run() {
    const auto n = static_cast<int>(whole_.before_last - whole_.before_first);
    const auto m = static_cast<int>(whole_.after_last - whole_.after_first);
    for (int d = 0; d <= std::min(n + m, kMostEdits); ++d) {
      std::vector<int> reach(static_cast<std::size_t>(d) + 1);
      for (int k = -d; k <= d; k += 2) {
        int x = d == 0 ? 0 : step(d, k);
        int y = x - k;
        while (x < n && y < m && equal(x, y)) ++x, ++y;
        reach[index(d, k)] = x;
        if (x < n || y < m) continue;
        rounds_.push_back(std::move(reach));
        return back(d, n, m);
      }
      rounds_.push_back(std::move(reach));
    }
    return {whole_};
  }

 private:
  static std::size_t index(int d, int k) { return static_cast<std::size_t>((k + d) / 2); }

  /// Where diagonal k is entered with the d-th edit: by an insertion from k + 1, or a deletion from
  /// k - 1, whichever got further.
  bool is_insertion(int d, int k) const {
    if (k == -d) return true;
    if (k == d) return false;
    const std::vector<int>& previous = rounds_[static_cast<std::size_t>(d) - 1];
    return previous[index(d - 1, k - 1)] < previous[index(d - 1, k + 1)];
  }

  int step(int d, int k) const {
    const std::vector<int>& previous = rounds_[static_cast<std::size_t>(d) - 1];
    return is_insertion(d, k) ? previous[index(d - 1, k + 1)] : previous[index(d - 1, k - 1)] + 1;
  }

  bool equal(int x, int y) const {
    return before_[whole_.before_first + static_cast<std::size_t>(x)] ==
           after_[whole_.after_first + static_cast<std::size_t>(y)];
  }

  std::vector<Change> back(int d, int x, int y) const {
    std::vector<Change> changes;
    for (; d > 0; --d) {
      const int k = x - y;
      const bool insertion = is_insertion(d, k);
      const int entered = step(d, k);  // x just behind the edit
      x = insertion ? entered : entered - 1;
      y = insertion ? entered - k - 1 : entered - k;
      add(changes, x, y, insertion);
    }
    std::ranges::reverse(changes);
    return changes;
  }

  /// Edits come last first; those that touch become one change.
  void add(std::vector<Change>& changes, int x, int y, bool insertion) const {
    const std::size_t before = whole_.before_first + static_cast<std::size_t>(x);
    const std::size_t after = whole_.after_first + static_cast<std::size_t>(y);
    Change change{before, before + (insertion ? 0 : 1), after, after + (insertion ? 1 : 0)};
    if (!changes.empty() && changes.back().before_first == change.before_last &&
        changes.back().after_first == change.after_last) {
      change.before_last = changes.back().before_last;
      change.after_last = changes.back().after_last;
      changes.back() = change;
    } else {
      changes.push_back(change);
    }
  }

  const DiffLines& before_;
  const DiffLines& after_;
  Change whole_;
  std::vector<std::vector<int>> rounds_;
};

std::vector<Change> changes_between(const DiffLines& before, const DiffLines& after) {
  Change whole{0, before.size(), 0, after.size()};
  const std::size_t shorter = std::min(before.size(), after.size());
  while (whole.before_first < shorter && before[whole.before_first] == after[whole.before_first])
    ++whole.before_first;
  whole.after_first = whole.before_first;
  while (whole.before_last > whole.before_first && whole.after_last > whole.after_first &&
         before[whole.before_last - 1] == after[whole.after_last - 1]) {
    --whole.before_last;
    --whole.after_last;
  }
  return ShortestEdits(before, after, whole).run();
}

/// "12,3", "12", "0,0": a range as hunk headers write it, from 1.
std::string range_text(std::size_t first, std::size_t count) {
  if (count == 1) return fmt::format("{}", first + 1);
  return fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

void add_line(std::string& text, char mark, std::string_view line) {
  text += mark;
  text += line;
  if (line.back() != '\n') text += "\n\\ No newline at end of file\n";
}

/// The changes first..last, which share their context.
std::string hunk(const DiffLines& before, const DiffLines& after,
                 const std::vector<Change>& changes, std::size_t first, std::size_t last) {
  const std::size_t lead = std::min(kContext, changes[first].before_first);
  const std::size_t trail = std::min(kContext, before.size() - changes[last].before_last);
  const std::size_t before_begin = changes[first].before_first - lead;
  const std::size_t before_end = changes[last].before_last + trail;
  const std::size_t after_begin = changes[first].after_first - lead;
  const std::size_t after_end = changes[last].after_last + trail;
  std::string text =
      fmt::format("@@ -{} +{} @@\n", range_text(before_begin, before_end - before_begin),
                  range_text(after_begin, after_end - after_begin));
  std::size_t at = before_begin;
  for (std::size_t i = first; i <= last; ++i) {
    const Change& change = changes[i];
    for (; at < change.before_first; ++at) add_line(text, ' ', before[at]);
    for (; at < change.before_last; ++at) add_line(text, '-', before[at]);
    for (std::size_t j = change.after_first; j < change.after_last; ++j)
      add_line(text, '+', after[j]);
  }
  for (; at < before_end; ++at) add_line(text, ' ', before[at]);
  return text;
}

/// A file name as git and GNU patch read it: quoted where it holds control characters, quotes or
/// backslashes; with a tab behind it where it holds blanks.
std::string name_text(std::string_view side, std::string_view name) {
  std::string quoted;
  bool needs_quotes = false;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool odd = byte < 0x20 || byte == 0x7f;
    if (odd) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    needs_quotes = needs_quotes || odd || c == '"' || c == '\\';
  }
  if (needs_quotes) return fmt::format("\"{}/{}\"", side, quoted);
  return fmt::format("{}/{}{}", side, name, name.find(' ') == std::string_view::npos ? "" : "\t");
}

}  // namespace

std::string name_in_diff(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path whole = fs::absolute(path).lexically_normal();
  const fs::path below = whole.lexically_relative(fs::current_path());
  const bool is_below = !below.empty() && *below.begin() != "..";
  return (is_below ? below : whole.filename()).generic_string();
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return {};
  const DiffLines old_lines = lines_of(before);
  const DiffLines new_lines = lines_of(after);
  const std::vector<Change> changes = changes_between(old_lines, new_lines);
  std::string text = fmt::format("--- {}\n+++ {}\n", name_text("a", name), name_text("b", name));
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].before_first - changes[last].before_last <= 2 * kContext)
      ++last;
    text += hunk(old_lines, new_lines, changes, first, last);
    first = last + 1;
  }
  return text;
}

}  // namespace heddle::emit
