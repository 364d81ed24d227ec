// Names of C++ symbols.
//
//   demangled("_Z3addPfi")   add(float*, int)
#pragma once

#include <string>

namespace heddle {

/// The symbol itself where it is not one of C++.
std::string demangled(const std::string& symbol);

}  // namespace heddle
