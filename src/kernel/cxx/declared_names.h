// The words that a declaration outside classes declares, read from its tokens.
//
//   __constant__ float a __attribute__((aligned(16))) = 1, *b;     a b
//   template <> constexpr int bits<float> = 4;                     bits
//   typedef float (*Map)(float), real;                             Map real
//   enum Mode { kAdd = 3, kTimes };                                Mode kAdd kTimes
//
// Rules
//   1. A word too many does no harm to who follows words; one too few does. So a declaration with
//      directives in it, or none of whose words could be told, declares every word in it.
//   2. Keywords, and words that begin with two underscores, declare nothing.
//   3. A static_assert stands for every word in it, and a using-directive for none.
#pragma once

#include <string>
#include <vector>

#include "kernel/cxx/outline.h"

namespace heddle::kernel::cxx {

/// The names that tokens spell, those in directives left out.
std::vector<std::string> names_in(const std::vector<Token>& tokens, TokenRange range);
/// A word of the language, or one that compilers keep for themselves.
bool is_reserved(std::string_view word);

std::vector<std::string> declared_names(const std::vector<Token>& tokens, const OutlineItem& item);
std::vector<std::string> declared_names(const std::vector<Token>& tokens,
                                        const OutlineOther& other);
/// Past `template <...>`, of which there may be several, in front of a declaration.
std::size_t past_template(const std::vector<Token>& tokens, TokenRange range);

}  // namespace heddle::kernel::cxx
