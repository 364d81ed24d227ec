// What stands at the scopes of a C++ file: functions, variables, members, and where each begins.
//
//   __global__ void k(float* x) { ... }    kernel, device   begin `__global__`, body { ... }
//   int main() { k<<<1, 1>>>(x); }         function         holds <<<
//   std::vector<int> sizes;                variable
//   struct P { ~P() { hipFree(x); } };     function         a member
//
// Rules
//   1. Namespaces, `extern "C" { }` and classes are entered; function bodies are not. What is
//      neither function nor variable (types, using, static_assert, ...) is listed apart, where it
//      stands in no class.
//   2. Every branch of a conditional is read if each is complete in itself: braces closed, and a
//      ; or } at its end. Else the first is, or the second of `#if 0`.
//   3. A word that the file defines as a macro with __device__ (__global__, constexpr) counts as
//      that, and so does a word in capitals with DEVICE in it.
//   4. `NAME(...)` alone is a macro: for the device if the file defines it with __device__, or with
//      what makes types, constants or templates, else for the host.
//   5. A brace that is not closed, or closes nothing, is an Error with its place.
//
// Does not model: declarations that macros make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// A function or a variable. Indices are into the tokens.
struct OutlineItem {
  bool is_function = false;
  bool is_kernel = false;  ///< __global__
  bool is_device = false;  ///< __global__, __device__, __constant__, constexpr, ...
  bool is_const = false;
  bool is_member = false;
  bool holds_launch = false;  ///< <<<
  TokenRange all;
  std::string scope;                     ///< "kernels::"
  std::optional<TokenRange> name;        ///< of a function; `k < float >` of a specialisation
  std::optional<TokenRange> parameters;  ///< with the brackets
  std::optional<TokenRange> template_parameters;  ///< with the brackets, of the innermost
  std::size_t head_end = 0;  ///< the first token of body or constructor initialisers
  std::optional<TokenRange> body;
};

/// A type, using, typedef, static_assert, ... outside classes.
struct OutlineOther {
  TokenRange all;
  std::optional<TokenRange> body;  ///< of a class or enum
};

struct Outline {
  std::vector<OutlineItem> items;    ///< in the order of the file
  std::vector<OutlineOther> others;  ///< the same
  std::vector<std::size_t> partner;  ///< of a bracket that is read: the other one; else its own
  std::vector<bool> is_read;         ///< not in a branch that is left out, and no directive
};

/// `defines` are directives of other files: their macros count as well.
Outline outline_of(const std::vector<Token>& tokens, const std::string& path,
                   const std::vector<Token>& defines = {});

/// The tokens of a range that are read, split at commas that stand outside brackets and
/// template arguments.
std::vector<std::vector<std::size_t>> split_at_commas(const std::vector<Token>& tokens,
                                                      const Outline& outline, TokenRange range);

}  // namespace heddle::kernel::cxx
