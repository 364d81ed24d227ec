// Applies a unified diff to a text, as `patch` and `git apply` do.
//
//   apply_diff("a\nb\n", "--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n", "src/x.py")
//     "a\nB\n"
//
// Rules
//   1. Of a diff of several files, the part whose new path has the file's name is taken; the only
//      part is taken whatever its name. Two parts of that name are an Error.
//   2. Every line of context must be there. A hunk may stand elsewhere than its numbers say, at the
//      place nearest to them; anything else is an Error with the diff's line.
//   3. The text's own line ends stay.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

std::string apply_diff(std::string_view text, std::string_view diff, std::string_view path);

/// Names, without their folders, of the other files that a diff changes, renames or deletes.
std::vector<std::string> other_files(std::string_view diff, std::string_view path);

}  // namespace heddle
