// Any bytes as a model's answer: its blocks, and the orders in them.
#include <cstdint>
#include <string>

#include "optlog/blocks.h"
#include "search/given.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t length = optlog::prose_of(text).size();
  for (const optlog::CodeBlock& block : optlog::code_blocks(text)) {
    length += block.text.size();
    const auto again = optlog::code_blocks(optlog::fenced(block.text));
    if (again.size() != 1 || !again[0].closed) __builtin_trap();
    if (optlog::may_be_formula(block)) search::read_given(block.text, "model", {}, true);
  }
  if (length > text.size() + 1) __builtin_trap();  // nothing is made up
  return 0;
}
