#include "optlog/blocks.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace heddle::optlog {
namespace {

struct Fence {
  char sign = 0;  ///< 0: the line is none
  std::size_t length = 0;
  std::size_t indent = 0;
  std::string_view info;
};

Fence fence_of(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view rest = line.substr(fence.indent);
  if (rest.empty() || (rest[0] != '`' && rest[0] != '~')) return fence;
  const std::size_t length = std::min(rest.find_first_not_of(rest[0]), rest.size());
  const std::string_view info = trim(rest.substr(length));
  if (length < 3 || (rest[0] == '`' && info.find('`') != std::string_view::npos)) return fence;
  return {rest[0], length, fence.indent, info};
}

std::string_view without_blanks(std::string_view line, std::size_t most) {
  std::size_t blanks = 0;
  while (blanks < most && blanks < line.size() && (line[blanks] == ' ' || line[blanks] == '\t'))
    ++blanks;
  return line.substr(blanks);
}

struct Parts {
  std::vector<CodeBlock> blocks;
  std::string prose;
};

Parts parts_of(std::string_view text) {
  Parts parts;
  std::vector<CodeBlock>& blocks = parts.blocks;
  Fence open;
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    const Fence fence = fence_of(line);
    if (open.sign == 0) {
      if (fence.sign == 0 || blocks.size() >= kMostBlocks) {
        parts.prose += line;
        parts.prose += '\n';
        continue;
      }
      open = fence;
      const std::string_view word = fence.info.substr(0, fence.info.find_first_of(" \t{,"));
      blocks.push_back({lower_case(word), "", number + 1, false});
    } else if (fence.sign == open.sign && fence.length >= open.length && fence.info.empty()) {
      blocks.back().closed = true;
      open = {};
    } else {
      blocks.back().text += without_blanks(line, open.indent);
      blocks.back().text += '\n';
    }
  }
  return parts;
}

}  // namespace

std::vector<CodeBlock> code_blocks(std::string_view text) {
  return parts_of(text).blocks;
}

std::string prose_of(std::string_view text) {
  return parts_of(text).prose;
}

bool may_be_formula(const CodeBlock& block) {
  constexpr std::array kOthers = {
      "bash", "sh",   "shell", "console", "diff", "patch",    "json", "toml", "yaml",    "xml",
      "html", "text", "txt",   "output",  "log",  "markdown", "md",   "csv",  "mermaid", "latex"};
  return std::find(kOthers.begin(), kOthers.end(), block.language) == kOthers.end();
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string block = fence + std::string(language) + "\n" + std::string(text);
  if (!block.ends_with('\n')) block += '\n';
  return block + fence + "\n";
}

}  // namespace heddle::optlog
