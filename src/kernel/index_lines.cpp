#include "kernel/index_lines.h"

#include <algorithm>

#include "support/error.h"
#include "support/text.h"

namespace heddle::kernel {

bool take_marked(const std::string& text, const std::string& comment, IndexLines& result) {
  const std::vector<std::string_view> lines = split(text, '\n');
  const auto is_mark = [&](std::string_view line, std::string_view what) {
    line = trim(line);
    if (line.substr(0, comment.size()) != comment) return false;
    return trim(line.substr(comment.size())) == what;
  };
  std::vector<std::string_view> taken(lines.size());
  std::size_t begin = 0;
  std::size_t margin = std::string_view::npos;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_mark(lines[i], "heddle: begin order")) {
      begin = i + 1;
    } else if (begin > 0 && is_mark(lines[i], "heddle: end order")) {
      begin = 0;
    } else if (begin > 0 && !trim(lines[i]).empty()) {
      margin = std::min(margin, lines[i].find_first_not_of(" \t"));
      taken[i] = lines[i];
      result.lines.push_back(static_cast<int>(i) + 1);
    }
  }
  if (begin > 0)
    throw Error("the index lines that are marked have no end",
                "close them with '" + comment + " heddle: end order'")
        .at({}, {static_cast<int>(begin), 1});
  for (const std::string_view line : taken) {
    result.text += line.empty() ? line : line.substr(margin);
    result.text += '\n';
  }
  result.is_marked = !result.lines.empty();
  return result.is_marked;
}

}  // namespace heddle::kernel
