// Where a C++ kernel takes its block's index: what a rewriting replaces.
//
//   const int x = blockIdx.x * 16 + threadIdx.x;     axis 0
//   int row = hipBlockIdx_y;                         axis 1
//
// Rules
//   1. Every use in the kernel's body is found, in every branch of #if. What hides one is refused
//      with its place: blockIdx as a whole, a function or macro of the file that uses it and that
//      the kernel reaches, a lambda or local class that could not see a variable of the kernel,
//      cooperative groups, and what compilers call the index themselves.
//   2. A name counts as reached wherever it stands in code that is reached.
//   3. Files that the kernel includes by "name" are not read, and words that macros glue together
//   are
//      not put together: refuse_unseen says so.
//
// Does not see: macros that the compiler is given, functions of <headers>.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/cxx/source.h"

namespace heddle::emit {

/// Indices are into the source's tokens; `end` is the last one.
struct BlockUse {
  int axis = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Points into the source it was found in, which must outlive it.
struct CxxBlocks {
  const kernel::cxx::CxxSource* source = nullptr;
  const kernel::cxx::CxxFunction* function = nullptr;
  std::vector<BlockUse> uses;                ///< in the order of the text; never empty
  int axes = 1;                              ///< the last axis used, plus one
  std::set<std::string> names;               ///< of everything in the file
  std::set<std::string> known;               ///< ints that the kernel has where its body begins
  std::optional<kernel::cxx::Token> unseen;  ///< the first #include "..." or ## of a macro
};

/// `macros` are those that the compiler is given: "TILE".
CxxBlocks find_blocks(const kernel::cxx::CxxSource& source, const std::string& function,
                      const std::vector<std::string>& macros);

/// Throws Error where a file that is not read could hold a use.
void refuse_unseen(const CxxBlocks& blocks);

}  // namespace heddle::emit
