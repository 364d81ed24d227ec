// Macros that index code of a C++ kernel may use: numbers, and arithmetic on their parameters.
//
//   #define DIES 8      #define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
//
// Rules
//   1. The text of such a macro holds whole numbers, its parameters, parentheses and operators: it
//      means the same wherever it is expanded, whatever other macros there are.
//   2. It is defined once, outside #if, and never undefined.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/patch/work.h"
#include "kernel/cxx/source.h"
#include "kernel/cxx/token.h"

namespace heddle::kernel::cxx {

/// The macro's name, if the directive defines one; empty: it does not.
std::string macro_name(const Token& directive);
/// The same for a macro of rule 1.
std::string arithmetic_macro(const Token& directive);
/// The macro has rules 1 and 2 in a file.
bool is_arithmetic_macro(const std::vector<Token>& tokens, const std::string& name);

/// Directives of a body, and all tokens from the first #if to the last #endif.
std::string fixed_text(const CxxSource& source, const CxxFunction& function);

/// Names in a body that the compiler does not see any more: macros.
struct BodyMacros {
  std::vector<std::string> work;
  std::vector<std::string> index;
};

BodyMacros body_macros(const CxxSource& source, const CxxFunction& function,
                       const CxxWorkSide& tree);

/// A macro of heddle's device headers that is an index value.
bool is_index_macro(std::string_view name);

}  // namespace heddle::kernel::cxx
