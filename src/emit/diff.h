// A unified diff of two texts, as `patch -p1` and `git apply` read it.
//
//   unified_diff("a\nb\nc\n", "a\nB\nc\n", "x.py")
//     --- a/x.py
//     +++ b/x.py
//     @@ -1,3 +1,3 @@
//      a
//     -b
//     +B
//      c
//
// Rules
//   1. Three lines of context; as few changed lines as possible, deletions before insertions.
//   2. Lines end at '\n'; a '\r' before it belongs to the line. A last line without '\n' is marked.
//   3. Equal texts give an empty diff.
//   4. Work is bounded: where more than kMostEdits lines differ, everything between the first and
//      the last difference is replaced.
#pragma once

#include <string>
#include <string_view>

namespace heddle::emit {

inline constexpr int kMostEdits = 2000;

/// `name` is what stands behind a/ and b/; odd characters in it are quoted as git does.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

/// Where a diff is applied: the path from the folder heddle runs in, if the file lies below it;
/// else the file's name.
std::string name_in_diff(const std::string& path);

}  // namespace heddle::emit
