// Doubts about two C++ kernels that their trees do not raise: host code that uses what changed, code
// that tells where it stands, and instantiations of a template that nobody compiled.
#pragma once

#include <string>
#include <vector>

#include "kernel/cxx/patch/files.h"
#include "kernel/cxx/patch/outside.h"

namespace heddle::kernel::cxx {

/// One of the two kernels, with what the compiler sees of it.
struct CxxDoubtSide {
  const CxxCodeSide* code = nullptr;
  const CxxTree* tree = nullptr;
  const CxxIndex* index = nullptr;
};

/// `changes` are those that are known so far: the lines of index code that differ.
std::vector<std::string> doubts_beyond_trees(const CxxDoubtSide& before, const CxxDoubtSide& after,
                                             const CxxOutside& outside,
                                             const std::vector<CodeChange>& changes);

}  // namespace heddle::kernel::cxx
