// Declarations of index code at namespace scope: what a C++ file has besides its kernel for the
// index alone.
//
//   constexpr int kDies = 8;   enum { kWide = 4 };   __device__ int turn(int p) { return kDies - p; }
//
// Rules
//   1. A unit is a function or constant that index.h can read, an enumeration whose constants all
//      have values in the text, or a namespace with a name that holds nothing but units.
//   2. A unit goes by its name; an enumeration by its own and by each constant's.
#pragma once

#include <string>
#include <vector>

#include "kernel/cxx/patch/index.h"

namespace heddle::kernel::cxx {

/// A function, constant, enumerator or namespace of index code at namespace scope.
struct CxxUnit {
  std::string name;
  std::size_t first = 0;   ///< token
  std::size_t behind = 0;  ///< the token behind the last
  std::string text;
  bool sees_block = false;
  bool is_scope = false;  ///< a namespace
};

std::vector<CxxUnit> index_units(const CxxTree& tree, CxxIndex& index);

}  // namespace heddle::kernel::cxx
