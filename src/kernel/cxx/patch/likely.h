// Code that may be index code, as far as it can be told without reading it: integers alone, and no
// memory. If it differs, the verdict is open; other code that differs is another program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/cxx/tree.h"

namespace heddle::kernel::cxx {

/// Nothing in the tree has to do with memory, threads or floating numbers.
bool may_be_index(const CxxTree& tree, const CxxNode& node);
/// An integer, or a class that holds nothing else: int, dim3, a struct of the user's.
bool is_of_integers(const CxxTree& tree, const std::string& type);
/// The variable of `tile.x`; null: the member is another's, such as that of a pointer.
const CxxNode* member_variable(const CxxNode& member);

/// A declaration of the kernel's own file that may be index code.
struct CxxLikely {
  std::string name;
  int first = 0;  ///< lines
  int last = 0;
};

std::vector<CxxLikely> likely_index(const CxxTree& tree);
/// All declarations between these tokens, of which there is one, may be index code.
bool is_likely(const CxxTree& tree, std::size_t first, std::size_t last);

}  // namespace heddle::kernel::cxx
