#include "kernel/cxx/patch/heads.h"

#include "kernel/cxx/patch/pieces.h"

namespace heddle::kernel::cxx {
namespace {

bool is_name_of(const Token& token, const CxxFunction& function) {
  return token.position.line == function.position.line &&
         token.position.column == function.position.column;
}

/// The token with the kernel's name.
std::size_t name_of(const KernelHead& head) {
  std::size_t i = head.function.begin;
  while (i < head.function.body_begin && !is_name_of(head.source.tokens()[i], head.function)) ++i;
  return i;
}

std::string head_text(const KernelHead& head, const AddedParameters& added = {}) {
  std::string text;
  for (std::size_t i = head.function.begin; i < head.function.body_begin; ++i) {
    if (added.has(i)) continue;
    const Token& token = head.source.tokens()[i];
    // The name may be another.
    text += is_name_of(token, head.function) ? std::string_view("\x01") : token.text;
    text += ' ';
  }
  return text;
}

}  // namespace

HeadChange compare_heads_of(const KernelHead& before, const KernelHead& after) {
  HeadChange change;
  const std::string text = head_text(before);
  change.is_same = text == head_text(after);
  if (change.is_same) return change;
  const auto& olds = before.source.tokens();
  const auto& news = after.source.tokens();
  const std::size_t old_name = name_of(before);
  const std::size_t new_name = name_of(after);
  change.is_known = text == head_text(after, added_parameters(olds, old_name, news, new_name));
  if (change.is_known) return change;
  change.is_known = text == head_text(after, added_template(olds, old_name, news, new_name));
  if (change.is_known) change.doubt = "the kernel became a template";
  return change;
}

}  // namespace heddle::kernel::cxx
