// The numbers that host code launches a kernel with, as far as they can be computed from a job.
//
//   const int nx = CEIL_DIV(cols, 32);              a named number: nothing but the grid uses it
//   dim3 grid(nx, CEIL_DIV(rows, 32));              with cols = 512, rows = 320: 16 x 10
//   transpose<<<grid, 256>>>(in, out, rows, cols);  what the kernel calls rows is rows here
//
// Rules
//   1. Known are literals, names that the launch hands to the kernel as they are, constexprs of the job
//      that the file does not define, numbers with one definition in the function, macros and constants
//      of arithmetic, functions that do nothing but return arithmetic on their parameters; + - * / %
//      << >> of them, min, max, and conversions to integers of 32 bits and more.
//   2. A name that the function writes again, or takes the address of, is not known.
//   3. All numbers, on the way too, are from 0 to 2^31 - 1; others are not known. So their types
//      make no difference.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/launch.h"
#include "kernel/cxx/source.h"

namespace heddle::kernel::cxx {

/// A variable of host code.
struct HostNumber {
  std::string name;
  TokenRange statement;  ///< its declaration, with the ;
  TokenRange value;
};

/// Named numbers that these expressions use, and that nothing else in the function does.
std::vector<HostNumber> host_numbers(const CxxSource& source, std::vector<TokenRange> expressions,
                                     std::size_t near);

/// The outermost braces around a token that follow a list of parameters; none of a long function.
TokenRange function_around(const std::vector<Token>& tokens, std::size_t near);

/// Of the types of such numbers: integers of 32 bits and more, and what stands in front of names.
bool is_integer_word(std::string_view text);

/// The token is one of arithmetic on integers, or of statements that hold nothing else.
bool is_plain_word(const std::vector<Token>& tokens, std::size_t i);

class HostArithmetic {
 public:
  /// `handed` is what a launch at `near` hands to the kernel.
  HostArithmetic(const CxxSource& source, const CxxFunction& kernel, const config::Launch& launch,
                 const std::vector<TokenRange>& handed, std::size_t near);

  std::optional<std::int64_t> value(TokenRange expression) const;

 private:
  using Number = std::optional<std::int64_t>;
  using Names = std::map<std::string, std::int64_t>;
  /// Tokens that are read, and what their names are.
  struct Text {
    const std::vector<Token>* tokens = nullptr;
    std::size_t at = 0;
    std::size_t end = 0;  ///< just behind
    const Names* names = nullptr;
    int depth = 0;
    std::string_view word() const {
      return at < end ? std::string_view((*tokens)[at].text) : std::string_view();
    }
  };
  Number whole(const std::vector<Token>& tokens, TokenRange range, const Names& names,
               int depth) const;
  Number sum(Text& text, int level) const;
  Number atom(Text& text) const;
  Number named(Text& text) const;
  Number call(const std::string& name, Text& text) const;
  Number macro(const std::string& name, const std::vector<Number>& given, int depth) const;
  Number function(const std::string& name, const std::vector<Number>& given, int depth) const;
  Number constant(const std::string& name, int depth) const;

  const CxxSource& source_;
  TokenRange body_;  ///< of the function around the launch
  Names handed_;
};

}  // namespace heddle::kernel::cxx
