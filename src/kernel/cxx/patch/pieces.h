// A C++ file cut at its outermost ; and }, and pieces of it as texts.
//
//   #define A 1      int f() { return 1; }      namespace n {      int g;      }
//
// Rules
//   1. A directive outside brackets is a piece of its own; so are the two ends of a namespace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

bool opens_bracket(const Token& token);
bool closes_bracket(const Token& token);

/// A range of the file's text on one line, cut where it is long.
std::string quoted(const CxxSource& source, TokenRange range);

/// Template parameters that the new kernel has behind the original's own: integers with a number as
/// their default, and names that the original's file does not know. [begin, end) of the tokens of
/// the new file; equal: there are none. The kernels' names are at the two tokens.
struct AddedParameters {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool has(std::size_t token) const { return token >= begin && token < end; }
};
/// `template <...>` in front of the new kernel, where the original has none: begin and end as above.
AddedParameters added_template(const std::vector<Token>& before, std::size_t old_name,
                               const std::vector<Token>& after, std::size_t new_name);
AddedParameters added_parameters(const std::vector<Token>& before, std::size_t old_name,
                                 const std::vector<Token>& after, std::size_t new_name);

/// What is left of two ranges from the line of their first different token on.
std::pair<TokenRange, TokenRange> from_difference(const std::vector<Token>& before, TokenRange olds,
                                                  const std::vector<Token>& after, TokenRange news);

/// Pieces of a file: declarations, and directives.
std::vector<TokenRange> cut_pieces(const std::vector<Token>& tokens, std::size_t begin,
                                   std::size_t end);

/// `namespace name {`
bool is_start(const std::vector<Token>& all, const TokenRange& piece, std::string_view name);

/// The name in front of the first ( or =, or of a class.
std::string_view declared_name(const std::vector<Token>& all, const TokenRange& piece);

/// What tells that two pieces are one that changed: the kind of a directive, or a name.
std::string key_of(const std::vector<Token>& all, const TokenRange& piece);

/// "a directive", "another kernel", "a helper function", "host code"
std::string what_of(const std::vector<Token>& all, const TokenRange& piece);

std::string tokens_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace heddle::kernel::cxx
