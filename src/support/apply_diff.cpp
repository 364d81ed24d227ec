#include "support/apply_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/text.h"

namespace heddle {
namespace {

struct Hunk {
  std::int64_t begin = 1;  ///< line of the old text, from 1
  int at = 0;              ///< line of the diff
  std::vector<std::string_view> lines;
};

struct FilePart {
  std::string_view name;
  std::vector<Hunk> hunks;
};

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// "b/src/x.py" -> "x.py".
std::string_view file_name(std::string_view path) {
  path = path.substr(0, path.find('\t'));
  path = trim(path);
  return path.substr(path.rfind('/') + 1);
}

/// The old begin and the two counts of "@@ -12,3 +12,4 @@".
bool read_head(std::string_view line, Hunk& hunk, std::int64_t& old_left, std::int64_t& new_left) {
  const std::size_t minus = line.find('-');
  const std::size_t plus = line.find('+');
  const std::size_t end = line.find(" @@");
  if (minus == std::string_view::npos || plus == std::string_view::npos || plus < minus ||
      end == std::string_view::npos || end < plus)
    return false;
  const auto range = [](std::string_view text, std::int64_t& begin, std::int64_t& count) {
    const std::vector<std::string_view> parts = split(trim(text), ',');
    const auto first = parse_integer(parts[0]);
    const auto second = parts.size() > 1 ? parse_integer(parts[1]) : std::optional<std::int64_t>(1);
    if (!first || !second || *first < 0 || *second < 0) return false;
    begin = *first;
    count = *second;
    return true;
  };
  std::int64_t ignored = 0;
  return range(line.substr(minus + 1, plus - minus - 1), hunk.begin, old_left) &&
         range(line.substr(plus + 1, end - plus - 1), ignored, new_left);
}

/// The last path of "diff --git a/x.py b/x.py".
std::string_view git_name(std::string_view line) {
  const std::size_t second = line.rfind(" b/");
  return file_name(second == std::string_view::npos ? line : line.substr(second + 1));
}

struct Diff {
  std::vector<FilePart> parts;
  std::vector<std::string_view> files;  ///< all that it names: renamed, binary, deleted ones too
};

/// Notes the files of lines between hunks.
class FileList {
 public:
  explicit FileList(std::vector<std::string_view>& files) : files_(files) {}

  void add(std::string_view line) {
    if (line.starts_with("diff --git ")) {
      files_.push_back(git_name(line));
      in_git_part_ = true;
    } else if (line.starts_with("--- ")) {
      before_ = file_name(line.substr(4));
    } else if (line.starts_with("+++ ")) {
      const bool is_deleted = trim(line.substr(4)).starts_with("/dev/null");
      if (!in_git_part_) files_.push_back(is_deleted ? before_ : file_name(line.substr(4)));
      in_git_part_ = false;
    }
  }

 private:
  std::vector<std::string_view>& files_;
  std::string_view before_;
  bool in_git_part_ = false;  ///< whose file is noted
};

Diff read_diff(std::string_view diff) {
  Diff result;
  std::vector<FilePart>& parts = result.parts;
  FileList files(result.files);
  std::int64_t old_left = 0;
  std::int64_t new_left = 0;
  int number = 0;
  for (std::string_view line : split(diff, '\n')) {
    ++number;
    line = without_return(line);
    if (old_left > 0 || new_left > 0) {
      const char sign = line.empty() ? ' ' : line.front();
      if (sign != '+' && sign != '\\') --old_left;
      if (sign != '-' && sign != '\\') --new_left;
      parts.back().hunks.back().lines.push_back(line.empty() ? " " : line);
      continue;
    }
    files.add(line);
    if (line.starts_with("+++ ")) {
      parts.push_back({file_name(line.substr(4)), {}});
    } else if (line.starts_with("@@ ") && !parts.empty()) {
      Hunk hunk;
      hunk.at = number;
      if (!read_head(line, hunk, old_left, new_left))
        throw Error("this is not the head of a hunk", "give a unified diff (git diff, diff -u)")
            .at({}, {number, 1});
      parts.back().hunks.push_back(hunk);
    }
  }
  return result;
}

/// The part that changes a file. Throws Error.
const FilePart& part_of(const std::vector<FilePart>& parts, std::string_view path) {
  if (parts.empty()) throw Error("this is not a unified diff", "make it with git diff or diff -u");
  const auto count = std::ranges::count(parts, file_name(path), &FilePart::name);
  if (count == 0 && parts.size() > 1)
    throw Error(fmt::format("the diff does not change {}", file_name(path)),
                "give the diff of the kernel's file");
  if (count > 1)
    throw Error(fmt::format("the diff has {} parts that change a file {}", count, file_name(path)),
                "give the diff of the kernel's file, as one part");
  return count == 0 ? parts.front() : *std::ranges::find(parts, file_name(path), &FilePart::name);
}

bool fits(const Hunk& hunk, const std::vector<std::string_view>& lines, std::int64_t at) {
  auto line = static_cast<std::size_t>(at);
  for (const std::string_view one : hunk.lines) {
    if (one.front() == '+' || one.front() == '\\') continue;
    if (line >= lines.size() || without_return(lines[line]) != one.substr(1)) return false;
    ++line;
  }
  return true;
}

/// Where the hunk stands, not before `from`; nearest to where it says.
std::optional<std::int64_t> find_place(const Hunk& hunk, const std::vector<std::string_view>& lines,
                                       std::int64_t from) {
  const auto count = static_cast<std::int64_t>(lines.size());
  const std::int64_t said = std::max<std::int64_t>(hunk.begin - 1, 0);
  for (std::int64_t away = 0; away <= count + said; ++away)
    for (const std::int64_t at : {said + away, said - away})
      if (at >= from && at <= count && fits(hunk, lines, at)) return at;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> other_files(std::string_view diff, std::string_view path) {
  const Diff read = read_diff(diff);
  const std::string_view own = part_of(read.parts, path).name;
  std::vector<std::string> others;
  bool is_left_out = false;
  for (const std::string_view one : read.files) {
    if (one == own && !std::exchange(is_left_out, true)) continue;
    others.emplace_back(one);
  }
  return others;
}

std::string apply_diff(std::string_view text, std::string_view diff, std::string_view path) {
  const Diff read = read_diff(diff);
  const FilePart& part = part_of(read.parts, path);
  const std::vector<std::string_view> lines = split(text, '\n');
  const bool has_returns = !lines.empty() && lines.front().ends_with('\r');
  std::vector<std::string> result;
  std::int64_t next = 0;
  const auto keep_until = [&](std::int64_t end) {
    for (; next < end; ++next) result.emplace_back(lines[static_cast<std::size_t>(next)]);
  };
  for (const Hunk& hunk : part.hunks) {
    const auto place = find_place(hunk, lines, next);
    if (!place)
      throw Error(fmt::format("this hunk does not fit {}", file_name(path)),
                  "give the diff against the file that the job names")
          .at({}, {hunk.at, 1});
    keep_until(*place);
    for (const std::string_view one : hunk.lines) {
      if (one.front() == '+')
        result.push_back(std::string(one.substr(1)) + (has_returns ? "\r" : ""));
      else if (one.front() == '-')
        ++next;
      else if (one.front() != '\\')
        keep_until(next + 1);
    }
  }
  keep_until(static_cast<std::int64_t>(lines.size()));
  return fmt::format("{}", fmt::join(result, "\n"));
}

}  // namespace heddle
