// The lines of a text as Python counts them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/error.h"
#include "support/text.h"

namespace heddle::kernel::triton {

/// The text must outlive this.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text), begins_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      if ((text[i] == '\n' || text[i] == '\r') && !is_pair) begins_.push_back(i + 1);
    }
  }

  /// The place of a position in the text, which may be its end.
  std::size_t offset(Position position) const {
    const auto line = static_cast<std::size_t>(position.line) - 1;
    if (position.line < 1 || position.column < 1 || line >= begins_.size()) return text_.size();
    return std::min(begins_[line] + static_cast<std::size_t>(position.column) - 1, text_.size());
  }

  std::size_t begin_of_line(int line) const { return offset({line, 1}); }

  /// "\n", "\r\n" or "\r": how the line ends, or the one before it where it is the last.
  std::string ending(int line) const {
    for (int i = line; i >= 1; --i) {
      const std::size_t end = begin_of_line(i + 1);
      if (end == 0 || (text_[end - 1] != '\n' && text_[end - 1] != '\r')) continue;
      return end > 1 && text_[end - 1] == '\n' && text_[end - 2] == '\r'
                 ? "\r\n"
                 : std::string(1, text_[end - 1]);
    }
    return "\n";
  }

  /// Whether the line before ends in a backslash, which makes them one.
  bool is_continued(int line) const {
    if (line < 2) return false;
    const std::size_t begin = begin_of_line(line - 1);
    std::string_view before = std::string_view(text_).substr(begin, begin_of_line(line) - begin);
    before = trim(before);
    return !before.empty() && before.back() == '\\' && before.front() != '#';
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> begins_;
};

}  // namespace heddle::kernel::triton
