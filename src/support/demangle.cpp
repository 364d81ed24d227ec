#include "support/demangle.h"

#include <cxxabi.h>

#include <cstdlib>

namespace heddle {

std::string demangled(const std::string& symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return name;
}

}  // namespace heddle
