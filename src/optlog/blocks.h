// The fenced code blocks of a Markdown text: a model's answer, or the text of a pull request.
//
//   Swap the axes:                          (prose, passed over)
//   ```python                               language "python"
//   pid = tl.program_id(0)                  text, line 3
//   ```
//
// Rules
//   1. A fence is a line of at least three backticks or tildes, however far it is indented, with the
//      language behind it. It ends at the next fence of the same sign that is no shorter and has
//      nothing behind it.
//   2. A block that the text does not end is there, with `closed` false: an answer was cut.
//   3. Lines are kept as written, without the blanks that stand before the fence.
//   4. Any bytes are accepted. Time is linear; at most kMostBlocks are read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::optlog {

inline constexpr std::size_t kMostBlocks = 1000;

struct CodeBlock {
  std::string language;  ///< in small letters; empty: none is named
  std::string text;
  int line = 0;  ///< of the text, on which its first line stands
  bool closed = false;
};

std::vector<CodeBlock> code_blocks(std::string_view text);
/// What stands outside the blocks.
std::string prose_of(std::string_view text);

/// Whether a block may hold an order: no output, shell, data or diff by its language.
bool may_be_formula(const CodeBlock& block);

/// A text in backticks that end where it ends, whatever backticks it has inside.
std::string fenced(std::string_view text, std::string_view language = {});

}  // namespace heddle::optlog
