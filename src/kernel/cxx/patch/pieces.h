// A C++ file cut at its outermost ; and }, and pieces of it as texts.
//
//   #define A 1      int f() { return 1; }      namespace n {      int g;      }
//
// Rules
//   1. A directive outside brackets is a piece of its own; so are the two ends of a namespace.
#pragma once

#include <string>
#include <vector>

#include "kernel/cxx/outline.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// A range of the file's text on one line, cut where it is long.
std::string quoted(const CxxSource& source, TokenRange range);

/// Pieces of a file: declarations, and directives.
std::vector<TokenRange> cut_pieces(const std::vector<Token>& tokens, std::size_t begin,
                                   std::size_t end);

std::string tokens_text(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

}  // namespace heddle::kernel::cxx
